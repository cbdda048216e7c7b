import type { RuleKind } from '#core/rules/parse.ts';
import {
  LARGEST_INTEGER,
  textOrNull,
  type Cell,
  type Db,
  type Statement,
} from '#server/db/driver.ts';

/** Streams that have rules of their own. */
export type RuleStream = 'posts' | 'sample';

/** Whose rules: an app's, for one stream. */
export interface RuleOwner {
  readonly stream: RuleStream;
  /** Id of the app. */
  readonly app: string;
}

export interface NewRule {
  readonly value: string;
  readonly tag: string | null;
}

export interface StoredRule extends NewRule {
  /** Up to 19 digits. */
  readonly id: string;
}

/** Rules that an app added or removed. */
export interface RuleChange extends RuleOwner {
  readonly added: readonly StoredRule[];
  /** Ids. */
  readonly removed: readonly string[];
}

/** Rules of one kind. Changes are durable when a method returns. */
export type RuleTable = ReturnType<typeof ruleTable>;

const COLUMNS = 'CAST(id AS TEXT), value, tag';
const STREAMS: readonly RuleStream[] = ['posts', 'sample'];

function ruleOf([id, value, tag]: readonly Cell[]): StoredRule {
  return { id: String(id), value: String(value), tag: textOrNull(tag) };
}

/** The id itself, or the highest one that the store can have: requests may name higher ones, which nothing has. */
export function bounded(id: bigint): bigint {
  return id > LARGEST_INTEGER ? LARGEST_INTEGER : id;
}

/** The number that each owner has, where it has any. @param counts - Gives streams, apps and numbers. */
export function countsByOwner(counts: Statement): (RuleOwner & { readonly count: number })[] {
  return counts.all().map(([stream, app, of]) => ({
    stream: stream as RuleStream,
    app: String(app),
    count: Number(of),
  }));
}

export function ruleTable(db: Db, kind: RuleKind) {
  const of = `kind = '${kind}' AND stream = ?`;
  const page = db.prepare(
    `SELECT ${COLUMNS} FROM rule WHERE ${of} AND app = ? AND id > ? ORDER BY id LIMIT ?`,
  );
  const by = (column: string) =>
    db.prepare(`SELECT ${COLUMNS} FROM rule WHERE ${of} AND app = ? AND ${column} = ?`);
  const [byId, byValue] = [by('id'), by('value')];
  const count = db.prepare(`SELECT count(*) FROM rule WHERE ${of} AND app = ?`);
  const counts = db.prepare(
    `SELECT stream, app, count(*) FROM rule WHERE kind = '${kind}' GROUP BY stream, app`,
  );
  const all = db.prepare(`SELECT ${COLUMNS}, app FROM rule WHERE ${of} ORDER BY id`);
  const insert = db.prepare(
    `INSERT INTO rule (kind, id, stream, app, value, tag, created_at)
     VALUES ('${kind}', ?, ?, ?, ?, ?, ?)`,
  );
  const highest = db.prepare('SELECT CAST(coalesce(max(id), 0) AS TEXT) FROM rule');
  const remove = db.prepare(`DELETE FROM rule WHERE ${of} AND app = ? AND id = ?`);
  const idsOf = db.prepare(`SELECT CAST(id AS TEXT) FROM rule WHERE ${of} AND app = ?`);
  const listeners = new Set<(change: RuleChange) => void>();
  const tell = (change: RuleChange): void => {
    if (change.added.length + change.removed.length === 0) return;
    for (const listener of listeners) listener(change);
  };

  return {
    kind,
    /** Rules of an app with an id above `after`, ascending, at most `limit`. */
    page: ({ stream, app }: RuleOwner, after: bigint, limit: number): StoredRule[] =>
      page.all([stream, app, bounded(after), limit]).map(ruleOf),
    /** A rule of an app by its id or its value. */
    find: (
      { stream, app }: RuleOwner,
      by: { readonly id: string } | { readonly value: string },
    ): StoredRule | null => {
      const row =
        'id' in by
          ? byId.get([stream, app, bounded(BigInt(by.id))])
          : byValue.get([stream, app, by.value]);
      return row ? ruleOf(row) : null;
    },
    count: ({ stream, app }: RuleOwner): number => Number(count.get([stream, app])?.[0]),
    /** The number of rules that each owner has, where it has any. */
    counts: () => countsByOwner(counts),
    /** All rules of a stream with their apps, ascending by id. */
    all: (stream: RuleStream): (StoredRule & { readonly app: string })[] =>
      all.all([stream]).map((row) => ({ ...ruleOf(row), app: String(row[3]) })),
    /**
     * Removes and adds rules in one transaction, then calls the listeners. Removing an unknown id does nothing.
     *
     * @param at - The lowest id of a new rule, and the time, epoch ms.
     */
    change: (
      { stream, app }: RuleOwner,
      {
        add = [],
        remove: gone = [],
      }: { readonly add?: readonly NewRule[]; readonly remove?: readonly string[] },
      at: { readonly firstId: bigint; readonly now: number },
    ): RuleChange => {
      const { firstId, now } = at;
      const change = db.write('rules', () => {
        const removed = gone.filter((id) => remove.run([stream, app, bounded(BigInt(id))]) === 1);
        const last = BigInt(String(highest.get()?.[0]));
        const next = last >= firstId ? last + 1n : firstId;
        const added = add.map(({ value, tag }, i) => {
          const id = next + BigInt(i);
          insert.run([id, stream, app, value, tag, now]);
          return { id: String(id), value, tag };
        });
        return { stream, app, added, removed };
      });
      tell(change);
      return change;
    },
    /** Removes every rule that an app has, within a write transaction. @returns Tells the listeners, after it. */
    removeApp: (app: string): (() => void) => {
      const changes = STREAMS.map((stream) => {
        const removed = idsOf.all([stream, app]).map(([id]) => String(id));
        for (const id of removed) remove.run([stream, app, BigInt(id)]);
        return { stream, app, added: [], removed };
      });
      return () => changes.forEach(tell);
    },
    /** Calls a listener after every change. It must not throw. @returns Ends that. */
    onRules: (listener: (change: RuleChange) => void): (() => void) => {
      // Each has an identity of its own, so that the same function may listen twice.
      const entry = (change: RuleChange): void => listener(change);
      listeners.add(entry);
      return () => void listeners.delete(entry);
    },
  };
}
