import { plainProblem } from '#contract/fault.ts';

/** Maximum number of requests that wait for their turn. */
export const MAX_WAITING = 64;

/** Runs requests in sequence with a minimum time between them, first come, first served. */
export class Spacing {
  readonly #now: () => number;
  readonly #sleep: (ms: number) => Promise<void>;
  #before: Promise<void> = Promise.resolve();
  #last = -Infinity;
  #waiting = 0;

  /** @param now - Epoch ms. */
  constructor(now: () => number, sleep: (ms: number) => Promise<void>) {
    this.#now = now;
    this.#sleep = sleep;
  }

  /**
   * Waits for a turn.
   *
   * @param ms - Minimum time after the turn before.
   * @param refuse - Called before the wait and after it; throws to give up the turn.
   * @throws {@link Fault} 503 if too many wait; whatever `refuse` throws.
   */
  async turn(ms: number, refuse: () => void): Promise<void> {
    if (this.#waiting >= MAX_WAITING) {
      const seconds = Math.max(1, Math.ceil((MAX_WAITING * ms) / 1000));
      const detail = `${MAX_WAITING} archive requests are already waiting for their turn.`;
      throw plainProblem(503, 'Service Unavailable', detail, { 'retry-after': String(seconds) });
    }
    this.#waiting += 1;
    const mine = this.#before.then(async () => {
      try {
        refuse();
        // A clock that was set back must not delay anything by more than the spacing itself.
        const wait = Math.min(ms, this.#last + ms - this.#now());
        if (wait > 0) {
          await this.#sleep(wait);
          refuse();
        }
        this.#last = this.#now();
      } finally {
        this.#waiting -= 1;
      }
    });
    this.#before = mine.catch(() => undefined);
    await mine;
  }
}
