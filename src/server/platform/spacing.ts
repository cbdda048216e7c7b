import { plainProblem } from '#contract/fault.ts';

/** Requests that may wait for their turn. */
export const MOST_WAITING = 64;

/** Sends requests one after another, a least time apart, first come first served. */
export class Spacing {
  readonly #now: () => number;
  readonly #sleep: (ms: number) => Promise<void>;
  #before: Promise<void> = Promise.resolve();
  #last = -Infinity;
  #waiting = 0;

  /** @param now - epoch ms. */
  constructor(now: () => number, sleep: (ms: number) => Promise<void>) {
    this.#now = now;
    this.#sleep = sleep;
  }

  /**
   * Waits for a turn.
   *
   * @param ms - Least time after the turn before.
   * @param refuse - Looked at when the turn has come near and when it has come; throws to give it up.
   * @throws {@link Fault} 503 where too many wait; whatever `refuse` throws.
   */
  async turn(ms: number, refuse: () => void): Promise<void> {
    if (this.#waiting >= MOST_WAITING) {
      const seconds = Math.max(1, Math.ceil((MOST_WAITING * ms) / 1000));
      const detail = `${MOST_WAITING} requests of the archive wait for their turn already.`;
      throw plainProblem(503, 'Service Unavailable', detail, { 'retry-after': String(seconds) });
    }
    this.#waiting += 1;
    const mine = this.#before.then(async () => {
      try {
        refuse();
        // A clock that was set back must not hold up anything for longer than the space itself.
        const left = Math.min(ms, this.#last + ms - this.#now());
        if (left > 0) {
          await this.#sleep(left);
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
