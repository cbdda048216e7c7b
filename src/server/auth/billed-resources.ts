import type { ResourceKind } from '#contract/counts/prices.ts';
import type { Db } from '#server/db/driver.ts';

/** Resources of past days that are removed at a time, because removing all of a day takes seconds. */
const REMOVED = 2_000;

interface Taken {
  readonly key: readonly [day: number, app: string, kind: string];
  /** Prices of ids, in micro-dollars. */
  readonly amounts: Map<string, number>;
}

/** The resources that apps were billed for, each once a day. Those taken last are in memory until they are written. */
export function billedResources(db: Db) {
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

  /** By day, app and kind. */
  const waiting = new Map<string, Taken>();
  let size = 0;

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
    const taken = waiting.get(nameOf(day, app, kind));
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
      const taken = waiting.get(name) ?? { key: [day, app, kind], amounts: new Map() };
      if (dearer.length > 0) waiting.set(name, taken);
      for (const id of dearer) taken.amounts.set(id, amount);
      size += dearer.length;
      return {
        fresh: distinct.filter((id) => !before.has(id)),
        price: dearer.reduce((sum, id) => sum + amount - (before.get(id) ?? 0), 0),
      };
    },
    /** The number of resources that are not written yet. */
    waiting: (): number => size,
    /** Writes those that wait, and removes some of days before one, within a write transaction. */
    write: (firstDay: number): void => {
      for (const { key, amounts } of waiting.values()) {
        addIds.run([...key, JSON.stringify(Object.fromEntries(amounts))]);
      }
      removeOld.run([firstDay]);
    },
    /** Forgets those that waited, after the transaction that wrote them. */
    written: (): void => {
      waiting.clear();
      size = 0;
    },
  };
}
