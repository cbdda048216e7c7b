import type { Condition } from '#core/query/ast.ts';
import type { Span } from '#core/time/span.ts';
import type { Chunk } from './chunk.ts';
import { chunksWithin, HIGHEST_ID, LOWEST_ID, type IdBounds } from './counting.ts';
import { evaluateSteps } from './evaluate.ts';
import { lowerBound, type Ordinals } from './ordinals.ts';
import { simplify } from './simplify.ts';
import { finish, NEVER, type Due, type Steps } from './steps.ts';

/** A found Post, by what orders it: its whole second since 1970, and its id. */
export interface Hit {
  readonly second: number;
  readonly id: bigint;
}

export interface SearchBounds extends IdBounds {
  /** Only hits that come after this one. */
  readonly after?: Hit;
}

/** Newest first; within a second the highest id first. */
function byNewest(a: Hit, b: Hit): number {
  if (a.second !== b.second) return b.second - a.second;
  return a.id > b.id ? -1 : 1;
}

/** Calls `visit` with the ordinals of a set in `[from, to)`, descending, until it returns false. */
function eachDown(
  set: Ordinals,
  from: number,
  to: number,
  visit: (ordinal: number) => boolean,
): void {
  if (set instanceof Uint16Array) {
    for (let i = lowerBound(set, to) - 1; i >= 0 && set[i]! >= from; i--)
      if (!visit(set[i]!)) return;
    return;
  }
  if (from >= to) return;
  const first = from >>> 5;
  const last = (to - 1) >>> 5;
  for (let w = last; w >= first; w--) {
    let word = set[w]!;
    if (w === last) word &= -1 >>> (31 - ((to - 1) & 31));
    if (w === first) word &= -1 << (from & 31);
    while (word !== 0) {
      const bit = 31 - Math.clz32(word);
      if (!visit((w << 5) + bit)) return;
      word &= ~(1 << bit);
    }
  }
}

/**
 * Finds the newest Posts that meet a condition, in the order of {@link Hit}, within `[span.start,
 * span.end)` to the second.
 *
 * Chunks are evaluated newest first, and only while they may contain something newer than what was
 * found. No Post's text is read.
 *
 * @param limit - Maximum number of hits.
 * @param bounds - Post ids, both exclusive; where the listing continues.
 */
export function newest(
  chunks: readonly Chunk[],
  condition: Condition,
  span: Span,
  limit: number,
  bounds?: SearchBounds,
): Hit[] {
  return finish(newestSteps(chunks, condition, span, limit, bounds, NEVER));
}

/** {@link newest} in steps. */
export function* newestSteps(
  chunks: readonly Chunk[],
  condition: Condition,
  span: Span,
  limit: number,
  { since = LOWEST_ID, until = HIGHEST_ID, after }: SearchBounds = {},
  due: Due,
): Steps<Hit[]> {
  const start = Math.floor(span.start / 1000);
  const end = Math.min(Math.floor(span.end / 1000), after ? after.second + 1 : Infinity);
  const secondOf = (instant: number): number => Math.floor(instant / 1000);
  const relevant = chunksWithin(chunks, start, end, since, until).sort((a, b) => b.last - a.last);
  const wanted = simplify(condition);
  let found: Hit[] = [];
  for (const chunk of relevant) {
    if (due()) yield;
    const worst = found.length >= limit ? found.at(-1) : undefined;
    if (worst && secondOf(chunk.last) < worst.second) break;
    const hits = yield* evaluateSteps(wanted, chunk, due);
    if (hits.length === 0) continue;
    const times = chunk.times();
    const ids = chunk.ids();
    const from = lowerBound(times, Math.max(start, worst?.second ?? start));
    const here: Hit[] = [];
    eachDown(hits, from, lowerBound(times, end), (ordinal) => {
      const [second, id] = [times[ordinal]!, ids[ordinal]!];
      // Ids need not ascend within a second, so the last second is read completely.
      if (here.length >= limit && here.at(-1)!.second !== second) return false;
      if (id <= since || id >= until) return true;
      if (after && second === after.second && id >= after.id) return true;
      here.push({ second, id });
      return true;
    });
    if (here.length === 0) continue;
    found = [...found, ...here].sort(byNewest).slice(0, limit);
  }
  return found;
}
