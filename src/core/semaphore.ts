/** Runs a limited number of tasks at once; the others wait in order. */
export class Semaphore {
  #free: number;
  readonly #waiting: (() => void)[] = [];

  constructor(limit: number) {
    this.#free = limit;
  }

  /**
   * Runs a task when its turn comes.
   *
   * @throws The signal's reason if it aborts before the task starts; any error of the task.
   */
  async take<T>(task: () => Promise<T>, signal?: AbortSignal): Promise<T> {
    signal?.throwIfAborted();
    if (this.#free > 0) this.#free -= 1;
    else await this.#wait(signal);
    try {
      return await task();
    } finally {
      const next = this.#waiting.shift();
      if (next) next();
      else this.#free += 1;
    }
  }

  async #wait(signal?: AbortSignal): Promise<void> {
    await new Promise<void>((resolve, reject) => {
      const abandon = (): void => {
        const place = this.#waiting.indexOf(proceed);
        if (place >= 0) this.#waiting.splice(place, 1);
        reject(signal?.reason as Error);
      };
      const proceed = (): void => {
        signal?.removeEventListener('abort', abandon);
        resolve();
      };
      signal?.addEventListener('abort', abandon, { once: true });
      this.#waiting.push(proceed);
    });
  }
}
