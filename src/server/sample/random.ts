/** A deterministic random source: sfc32 (Chris Doty-Humphrey, PractRand, public domain). */
export class Random {
  #a: number;
  #b: number;
  #c: number;
  #d = 1;

  constructor(seed: number) {
    this.#a = 0x9e3779b9;
    this.#b = 0x243f6a88;
    this.#c = seed | 0;
    for (let i = 0; i < 15; i++) this.next();
  }

  /** Uniform in [0, 1). */
  next(): number {
    const sum = (((this.#a + this.#b) | 0) + this.#d) | 0;
    this.#d = (this.#d + 1) | 0;
    this.#a = this.#b ^ (this.#b >>> 9);
    this.#b = (this.#c + (this.#c << 3)) | 0;
    this.#c = (this.#c << 21) | (this.#c >>> 11);
    this.#c = (this.#c + sum) | 0;
    return (sum >>> 0) / 4_294_967_296;
  }

  /** A whole number in [0, n). */
  below(n: number): number {
    return Math.floor(this.next() * n);
  }

  chance(p: number): boolean {
    return this.next() < p;
  }

  pick<T>(list: readonly [T, ...T[]]): T {
    return list[this.below(list.length)] ?? list[0];
  }

  /** A Poisson number with the given mean (by inversion; large means in parts). */
  poisson(mean: number): number {
    if (mean > 500) return this.poisson(500) + this.poisson(mean - 500);
    let rest = this.next();
    let p = Math.exp(-mean);
    let n = 0;
    while (rest >= p && n < 5000) {
      rest -= p;
      n += 1;
      p *= mean / n;
    }
    return n;
  }
}
