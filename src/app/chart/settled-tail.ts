import { bucketAt } from '#core/series/window.ts';
import { STATE, type Curve } from '#core/series/series.ts';
import { intersect, type Span } from '#core/time/span.ts';
import type { ChartSeries } from './chart.svelte.ts';
import type { SeriesStyle } from '#app/ui/series-style.ts';

/** What one series has at an instant. */
export interface ReadingRow {
  readonly id: number;
  readonly name: string;
  readonly style: SeriesStyle;
  /** NaN where it is not known. */
  readonly count: number;
  /** Said in the count's stead where there is none. */
  readonly instead: string;
  /** Why the count is not the last word; empty where it is. */
  readonly note: string;
}

/** The bucket at an instant and what each series has in it, the largest first, the unknown last. */
export interface Reading {
  readonly start: number;
  readonly end: number;
  readonly rows: readonly ReadingRow[];
}

function noteOf(state: number, end: number, now: number): string {
  if (state === STATE.partial) return end > now ? 'not over yet' : 'cut by the range';
  return state === STATE.provisional ? 'may still change a little' : '';
}

function insteadOf(state: number, start: number, now: number): string {
  if (start >= now) return 'not yet';
  // Known, and yet no value: of what is computed.
  if (state >= STATE.partial) return 'divided by zero';
  return state === STATE.uncovered ? 'no data' : 'not known';
}

/** The weakest state of buckets. */
function stateOf(states: Uint8Array, from: number, to: number): number {
  let weakest: number = STATE.settled;
  for (let i = from; i < to; i += 1) weakest = Math.min(weakest, states[i] ?? 0);
  return weakest;
}

/**
 * Reads every series at an instant; null where none reaches there.
 *
 * @param columns - Buckets read together, their counts summed up; else the one at the instant.
 */
export function readingAt(
  series: readonly ChartSeries[],
  at: number,
  now: number,
  columns = 1,
): Reading | null {
  let bucket: Span | null = null;
  const rows = series.flatMap(({ id, name, style, curve }): ReadingRow[] => {
    const i = bucketAt(curve.bounds, at);
    if (i < 0) return [];
    const to = Math.min(curve.counts.length, i + columns);
    const [start = 0, end = 0] = [curve.bounds[i], curve.bounds[to]];
    bucket ??= { start, end };
    let count = 0;
    for (let n = i; n < to; n += 1) count += curve.counts[n] ?? Number.NaN;
    const state = stateOf(curve.states, i, to);
    const note = Number.isNaN(count) ? '' : noteOf(state, end, now);
    return [{ id, name, style, count, instead: insteadOf(state, start, now), note }];
  });
  const rank = ({ count }: ReadingRow): number => (Number.isNaN(count) ? -1 : count);
  rows.sort((a, b) => rank(b) - rank(a));
  const { start, end }: Span = bucket ?? { start: 0, end: 0 };
  return bucket ? { start, end, rows } : null;
}

/** From where on counts may still change, in any of the curves, to `end`; null where all are settled. */
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

/** What all of these lists of spans have in common, ascending; nothing of no list. */
export function commonSpans(lists: readonly (readonly Span[])[]): Span[] {
  const [first = [], ...others] = lists;
  return others.reduce<Span[]>(
    (common, list) => common.flatMap((one) => list.flatMap((other) => intersect(one, other) ?? [])),
    [...first],
  );
}
