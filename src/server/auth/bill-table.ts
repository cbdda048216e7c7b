import type { ResourceKind } from '#contract/prices.ts';
import { StoreError } from '#server/db/driver.ts';
import type { Db } from '#server/db/driver.ts';

/** What an app pays for an answered request. Amounts are whole micro-dollars. */
export interface Billed {
  readonly app: string;
  /** UTC day number. */
  readonly day: number;
  /** Method and path of the endpoint, such as `GET /2/tweets`. */
  readonly operation: string;
  /** Resources that were not billed to the app on this day before. */
  readonly resources: number;
  /** Posts among them that count as usage. */
  readonly posts: number;
  /** 0 for an app that does not pay per use. */
  readonly charged: number;
  /** What the answer costs under pay-per-use. */
  readonly price: number;
}

/** The answers to an app's operation on a day. */
export interface BillSum extends Billed {
  readonly requests: number;
}

/** What an app had paid when its credits were last set. */
export interface Balance {
  /** How often they were set before. */
  readonly creditsSet: number;
  readonly charged: number;
}

/**
 * What apps pay for answers. Additions are in memory first, and durable half a second later or when this is closed:
 * a read need not wait for the disk.
 */
export interface BillTable {
  /** The ids that a resource of this kind was not billed for on that day, each once; from now on they are. */
  take(app: string, day: number, kind: ResourceKind, ids: readonly string[]): string[];
  /** Those of the ids that a resource of this kind was not billed for on that day. */
  unbilled(app: string, day: number, kind: ResourceKind, ids: readonly string[]): string[];
  /** @throws {@link StoreError} if too much waits because the file cannot be written. */
  add(billed: Billed): void;
  /** Sums since a UTC day, by day and operation. */
  of(app: string, since: number): BillSum[];
  balance(app: string): Balance | undefined;
  /** Stores a balance together with all that waits. */
  putBalance(app: string, balance: Balance): void;
  /** Writes what waits. */
  close(): void;
}

/** How long additions wait, so that a busy service writes twice a second. */
const WAIT_MS = 500;

/** Resources that wait at most; beyond it they are written at once. */
const MAX_WAITING = 20_000;

/** Resources of past days that are removed at a time, because removing all of a day takes seconds. */
const REMOVED = 2_000;

interface Waiting {
  readonly sums: Map<string, BillSum>;
  /** Ids by day, app and kind. */
  readonly taken: Map<
    string,
    { readonly key: readonly [number, string, string]; ids: Set<string> }
  >;
  resources: number;
}

function nothing(): Waiting {
  return { sums: new Map(), taken: new Map(), resources: 0 };
}

export function billTable(db: Db): BillTable {
  const addSum = db.prepare(
    `INSERT INTO bill VALUES (?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO UPDATE SET
    requests = requests + excluded.requests, resources = resources + excluded.resources,
    posts = posts + excluded.posts, charged = charged + excluded.charged, price = price + excluded.price`,
  );
  const addIds = db.prepare('INSERT INTO billed SELECT ?, ?, ?, value FROM json_each(?)');
  const without = db.prepare(
    `SELECT value FROM json_each(?) WHERE NOT EXISTS
    (SELECT 1 FROM billed WHERE day = ? AND app = ? AND kind = ? AND id = value)`,
  );
  const removeOld = db.prepare(
    `DELETE FROM billed WHERE (day, app, kind, id) IN
    (SELECT day, app, kind, id FROM billed WHERE day < ? LIMIT ${REMOVED})`,
  );
  const sums = db.prepare(
    `SELECT day, operation, requests, resources, posts, charged, price FROM bill
    WHERE app = ? AND day >= ? ORDER BY day, operation`,
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
      for (const { app, day, operation, ...n } of waiting.sums.values()) {
        newest = Math.max(newest, day);
        addSum.run([app, day, operation, n.requests, n.resources, n.posts, n.charged, n.price]);
      }
      for (const { key, ids } of waiting.taken.values()) {
        addIds.run([...key, JSON.stringify([...ids])]);
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

  const unbilled: BillTable['unbilled'] = (app, day, kind, ids) => {
    if (ids.length === 0) return [];
    const taken = waiting.taken.get(`${day} ${app} ${kind}`)?.ids;
    const others = taken ? ids.filter((id) => !taken.has(id)) : ids;
    return without.all([JSON.stringify(others), day, app, kind]).map(([id]) => String(id));
  };
  return {
    unbilled,
    take: (app, day, kind, ids) => {
      const fresh = unbilled(app, day, kind, [...new Set(ids)]);
      if (fresh.length === 0) return fresh;
      const name = `${day} ${app} ${kind}`;
      const taken = waiting.taken.get(name) ?? { key: [day, app, kind], ids: new Set() };
      waiting.taken.set(name, taken);
      for (const id of fresh) taken.ids.add(id);
      waiting.resources += fresh.length;
      return fresh;
    },
    add: (billed) => {
      const { app, day, operation, ...n } = billed;
      const name = `${day} ${app} ${operation}`;
      const sum = waiting.sums.get(name);
      waiting.sums.set(name, {
        app,
        day,
        operation,
        requests: (sum?.requests ?? 0) + 1,
        resources: (sum?.resources ?? 0) + n.resources,
        posts: (sum?.posts ?? 0) + n.posts,
        charged: (sum?.charged ?? 0) + n.charged,
        price: (sum?.price ?? 0) + n.price,
      });
      if (waiting.resources > MAX_WAITING) flush();
      else schedule();
    },
    of: (app, since) => {
      flush();
      return sums.all([app, since]).map(([day, operation, ...n]) => {
        const [requests, resources, posts, charged, price] = n.map(Number) as [
          number,
          number,
          number,
          number,
          number,
        ];
        return {
          app,
          day: Number(day),
          operation: String(operation),
          requests,
          resources,
          posts,
          charged,
          price,
        };
      });
    },
    balance: (app) => {
      const [creditsSet, charged] = balanceOf.get([app]) ?? [];
      return creditsSet === undefined
        ? undefined
        : { creditsSet: Number(creditsSet), charged: Number(charged) };
    },
    putBalance: (app, { creditsSet, charged }) =>
      flush(() => void putBalance.run([app, creditsSet, charged])),
    close: () => flush(),
  };
}
