import type { Formatter } from '#app/format/formatter.ts';
import type { SeriesStyle } from '#app/ui/series-style.ts';
import { lengthRatio } from '#core/series/change.ts';
import { COUNTING, isClear } from '#core/series/confidence.ts';
import { evenState, LEAF, type Pyramid } from '#core/series/pyramid/pyramid.ts';
import { STATE } from '#core/series/series.ts';
import { sumOf, trackOf } from '#core/series/trend.ts';
import { bucketAt } from '#core/series/window.ts';
import type { Span } from '#core/time/span.ts';
import type { Pointed } from '#app/chart/chart.svelte.ts';
import type { ChartSeries } from '#app/chart/chart-props.ts';
import type { Unit } from '#core/series/formula.ts';
import type { Form, Trend } from '#app/chart/draw/form.ts';
import type { EarlierCounts } from '#app/chart/draw/values.ts';

/** The count of one series at an instant. */
export interface ReadingRow {
  readonly id: number;
  readonly name: string;
  readonly style: SeriesStyle;
  /** NaN if unknown. */
  readonly count: number;
  /** Shown in place of a missing count. */
  readonly instead: string;
  /** The reason the count is not final; empty if it is. */
  readonly note: string;
}

/** The bucket at an instant with the count of each series, largest first, unknown ones last. */
interface Reading {
  readonly start: number;
  readonly end: number;
  readonly rows: readonly ReadingRow[];
}

function noteOf(state: number, end: number, now: number): string {
  if (state === STATE.partial) return end > now ? 'not over yet' : 'counted in part';
  return state === STATE.provisional ? 'may still change a little' : '';
}

function insteadOf(state: number, start: number, now: number): string {
  if (start >= now) return 'not yet';
  // Only computed series have buckets that are known but have no value.
  if (state >= STATE.partial) return 'divided by zero';
  return state === STATE.uncovered ? 'no data' : 'not known';
}

/** The least certain state of buckets. @param pyramid - Skips most of many. */
function stateOf(states: Uint8Array, pyramid: Pyramid | null, from: number, to: number): number {
  const blocks = pyramid?.values.length === states.length ? pyramid : null;
  let weakest: number = STATE.settled;
  for (let i = from; i < to;) {
    const whole = blocks && i % LEAF === 0 && i + LEAF <= to;
    const even = whole ? evenState(blocks, i / LEAF) : -1;
    weakest = Math.min(weakest, even < 0 ? (states[i] ?? 0) : even);
    i += even < 0 ? 1 : LEAF;
  }
  return weakest;
}

/**
 * Reads every series at an instant; null if none has a bucket there.
 *
 * @param columns - Number of buckets to add up.
 */
export function readingAt(
  series: readonly ChartSeries[],
  at: number,
  now: number,
  columns = 1,
): Reading | null {
  let bucket: Span | null = null;
  const rows = series.flatMap(({ id, name, style, curve, pyramid }): ReadingRow[] => {
    const i = bucketAt(curve.bounds, at);
    if (i < 0) return [];
    const to = Math.min(curve.counts.length, i + columns);
    const [start = 0, end = 0] = [curve.bounds[i], curve.bounds[to]];
    bucket ??= { start, end };
    const count =
      columns === 1 ? (curve.counts[i] ?? Number.NaN) : sumOf(trackOf(curve, pyramid), i, to);
    const state = stateOf(curve.states, pyramid, i, to);
    const note = Number.isNaN(count) ? '' : noteOf(state, end, now);
    return [{ id, name, style, count, instead: insteadOf(state, start, now), note }];
  });
  const rank = ({ count }: ReadingRow): number => (Number.isNaN(count) ? -1 : count);
  rows.sort((a, b) => rank(b) - rank(a));
  const { start, end }: Span = bucket ?? { start: 0, end: 0 };
  return bucket ? { start, end, rows } : null;
}

/** Formats a value as on the chart. */
export function valueText(
  value: number,
  form: Form,
  trend: Trend,
  mean: boolean,
  format: Formatter,
): string {
  if (form === 'share') return format.share(value);
  const counts = !mean && (trend.kind === 'none' || trend.kind === 'cumulative');
  return counts ? format.count(value) : format.mean(value);
}

export function quotientText(value: number, unit: Unit, format: Formatter): string {
  if (unit !== 'part') return format.mean(value);
  return Math.abs(value) < 0.001 ? format.part(value) : format.share(value);
}

/** `+12.0 %`; empty if there is no value to compare with. */
export function changeText(now: number, before: number, format: Formatter): string {
  if (!(before > 0) || Number.isNaN(now)) return '';
  return format.change(now / before - 1);
}

/**
 * The change of a bucket from the earlier one, Posts a day where their lengths differ; empty within the noise, which is
 * known of single buckets only, and for values that are not in proportion to the bucket's count.
 */
export function clearChange(
  { curve }: ChartSeries,
  earlier: EarlierCounts,
  { from, to }: Pointed,
  [now, before]: readonly [now: number, before: number],
  trend: Trend,
  format: Formatter,
): string {
  const inProportion = trend.kind === 'none' || trend.kind === 'index';
  if (!inProportion || to - from !== 1) return '';
  const { bounds, counts } = curve;
  const { starts, ends } = earlier;
  const ratio = lengthRatio(
    (bounds[to] ?? Number.NaN) - (bounds[from] ?? 0),
    (ends?.[from] ?? Number.NaN) - (starts?.[from] ?? Number.NaN),
  );
  const [count = Number.NaN, was = Number.NaN] = [counts[from], earlier.curve.counts[from]];
  const whole = Number.isInteger(count) && Number.isInteger(was);
  if (!whole || !isClear(was, count, ratio, earlier.noise ?? COUNTING)) return '';
  const text = changeText(now / ratio, before, format);
  return text && ratio !== 1 ? `${text} a day` : text;
}
