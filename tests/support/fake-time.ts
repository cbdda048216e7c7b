import type { Environment } from '#app/api/client.ts';

/** A clock without waiting: a sleep advances it at once, or, while frozen, lasts until it is aborted. */
export class FakeTime {
  now: number;
  /** Every sleep begun, in ms. */
  readonly slept: number[] = [];
  frozen = false;

  constructor(now: number) {
    this.now = now;
  }

  readonly sleep = async (ms: number, signal: AbortSignal): Promise<void> => {
    signal.throwIfAborted();
    this.slept.push(ms);
    if (!this.frozen) {
      this.now += ms;
      return;
    }
    await new Promise((_, reject) => {
      signal.addEventListener('abort', () => reject(signal.reason as Error));
    });
  };

  /** Environment that go by this clock. @param random - A half unless said. */
  means(fetch: Environment['fetch'], random: () => number = () => 0.5): Environment {
    return { fetch, clock: () => this.now, random, sleep: this.sleep };
  }
}
