import { firstIndex } from '#core/first-index.ts';
import { extentOf, LEAF } from '#core/series/pyramid/pyramid.ts';
import { STATE, type Curve } from '#core/series/series.ts';
import { trackOf, type Track } from '#core/series/trend.ts';
import { bucketsIn, type Buckets } from '#core/series/window.ts';
import type { Formatter } from '#app/format/formatter.ts';
import type { AnalysedChart } from '#app/chart/forecast/analysis-lacks.ts';
import type { ChartSeries, ChartView, Target } from '#app/chart/chart-props.ts';
import type { Trend } from '#app/chart/draw/form.ts';
import { isStacked } from '#app/chart/draw/layout.ts';
import { measureOf, type FigureSeries } from '#app/chart/draw/values.ts';
import { firstKnown } from '#core/series/pyramid/pyramid-places.ts';

/** The name of a target with its value and the buckets it is for: `Target 5,000 per day`. */
export function targetText({ value, label, per }: Target, format: Formatter): string {
  const number = Number.isInteger(value) ? format.count(value) : format.mean(value);
  return `${label || 'Target'} ${number}${per ? ` per ${per}` : ''}`;
}

/** A drawn value of every bucket, of one series or of several together. */
interface Row {
  readonly name: string;
  /** The tracks from which it is computed; the same for the same values at any window. */
  readonly tracks: readonly Track[];
  value(bucket: number): number;
}

/** The whole buckets with a value before each leaf block, and those at or above a target. */
interface Tally {
  readonly key: string;
  readonly tracks: readonly Track[];
  readonly known: Uint32Array;
  readonly reached: Uint32Array;
}

/** The last tally of each curve, alone or as the first of several. */
const tallies = new WeakMap<Curve, Tally>();

/** Tallies the values of a row that are independent of the window; done once for each target, linear in its length. */
function tallyOf({ tracks, value }: Row, target: number, trend: Trend): Tally | null {
  const curve = tracks[0]?.curve;
  if (!curve) return null;
  const key = JSON.stringify([target, trend]);
  const made = tallies.get(curve);
  const same =
    made?.key === key &&
    made.tracks.length === tracks.length &&
    made.tracks.every((track, k) => track === tracks[k]);
  if (same) return made;
  const size = curve.counts.length;
  const blocks = Math.ceil(size / LEAF);
  const tally = {
    key,
    tracks,
    known: new Uint32Array(blocks + 1),
    reached: new Uint32Array(blocks + 1),
  };
  for (let b = 0, known = 0, reached = 0; b < blocks; b += 1) {
    for (let i = b * LEAF; i < Math.min(size, (b + 1) * LEAF); i += 1) {
      const here = value(i);
      if (Number.isNaN(here)) continue;
      known += 1;
      if (here >= target) reached += 1;
    }
    tally.known[b + 1] = known;
    tally.reached[b + 1] = reached;
  }
  tallies.set(curve, tally);
  return tally;
}

/** The whole buckets in view with a value, and those at or above the target. */
function reachedIn(
  row: Row,
  { first, end }: Buckets,
  target: number,
  trend: Trend,
): { readonly known: number; readonly reached: number } {
  const tally = tallyOf(row, target, trend);
  const before = (index: number): [known: number, reached: number] => {
    const block = Math.floor(index / LEAF);
    let [known, reached] = [tally?.known[block] ?? 0, tally?.reached[block] ?? 0];
    for (let i = block * LEAF; i < index; i += 1) {
      const here = row.value(i);
      if (!Number.isNaN(here)) known += 1;
      if (here >= target) reached += 1;
    }
    return [known, reached];
  };
  const [[knownTo, reachedTo], [knownFrom, reachedFrom]] = [before(end), before(first)];
  return { known: knownTo - knownFrom, reached: reachedTo - reachedFrom };
}

/** The first bucket in which a running total reaches the target; -1 if none does. */
function firstReached({ tracks, value }: Row, { first, end }: Buckets, target: number): number {
  const begin = Math.max(first, ...tracks.map(({ pyramid }) => firstKnown(pyramid, first, end)));
  const rises = tracks.every(({ pyramid }) => (extentOf(pyramid, first, end)[0] ?? 0) >= 0);
  let at = begin;
  // A total that only rises is searched by halves. After a missing bucket it stays unknown.
  if (rises) at = firstIndex(begin, end, (i) => Number.isNaN(value(i)) || value(i) >= target);
  else while (at < end && !(value(at) >= target)) at += 1;
  return at < end && value(at) >= target ? at : -1;
}

/**
 * The number of times the drawn values reach a target: `Target 5,000 reached on 12 of 366 days`. A running total
 * reaches it once, so that has the date. Unfinished buckets count only if they have reached it already.
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
  const base = trend.kind === 'per' && baseline ? [trackOf(baseline.curve, baseline.pyramid)] : [];
  const rows = counted.map((series): Row => {
    const { now } = measureOf(series, baseline, trend, window);
    const { counts, states } = series.curve;
    const value = (i: number): number => {
      const here = trend.kind === 'none' ? (counts[i] ?? Number.NaN) : now(i, i + 1);
      const open = states[i] === STATE.partial && trend.kind !== 'cumulative';
      return open && here < target.value ? Number.NaN : here;
    };
    return { name: series.name, tracks: [trackOf(series.curve, series.pyramid), ...base], value };
  });
  const bounds = counted[0]?.curve.bounds ?? new Float64Array(0);
  const buckets = bucketsIn(bounds, window.start, window.end);
  const together = stacked && rows.length > 1;
  const all: Row[] = together
    ? [
        {
          name: 'together',
          tracks: rows.flatMap(({ tracks }) => tracks),
          value: (i) => rows.reduce((sum, row) => sum + row.value(i), 0),
        },
      ]
    : rows;
  const text = targetText(target, format);
  const named = all.length > 1 || together;
  if (trend.kind === 'cumulative') {
    const when = all.map((row) => {
      const at = firstReached(row, buckets, target.value);
      const reached =
        at < 0 ? 'not reached' : `reached ${format.date(bounds[at] ?? 0, table.zone)}`;
      return named ? `${row.name} ${reached}` : reached;
    });
    return `${text}: ${when.join(', ')}`;
  }
  const results = all.map((row) => ({
    name: row.name,
    ...reachedIn(row, buckets, target.value, trend),
  }));
  const within = resolution === 'day' ? 'on' : 'in';
  const most = Math.max(...results.map((result) => result.known));
  const known = format.counted(most, resolution);
  const those = results.filter(({ reached }) => reached > 0);
  if (those.length === 0) return `${text} reached ${within} none of ${known}`;
  const counts = those.map(
    ({ name, reached }) => `${named ? `${name} ` : ''}${within} ${format.count(reached)}`,
  );
  const others = those.length < results.length ? '; no other series reached it' : '';
  return `${text} reached${named ? ':' : ''} ${counts.join(', ')} of ${known}${others}`;
}
