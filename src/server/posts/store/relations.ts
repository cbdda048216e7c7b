import type { Db } from '#server/db/driver.ts';
import {
  type Side,
  type RelationKind,
  RELATION_KINDS,
  type Direction,
  type OtherEnd,
  type RelationCount,
} from './relation-kinds.ts';

export type RelationReader = ReturnType<typeof relationReader>;

/** Changes of relations, within a write transaction. */
export type RelationTable = ReturnType<typeof relationTable>;

const LOWEST = Number.MIN_SAFE_INTEGER;
const HIGHEST = Number.MAX_SAFE_INTEGER;
const ROWS_CHANGED = 500;

/** Reads relations. */
export function relationReader(db: Db) {
  const has = db.prepare('SELECT 1 FROM relation WHERE kind = ? AND source = ? AND target = ?');
  const targets = db.prepare('SELECT target FROM relation WHERE kind = ? AND source = ?', 'exact');
  const post = db.prepare(
    'SELECT post FROM relation WHERE kind = ? AND source = ? AND target = ?',
    'exact',
  );
  const count = db.prepare(
    'SELECT total, made FROM relation_count WHERE kind = ? AND side = ? AND id = ?',
  );
  const pages = (side: Side, other: Side) => ({
    older: db.prepare(
      `SELECT n, ${other} FROM relation WHERE kind = ? AND ${side} = ? AND n < ? ORDER BY n DESC LIMIT ?`,
      'exact',
    ),
    newer: db.prepare(
      `SELECT n, ${other} FROM relation WHERE kind = ? AND ${side} = ? AND n > ? ORDER BY n LIMIT ?`,
      'exact',
    ),
  });
  const page = { source: pages('source', 'target'), target: pages('target', 'source') };
  return {
    has: (kind: RelationKind, source: bigint, target: bigint): boolean =>
      has.get([RELATION_KINDS[kind], source, target]) !== undefined,
    /** All targets of a source, in any order. */
    targets: (kind: RelationKind, source: bigint): bigint[] =>
      targets.all([RELATION_KINDS[kind], source]).map(([target]) => target as bigint),
    /**
     * The nearest relations of an end.
     *
     * @param from - Lists only those after this place in the direction.
     */
    page: (
      kind: RelationKind,
      side: Side,
      of: bigint,
      direction: Direction,
      from: number | null,
      limit: number,
    ): OtherEnd[] =>
      page[side][direction]
        .all([RELATION_KINDS[kind], of, from ?? (direction === 'older' ? HIGHEST : LOWEST), limit])
        .map(([n, id]) => ({ n: Number(n), id: id as bigint })),
    count: (kind: RelationKind, side: Side, of: bigint): RelationCount => {
      const row = count.get([RELATION_KINDS[kind], side === 'source' ? 0 : 1, of]);
      return { total: Number(row?.[0] ?? 0), made: Number(row?.[1] ?? 0) };
    },
    /** Id of the Post by which a user reposted a Post; null if there is none. */
    repostOf: (source: bigint, target: bigint): bigint | null => {
      const id = post.get([RELATION_KINDS.repost, source, target])?.[0];
      return typeof id === 'bigint' ? id : null;
    },
  };
}

/** The relation of two users, as `connection_status` of the second names it to the first (platform-openapi, User). */
const CONNECTIONS: readonly (readonly [name: string, kind: RelationKind, by: Side])[] = [
  ['following', 'follow', 'source'],
  ['followed_by', 'follow', 'target'],
  ['follow_request_sent', 'request', 'source'],
  ['follow_request_received', 'request', 'target'],
  ['blocking', 'block', 'source'],
  ['muting', 'mute', 'source'],
];

/** The words of `connection_status` that a user's own relations to another user give. */
export function connectionsOf(
  relations: Pick<RelationReader, 'has'>,
  viewer: bigint,
  user: bigint,
): string[] {
  return CONNECTIONS.flatMap(([name, kind, by]) => {
    const [source, target] = by === 'source' ? [viewer, user] : [user, viewer];
    return relations.has(kind, source, target) ? [name] : [];
  });
}

/** Reads and changes relations. */
export function relationTable(db: Db) {
  const reader = relationReader(db);
  // Each in a query of its own: together they would scan the table.
  const ends = db.prepare('SELECT (SELECT max(n) FROM relation), (SELECT min(n) FROM relation)');
  const insert = db.prepare(
    'INSERT INTO relation (n, kind, source, target, post) VALUES (?, ?, ?, ?, ?) ON CONFLICT DO NOTHING',
  );
  const remove = db.prepare('DELETE FROM relation WHERE kind = ? AND source = ? AND target = ?');
  const convert = db.prepare('UPDATE relation SET kind = ? WHERE n = ?');
  const byPost = db.prepare('SELECT source, target FROM relation WHERE post = ?', 'exact');
  const raise = db.prepare(
    `INSERT INTO relation_count (kind, side, id, total, made) VALUES (?, ?, ?, ?, ?)
     ON CONFLICT DO UPDATE SET total = total + excluded.total, made = made + excluded.made`,
  );
  const forget = db.prepare(
    'DELETE FROM relation_count WHERE kind = ? AND side = ? AND id = ? AND total = 0 AND made = 0',
  );
  const forgetCounts = db.prepare(
    'DELETE FROM relation_count WHERE kind = ? AND side = 1 AND id = ?',
  );
  /** Counts one relation more or less at both of its ends. */
  const tally = (
    kind: RelationKind,
    source: bigint,
    target: bigint,
    total: 1 | -1,
    made: 1 | 0 | -1,
  ): void => {
    for (const [side, id] of [source, target].entries()) {
      const key = [RELATION_KINDS[kind], side, id];
      raise.run([...key, total, made]);
      if (total < 0) forget.run(key);
    }
  };
  const drop = (kind: RelationKind, source: bigint, target: bigint): boolean => {
    if (remove.run([RELATION_KINDS[kind], source, target]) === 0) return false;
    tally(kind, source, target, -1, -1);
    return true;
  };
  const removeAll = (kind: RelationKind, side: Side, of: bigint): void => {
    for (;;) {
      const some = reader.page(kind, side, of, 'older', null, ROWS_CHANGED);
      for (const { id } of some) {
        if (side === 'source') drop(kind, of, id);
        else drop(kind, id, of);
      }
      if (some.length < ROWS_CHANGED) return;
    }
  };
  return {
    ...reader,
    /**
     * Adds a relation, unless it exists.
     *
     * @returns Whether it was added.
     */
    add: (kind: RelationKind, source: bigint, target: bigint, post?: bigint): boolean => {
      const n = Math.max(Number(ends.get()?.[0] ?? 0), 0) + 1;
      const row = [n, RELATION_KINDS[kind], source, target, post ?? null];
      if (insert.run(row) === 0) return false;
      tally(kind, source, target, 1, 1);
      return true;
    },
    /** Adds an imported relation, unless it exists. */
    put: (kind: RelationKind, source: bigint, target: bigint): boolean => {
      const n = Math.min(Number(ends.get()?.[1] ?? 0), 0) - 1;
      if (insert.run([n, RELATION_KINDS[kind], source, target, null]) === 0) return false;
      tally(kind, source, target, 1, 0);
      return true;
    },
    /** Removes a relation; whether it existed. */
    remove: drop,
    /** Removes the repost whose Post has that id; returns the id of the original, null if there is none. */
    removeByPost: (post: bigint): bigint | null => {
      const row = byPost.get([post]);
      if (!row) return null;
      drop('repost', row[0] as bigint, row[1] as bigint);
      return row[1] as bigint;
    },
    /** Gives all relations of a source another kind; they keep their order. */
    convert: (kind: RelationKind, to: RelationKind, source: bigint): void => {
      for (;;) {
        const some = reader.page(kind, 'source', source, 'older', null, ROWS_CHANGED);
        for (const { n, id } of some) {
          const made = n > 0 ? 1 : 0;
          convert.run([RELATION_KINDS[to], n]);
          tally(kind, source, id, -1, made === 1 ? -1 : 0);
          tally(to, source, id, 1, made);
        }
        if (some.length < ROWS_CHANGED) return;
      }
    },
    /** Removes all relations of a kind that an end has. */
    removeAll,
    /** Removes all relations of a kind to a target that is no more, with its counts. */
    removeTarget: (kind: RelationKind, id: bigint): void => {
      removeAll(kind, 'target', id);
      forgetCounts.run([RELATION_KINDS[kind], id]);
    },
  };
}
