import ipaddr from 'ipaddr.js';
import { putNewest } from '#core/newest.ts';

/** The part of an IP address that one client has, of IPv6 the first half; empty if it is unknown. */
export function clientPart(address: string | null): string {
  if (address === null || !ipaddr.isValid(address)) return address ?? '';
  // A socket for both versions shows IPv4 addresses as IPv6 ones.
  const part = ipaddr.process(address);
  return part instanceof ipaddr.IPv6 ? part.parts.slice(0, 4).join(':') : part.toString();
}

/** Failures of one pool in a window that begins with the first one. */
interface Window {
  failures: number;
  /** End of the window, Unix seconds. */
  readonly reset: number;
}

/** Pools to remember; beyond them the oldest is forgotten. */
const MAX_POOLS = 16_384;

/** Counts failed attempts to authenticate, so that they can be slowed down. */
export class Failures {
  readonly #windows = new Map<string, Window>();
  readonly #limit: number;
  readonly #seconds: number;
  readonly #now: () => number;

  /**
   * @param limit - Failures of a pool per window.
   * @param now - Epoch ms.
   */
  constructor(limit: { failures: number; windowSeconds: number }, now: () => number) {
    this.#limit = limit.failures;
    this.#seconds = limit.windowSeconds;
    this.#now = now;
  }

  /** Unix seconds at which a pool may try again; null if it may now. */
  lockedUntil(pool: string): number | null {
    const window = this.#current(pool);
    return window && window.failures >= this.#limit ? window.reset : null;
  }

  /** Counts a failure of a pool. */
  add(pool: string): void {
    const window = this.#current(pool);
    if (window) {
      window.failures += 1;
      return;
    }
    const reset = Math.ceil(this.#now() / 1000) + this.#seconds;
    putNewest(this.#windows, pool, { failures: 1, reset }, MAX_POOLS);
  }

  /** Takes back one failure of a pool. */
  forgive(pool: string): void {
    const window = this.#current(pool);
    if (window && window.failures > 0) window.failures -= 1;
  }

  #current(pool: string): Window | undefined {
    const window = this.#windows.get(pool);
    if (!window) return undefined;
    const left = window.reset - this.#now() / 1000;
    // A window that seems to last longer than possible is from before the clock was set back.
    if (left > 0 && left <= this.#seconds + 1) return window;
    this.#windows.delete(pool);
    return undefined;
  }
}
