import { STATE } from '#core/series/series.ts';
import { bucketsIn } from '#core/series/window.ts';
import type { Formatter } from '#app/format/formatter.ts';
import type { AnalysedChart } from './analysis-lacks.ts';
import type { ChartSeries, ChartView, Target } from './chart-props.ts';
import { isStacked } from './layout.ts';
import { measureOf, type FigureSeries } from './values.ts';

/** The name of a target with its value: `Target 5,000`. */
export function targetText({ value, label }: Target, format: Formatter): string {
  return `${label || 'Target'} ${Number.isInteger(value) ? format.count(value) : format.mean(value)}`;
}

/** The whole buckets in view with a value, and those at or above the target. */
interface Reached {
  readonly known: number;
  readonly reached: number;
  /** Start of the first at or above it, epoch ms; NaN if there is none. */
  readonly first: number;
}

function reachedIn(
  bounds: Float64Array,
  { first, end }: { first: number; end: number },
  target: number,
  value: (bucket: number) => number,
): Reached {
  let [known, reached, at] = [0, 0, Number.NaN];
  for (let i = first; i < end; i += 1) {
    const here = value(i);
    if (Number.isNaN(here)) continue;
    known += 1;
    if (here < target) continue;
    if (reached === 0) at = bounds[i] ?? Number.NaN;
    reached += 1;
  }
  return { known, reached, first: at };
}

/**
 * How often the drawn values reach a target: `Target 5,000 reached on 12 of 366 days`. A running total reaches it
 * once, so that has the date. Unfinished buckets count only if they have reached it already.
 */
export function targetNote(
  target: Target,
  counted: readonly ChartSeries[],
  baseline: FigureSeries | null,
  { style: { form, trend }, view }: AnalysedChart & { readonly view: ChartView },
  format: Formatter,
): string {
  const { window, resolution, table } = view;
  const stacked = isStacked(form, trend, counted.length);
  const rows = counted.map((one) => {
    const { now } = measureOf(one, baseline, trend, window);
    const { bounds, states } = one.curve;
    const value = (i: number): number => {
      const here = now(i, i + 1);
      const open = states[i] === STATE.partial && trend.kind !== 'cumulative';
      return open && here < target.value ? Number.NaN : here;
    };
    return { name: one.name, bounds, value };
  });
  const bounds = rows[0]?.bounds ?? new Float64Array(0);
  const buckets = bucketsIn(bounds, window.start, window.end);
  const together = stacked && rows.length > 1;
  const all = together
    ? [
        {
          name: 'together',
          bounds,
          value: (i: number) => rows.reduce((sum, row) => sum + row.value(i), 0),
        },
      ]
    : rows;
  const text = targetText(target, format);
  const results = all.map((row) => ({
    name: row.name,
    ...reachedIn(row.bounds, buckets, target.value, row.value),
  }));
  const named = results.length > 1 || together;
  if (trend.kind === 'cumulative') {
    const when = results.map(({ name, first }) => {
      const reached = Number.isNaN(first)
        ? 'not reached'
        : `reached ${format.date(first, table.zone)}`;
      return named ? `${name} ${reached}` : reached;
    });
    return `${text}: ${when.join(', ')}`;
  }
  const within = resolution === 'day' ? 'on' : 'in';
  const most = Math.max(...results.map((one) => one.known));
  const known = `${format.count(most)} ${most === 1 ? resolution : `${resolution}s`}`;
  const those = results.filter(({ reached }) => reached > 0);
  if (those.length === 0) return `${text} reached ${within} none of ${known}`;
  const counts = those.map(
    ({ name, reached }) => `${named ? `${name} ` : ''}${within} ${format.count(reached)}`,
  );
  const others = those.length < results.length ? '; no other series reached it' : '';
  return `${text} reached${named ? ':' : ''} ${counts.join(', ')} of ${known}${others}`;
}
