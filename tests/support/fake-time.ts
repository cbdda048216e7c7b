import type { Environment } from '#app/api/client.ts';

/** A clock that a sleep advances at once. While it is frozen, a sleep lasts until it is aborted. */
export class FakeTime {
  now: number;
  /** Duration of every sleep, in ms. */
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

  /** An environment with this clock. @param random - Always 0.5 by default. */
  environment(fetch: Environment['fetch'], random: () => number = () => 0.5): Environment {
    return { fetch, clock: () => this.now, random, sleep: this.sleep };
  }
}
