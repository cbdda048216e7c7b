import type { Random } from '#server/sample/random.ts';

/** Size of the table that speeds up the search for a draw's rank. */
const STEPS = 65_536;

/** Draws ranks from 0, rank r in proportion to `(r + 1) ** -exponent` (Zipf's law). */
export class Zipf {
  /** Cumulative share by rank. */
  readonly #until: Float64Array;
  /** By step, the lowest rank that a draw in it can have. */
  readonly #first: Uint32Array;

  constructor(size: number, exponent: number) {
    this.#until = new Float64Array(size);
    let sum = 0;
    for (let r = 0; r < size; r++) this.#until[r] = sum += (r + 1) ** -exponent;
    for (let r = 0; r < size; r++) this.#until[r]! /= sum;
    this.#until[size - 1] = 1;
    this.#first = new Uint32Array(STEPS);
    for (let step = 0, r = 0; step < STEPS; step++) {
      while (this.#until[r]! <= step / STEPS) r++;
      this.#first[step] = r;
    }
  }

  get size(): number {
    return this.#until.length;
  }

  draw(random: Random): number {
    const at = random.next();
    let r = this.#first[Math.floor(at * STEPS)]!;
    while (this.#until[r]! <= at) r++;
    return r;
  }

  /** The rank whose share is nearest to `share`. */
  rankOf(share: number): number {
    const shareOf = (r: number): number => this.#until[r]! - (r === 0 ? 0 : this.#until[r - 1]!);
    let low = 0;
    let high = this.size - 1;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (shareOf(middle) > share) low = middle + 1;
      else high = middle;
    }
    return low > 0 && shareOf(low - 1) - share < share - shareOf(low) ? low - 1 : low;
  }
}
