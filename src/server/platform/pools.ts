import { plainProblem } from '#contract/fault.ts';
import type { PlatformSettings } from '#contract/counts/platform.ts';
import { DAY_MS } from '#core/time/span.ts';
import type { PoolName } from './terms.ts';

interface Pool {
  limit: number;
  remaining: number;
  /** Epoch ms of the service's clock: when this was last used, and when the window ends. */
  seen: number;
  reset: number;
  /** True if the platform reported this state; otherwise it is our own count. */
  reported: boolean;
}

/** Resets of one window differ by at most this much, since the platform reports whole seconds. */
const SAME_WINDOW_MS = 5_000;

function numberOf(headers: Readonly<Record<string, string>>, name: string): number | null {
  const text = headers[`x-rate-limit-${name}`];
  return text !== undefined && /^\d{1,12}$/.test(text) ? Number(text) : null;
}

/**
 * The state of the platform's rate limits: as last reported, and before that by our own count. Resets
 * are stored by the service's clock, whatever the platform's says.
 */
export class Pools {
  readonly #pools = new Map<PoolName, Pool>();
  readonly #now: () => number;

  /** @param now - Epoch ms. */
  constructor(now: () => number) {
    this.#now = now;
  }

  #open(name: PoolName): Pool | null {
    const pool = this.#pools.get(name);
    if (!pool) return null;
    const now = this.#now();
    // The clock was set back: the window keeps its remaining time.
    if (now < pool.seen) pool.reset = now + pool.reset - pool.seen;
    pool.seen = now;
    return pool.reset > now ? pool : null;
  }

  /** @throws {@link Fault} 429 in the platform's form while a pool is empty. */
  refuseEmpty(name: PoolName): void {
    const pool = this.#open(name);
    if (!pool || pool.remaining > 0) return;
    throw plainProblem(429, 'Too Many Requests', 'Too Many Requests', {
      'x-rate-limit-limit': String(pool.limit),
      'x-rate-limit-remaining': '0',
      'x-rate-limit-reset': String(Math.ceil(pool.reset / 1000)),
    });
  }

  /** Counts a request that is about to be sent. */
  take(name: PoolName, { requests, windowSeconds }: PlatformSettings['limits']['all']): void {
    this.refuseEmpty(name);
    let pool = this.#open(name);
    if (!pool) {
      const seen = this.#now();
      const reset = seen + windowSeconds * 1000;
      pool = { limit: requests, remaining: requests, seen, reset, reported: false };
      this.#pools.set(name, pool);
    }
    pool.remaining -= 1;
  }

  /** Returns a request that never reached the platform. */
  giveBack(name: PoolName): void {
    const pool = this.#open(name);
    if (pool && pool.remaining < pool.limit) pool.remaining += 1;
  }

  /**
   * Applies the state that an answer reports.
   *
   * @param date - The answer's Date, whose clock the reset refers to; epoch ms.
   */
  report(
    name: PoolName,
    status: number,
    headers: Readonly<Record<string, string>>,
    date: number,
  ): void {
    const resetAt = numberOf(headers, 'reset');
    const remaining = numberOf(headers, 'remaining') ?? (status === 429 ? 0 : null);
    if (resetAt === null || remaining === null) return;
    const remainingMs = Math.min(resetAt * 1000 - date, DAY_MS);
    if (remainingMs <= 0) return;
    const now = this.#now();
    const reset = now + remainingMs;
    const before = this.#open(name);
    const limit = numberOf(headers, 'limit') ?? before?.limit ?? remaining;
    // Answers may overtake each other, and others may use the same token.
    const same = before?.reported === true && Math.abs(before.reset - reset) <= SAME_WINDOW_MS;
    const fewest = same ? Math.min(before.remaining, remaining) : remaining;
    // An answer of a window that is over does not describe the current one.
    if (before?.reported === true && !same && reset < before.reset) return;
    const end = same ? before.reset : reset;
    this.#pools.set(name, { limit, remaining: fewest, seen: now, reset: end, reported: true });
  }

  /** The state of a pool; null if nothing was sent in a window that is still running. */
  state(name: PoolName): { remaining: number; reset: number } | null {
    const pool = this.#open(name);
    return pool && { remaining: pool.remaining, reset: Math.ceil(pool.reset / 1000) };
  }
}
