import type { Context } from 'hono';
import type { RateLimit } from '#contract/endpoint.ts';
import { plainProblem } from '#contract/fault.ts';

/** What is left of a caller's limit after a request. */
export interface LimitState {
  readonly limit: number;
  readonly remaining: number;
  /** Unix seconds: first request of the window + its length (recorded, platform-facts 1.4). */
  readonly reset: number;
  /** Whether this request is beyond the limit. */
  readonly exceeded: boolean;
}

/** Windows stored before those that are over are deleted. */
const SWEEP_AT = 1024;

/** Counts requests per pool in windows that begin with a pool's first request. */
export class RateLimiter {
  /** Unix seconds: when each was last used, and when it is over. */
  readonly #windows = new Map<string, { used: number; seen: number; reset: number }>();
  readonly #limit: number;
  readonly #seconds: number;
  readonly #now: () => number;

  /** @param now - epoch ms. */
  constructor(limit: RateLimit, now: () => number) {
    this.#limit = limit.requests;
    this.#seconds = limit.windowSeconds;
    this.#now = now;
  }

  /** Counts one request of a pool. One beyond the limit is not counted. */
  take(pool: string): LimitState {
    const now = Math.floor(this.#now() / 1000);
    let window = this.#windows.get(pool);
    // The clock was set back: the window lasts as long as it had left before that.
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

/**
 * Counts a request of a pool and sets the limit's headers, also on a refusal.
 *
 * @param prefix - What the names of the headers begin with.
 * @throws {@link Fault} 429 beyond the limit (text by platform-facts section 0).
 */
export function takeRequest(c: Context, prefix: string, limiter: RateLimiter, pool: string): void {
  const state = limiter.take(pool);
  c.header(`${prefix}-limit`, String(state.limit));
  c.header(`${prefix}-remaining`, String(state.remaining));
  c.header(`${prefix}-reset`, String(state.reset));
  if (state.exceeded) throw plainProblem(429, 'Too Many Requests');
}
