import { STATE, type Curve } from '#core/series/series.ts';
import { intersect, type Span } from '#core/time/span.ts';

/** The span up to `end` in which counts of any curve may still change; null if all are settled. */
export function unsettledTail(curves: readonly Curve[], end: number): Span | null {
  let start = Infinity;
  for (const { bounds, states } of curves) {
    let i = states.length - 1;
    while (i >= 0 && (states[i] ?? 0) < STATE.settled) i -= 1;
    if (states.includes(STATE.provisional, i + 1))
      start = Math.min(start, bounds[i + 1] ?? Infinity);
  }
  return start < end ? { start, end } : null;
}

/** Intersection of lists of spans, ascending; empty for no lists. */
export function commonSpans(lists: readonly (readonly Span[])[]): Span[] {
  const [first = [], ...others] = lists;
  return others.reduce<Span[]>(
    (common, list) => common.flatMap((one) => list.flatMap((other) => intersect(one, other) ?? [])),
    [...first],
  );
}
