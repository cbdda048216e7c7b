import type { Condition } from '#core/query/ast.ts';
import type { Span } from '#core/time/span.ts';
import type { Chunk } from './chunk.ts';
import { evaluateSteps } from './evaluate.ts';
import { partsIn } from './frequent-terms.ts';
import type { WholeChunk } from './merge.ts';
import { and, below, lowerBound, size, type Ordinals } from './ordinals.ts';
import { simplify } from './simplify.ts';
import type { Due, Steps } from './steps.ts';

/** Posts of one chunk, at least one. */
export interface ChunkPosts<C extends Chunk = WholeChunk> {
  readonly chunk: C;
  readonly posts: Ordinals;
  /** Their number. */
  readonly n: number;
}

/** The ordinals of a set in `[from, to)`. */
function within(set: Ordinals, from: number, to: number, n: number): Ordinals {
  if (from === 0 && to === n) return set;
  if (set instanceof Uint16Array) return set.subarray(lowerBound(set, from), lowerBound(set, to));
  const range = below(to) as Uint32Array;
  const first = from >>> 5;
  range.fill(0, 0, first);
  range[first]! &= -1 << (from & 31);
  return and(set, range);
}

/** The living Posts in `[span.start, span.end)`, to the second, that meet a condition, in steps. */
export function* postsIn(
  chunks: readonly WholeChunk[],
  condition: Condition,
  span: Span,
  due: Due,
): Steps<ChunkPosts[]> {
  const wanted = simplify(condition);
  const found: ChunkPosts[] = [];
  for (const { chunk, from, to } of partsIn(chunks, span)) {
    if (due()) yield;
    const posts = within(yield* evaluateSteps(wanted, chunk, due), from, to, chunk.n);
    const n = size(posts);
    if (n > 0) found.push({ chunk, posts, n });
  }
  return found;
}

/** The number of Posts in all. */
export function total(parts: readonly ChunkPosts[]): number {
  return parts.reduce((sum, { n }) => sum + n, 0);
}
