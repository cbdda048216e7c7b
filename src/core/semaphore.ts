/** Runs a limited number of pieces of work at once; the others wait in the order they came. */
export class Semaphore {
  #free: number;
  readonly #waiting: (() => void)[] = [];

  /** @param atOnce - At least one. */
  constructor(atOnce: number) {
    this.#free = atOnce;
  }

  /**
   * Runs work as soon as it may.
   *
   * @throws The signal's reason if it aborts before the work has begun; what the work throws.
   */
  async take<T>(work: () => Promise<T>, signal?: AbortSignal): Promise<T> {
    signal?.throwIfAborted();
    if (this.#free > 0) this.#free -= 1;
    else await this.#wait(signal);
    try {
      return await work();
    } finally {
      const next = this.#waiting.shift();
      if (next) next();
      else this.#free += 1;
    }
  }

  async #wait(signal?: AbortSignal): Promise<void> {
    await new Promise<void>((resolve, reject) => {
      const gone = (): void => {
        const place = this.#waiting.indexOf(come);
        if (place >= 0) this.#waiting.splice(place, 1);
        reject(signal?.reason as Error);
      };
      const come = (): void => {
        signal?.removeEventListener('abort', gone);
        resolve();
      };
      signal?.addEventListener('abort', gone, { once: true });
      this.#waiting.push(come);
    });
  }
}
