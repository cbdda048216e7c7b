import type { Fault } from '#contract/fault.ts';
import { UNCERTAIN } from '#contract/counts/platform.ts';
import { HOUR_MS } from '#core/time/span.ts';

/** The most failures of one call, about half a minute in total; waits for a rate limit or a cap do not count. */
const TRIES = 7;

/** First pause after a failure; each further one is twice as long. */
const FIRST_PAUSE_MS = 500;
const LONGEST_PAUSE_MS = 30_000;

/** The most refusals of one call without a reset time: together longer than one window of 15 minutes. */
const UNTIMED_TRIES = 40;

/** The most sends of one call that may have been billed without an answer. */
const UNCERTAIN_TRIES = 3;

/** The longest wait accepted from a Retry-After. */
const LONGEST_NAMED_MS = HOUR_MS;

/** Temporary statuses (platform-facts 1.7: overload; gateways in between). */
const PASSING = new Set([0, 429, 502, 503, 504]);

/**
 * The time that a Retry-After asks to wait, an hour at most, ms; 0 if it names no future time.
 *
 * @param value - Whole seconds, or a date.
 * @param now - Compared with a date, epoch ms.
 */
export function retryAfter(value: string | undefined, now: number): number {
  const text = value?.trim() ?? '';
  // The oldest date format has no zone; all formats mean GMT.
  const zoned = /gmt$/i.test(text) ? text : `${text} GMT`;
  const ms = /^\d+$/.test(text) ? Number(text) * 1000 : Date.parse(zoned) - now;
  return ms > 0 ? Math.min(LONGEST_NAMED_MS, ms) : 0;
}

/** Counts the failures of one call and decides whether and when to retry. */
export class RetryPolicy {
  #failures = 0;
  #refusals = 0;
  #uncertain = 0;

  /**
   * Notes a failure that is not a rate limit with a reset, nor a cap.
   *
   * @param now - The time at which the answer came, by the clock of the answering service, epoch ms.
   * @param random - In `[0, 1)`.
   * @returns The time to wait before the next send, ms; null to give up.
   */
  after({ status, body, headers }: Fault, now: number, random: () => number): number | null {
    if (!PASSING.has(status)) return null;
    if (body[UNCERTAIN] === true) {
      this.#uncertain += 1;
      if (this.#uncertain >= UNCERTAIN_TRIES) return null;
    }
    const named = retryAfter(headers['retry-after'], now);
    if (status === 429 || named > 0) {
      this.#refusals += 1;
      if (this.#refusals >= UNTIMED_TRIES) return null;
      return Math.max(named, pause(this.#refusals, random()));
    }
    this.#failures += 1;
    return this.#failures < TRIES ? pause(this.#failures, random()) : null;
  }
}

/** Exponential, with jitter over its upper half. */
function pause(times: number, random: number): number {
  const whole = Math.min(LONGEST_PAUSE_MS, FIRST_PAUSE_MS * 2 ** (times - 1));
  return whole / 2 + (whole / 2) * random;
}
