import type { Span } from '#core/time/span.ts';
import type { Known } from './known-counts.ts';

/** Within this span an answer counts only if its generation is at least this one. */
export interface Invalidation extends Span {
  readonly generation: number;
}

/**
 * Sets a new generation over spans that changed.
 *
 * @param earlier - Ascending, disjoint.
 * @param generation - Not below any earlier one.
 */
export function invalidate(
  earlier: readonly Invalidation[],
  spans: readonly Span[],
  generation: number,
): Invalidation[] {
  const out: Invalidation[] = earlier.map((span) => ({ ...span }));
  for (const { start, end } of spans) {
    if (start >= end) continue;
    for (let i = out.length - 1; i >= 0; i -= 1) {
      const old = out[i];
      if (!old || old.end <= start || old.start >= end) continue;
      const before = { ...old, end: Math.min(old.end, start) };
      const after = { ...old, start: Math.max(old.start, end) };
      out.splice(i, 1, ...[before, after].filter((part) => part.start < part.end));
    }
    out.push({ start, end, generation });
  }
  out.sort((a, b) => a.start - b.start);
  return out.reduce<Invalidation[]>((joined, span) => {
    const last = joined.at(-1);
    if (last && last.end === span.start && last.generation === span.generation) {
      joined[joined.length - 1] = { ...last, end: span.end };
    } else joined.push(span);
    return joined;
  }, []);
}

/** The parts of known stretches that remain valid after invalidations. */
export function stillValid(
  known: readonly Known[],
  invalidations: readonly Invalidation[],
): Known[] {
  if (invalidations.length === 0) return [...known];
  const out: Known[] = [];
  for (const k of known) {
    let from = k.from;
    for (const { start, end, generation } of invalidations) {
      if (generation <= k.generation || end <= from || start >= k.to) continue;
      if (start > from) out.push({ ...k, from, to: start });
      from = Math.max(from, end);
    }
    if (from < k.to) out.push({ ...k, from });
  }
  return out;
}
