import { areaPrefixes, contains } from '#core/query/area.ts';
import type { Condition } from '#core/query/ast.ts';
import { boxOfTerm } from '#core/text/geo.ts';
import { BUCKET_MS, bucketCount, floorTo, type Granularity } from '#core/time/bucket.ts';
import { ALL_TIME, MINUTE_MS, SECOND_MS, type Span } from '#core/time/span.ts';
import { object } from '#core/import/json.ts';
import type { IdBounds } from '#server/index/counting.ts';
import { simplify } from '#server/index/simplify.ts';
import type { Hit, SearchBounds } from '#server/index/top-newest.ts';
import type { StoredObject } from '#server/posts/store/post-table.ts';
import { answerTerm, EVERY_POST } from './columns.ts';
import type { Node } from './connection.ts';
import { ClusterError } from './error.ts';
import {
  decodeRow,
  decodeState,
  objectHash,
  type StoredState,
  type StoredVersion,
} from './post-row.ts';
import { RowReader } from './row-binary.ts';
import type { Tables } from './schema.ts';
import {
  committed,
  literal,
  living,
  matching,
  SECOND,
  termsIn,
  type Bounds,
  type Scope,
} from './sql.ts';
import type { ClusterState } from './state.ts';

/** Reads Posts of one state of the cluster. All methods reject with {@link ClusterError}. */
export interface ClusterReader {
  /** As `CountingIndex.histogram`. */
  histogram(
    condition: Condition,
    span: Span,
    granularity: Granularity,
    ids?: IdBounds,
    signal?: AbortSignal,
  ): Promise<Uint32Array>;
  /** Whether any Post that counts has a term. */
  has(term: string): Promise<boolean>;
  /** The newest Posts that meet a condition, by second, then id. */
  newest(
    condition: Condition,
    span: Span,
    limit: number,
    bounds?: SearchBounds,
    signal?: AbortSignal,
  ): Promise<Hit[]>;
  /** Ids of Posts that count and have a term, between two ids. */
  idsWith(term: string, ids: IdBounds): Promise<bigint[]>;
  /** Number of Posts that count. */
  total(): Promise<number>;
  /**
   * Replies to Posts, and accounts that quoted them, that were posted here.
   *
   * @param posts - Each with the ids of all its versions, which count together.
   */
  answers(
    posts: readonly (readonly [id: bigint, versions: readonly bigint[]])[],
  ): Promise<Map<bigint, { replies: number; quotes: number }>>;
  /** All Posts that count of the first or last second that has any; none if there is none. */
  edge(end: 'first' | 'last'): Promise<Hit[]>;
  /** The newest versions of Posts, also of those that were deleted, in any order. */
  versions(ids: readonly bigint[]): Promise<StoredVersion[]>;
  /** The same without their rows. */
  states(ids: readonly bigint[]): Promise<StoredState[]>;
  /** The newest versions of Posts with an id above another one, ascending, at most `limit`. */
  versionsAfter(after: bigint, limit: number): Promise<StoredVersion[]>;
  /** Users whose objects were written after a revision, and whether they are protected. */
  protection(after: number): Promise<Map<string, boolean>>;
  objects(keys: readonly Pick<StoredObject, 'kind' | 'key'>[]): Promise<StoredObject[]>;
}

/** Places on the map that a query may select one by one. */
const MOST_PLACES = 200_000;

/** Spans in which search looks for the newest Posts, one after another, ms; the last one is everything. */
const SEARCHED = [86_400_000, 16 * 86_400_000, 256 * 86_400_000, Infinity];

/** The minutes since 1970 of a span, the last one included. */
function minutesOf({ start, end }: Span): { first: number; last: number } {
  const top = ALL_TIME.end / MINUTE_MS;
  const within = (minute: number): number => Math.min(top, Math.max(0, minute));
  const first = within(Math.floor(start / MINUTE_MS));
  return { first, last: within(Math.ceil(end / MINUTE_MS) - 1) };
}

/** Bounds in seconds, where they are not whole minutes; fractions of seconds are dropped. */
function secondsOf({ start, end }: Span): Bounds {
  const from = Math.floor(start / SECOND_MS);
  const to = Math.floor(end / SECOND_MS);
  return { ...(from % 60 !== 0 && { start: from }), ...(to % 60 !== 0 && { end: to }) };
}

/** The areas in a condition. */
function areasIn(c: Condition): Extract<Condition, { kind: 'within' }>['area'][] {
  if (c.kind === 'within') return [c.area];
  if (c.kind === 'not') return areasIn(c.of);
  return c.kind === 'all' || c.kind === 'any' ? c.of.flatMap(areasIn) : [];
}

/** Replaces areas by the terms of the places in them. */
function withTerms(c: Condition, boxes: readonly string[]): Condition {
  switch (c.kind) {
    case 'within': {
      const inside = boxes.filter((term) => contains(c.area, boxOfTerm(term)));
      return { kind: 'any', of: inside.map((term) => ({ kind: 'term', term })) };
    }
    case 'not':
      return { kind: 'not', of: withTerms(c.of, boxes) };
    case 'all':
    case 'any':
      return { kind: c.kind, of: c.of.map((part) => withTerms(part, boxes)) };
    default:
      return c;
  }
}

/**
 * The condition without Posts that are in a collection which does not count, and in none that does.
 *
 * @param hidden - Ids of users whose Posts are left out.
 */
function shown(
  c: Condition,
  { collections }: Pick<ClusterState, 'collections'>,
  hidden: readonly string[],
): Condition {
  const terms = (included: boolean): Condition => ({
    kind: 'any',
    of: collections
      .filter((each) => (each.included && each.removedAt === null) === included)
      .map(({ id }) => ({ kind: 'term', term: `in:${id}` })),
  });
  const out = terms(false);
  const excluded: Condition[] = hidden.map((id) => ({ kind: 'term', term: `from:${id}` }));
  if (out.kind === 'any' && out.of.length > 0) {
    excluded.push({ kind: 'all', of: [out, { kind: 'not', of: terms(true) }] });
  }
  if (excluded.length === 0) return c;
  const not: Condition = { kind: 'not', of: { kind: 'any', of: excluded } };
  return { kind: 'all', of: [...(c.kind === 'all' ? c.of : [c]), not] };
}

/** Terms of a query whose sizes are worth a look-up. */
const MOST_SIZES = 200;

/** The term that a condition consists of; null if there is more to it. */
function singleTerm(c: Condition): string | null {
  if (c.kind === 'term') return c.term;
  return c.kind === 'all' && c.of.length === 0 ? EVERY_POST : null;
}

/**
 * @param state - Later changes are not read.
 * @param hidden - Ids of users whose Posts are neither counted nor found.
 */
export function clusterReader(
  node: Node,
  tables: Tables,
  state: ClusterState,
  hidden: readonly string[] = [],
): ClusterReader {
  const { all } = tables;
  const read = async (query: string, signal?: AbortSignal): Promise<RowReader> =>
    new RowReader(await node.read(query, signal));

  const withoutAreas = async (c: Condition): Promise<Condition> => {
    const prefixes = [...new Set(areasIn(c).flatMap(areaPrefixes))];
    if (prefixes.length === 0) return c;
    const within = prefixes.map((prefix) => `startsWith(term, ${literal(prefix)})`);
    // The first letters let it read only the postings of places.
    const rows = await read(
      `SELECT DISTINCT term FROM ${all.termMinute} WHERE term >= 'geo:' AND term < 'geo;'
       AND (${within.join(' OR ')}) LIMIT ${MOST_PLACES + 1}`,
    );
    const boxes: string[] = [];
    while (!rows.done) boxes.push(rows.text());
    if (boxes.length > MOST_PLACES) {
      const message = `The areas of the query may contain more than ${MOST_PLACES} places, which a cluster does not count; choose smaller ones.`;
      throw new ClusterError('unsupported', message);
    }
    return withTerms(c, boxes);
  };

  const sizesOf = async (
    c: Condition,
    { first, last }: { first: number; last: number },
    signal?: AbortSignal,
  ): Promise<Map<string, number>> => {
    const terms = [...new Set(termsIn(c))];
    const sizes = new Map<string, number>();
    if (terms.length < 2 || terms.length > MOST_SIZES) return sizes;
    const rows = await read(
      `SELECT term, toUInt32(count()) FROM ${all.termMinute} WHERE term IN (${terms.map(literal).join(', ')})
       AND minute >= ${first} AND minute <= ${last} GROUP BY term`,
      signal,
    );
    while (!rows.done) sizes.set(rows.text(), rows.u32());
    return sizes;
  };

  const scopeOf = async (
    wanted: Condition,
    span: Span,
    signal?: AbortSignal,
  ): Promise<{ scope: Scope; condition: Condition }> => {
    const condition = simplify(shown(await withoutAreas(wanted), state, hidden));
    const minutes = minutesOf(span);
    const sizes = await sizesOf(condition, minutes, signal);
    return { scope: { tables, state, ...minutes, sizes }, condition };
  };

  const histogram: ClusterReader['histogram'] = async (wanted, span, granularity, ids, signal) => {
    const counts = new Uint32Array(bucketCount(span.start, span.end, granularity));
    if (counts.length === 0 || state.posts === 0) return counts;
    const { scope, condition } = await scopeOf(wanted, span, signal);
    const seconds = secondsOf(span);
    const minutes = BUCKET_MS[granularity] / MINUTE_MS;
    const base = floorTo(span.start, granularity) / MINUTE_MS;
    const bucket = `toUInt32(intDiv(minute, ${minutes}) - ${base / minutes}) AS bucket`;
    const { since, until } = ids ?? {};
    const isWhole = seconds.start === undefined && seconds.end === undefined;
    const single =
      isWhole && since === undefined && until === undefined ? singleTerm(condition) : null;
    const { from, repeats } =
      single === null
        ? matching(condition, scope, { ...seconds, ...ids })
        : {
            from: `FROM ${all.termMinute} WHERE term = ${literal(single)} AND minute >= ${scope.first} AND minute <= ${scope.last} AND ${committed(state)}`,
            repeats: false,
          };
    const count = single === null ? (repeats ? 'uniqExact(id)' : 'count()') : 'sum(n)';
    const rows = await read(`SELECT ${bucket}, toUInt32(${count}) ${from} GROUP BY bucket`, signal);
    while (!rows.done) {
      const at = rows.u32();
      counts[at] = rows.u32();
    }
    return counts;
  };

  const hits = async (query: string, signal?: AbortSignal): Promise<Hit[]> => {
    const rows = await read(query, signal);
    const found: Hit[] = [];
    while (!rows.done) found.push({ second: rows.u32(), id: rows.i64() });
    return found;
  };

  const newest: ClusterReader['newest'] = async (wanted, span, limit, given = {}, signal) => {
    if (state.posts === 0 || state.last === null || state.first === null) return [];
    const { after, ...ids } = given;
    const end = Math.min(
      span.end,
      state.last + SECOND_MS,
      after ? (after.second + 1) * SECOND_MS : Infinity,
    );
    const start = Math.max(span.start, floorTo(state.first, 'minute'));
    const { scope, condition } = await scopeOf(wanted, { start, end }, signal);
    const also =
      after &&
      `(${SECOND} < ${after.second} OR (${SECOND} = ${after.second} AND id < ${after.id}))`;
    for (const reach of SEARCHED) {
      const part = { start: Math.max(start, floorTo(end - reach, 'minute')), end };
      if (part.start >= end) return [];
      const bounds = {
        ...secondsOf({ start: Math.max(part.start, span.start), end }),
        ...ids,
        ...(also && { also }),
      };
      const { from, repeats } = matching(condition, { ...scope, ...minutesOf(part) }, bounds);
      const found = await hits(
        `SELECT ${repeats ? 'DISTINCT ' : ''}toUInt32${SECOND} AS at, id ${from} ORDER BY at DESC, id DESC LIMIT ${limit}`,
        signal,
      );
      if (found.length === limit || part.start <= start) return found;
    }
    return [];
  };

  const edge: ClusterReader['edge'] = async (end) => {
    const { scope, condition } = await scopeOf({ kind: 'term', term: EVERY_POST }, ALL_TIME);
    const order = end === 'first' ? 'ASC' : 'DESC';
    const { from } = matching(condition, scope, {});
    const [found] = await hits(
      `SELECT toUInt32${SECOND} AS at, id ${from} ORDER BY at ${order} LIMIT 1`,
    );
    if (!found) return [];
    const same = matching(condition, scope, { also: `${SECOND} = ${found.second}` });
    return await hits(`SELECT toUInt32${SECOND} AS at, id ${same.from}`);
  };

  const idsWith: ClusterReader['idsWith'] = async (term, ids) => {
    const { scope, condition } = await scopeOf({ kind: 'term', term }, ALL_TIME);
    const { from } = matching(condition, scope, ids);
    return (await hits(`SELECT toUInt32${SECOND} AS at, id ${from}`)).map(({ id }) => id);
  };

  const total = async (): Promise<number> => {
    const { scope, condition } = await scopeOf({ kind: 'all', of: [] }, ALL_TIME);
    const { from, repeats } = matching(condition, scope, {});
    const rows = await read(`SELECT toUInt32(${repeats ? 'uniqExact(id)' : 'count()'}) ${from}`);
    return rows.done ? 0 : rows.u32();
  };

  const answers: ClusterReader['answers'] = async (posts) => {
    const counts = new Map(posts.map(([id]) => [id, { replies: 0, quotes: 0 }]));
    const of = new Map(posts.flatMap(([id, versions]) => versions.map((each) => [each, id])));
    if (of.size === 0) return counts;
    const { first, last } = minutesOf(ALL_TIME);
    const scope = { tables, state, first, last, sizes: new Map<string, number>() };
    const ranges = [...of.keys()].flatMap((id) =>
      (['reply', 'quote'] as const).map((kind) => {
        const prefix = answerTerm(kind, id, '');
        return `(term >= ${literal(prefix)} AND term < ${literal(`${prefix.slice(0, -1)};`)})`;
      }),
    );
    const rows = await read(
      `SELECT term, toUInt32(uniqExact(id)) FROM ${all.posting} WHERE (${ranges.join(' OR ')})
       AND ${committed(state)}${state.hasDead ? ` AND ${living(scope)}` : ''} GROUP BY term`,
    );
    const authors = new Map<bigint, Set<string>>();
    while (!rows.done) {
      const [, kind, version = '', author = ''] = rows.text().split(':');
      const n = rows.u32();
      const id = of.get(BigInt(version));
      const count = id === undefined ? undefined : counts.get(id);
      if (id === undefined || !count) continue;
      if (kind === 'reply') count.replies += n;
      else authors.set(id, (authors.get(id) ?? new Set()).add(author));
    }
    for (const [id, each] of authors) counts.set(id, { ...counts.get(id)!, quotes: each.size });
    return counts;
  };

  const has = async (term: string): Promise<boolean> => {
    if (state.posts === 0) return false;
    const { scope, condition } = await scopeOf({ kind: 'term', term }, ALL_TIME);
    const { from } = matching(condition, scope, {});
    // A constant instead of a column fails on two shards of 18.16.
    return (await node.read(`SELECT id ${from} LIMIT 1`)).length > 0;
  };

  const versionsWhere = async (where: string, end: string): Promise<StoredVersion[]> => {
    const rows = await read(
      `SELECT id, argMax(generation, batch), argMax(state, batch), argMax(collections, batch), argMaxIf(row, batch, row != '')
       FROM ${all.post} WHERE ${where} AND ${committed(state)} GROUP BY id ${end}`,
    );
    const found: StoredVersion[] = [];
    while (!rows.done) found.push(decodeRow(rows));
    return found;
  };

  return {
    histogram,
    has,
    newest,
    edge,
    idsWith,
    total,
    answers,
    versions: async (ids) =>
      ids.length === 0 ? [] : await versionsWhere(`id IN (${ids.join(', ')})`, ''),
    states: async (ids) => {
      if (ids.length === 0) return [];
      const rows = await read(
        `SELECT id, argMax(generation, batch), argMax(state, batch), argMax(collections, batch)
         FROM ${all.post} WHERE id IN (${ids.join(', ')}) AND ${committed(state)} GROUP BY id`,
      );
      const found: StoredState[] = [];
      while (!rows.done) found.push(decodeState(rows));
      return found;
    },
    versionsAfter: (after, limit) =>
      versionsWhere(`id > ${after}`, `ORDER BY id ASC LIMIT ${limit}`),
    protection: async (after) => {
      // The text rules out nearly all before any is parsed; at first, only those that are protected are of interest.
      const likely = `position(argMax(json, batch), '"protected":true') > 0`;
      const rows = await read(
        `SELECT key, if(${likely}, argMax(json, batch), '') FROM ${all.object} WHERE kind = 'users'
         AND batch > ${after} AND ${committed(state)} GROUP BY key${after === 0 ? ` HAVING ${likely}` : ''}`,
      );
      const found = new Map<string, boolean>();
      while (!rows.done) {
        const [key, json] = [rows.text(), rows.text()];
        found.set(key, json !== '' && object(JSON.parse(json))?.protected === true);
      }
      return found;
    },
    objects: async (keys) => {
      if (keys.length === 0) return [];
      const list = keys.map(({ kind, key }) => `(${literal(kind)}, ${literal(key)})`);
      const hashes = keys.map(({ kind, key }) => objectHash(kind, key));
      const rows = await read(
        `SELECT kind, key, argMax(json, batch) FROM ${all.object} WHERE hash IN (${hashes.join(', ')})
         AND (kind, key) IN (${list.join(', ')}) AND ${committed(state)} GROUP BY kind, key`,
      );
      const found: StoredObject[] = [];
      while (!rows.done) found.push({ kind: rows.text(), key: rows.text(), json: rows.text() });
      return found;
    },
  };
}
