import type { Context } from 'hono';
import type { RateLimit } from '#contract/endpoint.ts';
import { plainProblem } from '#contract/fault.ts';
import { DAY_MS, SECOND_MS } from '#core/time/span.ts';
import type { LimitTable, LimitWindow } from '#server/auth/limit-table.ts';

/** State of a caller's limit after a request. */
export interface LimitState {
  readonly limit: number;
  readonly remaining: number;
  /** Unix seconds: start of the window plus its length (recorded, platform-facts 1.4). */
  readonly reset: number;
  /** True if this request exceeds the limit. */
  readonly exceeded: boolean;
}

/** Number of stored windows from which expired ones are deleted. */
const SWEEP_AT = 1024;

/** Windows of this length or longer survive a restart. */
const STORED_SECONDS = DAY_MS / SECOND_MS;

/** The store of a limiter's windows. */
export interface StoredWindows {
  readonly table: LimitTable;
  /** Name of the limit, the same in every process. */
  readonly name: string;
}

/**
 * Counts requests per pool, in windows that begin with the pool's first request. Windows of a day or longer are stored
 * before a request is admitted.
 */
export class RateLimiter {
  readonly #windows = new Map<string, LimitWindow>();
  readonly #stored: StoredWindows | null;
  readonly #limit: number;
  readonly #seconds: number;
  readonly #now: () => number;

  /**
   * @param now - epoch ms.
   * @param stored - Null if no window is stored, whatever its length.
   */
  constructor(limit: RateLimit, now: () => number, stored: StoredWindows | null) {
    this.#limit = limit.requests;
    this.#seconds = limit.windowSeconds;
    this.#now = now;
    this.#stored = limit.windowSeconds >= STORED_SECONDS ? stored : null;
  }

  /** Counts one request of a pool, unless it exceeds the limit. */
  take(pool: string): LimitState {
    const window = this.#current(pool);
    const exceeded = window.used >= this.#limit;
    if (!exceeded) {
      window.used += 1;
      this.#stored?.table.put(this.#stored.name, pool, window);
    }
    return this.#state(window, exceeded);
  }

  /** The state of a pool for a request that another limit refused. */
  peek(pool: string): LimitState {
    return this.#state(this.#current(pool), false);
  }

  #state({ used, reset }: LimitWindow, exceeded: boolean): LimitState {
    return { limit: this.#limit, remaining: this.#limit - used, reset, exceeded };
  }

  /** The window of a pool, which begins now if there is none. */
  #current(pool: string): LimitWindow {
    const now = Math.floor(this.#now() / 1000);
    let window = this.#windows.get(pool) ?? this.#restored(pool);
    // The clock was set back: keep the window's remaining time.
    if (window && now < window.seen) window.reset = now + window.reset - window.seen;
    if (!window || window.reset <= now) {
      if (this.#windows.size >= SWEEP_AT) this.#sweep(now);
      window = { used: 0, seen: now, reset: now + this.#seconds };
      this.#windows.set(pool, window);
    }
    window.seen = now;
    return window;
  }

  /** The window of a pool as an earlier process left it. */
  #restored(pool: string): LimitWindow | undefined {
    const window = this.#stored?.table.get(this.#stored.name, pool);
    if (window) this.#windows.set(pool, window);
    return window;
  }

  #sweep(now: number): void {
    this.#stored?.table.sweep(this.#stored.name, now, now + this.#seconds);
    for (const [pool, { reset }] of this.#windows) {
      // A window that seems to last longer than possible is from before the clock was set back.
      if (reset <= now || reset - now > this.#seconds) this.#windows.delete(pool);
    }
  }
}

/** Sets the headers of a limit. @param prefix - Prefix of their names. */
export function setLimit(c: Context, prefix: string, state: LimitState): void {
  c.header(`${prefix}-limit`, String(state.limit));
  c.header(`${prefix}-remaining`, String(state.remaining));
  c.header(`${prefix}-reset`, String(state.reset));
}

/** A limit that a request falls under. */
export interface CountedLimit {
  /** Prefix of the names of its headers. */
  readonly prefix: string;
  readonly limiter: RateLimiter;
  readonly pool: string;
}

/**
 * Counts a request under all of its limits and sets their headers, on a refusal too. A request that one limit refuses
 * does not count under those after it.
 *
 * @throws {@link Fault} 429 beyond a limit (text by platform-facts section 0).
 */
export function takeRequest(c: Context, limits: readonly CountedLimit[]): void {
  let isRefused = false;
  for (const { prefix, limiter, pool } of limits) {
    const state: LimitState = isRefused ? limiter.peek(pool) : limiter.take(pool);
    setLimit(c, prefix, state);
    isRefused ||= state.exceeded;
  }
  if (isRefused) throw plainProblem(429, 'Too Many Requests');
}
