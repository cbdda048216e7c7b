import type { Condition } from '#core/query/ast.ts';
import { BUCKET_MS, bucketCount, floorTo, type Granularity } from '#core/time/bucket.ts';
import type { Span } from '#core/time/span.ts';
import type { Chunk } from './chunk.ts';
import { evaluate, evaluateSteps } from './evaluate.ts';
import { addHits, firstFrom } from './histogram.ts';
import { listed, pack, size, type Ordinals } from './ordinals.ts';
import { simplify } from './simplify.ts';
import { finish, NEVER, type Due, type Steps } from './steps.ts';

export interface IdBounds {
  readonly since?: bigint;
  readonly until?: bigint;
}

/** Below and above all ids. */
export const LOWEST_ID = -(2n ** 63n) - 1n;
export const HIGHEST_ID = 2n ** 63n;

/** The chunks that may have Posts from a second on, before another, and between two ids. */
export function chunksWithin<C extends Chunk>(
  chunks: readonly C[],
  start: number,
  end: number,
  since: bigint,
  until: bigint,
): C[] {
  return chunks.filter(({ first, last, lowestId, highestId }) => {
    if (Math.floor(last / 1000) < start || Math.floor(first / 1000) >= end) return false;
    return highestId > since && lowestId < until;
  });
}

/** {@link histogramSteps} at once. */
export function histogram(
  chunks: readonly Chunk[],
  condition: Condition,
  span: Span,
  granularity: Granularity,
  ids?: IdBounds,
): Uint32Array {
  return finish(histogramSteps(chunks, condition, span, granularity, ids, NEVER));
}

/**
 * Counts Posts that meet a condition, per UTC bucket of `[span.start, span.end)`, in steps; the first and last bucket
 * may be cut. Bounds have a resolution of seconds, and fractions are dropped: a Post of 12:00:00.500 belongs to 12:00:00.
 *
 * @param ids - Post ids, both exclusive.
 */
export function* histogramSteps(
  chunks: readonly Chunk[],
  condition: Condition,
  span: Span,
  granularity: Granularity,
  { since = LOWEST_ID, until = HIGHEST_ID }: IdBounds = {},
  due: Due,
): Steps<Uint32Array> {
  const counts = new Uint32Array(bucketCount(span.start, span.end, granularity));
  if (counts.length === 0) return counts;
  const start = Math.floor(span.start / 1000);
  const end = Math.floor(span.end / 1000);
  const grid = {
    counts,
    base: floorTo(span.start, granularity) / 1000,
    width: BUCKET_MS[granularity] / 1000,
  };
  const wanted = simplify(condition);
  for (const chunk of chunksWithin(chunks, start, end, since, until)) {
    if (due()) yield;
    let hits = yield* evaluateSteps(wanted, chunk, due);
    if (hits.length === 0) continue;
    if (chunk.lowestId <= since || chunk.highestId >= until) {
      hits = between(hits, chunk.ids(), since, until);
    }
    const seconds = chunk.seconds();
    const from = Math.floor(chunk.first / 1000) >= start ? 0 : firstFrom(seconds, start);
    const to = Math.floor(chunk.last / 1000) < end ? chunk.n : firstFrom(seconds, end);
    addHits(grid, hits, seconds, from, to);
  }
  return counts;
}

/** The hits with an id between the bounds. Ids need not ascend with time. */
function between(hits: Ordinals, ids: BigInt64Array, since: bigint, until: bigint): Ordinals {
  return pack(listed(hits).filter((o) => ids[o]! > since && ids[o]! < until));
}

/** Number of living Posts, and the instants of the first and last. */
export function extent(chunks: readonly Chunk[]): {
  posts: number;
  first: number | null;
  last: number | null;
} {
  let posts = 0;
  let first: number | null = null;
  let last: number | null = null;
  for (const chunk of chunks) {
    const alive = chunk.n - size(chunk.dead);
    if (alive === 0) continue;
    posts += alive;
    const [oldest, newest] = alive === chunk.n ? [chunk.first, chunk.last] : ends(chunk);
    first = first === null ? oldest : Math.min(first, oldest);
    last = last === null ? newest : Math.max(last, newest);
  }
  return { posts, first, last };
}

/**
 * Instants of the first and last living Post of a chunk, which has at least one. Ordinals ascend by
 * second, so if a Post of the first or last second is deleted, the others of that second are compared.
 */
function ends(chunk: Chunk): [first: number, last: number] {
  const dead = new Set(listed(chunk.dead));
  const times = chunk.times();
  const edge = (from: number, step: 1 | -1): number[] | null => {
    let o = from;
    while (dead.has(o)) o += step;
    const second = times[o];
    let whole = o === from;
    const instants: number[] = [];
    for (; times[o] === second; o += step) {
      if (dead.has(o)) whole = false;
      else instants.push(o);
    }
    return whole ? null : instants.map((ordinal) => chunk.instant(ordinal));
  };
  const [first, last] = [edge(0, 1), edge(chunk.n - 1, -1)];
  return [first ? Math.min(...first) : chunk.first, last ? Math.max(...last) : chunk.last];
}

/** True if any living Post contains a term. */
export function anyWith(chunks: readonly Chunk[], term: string): boolean {
  return chunks.some((chunk) => size(evaluate({ kind: 'term', term }, chunk)) > 0);
}

/** Number of living Posts that meet a condition. */
export function countOf(chunks: readonly Chunk[], condition: Condition): number {
  const wanted = simplify(condition);
  return chunks.reduce((sum, chunk) => sum + size(evaluate(wanted, chunk)), 0);
}
