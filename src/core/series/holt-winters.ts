import { medianOf } from './median.ts';

/** The values to learn from, with the season slots of their buckets and of those to forecast. */
export interface ForecastHistory {
  /** NaN where unknown. */
  readonly values: Float64Array;
  /** Number of buckets to forecast. */
  readonly steps: number;
  /** Shortest first; at most two. `slot` has an entry for every value and every bucket to forecast. */
  readonly seasons: readonly { readonly slots: number; readonly slot: Uint8Array }[];
  /** True if the error of one bucket carries over to the next. */
  readonly autocorrelated: boolean;
}

/** Smoothing of level, trend and seasons, damping of the trend, and carry-over of an error. */
interface Parameters {
  readonly level: number;
  readonly trend: number;
  readonly damping: number;
  readonly carry: number;
  readonly short: number;
  readonly long: number;
}

/** Forecasts of a fitted model, from the end of the history or from inside it. */
export type FittedModel = ReturnType<typeof fitModel>;

/** @param at - Index of the last known bucket. */
export type Backtest = (at: number, forecast: Float64Array) => void;

const GRID: Readonly<Record<keyof Parameters, readonly number[]>> = {
  level: [0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.35, 0.55, 0.8],
  trend: [0, 0.01, 0.03, 0.1],
  damping: [0.8, 0.9, 0.97],
  carry: [0, 0.2, 0.4, 0.6, 0.8, 0.9],
  short: [0, 0.02, 0.05, 0.1, 0.2, 0.35],
  long: [0, 0.02, 0.05, 0.1, 0.2, 0.35],
};
const START: Parameters = { level: 0.1, trend: 0, damping: 0.9, carry: 0, short: 0.05, long: 0.05 };
/** Rounds of the search; it mostly ends after two. */
const ROUNDS = 4;
/** A trend must lower the error by this part, or it only fits noise. */
const TREND_GAIN = 0.02;
/** Least improvement of a round that counts, so that rounding does not decide. */
const LEAST_GAIN = 1e-9;

/** The state before the first bucket: the level, and the term of each slot of each season. */
interface Start {
  readonly level: number;
  readonly seasons: readonly Float64Array[];
}

/** Computes the starting state from the first buckets, by medians so that a burst there has no weight. */
function startOf({ values, seasons }: ForecastHistory, burn: number): Start {
  const rest = values.slice(0, burn);
  const known = rest.filter((value) => !Number.isNaN(value));
  const level = known.length > 0 ? medianOf(known, known.length) : 0;
  for (let i = 0; i < burn; i += 1) rest[i]! -= level;
  const terms = seasons.map(({ slots, slot }) => {
    const groups = Array.from({ length: slots }, (): number[] => []);
    for (const [i, value] of rest.entries()) {
      if (!Number.isNaN(value)) groups[slot[i] ?? 0]?.push(value);
    }
    const medians = Float64Array.from(groups, (group) =>
      group.length > 0 ? medianOf(Float64Array.from(group), group.length) : 0,
    );
    for (let i = 0; i < burn; i += 1) rest[i]! -= medians[slot[i] ?? 0] ?? 0;
    return medians;
  });
  return { level, seasons: terms };
}

/** The state of the smoothing after a bucket. A season that is absent has one slot, which stays 0. */
class Smoothing {
  readonly #parameters: Parameters;
  readonly #history: ForecastHistory;
  #level: number;
  #trend = 0;
  #error = 0;
  readonly #short: Float64Array;
  readonly #long: Float64Array;
  readonly #shortSlots: Uint8Array;
  readonly #longSlots: Uint8Array;

  constructor(history: ForecastHistory, { level, seasons }: Start, parameters: Parameters) {
    const none = new Uint8Array(history.values.length + history.steps);
    const [short, long] = history.seasons;
    this.#history = history;
    this.#parameters = {
      ...parameters,
      short: short ? parameters.short : 0,
      long: long ? parameters.long : 0,
    };
    this.#level = level;
    this.#short = seasons[0]?.slice() ?? new Float64Array(1);
    this.#long = seasons[1]?.slice() ?? new Float64Array(1);
    this.#shortSlots = short?.slot ?? none;
    this.#longSlots = long?.slot ?? none;
  }

  /** Reads buckets `[from, to)`. @returns The sum of absolute one-step errors of those from `burn` on. */
  read(from: number, to: number, burn: number): number {
    const { level: toLevel, trend: toTrend, damping, carry, short, long } = this.#parameters;
    const { values } = this.#history;
    const [shortSlots, longSlots] = [this.#shortSlots, this.#longSlots];
    const [shortSeason, longSeason] = [this.#short, this.#long];
    let [level, trend, error] = [this.#level, this.#trend, this.#error];
    let sum = 0;
    // In local variables: this runs a hundred times over the history.
    for (let t = from; t < to; t += 1) {
      const i = shortSlots[t]!;
      const j = longSlots[t]!;
      trend *= damping;
      level += trend;
      const gap = values[t]! - level - shortSeason[i]! - longSeason[j]!;
      const carried = carry * error;
      if (gap !== gap) {
        // An unknown bucket changes nothing; what is carried over fades.
        error = carried;
        continue;
      }
      const fresh = gap - carried;
      level += toLevel * fresh;
      trend += toTrend * fresh;
      shortSeason[i]! += short * fresh;
      longSeason[j]! += long * fresh;
      error = gap;
      if (t >= burn) sum += Math.abs(fresh);
    }
    [this.#level, this.#trend, this.#error] = [level, trend, error];
    return sum;
  }

  /** Values of the steps after bucket `at`, which was read last. */
  forecast(at: number, out: Float64Array): void {
    const { damping, carry } = this.#parameters;
    let [slope, level, carried] = [this.#trend, this.#level, this.#error];
    for (let h = 0; h < out.length; h += 1) {
      slope *= damping;
      level += slope;
      carried *= carry;
      const t = at + 1 + h;
      out[h] =
        level + carried + this.#short[this.#shortSlots[t]!]! + this.#long[this.#longSlots[t]!]!;
    }
  }
}

/**
 * Fits additive Holt–Winters with a damped trend and up to two seasons to values, by a search along the
 * axes of a fixed grid that minimises the mean absolute one-step error. Deterministic.
 */
export function fitModel(history: ForecastHistory) {
  const { values, seasons, autocorrelated } = history;
  const size = values.length;
  const longest = Math.max(2, ...seasons.map(({ slots }) => slots));
  const burn = Math.min(4 * longest, size >> 1);
  const start = startOf(history, burn);
  const lossOf = (parameters: Parameters): number =>
    new Smoothing(history, start, parameters).read(0, size, burn);
  const axes = (Object.keys(GRID) as (keyof Parameters)[]).filter(
    (axis) =>
      (axis !== 'carry' || autocorrelated) &&
      (axis !== 'short' || seasons.length > 0) &&
      (axis !== 'long' || seasons.length > 1),
  );
  let best = START;
  let loss = lossOf(best);
  for (let round = 0; round < ROUNDS; round += 1) {
    const before = loss;
    for (const axis of axes) {
      for (const value of GRID[axis]) {
        const next = { ...best, [axis]: value };
        if (value === best[axis] || (axis === 'damping' && best.trend === 0)) continue;
        const tried = lossOf(next);
        const gain = axis === 'trend' && best.trend === 0 ? TREND_GAIN : LEAST_GAIN;
        if (tried < loss * (1 - gain)) [best, loss] = [next, tried];
      }
    }
    if (loss === before) break;
  }
  return {
    /** First bucket whose error counts: those before it set the starting state. */
    burn,
    /** Values of the buckets after the history. */
    next(): Float64Array {
      const smoothing = new Smoothing(history, start, best);
      smoothing.read(0, size, size);
      const out = new Float64Array(history.steps);
      smoothing.forecast(size - 1, out);
      return out;
    },
    /** Forecasts as many from every `stride`th bucket on, in a buffer that is used again. */
    backtest(from: number, stride: number, see: Backtest): void {
      const smoothing = new Smoothing(history, start, best);
      const out = new Float64Array(history.steps);
      let read = 0;
      for (let at = from; at < size - 1; at += stride) {
        smoothing.read(read, at + 1, size);
        read = at + 1;
        smoothing.forecast(at, out);
        see(at, out);
      }
    },
  };
}
