import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { forecastOf } from '#core/series/forecast.ts';
import type { Curve } from '#core/series/series.ts';
import { boundaries } from '#core/time/boundary.ts';
import { DAY_MS, HOUR_MS } from '#core/time/span.ts';
import { zoneTable } from '#core/time/zone.ts';
import { coarser, plainCurve, readVolumes } from './volumes.ts';

/** A series of real counts, without unknown buckets. */
export interface RealCounts {
  readonly name: string;
  readonly curve: Curve;
}

/** Queries with Posts in most hours. */
const BUSY = new Set([
  '*',
  'trump',
  'police',
  '#blacklivesmatter',
  'from:TEN_GOP',
  'from:todaycleveland',
  'love -hate -trump lang:en',
]);

type Width = 'hour' | 'day' | 'week' | 'month';
const MS = { hour: HOUR_MS, day: DAY_MS } as const;
/** Buckets after which a naive forecast repeats the counts: a week, or the last bucket. */
const REPEATED: Readonly<Record<Width, number>> = {
  hour: 7 * 24,
  day: 7,
  week: 1,
  month: 1,
};
/** The corpus is thin before, and its last day is cut. */
const FROM = Date.UTC(2015, 0, 1);
const TO = Date.UTC(2018, 4, 30);

/** Counts of the queries in the folder `truth`, each from the day of its first Post. */
export function readTruth(folder: string, width: 'hour' | 'day'): RealCounts[] {
  const files = readdirSync(join(folder, 'truth')).filter((name) => /^ira-posts-\d/.test(name));
  return files.sort().flatMap((name) => {
    const truth = JSON.parse(readFileSync(join(folder, 'truth', name), 'utf8')) as {
      query: string;
      day: Record<string, number>;
      hour: Record<string, number>;
    };
    const entries = Object.entries(truth[width]).map(([at, n]) => [Date.parse(at), n] as const);
    const times = entries.map(([at]) => at).filter((at) => at >= FROM && at < TO);
    if (times.length === 0) return [];
    const start = Math.floor(Math.min(...times) / DAY_MS) * DAY_MS;
    const size = (TO - start) / MS[width];
    const counts = new Float64Array(size);
    for (const [at, n] of entries) if (at >= start && at < TO) counts[(at - start) / MS[width]] = n;
    const bounds = Float64Array.from({ length: size + 1 }, (_, i) => start + i * MS[width]);
    return [{ name: truth.query, curve: plainCurve(bounds, counts) }];
  });
}

/** The same by weeks, without the incomplete ones at both ends. */
export function readTruthWeeks(folder: string): RealCounts[] {
  return readTruth(folder, 'day').map(({ name, curve }) => {
    const first = curve.bounds.findIndex((at) => new Date(at).getUTCDay() === 1);
    const days = plainCurve(curve.bounds.slice(first), curve.counts.slice(first));
    return { name, curve: coarser(days, 7) };
  });
}

/** The same by months, without the incomplete ones at both ends. */
function readTruthMonths(folder: string): RealCounts[] {
  return readTruth(folder, 'day').map(({ name, curve }) => {
    const [start = 0] = curve.bounds;
    const span = { start, end: curve.bounds.at(-1) ?? 0 };
    const bounds = boundaries(span, 'month', zoneTable('UTC', span), 1).subarray(1, -1);
    const counts = Float64Array.from({ length: Math.max(0, bounds.length - 1) }, (_, i) => {
      const days = [bounds[i], bounds[i + 1]].map((at = 0) => (at - start) / DAY_MS);
      return [...curve.counts.subarray(...days)].reduce((sum, n) => sum + n, 0);
    });
    return { name, curve: plainCurve(bounds, counts) };
  });
}

/** The labelled volumes by hours or days, with buckets moved back to the full hour. */
export function readMentions(folder: string, width: 'hour' | 'day'): RealCounts[] {
  return readVolumes(folder).map(({ name, curve }) => {
    const { counts } = coarser(curve, MS[width] / (5 * 60_000));
    const start = Math.floor((curve.bounds[0] ?? 0) / HOUR_MS) * HOUR_MS;
    const bounds = Float64Array.from(
      { length: counts.length + 1 },
      (_, i) => start + i * MS[width],
    );
    return { name, curve: plainCurve(bounds, counts) };
  });
}

/** Forecasts of series of about the same volume: mean counts of a bucket in the four weeks (or buckets) before. */
export interface VolumeClass {
  /** From this mean count on, up to ten times as much; 0 for all below 1. */
  readonly from: number;
  readonly forecasts: number;
  readonly covered: number;
}

/** The comparison of forecasts with the weeks after them, which they have not seen. */
export interface HeldOut {
  readonly forecasts: number;
  readonly buckets: number;
  /** Part of the buckets whose count is in the interval as the board writes it, in whole Posts. */
  readonly covered: number;
  readonly below: number;
  readonly above: number;
  /** Mean absolute error over the mean change from one week to the next in the history (Hyndman & Koehler 2006). */
  readonly mase: number;
  /** Symmetric mean absolute percentage error, 0 to 2; 0 for two zeros. */
  readonly smape: number;
  /** The same for last week's counts. */
  readonly naive: { readonly mase: number; readonly smape: number };
  /** Ascending by volume. */
  readonly classes: readonly VolumeClass[];
}

export interface HeldOutPlan {
  readonly width: Width;
  /** Buckets of history of the first forecast; it grows from there. */
  readonly least: number;
  /** Buckets from one forecast to the next. */
  readonly every: number;
  readonly steps: number;
}

/** The first `size` buckets of a curve. */
function headOf({ bounds, counts }: Curve, size: number): Curve {
  return plainCurve(bounds.slice(0, size + 1), counts.slice(0, size));
}

/** Forecasts held-out weeks of real counts, one after the other, and compares. */
export function heldOut(
  series: readonly RealCounts[],
  { width, least, every, steps }: HeldOutPlan,
): HeldOut {
  const week = REPEATED[width];
  const table = zoneTable('UTC', { start: FROM, end: TO });
  const sums = { forecasts: 0, buckets: 0, covered: 0, below: 0, above: 0, error: 0, percent: 0 };
  const naive = { error: 0, percent: 0 };
  const classes = new Map<number, { forecasts: number; buckets: number; covered: number }>();
  const percentOf = (a: number, b: number): number =>
    a + b > 0 ? (2 * Math.abs(a - b)) / (a + b) : 0;
  for (const { curve } of series) {
    const { counts } = curve;
    for (let at = least; at + steps <= counts.length; at += every) {
      let change = 0;
      for (let i = week; i < at; i += 1)
        change += Math.abs((counts[i] ?? 0) - (counts[i - week] ?? 0));
      const scale = change / (at - week);
      // Without any recent Posts there is nothing to compare.
      const recent = [...counts.subarray(at - 4 * week, at)].reduce((sum, n) => sum + n, 0);
      if (!(scale > 0) || recent === 0) continue;
      const made = forecastOf(
        headOf(curve, at),
        { resolution: width, table, weekStart: 1 },
        0.8,
        steps,
      );
      if ('why' in made) continue;
      sums.forecasts += 1;
      const mean = recent / (4 * week);
      const from = mean < 1 ? 0 : 10 ** Math.floor(Math.log10(mean));
      const group = classes.get(from) ?? { forecasts: 0, buckets: 0, covered: 0 };
      classes.set(from, group);
      group.forecasts += 1;
      for (let h = 0; h < made.expected.length; h += 1) {
        const count = counts[at + h] ?? Number.NaN;
        const expected = made.expected[h] ?? Number.NaN;
        const before = counts[at - week + (h % week)] ?? Number.NaN;
        sums.buckets += 1;
        group.buckets += 1;
        if (count < Math.round(made.low[h] ?? Number.NaN)) sums.below += 1;
        else if (count > Math.round(made.high[h] ?? Number.NaN)) sums.above += 1;
        else {
          sums.covered += 1;
          group.covered += 1;
        }
        sums.error += Math.abs(count - expected) / scale;
        sums.percent += percentOf(count, expected);
        naive.error += Math.abs(count - before) / scale;
        naive.percent += percentOf(count, before);
      }
    }
  }
  const of = (sum: number): number => sum / sums.buckets;
  return {
    forecasts: sums.forecasts,
    buckets: sums.buckets,
    covered: of(sums.covered),
    below: of(sums.below),
    above: of(sums.above),
    mase: of(sums.error),
    smape: of(sums.percent),
    naive: { mase: of(naive.error), smape: of(naive.percent) },
    classes: [...classes]
      .map(([from, { forecasts, buckets, covered }]) => ({
        from,
        forecasts,
        covered: covered / buckets,
      }))
      .sort((a, b) => a.from - b.from),
  };
}

/** The comparisons in docs/forecast.md. Companies have seven weeks of counts, so their first forecasts have one. */
export const HELD_OUT: readonly {
  readonly name: string;
  readonly plan: HeldOutPlan;
  readonly read: (folder: string) => RealCounts[];
  /** The smallest part of the counts in the interval of 80%; 0.7 if absent. */
  readonly least?: number;
}[] = [
  {
    name: 'days of queries, the next week',
    plan: { width: 'day', least: 56, every: 21, steps: 7 },
    read: (folder) => readTruth(folder, 'day'),
  },
  {
    name: 'days of queries, the next four weeks',
    plan: { width: 'day', least: 112, every: 35, steps: 28 },
    read: (folder) => readTruth(folder, 'day'),
  },
  {
    name: 'weeks of queries, the next quarter',
    plan: { width: 'week', least: 52, every: 4, steps: 13 },
    read: readTruthWeeks,
  },
  {
    name: 'months of queries, the next half-year',
    plan: { width: 'month', least: 24, every: 1, steps: 6 },
    read: readTruthMonths,
    // Most accounts of the corpus fall silent in the half-years held out.
    least: 0.6,
  },
  {
    name: 'hours of companies, the next day',
    plan: { width: 'hour', least: 168, every: 37, steps: 24 },
    read: (folder) => readMentions(folder, 'hour'),
  },
  {
    name: 'hours of companies, the next week',
    plan: { width: 'hour', least: 672, every: 84, steps: 168 },
    read: (folder) => readMentions(folder, 'hour'),
  },
  {
    name: 'hours of busy queries, the next week',
    plan: { width: 'hour', least: 1680, every: 2328, steps: 168 },
    read: (folder) => readTruth(folder, 'hour').filter(({ name }) => BUSY.has(name)),
  },
];
