import { MINUTE_MS, type Span } from './span.ts';

/** First index whose bucket ends after an instant; the number of buckets if none does. */
export function firstAfter(bounds: Float64Array, at: number): number {
  let low = 0;
  let high = bounds.length - 1;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((bounds[middle + 1] ?? 0) > at) high = middle;
    else low = middle + 1;
  }
  return low;
}

/**
 * The edges of buckets in epoch ms, ascending, one more than buckets. Those of minutes are written out
 * at the first read, or taken from another copy: over twenty years they are 84 MB.
 */
export class Edges {
  readonly start: number;
  readonly end: number;
  /** Number of buckets. */
  readonly size: number;
  /** True if they are those of whole minutes. */
  readonly minutes: boolean;
  #all: Float64Array | null;

  private constructor(start: number, end: number, size: number, all: Float64Array | null) {
    [this.start, this.end, this.size] = [start, end, size];
    this.minutes = all === null;
    this.#all = all;
  }

  /** Wraps existing edges without a copy. */
  static of(all: Float64Array): Edges {
    return new Edges(all[0] ?? 0, all.at(-1) ?? 0, Math.max(0, all.length - 1), all);
  }

  /** The edges of the minutes of a span. @throws {RangeError} unless it begins and ends at a minute. */
  static ofMinutes({ start, end }: Span): Edges {
    const size = (end - start) / MINUTE_MS;
    if (!(size > 0 && size % 1 === 0 && start % MINUTE_MS === 0)) {
      throw new RangeError(`expected a span of whole minutes, got ${start}–${end}`);
    }
    return new Edges(start, end, size, null);
  }

  /** True if {@link all} is already written out. */
  get written(): boolean {
    return this.#all !== null;
  }

  get all(): Float64Array {
    if (this.#all) return this.#all;
    const all = new Float64Array(this.size + 1);
    for (let i = 0; i < all.length; i++) all[i] = this.start + i * MINUTE_MS;
    this.#all = all;
    return all;
  }

  /** Adopts the same edges written out elsewhere, unless they are written here. */
  take(all: Float64Array): void {
    this.#all ??= all;
  }

  /** As {@link firstAfter}. */
  firstAfter(at: number): number {
    if (this.#all) return firstAfter(this.#all, at);
    return Math.min(this.size, Math.max(0, Math.floor((at - this.start) / MINUTE_MS)));
  }
}
