import type { Condition } from '#core/query/ast.ts';
import { BUCKET_MS, bucketCount, floorTo, type Granularity } from '#core/time/bucket.ts';
import { ALL_TIME, MINUTE_MS, SECOND_MS, type Span } from '#core/time/span.ts';
import type { IdBounds } from '#server/index/counting.ts';
import type { Hit, SearchBounds } from '#server/index/top-newest.ts';
import { countAnswers, type VersionedPost } from './answers.ts';
import { EVERY_POST } from './columns.ts';
import type { Node } from './connection.ts';
import { RowReader } from './row-binary.ts';
import { rowReader } from './rows.ts';
import { minutesOf, scopes } from './scope.ts';
import type { Tables } from './schema.ts';
import { matching, SECOND, type QueryBounds } from './sql.ts';
import type { ClusterState } from './state.ts';
import { committed, literal } from './sql-terms.ts';

/** Reads Posts of one state of the cluster. All methods reject with {@link ClusterError}. */
export type ClusterReader = ReturnType<typeof clusterReader>;

/** Spans in which search looks for the newest Posts, one after another, ms; the last one is everything. */
const SEARCHED = [86_400_000, 16 * 86_400_000, 256 * 86_400_000, Infinity];

/** The columns of a {@link Hit}. */
const HIT = `toUInt32${SECOND} AS at, id`;

/** Bounds in seconds, where they are not whole minutes; fractions of seconds are dropped. */
function secondsOf({ start, end }: Span): QueryBounds {
  const from = Math.floor(start / SECOND_MS);
  const to = Math.floor(end / SECOND_MS);
  return { ...(from % 60 !== 0 && { start: from }), ...(to % 60 !== 0 && { end: to }) };
}

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
) {
  const { all } = tables;
  const read = async (query: string, signal?: AbortSignal): Promise<RowReader> =>
    new RowReader(await node.read(query, signal));
  const scopeOf = scopes(read, tables, state, hidden);

  const histogram = async (
    wanted: Condition,
    span: Span,
    granularity: Granularity,
    ids?: IdBounds,
    signal?: AbortSignal,
  ): Promise<Uint32Array> => {
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

  const newest = async (
    wanted: Condition,
    span: Span,
    limit: number,
    given: SearchBounds = {},
    signal?: AbortSignal,
  ): Promise<Hit[]> => {
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
        `SELECT ${repeats ? 'DISTINCT ' : ''}${HIT} ${from} ORDER BY at DESC, id DESC LIMIT ${limit}`,
        signal,
      );
      if (found.length === limit || part.start <= start) return found;
    }
    return [];
  };

  /** The part of a statement that selects the Posts that count and have a term. */
  const withTerm = async (term: string, ids: IdBounds = {}): Promise<string> => {
    const { scope, condition } = await scopeOf({ kind: 'term', term }, ALL_TIME);
    return matching(condition, scope, ids).from;
  };

  const edge = async (end: 'first' | 'last'): Promise<Hit[]> => {
    const { scope, condition } = await scopeOf({ kind: 'term', term: EVERY_POST }, ALL_TIME);
    const order = end === 'first' ? 'ASC' : 'DESC';
    const { from } = matching(condition, scope, {});
    const [found] = await hits(`SELECT ${HIT} ${from} ORDER BY at ${order} LIMIT 1`);
    if (!found) return [];
    const same = matching(condition, scope, { also: `${SECOND} = ${found.second}` });
    return await hits(`SELECT ${HIT} ${same.from}`);
  };

  const idsWith = async (term: string, ids: IdBounds): Promise<bigint[]> =>
    (await hits(`SELECT ${HIT} ${await withTerm(term, ids)}`)).map(({ id }) => id);

  const total = async (): Promise<number> => {
    const { scope, condition } = await scopeOf({ kind: 'all', of: [] }, ALL_TIME);
    const { from, repeats } = matching(condition, scope, {});
    const rows = await read(`SELECT toUInt32(${repeats ? 'uniqExact(id)' : 'count()'}) ${from}`);
    return rows.done ? 0 : rows.u32();
  };

  const has = async (term: string): Promise<boolean> => {
    if (state.posts === 0) return false;
    const from = await withTerm(term);
    // A constant instead of a column fails on two shards of 18.16.
    return (await node.read(`SELECT id ${from} LIMIT 1`)).length > 0;
  };

  return {
    /** As `histogramSteps`. */
    histogram,
    /** True if any Post that counts has a term. */
    has,
    /** The newest Posts that meet a condition, by second, then id. */
    newest,
    /** All Posts that count of the first or last second that has any; none if there is none. */
    edge,
    /** Ids of Posts that count and have a term, between two ids. */
    idsWith,
    /** Number of Posts that count. */
    total,
    /** Replies to Posts, and accounts that quoted them, that were posted here. */
    answers: (posts: readonly VersionedPost[]): ReturnType<typeof countAnswers> =>
      countAnswers(posts, read, tables, state),
    ...rowReader(read, tables, state),
  };
}
