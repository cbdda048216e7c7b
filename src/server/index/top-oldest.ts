import type { Condition } from '#core/query/ast.ts';
import type { Span } from '#core/time/span.ts';
import type { Chunk } from './chunk.ts';
import { chunksWithin, HIGHEST_ID, LOWEST_ID, type IdBounds } from './counting.ts';
import { evaluateSteps } from './evaluate.ts';
import { listed, lowerBound } from './ordinals.ts';
import { simplify } from './simplify.ts';
import type { Due, Steps } from './steps.ts';
import type { Hit } from './top-newest.ts';

export interface OldestBounds extends IdBounds {
  /** Only hits that are newer than this one. */
  readonly before?: Hit;
}

/** Oldest first; within a second the lowest id first. */
function byOldest(a: Hit, b: Hit): number {
  if (a.second !== b.second) return a.second - b.second;
  return a.id < b.id ? -1 : 1;
}

/**
 * Finds the oldest Posts that meet a condition within `[span.start, span.end)` to the second: the opposite of
 * `newestSteps`, so that a listing can also go back.
 *
 * @param limit - Maximum number of hits.
 * @param bounds - Post ids, both exclusive; where the listing continues.
 * @returns Hits in the opposite order of `newestSteps`.
 */
export function* oldestSteps(
  chunks: readonly Chunk[],
  condition: Condition,
  span: Span,
  limit: number,
  { since = LOWEST_ID, until = HIGHEST_ID, before }: OldestBounds = {},
  due: Due,
): Steps<Hit[]> {
  const secondOf = (instant: number): number => Math.floor(instant / 1000);
  const start = Math.max(secondOf(span.start), before ? before.second : -Infinity);
  const end = secondOf(span.end);
  const relevant = chunksWithin(chunks, start, end, since, until).sort((a, b) => a.first - b.first);
  const wanted = simplify(condition);
  let found: Hit[] = [];
  for (const chunk of relevant) {
    if (due()) yield;
    const worst = found.length >= limit ? found.at(-1) : undefined;
    if (worst && secondOf(chunk.first) > worst.second) break;
    const hits = yield* evaluateSteps(wanted, chunk, due);
    if (hits.length === 0) continue;
    const times = chunk.times();
    const ids = chunk.ids();
    const to = lowerBound(times, Math.min(end, worst ? worst.second + 1 : end));
    const ordinals = listed(hits);
    const here: Hit[] = [];
    for (let i = lowerBound(ordinals, lowerBound(times, start)); i < ordinals.length; i++) {
      const ordinal = ordinals[i]!;
      if (ordinal >= to) break;
      const [second, id] = [times[ordinal]!, ids[ordinal]!];
      // Ids need not ascend within a second, so the last second is read completely.
      if (here.length >= limit && here.at(-1)!.second !== second) break;
      if (id <= since || id >= until) continue;
      if (before && second === before.second && id <= before.id) continue;
      here.push({ second, id });
    }
    if (here.length === 0) continue;
    found = [...found, ...here].sort(byOldest).slice(0, limit);
  }
  return found;
}
