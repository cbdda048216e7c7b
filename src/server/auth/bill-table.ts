import type { Db } from '#server/db/driver.ts';
import { billedResources } from './billed-resources.ts';
import { StoreError } from '#server/db/store-error.ts';

/** The payment of an app for an answered request. Amounts are whole micro-dollars. */
export interface Billed {
  readonly app: string;
  /** UTC day number. */
  readonly day: number;
  /** Method and path of the endpoint, such as `GET /2/tweets`. */
  readonly operation: string;
  /** The id of the account that the app acted as, or a word of `AppBill`. */
  readonly account: string;
  /** Resources that were not billed to the app on this day before. */
  readonly resources: number;
  /** Posts among them that count as usage. */
  readonly posts: number;
  /** 0 for an app that does not pay per use. */
  readonly charged: number;
  /** The cost of the answer under pay-per-use. */
  readonly price: number;
}

/** The answers to an app's operation by an account on a day. */
export interface BillSum extends Billed {
  readonly requests: number;
}

/** The amounts of an answer, and of a {@link BillSum}: columns of that name. */
const ADDED = ['resources', 'posts', 'charged', 'price'] as const;
const AMOUNTS = ['requests', ...ADDED] as const;
type Amount = (typeof AMOUNTS)[number];

function amountsBy(amountOf: (name: Amount, i: number) => number): Record<Amount, number> {
  const entries = AMOUNTS.map((name, i) => [name, amountOf(name, i)]);
  return Object.fromEntries(entries) as Record<Amount, number>;
}

/** The payments of an app up to the time at which its credits were last set. */
export interface Balance {
  /** The number of times they were set before. */
  readonly creditsSet: number;
  readonly charged: number;
}

/**
 * The payments of apps for answers. Additions are in memory first, and durable half a second later, at {@link
 * BillTable.flush} or when this is closed: a read need not wait for the disk.
 */
export type BillTable = ReturnType<typeof billTable>;

/** The time that additions wait, so that a busy service writes twice a second. */
const WAIT_MS = 500;

/** Resources that wait at most, so that writing them takes some 25 ms; beyond it they are written at once. */
const MAX_WAITING = 5_000;

export function billTable(db: Db) {
  const addSum = db.prepare(
    `INSERT INTO bill (app, day, operation, account, ${AMOUNTS.join(', ')})
    VALUES (?, ?, ?, ?${', ?'.repeat(AMOUNTS.length)})
    ON CONFLICT DO UPDATE SET ${AMOUNTS.map((name) => `${name} = ${name} + excluded.${name}`).join(', ')}`,
  );
  const sums = db.prepare(
    `SELECT day, operation, account, ${AMOUNTS.join(', ')} FROM bill
    WHERE app = ? AND day >= ? ORDER BY day, operation, account`,
  );
  const balanceOf = db.prepare('SELECT credits_set, charged FROM balance WHERE app = ?');
  const putBalance = db.prepare('INSERT OR REPLACE INTO balance VALUES (?, ?, ?)');

  const resources = billedResources(db);
  /** Sums that wait. */
  const added = new Map<string, { -readonly [K in keyof BillSum]: BillSum[K] }>();
  let timer: NodeJS.Timeout | null = null;

  /** Writes what waits; it stays where that fails. */
  const flush = (also?: () => void): void => {
    if (timer) clearTimeout(timer);
    timer = null;
    if (added.size === 0 && !also) return;
    db.write('bill', () => {
      let newest = 0;
      for (const sum of added.values()) {
        const { app, day, operation, account } = sum;
        newest = Math.max(newest, day);
        addSum.run([app, day, operation, account, ...AMOUNTS.map((name) => sum[name])]);
      }
      // A request that began yesterday may end today.
      resources.write(newest - 1);
      also?.();
    });
    added.clear();
    resources.written();
  };
  const schedule = (): void => {
    timer ??= setTimeout(() => {
      timer = null;
      try {
        flush();
      } catch (error) {
        // The disk is full, for example. An addition fails when too much waits.
        if (!(error instanceof StoreError)) throw error;
        schedule();
      }
    }, WAIT_MS).unref();
  };

  return {
    unbilled: resources.unbilled,
    take: resources.take,
    /** @throws {@link StoreError} if too much waits because the file cannot be written. */
    add: (billed: Billed) => {
      const { app, day, operation, account } = billed;
      const key = `${day} ${app} ${account} ${operation}`;
      const sum = added.get(key);
      if (!sum) added.set(key, { ...billed, requests: 1 });
      else {
        sum.requests += 1;
        for (const name of ADDED) sum[name] += billed[name];
      }
      if (resources.waiting() > MAX_WAITING) flush();
      else schedule();
    },
    /** Writes what waits. */
    flush: (): void => flush(),
    /** Sums since a UTC day, by day, operation and account. */
    of: (app: string, since: number): BillSum[] => {
      flush();
      return sums.all([app, since]).map(([day, operation, account, ...n]) => ({
        app,
        day: Number(day),
        operation: String(operation),
        account: String(account),
        ...amountsBy((_name, i) => Number(n[i])),
      }));
    },
    balance: (app: string): Balance | undefined => {
      const [creditsSet, charged] = balanceOf.get([app]) ?? [];
      return creditsSet === undefined
        ? undefined
        : { creditsSet: Number(creditsSet), charged: Number(charged) };
    },
    /** Stores a balance together with all that waits. */
    putBalance: (app: string, { creditsSet, charged }: Balance): void =>
      flush(() => void putBalance.run([app, creditsSet, charged])),
    /** Writes what waits. */
    close: (): void => flush(),
  };
}
