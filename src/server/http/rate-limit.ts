/** Where a caller stands after a request. */
export interface LimitState {
  readonly limit: number;
  readonly remaining: number;
  /** Unix seconds: first request of the window + its length (recorded, platform-facts 1.4). */
  readonly reset: number;
  /** Whether this request is beyond the limit. */
  readonly exceeded: boolean;
}

/** Callers remembered before those whose window is over are forgotten. */
const SWEEP_AT = 1024;

/** Counts requests per pool in windows that begin with a pool's first request. */
export class RateLimiter {
  /** Unix seconds: when each was looked at last, and when it is over. */
  readonly #windows = new Map<string, { used: number; seen: number; reset: number }>();
  readonly #limit: number;
  readonly #seconds: number;
  readonly #now: () => number;

  /** @param now - epoch ms. */
  constructor(rule: { requests: number; windowSeconds: number }, now: () => number) {
    this.#limit = rule.requests;
    this.#seconds = rule.windowSeconds;
    this.#now = now;
  }

  /** Counts one request of a pool. One beyond the limit is not counted. */
  take(pool: string): LimitState {
    const now = Math.floor(this.#now() / 1000);
    let window = this.#windows.get(pool);
    // The clock was set back: what was left of the window then is left of it now.
    if (window && now < window.seen) window.reset = now + window.reset - window.seen;
    if (!window || window.reset <= now) {
      if (this.#windows.size >= SWEEP_AT) this.#sweep(now);
      window = { used: 0, seen: now, reset: now + this.#seconds };
      this.#windows.set(pool, window);
    }
    window.seen = now;
    const exceeded = window.used >= this.#limit;
    if (!exceeded) window.used += 1;
    const remaining = this.#limit - window.used;
    return { limit: this.#limit, remaining, reset: window.reset, exceeded };
  }

  #sweep(now: number): void {
    for (const [pool, { reset }] of this.#windows) {
      // None lasts longer than that: the clock was set back since.
      if (reset <= now || reset - now > this.#seconds) this.#windows.delete(pool);
    }
  }
}
