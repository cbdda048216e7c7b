import type { ResourceKind } from '#contract/counts/prices.ts';
import { StoreError, type Db } from '#server/db/driver.ts';

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

/** Resources of past days that are removed at a time, because removing all of a day takes seconds. */
const REMOVED = 2_000;

interface Taken {
  readonly key: readonly [day: number, app: string, kind: string];
  readonly amounts: Map<string, number>;
}

interface Waiting {
  readonly sums: Map<string, { -readonly [K in keyof BillSum]: BillSum[K] }>;
  /** Prices of ids, by day, app and kind. */
  readonly taken: Map<string, Taken>;
  resources: number;
}

function nothing(): Waiting {
  return { sums: new Map(), taken: new Map(), resources: 0 };
}

export function billTable(db: Db) {
  const addSum = db.prepare(
    `INSERT INTO bill (app, day, operation, account, ${AMOUNTS.join(', ')})
    VALUES (?, ?, ?, ?${', ?'.repeat(AMOUNTS.length)})
    ON CONFLICT DO UPDATE SET ${AMOUNTS.map((name) => `${name} = ${name} + excluded.${name}`).join(', ')}`,
  );
  const addIds = db.prepare(
    `INSERT INTO billed (day, app, kind, id, amount) SELECT ?, ?, ?, key, value FROM json_each(?) WHERE true
    ON CONFLICT DO UPDATE SET amount = excluded.amount`,
  );
  const amountsOf = db.prepare(
    `SELECT id, amount FROM billed
    WHERE day = ? AND app = ? AND kind = ? AND id IN (SELECT value FROM json_each(?))`,
  );
  const removeOld = db.prepare(
    `DELETE FROM billed WHERE (day, app, kind, id) IN
    (SELECT day, app, kind, id FROM billed WHERE day < ? LIMIT ${REMOVED})`,
  );
  const sums = db.prepare(
    `SELECT day, operation, account, ${AMOUNTS.join(', ')} FROM bill
    WHERE app = ? AND day >= ? ORDER BY day, operation, account`,
  );
  const balanceOf = db.prepare('SELECT credits_set, charged FROM balance WHERE app = ?');
  const putBalance = db.prepare('INSERT OR REPLACE INTO balance VALUES (?, ?, ?)');

  let waiting = nothing();
  let timer: NodeJS.Timeout | null = null;

  /** Writes what waits; it stays where that fails. */
  const flush = (also?: () => void): void => {
    if (timer) clearTimeout(timer);
    timer = null;
    if (waiting.sums.size === 0 && !also) return;
    db.write('bill', () => {
      let newest = 0;
      for (const sum of waiting.sums.values()) {
        const { app, day, operation, account } = sum;
        newest = Math.max(newest, day);
        addSum.run([app, day, operation, account, ...AMOUNTS.map((name) => sum[name])]);
      }
      for (const { key, amounts } of waiting.taken.values()) {
        addIds.run([...key, JSON.stringify(Object.fromEntries(amounts))]);
      }
      // A request that began yesterday may end today.
      removeOld.run([newest - 1]);
      also?.();
    });
    waiting = nothing();
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

  const nameOf = (...[day, app, kind]: Taken['key']): string => `${day} ${app} ${kind}`;
  /** The prices at which ids were billed. */
  const billed = (
    app: string,
    day: number,
    kind: ResourceKind,
    ids: readonly string[],
  ): Map<string, number> => {
    if (ids.length === 0) return new Map();
    const rows = amountsOf.all([day, app, kind, JSON.stringify(ids)]);
    const found = new Map(rows.map(([id, amount]) => [String(id), Number(amount)]));
    const taken = waiting.taken.get(nameOf(day, app, kind));
    for (const id of taken ? ids : []) {
      const amount = taken?.amounts.get(id);
      if (amount !== undefined) found.set(id, amount);
    }
    return found;
  };
  return {
    /** Those of the ids that no resource of this kind was billed for on that day. */
    unbilled: (app: string, day: number, kind: ResourceKind, ids: readonly string[]): string[] => {
      const before = billed(app, day, kind, ids);
      return ids.filter((id) => !before.has(id));
    },
    /**
     * Bills resources on a day. One that was billed before costs only what its price is above the earlier one, so that the
     * order of reads makes no difference.
     *
     * @param amount - The price of each, in micro-dollars.
     * @returns `fresh` has the ids that were not billed on that day, each once.
     */
    take: (
      app: string,
      day: number,
      kind: ResourceKind,
      ids: readonly string[],
      amount: number,
    ): { readonly fresh: readonly string[]; readonly price: number } => {
      const distinct = [...new Set(ids)];
      const before = billed(app, day, kind, distinct);
      const dearer = distinct.filter((id) => (before.get(id) ?? -1) < amount);
      const name = nameOf(day, app, kind);
      const taken = waiting.taken.get(name) ?? { key: [day, app, kind], amounts: new Map() };
      if (dearer.length > 0) waiting.taken.set(name, taken);
      for (const id of dearer) taken.amounts.set(id, amount);
      waiting.resources += dearer.length;
      return {
        fresh: distinct.filter((id) => !before.has(id)),
        price: dearer.reduce((sum, id) => sum + amount - (before.get(id) ?? 0), 0),
      };
    },
    /** @throws {@link StoreError} if too much waits because the file cannot be written. */
    add: (billed: Billed) => {
      const { app, day, operation, account } = billed;
      const key = `${day} ${app} ${account} ${operation}`;
      const sum = waiting.sums.get(key);
      if (!sum) waiting.sums.set(key, { ...billed, requests: 1 });
      else {
        sum.requests += 1;
        for (const name of ADDED) sum[name] += billed[name];
      }
      if (waiting.resources > MAX_WAITING) flush();
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
