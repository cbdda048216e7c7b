import type { FittedModel, History } from './holt-winters.ts';

/** An error of an earlier forecast, and its weight. */
export interface Residual {
  readonly error: number;
  readonly weight: number;
}

/** Earlier forecasts to compare with what followed; more add time but no precision. */
const MOST_ORIGINS = 400;
/** Buckets after which an error weighs half; of hours, days after which it does. */
const HALF_LIFE = 365;

const commonFactor = (a: number, b: number): number => (b === 0 ? a : commonFactor(b, a % b));

/** Distance between origins that meets every slot of a season equally often. */
function strideOf(size: number, slots: number): number {
  let stride = Math.max(1, Math.ceil(size / MOST_ORIGINS));
  while (commonFactor(stride, slots) !== 1) stride += 1;
  return stride;
}

/** Errors of forecasts from inside the history, ascending, for each step. */
export function residualsOf(history: History, model: FittedModel): Residual[][] {
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
      const error = (values[at + 1 + h] ?? Number.NaN) - (forecast[h] ?? 0);
      if (!Number.isNaN(error)) out[h]?.push({ error, weight });
    }
  });
  for (const residuals of out) residuals.sort((a, b) => a.error - b.error);
  return out;
}

/**
 * A weighted quantile of ascending errors. The coming bucket counts as one more, whose error is beyond
 * the others on the side asked for; with few errors that makes the interval wider, at most up to the
 * outermost.
 *
 * @param part - From 0 to 1.
 * @returns 0 for no errors.
 */
export function quantileOf(
  residuals: readonly Residual[],
  part: number,
  side: 'lower' | 'upper',
): number {
  const total = residuals.reduce((sum, { weight }) => sum + weight, 1);
  const lower = side === 'lower';
  const limit = (lower ? part : 1 - part) * total;
  let [found, sum] = [0, 0];
  // From the outermost inwards, as long as no more than the limit is passed.
  for (let n = 0; n < residuals.length; n += 1) {
    const one = residuals[lower ? n : residuals.length - 1 - n];
    if (!one) break;
    sum += one.weight;
    if (n > 0 && sum > limit) break;
    found = one.error;
  }
  return found;
}
