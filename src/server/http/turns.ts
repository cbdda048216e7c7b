/**
 * Lets large answers be made a few at a time, so that small ones are answered between them and the bodies
 * of hundreds do not fill memory.
 */
export class Turns {
  readonly #atOnce: number;
  readonly #waiting: (() => void)[] = [];
  #taken = 0;

  /** @param atOnce - How many may be in the making. */
  constructor(atOnce: number) {
    this.#atOnce = atOnce;
  }

  /** Does a piece of work in its turn, first come first served; whatever else waits for this thread goes first. */
  async take<T>(work: () => Promise<T>): Promise<T> {
    if (this.#taken < this.#atOnce) this.#taken += 1;
    else await new Promise<void>((resolve) => this.#waiting.push(resolve));
    try {
      await new Promise((resolve) => setImmediate(resolve));
      return await work();
    } finally {
      const next = this.#waiting.shift();
      if (next) next();
      else this.#taken -= 1;
    }
  }
}
