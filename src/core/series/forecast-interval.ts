import type { FittedModel, ForecastHistory } from './holt-winters.ts';

/** An error of an earlier forecast, and its weight. */
interface Residual {
  /** Index of the last bucket that the forecast knew. */
  readonly at: number;
  /** The forecast for the step. */
  readonly centre: number;
  readonly error: number;
  readonly weight: number;
}

/** Errors of forecasts from inside a history. */
export interface BacktestErrors {
  /** For each step, ascending by what was forecast. */
  readonly steps: readonly (readonly Residual[])[];
  /** Buckets from one forecast to the next. */
  readonly stride: number;
}

/** Errors that a coming bucket stays between, and the one it exceeds as often as not. */
export interface ErrorBand {
  readonly low: number;
  readonly middle: number;
  readonly high: number;
}

/** Earlier forecasts to compare with what followed; more add time but no precision. */
const MAX_ORIGINS = 400;
/** Buckets after which an error weighs half; of hours, days after which it does. */
const HALF_LIFE = 365;
/**
 * Forecasts of a step share most of the buckets they are wrong about if they start less than a step apart.
 * So many of them as start within a third of the step count as one; measured on the series of docs/forecast.md.
 */
const SHARED = 1 / 3;
/**
 * Part of the errors that a band is made of, those of the forecasts nearest to it in level: a busy series falls
 * back more often than it rises, a quiet one the other way round.
 */
const NEAR = 0.3;
/** The fewest of them, and the fewest that do not share buckets. */
const MIN_NEAR = 40;
const MIN_SEPARATE = 30;
/** Part of the earlier bands that should have contained what followed. */
const SCALED_LEVEL = 0.8;
/** Earlier bands that are compared with what followed, per step. */
const MAX_SCALED = 40;
/** Fewer earlier bands say nothing about the next one, and fewer errors make no band. */
const MIN_SCALED = 10;
const MIN_ERRORS = 12;
/** Separate errors of which the median counts by half. */
const HALF_TRUSTED = 20;
/** Limits of the correction: beyond them a few bursts decide it. */
const SCALE = { min: 1, max: 1.5 };

const commonFactor = (a: number, b: number): number => (b === 0 ? a : commonFactor(b, a % b));

/** Distance between origins that meets every slot of a season equally often. */
function strideOf(size: number, slots: number): number {
  let stride = Math.max(1, Math.ceil(size / MAX_ORIGINS));
  while (commonFactor(stride, slots) !== 1) stride += 1;
  return stride;
}

/** Makes forecasts inside the history, and compares them with what followed. */
export function backtestErrors(history: ForecastHistory, model: FittedModel): BacktestErrors {
  const { values, seasons, steps } = history;
  const size = values.length;
  const out = Array.from({ length: steps }, (): Residual[] => []);
  const stride = strideOf(size - model.burn, seasons.at(-1)?.slots ?? 1);
  const half = HALF_LIFE * (history.autocorrelated ? 24 : 1);
  // Counted from the end, so that the newest errors are among them.
  const first = model.burn + ((size - 2 - model.burn) % stride);
  model.backtest(first, stride, (at, forecast) => {
    const weight = 0.5 ** ((size - 1 - at) / half);
    for (let h = 0; h < steps && at + 1 + h < size; h += 1) {
      const centre = forecast[h] ?? 0;
      const error = (values[at + 1 + h] ?? Number.NaN) - centre;
      if (!Number.isNaN(error)) out[h]?.push({ at, centre, error, weight });
    }
  });
  for (const residuals of out) residuals.sort((a, b) => a.centre - b.centre);
  return { steps: out, stride };
}

/**
 * The error beyond which a part of ascending errors lies on one side. The coming bucket counts as one more
 * error, beyond the others; with few errors that moves the end outwards, at most to the outermost.
 *
 * @param miss - From 0 to 1.
 * @param shared - Number of errors that count as one, because they are about the same buckets; at least 1.
 * @returns 0 for no errors.
 */
function endOf(
  residuals: readonly Residual[],
  miss: number,
  shared: number,
  side: 'low' | 'high',
): number {
  const total = residuals.reduce((sum, { weight }) => sum + weight, 0);
  const limit = miss * total - (1 - miss) * shared;
  let [found, sum] = [0, 0];
  // From the outermost inwards, as long as no more than the limit is passed.
  for (let n = 0; n < residuals.length; n += 1) {
    const residual = residuals[side === 'low' ? n : residuals.length - 1 - n];
    if (!residual || (n > 0 && sum > limit)) break;
    found = residual.error;
    sum += residual.weight;
  }
  return found;
}

/** The errors of forecasts nearest in level to one, ascending. @param residuals - Ascending by level. */
function nearestOf(residuals: readonly Residual[], centre: number, shared: number): Residual[] {
  const size = Math.ceil(
    Math.min(residuals.length, Math.max(MIN_NEAR, MIN_SEPARATE * shared, NEAR * residuals.length)),
  );
  const distance = (n: number): number => Math.abs((residuals[n]?.centre ?? Infinity) - centre);
  let from = 0;
  while (from + size < residuals.length && distance(from + size) < distance(from)) from += 1;
  return residuals.slice(from, from + size).sort((a, b) => a.error - b.error);
}

/**
 * The weighted median of ascending errors, drawn towards 0 where there are few: they tell little about it.
 *
 * @returns 0 for none.
 */
function middleOf(residuals: readonly Residual[], shared: number): number {
  const total = residuals.reduce((sum, { weight }) => sum + weight, 0);
  let sum = 0;
  for (const { error, weight } of residuals) {
    sum += weight;
    if (sum >= total / 2) return error / (1 + ((HALF_TRUSTED * shared) / total) ** 2);
  }
  return 0;
}

/**
 * The factor by which this series' earlier bands should have been wider to contain {@link SCALED_LEVEL} of what
 * followed, each made from nothing but the errors known at its time. 1 if the history is too short to tell.
 */
function scaleOf({ steps, stride }: BacktestErrors): number {
  const needs: { readonly need: number; readonly weight: number }[] = [];
  const miss = (1 - SCALED_LEVEL) / 2;
  for (const h of new Set([0, steps.length >> 1, steps.length - 1])) {
    const residuals = steps[h] ?? [];
    const newest = residuals.toSorted((a, b) => b.at - a.at);
    const every = Math.max(1, Math.ceil(newest.length / MAX_SCALED));
    const shared = sharedBy(h, stride);
    for (let n = 0; n < newest.length; n += every) {
      const { at, centre, error, weight } = newest[n]!;
      const known = residuals.filter((earlier) => earlier.at + 1 + h <= at);
      if (known.length < MIN_ERRORS) continue;
      const near = nearestOf(known, centre, shared);
      const middle = middleOf(near, shared);
      const end = endOf(near, miss, shared, error < middle ? 'low' : 'high');
      const off = Math.abs(error - middle);
      const width = error < middle ? middle - end : end - middle;
      needs.push({ need: off === 0 ? 0 : off / Math.max(width, 0), weight });
    }
  }
  if (needs.length < MIN_SCALED) return 1;
  needs.sort((a, b) => a.need - b.need);
  const limit = SCALED_LEVEL * needs.reduce((sum, { weight }) => sum + weight, 0);
  let sum = 0;
  const found = needs.find(({ weight }) => (sum += weight) >= limit);
  return Math.min(SCALE.max, Math.max(SCALE.min, found?.need ?? 1));
}

/** Number of errors of a step (from 0) that count as one. */
const sharedBy = (h: number, stride: number): number => Math.max(1, ((h + 1) * SHARED) / stride);

/**
 * The band of each step from the errors of earlier forecasts, scaled by how well earlier bands did.
 *
 * @param centres - The forecasts that the bands are for.
 * @param level - Part of what comes that a band should contain, above 0 and below 1.
 * @param atFloor - Whether an error puts a step's count at zero, below which none can be. The band then
 *   has one end only, and all that it may miss is above it.
 */
export function errorBands(
  errors: BacktestErrors,
  centres: Float64Array,
  level: number,
  atFloor: (step: number, error: number) => boolean,
): ErrorBand[] {
  const scale = scaleOf(errors);
  return errors.steps.map((all, h) => {
    const shared = sharedBy(h, errors.stride);
    const near = nearestOf(all, centres[h] ?? Number.NaN, shared);
    const middle = middleOf(near, shared);
    const scaled = (miss: number, side: 'low' | 'high'): number =>
      middle + scale * (endOf(near, miss, shared, side) - middle);
    const low = scaled((1 - level) / 2, 'low');
    const high = scaled(atFloor(h, low) ? 1 - level : (1 - level) / 2, 'high');
    // Where the median is drawn towards 0, few errors may all be on one side of it.
    return { low: Math.min(low, middle), middle, high: Math.max(high, middle) };
  });
}
