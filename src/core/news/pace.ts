import { baselineOf, MIN_BUCKETS } from '#core/series/baseline.ts';
import { STATE, type Curve } from '#core/series/series.ts';
import { HOUR_MS } from '#core/time/span.ts';

/** Posts per hour, of a term or of all terms. */
export interface Hours {
  /** Start of the first hour, epoch ms. */
  readonly start: number;
  readonly counts: Float64Array;
  /** The number of them, from the first on, that the usual pace is learned from; the others are compared with it. */
  readonly learned: number;
}

/** The usual pace of a term. */
export interface Pace {
  /** Posts that are usual in each hour of {@link Hours}. */
  readonly hourly: Float64Array;
  /** Variance of the counts as a multiple of that of chance, at least 1. */
  readonly noise: number;
}

/** Fewest hours from which a usual pace is learned. */
export const LEAST_HOURS = MIN_BUCKETS;

/**
 * The usual pace by the robust seasonal baseline of charts: `baselineOf` of the hours that are learned from, continued
 * over the others.
 *
 * @throws {@link RangeError} if fewer than {@link LEAST_HOURS} hours are learned from.
 */
export function usualPace({ start, counts, learned }: Hours): Pace {
  const size = counts.length;
  const bounds = Float64Array.from({ length: size + 1 }, (_, i) => start + i * HOUR_MS);
  // A baseline ignores partial buckets, but says what it expects of them.
  const states = new Uint8Array(size).fill(STATE.partial).fill(STATE.settled, 0, learned);
  const curve: Curve = { bounds, counts, states, fetchedAt: new Float64Array(size) };
  const baseline = baselineOf(curve, 'UTC');
  if (!baseline) throw new RangeError(`expected ${LEAST_HOURS} hours, got ${learned}`);
  const hourly = Float64Array.from({ length: size }, (_, i) => baseline.expected(i));
  const last = learned - 1;
  return { hourly, noise: baseline.spread(last) ** 2 / ((hourly[last] ?? 0) + 1) };
}

/**
 * A pace far below the usual one, which costs much less to find: half of the mean. What does not burst compared with
 * it needs no further look.
 */
export function lowPace({ counts, learned }: Hours): Pace {
  let sum = 0;
  for (let i = 0; i < learned; i++) sum += counts[i] ?? 0;
  return { hourly: new Float64Array(counts.length).fill(sum / learned / 2), noise: 1 };
}
