import { liftBand, liftOf } from '#core/lift/lift.ts';
import { LIFT_LEVELS, type LiftLevel } from '#core/lift/claim.ts';
import { sliceOf } from '#core/series/basis.ts';
import type { Curve } from '#core/series/series.ts';
import { Random } from '#server/sample/random.ts';
import { readMentions, readTruth } from './forecasts.ts';
import { plainCurve } from './volumes.ts';
import { readWordDays } from './word-days.ts';
import { LIFT_UNITS } from '#core/lift/lift-input.ts';
import type { LiftFigure, LiftMeasure } from '#core/lift/lift-figure.ts';

/** A series without campaigns, and the controls that it is compared with. */
export interface QuietSeries {
  readonly name: string;
  readonly curve: Curve;
  /** Null for none. */
  readonly controls: readonly (Curve | null)[];
}

/** Days of words, each without a control and with four. */
const wordSeries = (folder: string): QuietSeries[] =>
  readWordDays(folder).map(({ name, curve, controls }) => ({
    name,
    curve,
    controls: [null, ...controls.map((control) => control.curve)],
  }));

const sumOf = (curves: readonly Curve[], bounds: Float64Array): Curve =>
  plainCurve(
    bounds,
    Float64Array.from({ length: bounds.length - 1 }, (_, i) =>
      curves.reduce((sum, { counts }) => sum + (counts[i] ?? NaN), 0),
    ),
  );

/** Hours of companies, each without a control, with the next company and with the sum of the next five. */
export function companySeries(folder: string): QuietSeries[] {
  const all = readMentions(folder, 'hour');
  const [first] = all;
  if (!first) return [];
  // Their first minutes differ by less than an hour, their last hours by one.
  const size = Math.min(...all.map(({ curve }) => curve.counts.length));
  const bounds = first.curve.bounds.slice(0, size + 1);
  const curves = all.map(({ curve }) => plainCurve(bounds, curve.counts.slice(0, size)));
  return all.map(({ name }, i) => {
    const next = (by: number): Curve[] => {
      const others = [...curves.slice(i + 1), ...curves.slice(0, i)];
      return others.slice(0, by);
    };
    return {
      name,
      curve: curves[i] ?? plainCurve(bounds, new Float64Array(size)),
      controls: [null, sumOf(next(1), bounds), sumOf(next(5), bounds)],
    };
  });
}

/** Days of the queries in the folder `truth`, each without a control and with all other Posts; quick to read. */
export function querySeries(folder: string): QuietSeries[] {
  const queries = readTruth(folder, 'day');
  const all = queries.find(({ name }) => name === '*')?.curve;
  if (!all) throw new Error('expected the query * in the folder truth, got none');
  return queries
    .filter(({ name }) => name !== '*')
    .map(({ name, curve }) => {
      const skipped = all.counts.length - curve.counts.length;
      const others = curve.counts.map((count, i) => (all.counts[skipped + i] ?? NaN) - count);
      return { name, curve, controls: [null, plainCurve(curve.bounds, others)] };
    });
}

/** A length of windows, and of the history before each. */
export interface LiftSetting {
  readonly unit: 'day' | 'hour';
  /** Days or hours of a window. */
  readonly length: number;
  /** The years before each window: as far as there are counts, but at least and at most so many; hours have a month. */
  readonly years: { readonly min: 1 | 2; readonly max: 1 | 2 } | null;
}

const HISTORIES = [
  { name: 'a year', years: { min: 1, max: 1 } },
  { name: 'up to two years', years: { min: 1, max: 2 } },
  { name: 'two full years', years: { min: 2, max: 2 } },
] as const;

/** The settings in docs/lift.md. */
const LIFT_SETTINGS: readonly LiftSetting[] = [
  ...([7, 14, 28] as const).flatMap((length) =>
    HISTORIES.map(({ years }) => ({ unit: 'day', length, years }) as const),
  ),
  ...([12, 24, 48] as const).map((length) => ({ unit: 'hour', length, years: null }) as const),
];

function settingName({ unit, length, years }: LiftSetting): string {
  const history = HISTORIES.find((each) => each.years === years);
  return `${length} ${unit}s${history ? `, ${history.name}` : ''}`;
}

/** Adds Posts to a window so that each was, on average, followed by `lift` more: whole ones, and a coin for the rest. */
function withLift(curve: Curve, first: number, lift: number, random: Random): Curve {
  const counts = Float64Array.from(curve.counts);
  for (let i = first; i < counts.length; i += 1) {
    const posts = counts[i] ?? 0;
    let added = posts * Math.floor(lift);
    for (let n = 0; n < posts; n += 1) if (random.chance(lift % 1)) added += 1;
    counts[i] = posts + added;
  }
  return plainCurve(curve.bounds, counts);
}

/** Standard normal deviates that leave out 5 %, 10 % and 20 % at both ends. */
const DEVIATES: Readonly<Record<LiftLevel, number>> = { 95: 1.96, 90: 1.645, 80: 1.282 };

/**
 * True if a band of the days before alone contains the window: of counts that follow a Poisson distribution, or of days
 * that scatter around the mean of their weekday as much as in the before-time, independently.
 */
function simpleBands(
  curve: Curve,
  slots: ArrayLike<number>,
  cycle: number,
  first: number,
  before: number,
): { readonly poisson: number; readonly scatter: number } {
  const at = (i: number): number => curve.counts[i] ?? NaN;
  const sums = new Float64Array(cycle);
  const sizes = new Float64Array(cycle);
  for (let i = first - before; i < first; i += 1) {
    sums[slots[i] ?? 0]! += at(i);
    sizes[slots[i] ?? 0]! += 1;
  }
  const meanOf = (i: number): number =>
    (sums[slots[i] ?? 0] ?? NaN) / (sizes[slots[i] ?? 0] ?? NaN);
  let [squares, posts, usual] = [0, 0, 0];
  for (let i = first - before; i < first; i += 1) squares += (at(i) - meanOf(i)) ** 2;
  for (let i = first; i < curve.counts.length; i += 1) {
    posts += at(i);
    usual += meanOf(i);
  }
  const length = curve.counts.length - first;
  // The usual level is itself a mean of `before / length` times as many buckets.
  const noise = 1 + length / before;
  const variance = squares / (before - cycle);
  return {
    poisson: Math.abs(posts - usual) / Math.sqrt(usual * noise),
    scatter: Math.abs(posts - usual) / Math.sqrt(variance * length * noise),
  };
}

/** Parts of the windows in which something holds, each the mean of all draws. */
export interface LiftCalibration {
  /** Windows of all draws that have a figure, those that have none, and series with a figure. */
  readonly figures: number;
  readonly refusals: number;
  readonly series: number;
  /** In the band, by level, of the windows for which it may be claimed; NaN if it never may. */
  readonly total: Readonly<Record<LiftLevel, number>>;
  readonly everyday: Readonly<Record<LiftLevel, number>>;
  /** In the band of counting alone, and in that of the days before. */
  readonly poisson: Readonly<Record<LiftLevel, number>>;
  readonly scatter: Readonly<Record<LiftLevel, number>>;
  /** Middle of the smallest visible lift, and of that of the everyday level. */
  readonly visible: number;
  readonly everydayVisible: number;
  /** Lifts added to every window: their part in the band at the figure's level, and the middle of (1 + found) / (1 + added) − 1. */
  readonly added: readonly {
    readonly lift: number;
    readonly held: number;
    readonly bias: number;
  }[];
  /** The part of lifts of the size to plan for that the band calls a rise. */
  readonly detected: number;
  /** In the band at the figure's own level without a lift, and the middle of the lift that is found there. */
  readonly own: number;
  readonly bias: number;
}

/** The draws of a calibration. */
export interface LiftDraws {
  readonly draws: number;
  /** Windows of each series with each control, in a draw. */
  readonly windows: number;
  /** Lifts that are added to each window. */
  readonly added: readonly number[];
}

/** A part of windows, draw by draw. */
class Part {
  readonly #draws: { hits: number; size: number }[] = [];
  count(draw: number, hit: boolean): void {
    const of = (this.#draws[draw] ??= { hits: 0, size: 0 });
    of.size += 1;
    if (hit) of.hits += 1;
  }
  get mean(): number {
    const parts = this.#draws.map(({ hits, size }) => hits / size);
    return parts.reduce((sum, part) => sum + part, 0) / parts.length;
  }
}

const byLevel = <T>(of: (level: LiftLevel) => T): Record<LiftLevel, T> => ({
  95: of(95),
  90: of(90),
  80: of(80),
});

const middle = (values: readonly number[]): number =>
  values.toSorted((a, b) => a - b)[values.length >> 1] ?? NaN;

/** Draws windows of series without campaigns, and compares their bands with the lift that each has: none, or one added. */
export function calibrate(
  all: readonly QuietSeries[],
  { unit, length, years }: LiftSetting,
  { draws, windows, added }: LiftDraws,
): LiftCalibration {
  const { before: beforeOf, earlier, cycle } = LIFT_UNITS[unit];
  const before = beforeOf(length);
  const [month = 0] = earlier;
  const least = (years ? 365 * years.min : month) + before;
  const most = (years ? 365 * years.max : month) + before;
  const parts = (): Record<LiftLevel, Part> => byLevel(() => new Part());
  const [total, everyday, poisson, scatter] = [parts(), parts(), parts(), parts()];
  const [own, detected] = [new Part(), new Part()];
  const lifts = added.map((lift) => ({ lift, held: new Part(), bias: [] as number[] }));
  const [visible, everydayVisible] = [[] as number[], [] as number[]];
  const biases: number[] = [];
  const out = { figures: 0, refusals: 0 };
  const named = new Set<string>();
  const heldAt = (measure: LiftMeasure, into: Record<LiftLevel, Part>, draw: number): void => {
    const sorted = Float64Array.from(measure.earlier, ({ value }) => value).sort();
    for (const level of LIFT_LEVELS) {
      const band = liftBand(measure, { sorted, separate: measure.windows }, level);
      if (band) into[level].count(draw, band.low <= 0 && 0 <= band.high);
    }
  };
  for (let draw = 0; draw < draws; draw += 1) {
    const random = new Random(draw + 1);
    for (const { name, curve, controls } of all) {
      const starts = curve.counts.length - length - least + 1;
      if (starts <= 0) continue;
      for (const control of controls) {
        for (let n = 0; n < windows; n += 1) {
          const at = least + random.below(starts);
          const history = Math.min(most, at);
          const start = at - history;
          const part = { first: start, end: at + length };
          const given = sliceOf(curve, part);
          const slots = Uint8Array.from(
            { length: history + length },
            (_, i) => (start + i) % cycle,
          );
          const measure = (series: Curve): LiftFigure | null => {
            const found = liftOf({
              unit,
              curve: series,
              control: control && {
                curve: { ...sliceOf(control, part), bounds: given.bounds },
                contamination: null,
              },
              slots,
              campaign: { first: history, end: history + length },
              others: [],
              seams: [],
            });
            return found.kind === 'figure' ? found : null;
          };
          const found = measure(given);
          if (!found) {
            out.refusals += 1;
            continue;
          }
          out.figures += 1;
          named.add(name);
          heldAt(found, total, draw);
          own.count(draw, found.band.low <= 0 && 0 <= found.band.high);
          biases.push(found.lift);
          visible.push(found.visible);
          if (found.everyday.kind === 'measure') {
            heldAt(found.everyday, everyday, draw);
            everydayVisible.push(found.everyday.visible);
          }
          const simple = simpleBands(given, slots, cycle, history, before);
          for (const level of LIFT_LEVELS) {
            poisson[level].count(draw, simple.poisson <= DEVIATES[level]);
            scatter[level].count(draw, simple.scatter <= DEVIATES[level]);
          }
          if (added.length === 0) continue;
          for (const each of lifts) {
            const lifted = measure(withLift(given, history, each.lift, random));
            if (!lifted) continue;
            each.held.count(draw, lifted.band.low <= each.lift && each.lift <= lifted.band.high);
            each.bias.push((1 + lifted.lift) / (1 + each.lift) - 1);
          }
          const planned = measure(withLift(given, history, found.planned, random));
          if (planned) detected.count(draw, planned.band.low > 0);
        }
      }
    }
  }
  const means = (of: Record<LiftLevel, Part>): Record<LiftLevel, number> =>
    byLevel((level) => of[level].mean);
  return {
    ...out,
    series: named.size,
    total: means(total),
    everyday: means(everyday),
    poisson: means(poisson),
    scatter: means(scatter),
    visible: middle(visible),
    everydayVisible: middle(everydayVisible),
    added: lifts.map(({ lift, held, bias }) => ({ lift, held: held.mean, bias: middle(bias) })),
    detected: detected.mean,
    own: own.mean,
    bias: middle(biases),
  };
}

/** The parts of the windows without a campaign that a band should contain, by its level. */
export const COVERAGE: Readonly<Record<LiftLevel, readonly [min: number, max: number]>> = {
  95: [0.92, 0.999],
  90: [0.86, 0.99],
  80: [0.77, 0.98],
};

/** The comparisons in docs/lift.md, one after the other: days of words, and hours of companies. */
export function* liftCalibrations(
  folder: string,
  draws: LiftDraws,
): Generator<{
  readonly name: string;
  readonly setting: LiftSetting;
  readonly is: LiftCalibration;
}> {
  const series = { day: wordSeries(folder), hour: companySeries(folder) };
  for (const setting of LIFT_SETTINGS) {
    // Companies are a third of the words, with three controls in place of five.
    const windows = draws.windows * (setting.unit === 'hour' ? 2 : 1);
    const is = calibrate(series[setting.unit], setting, { ...draws, windows });
    yield { name: settingName(setting), setting, is };
  }
}
