import { plainProblem } from '#contract/fault.ts';
import type { PlatformSettings } from '#contract/platform.ts';
import { DAY_MS } from '#core/time/span.ts';
import type { PoolName } from './terms.ts';

interface Pool {
  limit: number;
  remaining: number;
  /** Epoch ms of the service's clock: when this was looked at last, and when the window is over. */
  seen: number;
  reset: number;
  /** Whether the platform said so; else it is our own count. */
  told: boolean;
}

/** Resets of one window differ by that much at most where they are told by a clock of whole seconds. */
const SAME_WINDOW_MS = 5_000;

function numberOf(headers: Readonly<Record<string, string>>, name: string): number | null {
  const text = headers[`x-rate-limit-${name}`];
  return text !== undefined && /^\d{1,12}$/.test(text) ? Number(text) : null;
}

/**
 * Where the platform's rate limits stand: as it last told, and before it has told anything by our own count.
 * Resets are kept by the service's clock, whatever the platform's says.
 */
export class Pools {
  readonly #pools = new Map<PoolName, Pool>();
  readonly #now: () => number;

  /** @param now - epoch ms. */
  constructor(now: () => number) {
    this.#now = now;
  }

  #open(name: PoolName): Pool | null {
    const pool = this.#pools.get(name);
    if (!pool) return null;
    const now = this.#now();
    // The clock was set back: what was left of the window then is left of it now.
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
      pool = { limit: requests, remaining: requests, seen, reset, told: false };
      this.#pools.set(name, pool);
    }
    pool.remaining -= 1;
  }

  /** Gives a request back that never reached the platform. */
  giveBack(name: PoolName): void {
    const pool = this.#open(name);
    if (pool && pool.remaining < pool.limit) pool.remaining += 1;
  }

  /**
   * Takes up what an answer says.
   *
   * @param date - The answer's Date, by whose clock it names the reset; epoch ms.
   */
  tell(
    name: PoolName,
    status: number,
    headers: Readonly<Record<string, string>>,
    date: number,
  ): void {
    const told = numberOf(headers, 'reset');
    const remaining = numberOf(headers, 'remaining') ?? (status === 429 ? 0 : null);
    if (told === null || remaining === null) return;
    const ahead = Math.min(told * 1000 - date, DAY_MS);
    if (ahead <= 0) return;
    const now = this.#now();
    const reset = now + ahead;
    const before = this.#open(name);
    const limit = numberOf(headers, 'limit') ?? before?.limit ?? remaining;
    // Answers may overtake each other, and others may ask with the same token.
    const same = before?.told === true && Math.abs(before.reset - reset) <= SAME_WINDOW_MS;
    const left = same ? Math.min(before.remaining, remaining) : remaining;
    // An answer of a window that is over says nothing of the one that runs.
    if (before?.told === true && !same && reset < before.reset) return;
    const kept = same ? before.reset : reset;
    this.#pools.set(name, { limit, remaining: left, seen: now, reset: kept, told: true });
  }

  /** Where a pool stands; null where nothing was sent in a window that still runs. */
  state(name: PoolName): { remaining: number; reset: number } | null {
    const pool = this.#open(name);
    return pool && { remaining: pool.remaining, reset: Math.ceil(pool.reset / 1000) };
  }
}
