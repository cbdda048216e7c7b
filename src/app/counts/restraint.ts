import type { Fault } from '#contract/fault.ts';
import type { PlannedRequest } from '#core/counts/requests.ts';
import { DAY_MS } from '#core/time/span.ts';
import { REFUSED_PAGE, stuckPages } from './faults.ts';

/** Pages that fail their check one after another before the series is stopped: each was bought twice. */
const MOST_REFUSED = 3;

/** How often one window is asked in a look: one that stays needed would be bought for ever. */
const MOST_OF_ONE = 3;

/** Keeps a look from buying without end. */
export class Restraint {
  readonly #windows = new Map<string, number>();
  #refused = 0;

  /** Counts a window that is about to be asked. @throws {Fault} where answers leave it needed, again and again. */
  count({ from, to, endpoint }: PlannedRequest): void {
    const key = `${endpoint} ${from} ${to}`;
    const times = (this.#windows.get(key) ?? 0) + 1;
    this.#windows.set(key, times);
    if (times > MOST_OF_ONE) throw stuckPages(from * DAY_MS);
  }

  /** Notes a page that was believed. */
  believed(): void {
    this.#refused = 0;
  }

  /** Notes a window that failed. @returns Whether its kind of failure is to stop the series. */
  failed(fault: Fault): boolean {
    if (fault.body.type !== REFUSED_PAGE) return false;
    this.#refused += 1;
    return this.#refused >= MOST_REFUSED;
  }
}
