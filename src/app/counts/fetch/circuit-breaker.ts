import type { Fault } from '#contract/fault.ts';
import type { PlannedRequest } from '#core/counts/requests.ts';
import { DAY_MS } from '#core/time/span.ts';
import { REFUSED_PAGE, stuckPages } from './faults.ts';
import type { PageAsk } from './counts-request.ts';

/** Pages that fail their check one after another before the series is stopped: each was bought twice. */
const MOST_REFUSED = 3;

/** How often one window is asked in a look: one that stays needed would be bought for ever. */
const MOST_OF_ONE = 3;

/** How often a page of the same bounds may fail its check in a look: each was bought. */
const MOST_WRONG = 2;

/** How often a request for the same bounds may go without a whole answer in a look: each may have been billed. */
const MOST_LOST = 3;

/** Adds one to the count of a key. @returns The count. */
function count(counts: Map<string, number>, key: string): number {
  const times = (counts.get(key) ?? 0) + 1;
  counts.set(key, times);
  return times;
}

/** What a request asks: the same for one that is sent again. */
function boundsOf({ endpoint, granularity, start, end, token }: PageAsk): string {
  return [endpoint, granularity, start, end, token].join(' ');
}

/** Keeps a look from buying without end, however often it plans again. */
export class CircuitBreaker {
  readonly #windows = new Map<string, number>();
  readonly #lost = new Map<string, number>();
  readonly #wrong = new Map<string, number>();
  #refused = 0;

  /** Counts a window that is about to be asked. @throws {Fault} where answers leave it needed, again and again. */
  count({ from, to, endpoint, part }: PlannedRequest): void {
    const { start, end } = part ?? { start: from * DAY_MS, end: to * DAY_MS };
    const times = count(this.#windows, `${endpoint} ${start} ${end}`);
    if (times > MOST_OF_ONE) throw stuckPages(start);
  }

  /** Counts a request to which no whole answer came. @returns Whether it is not to be sent again. */
  lost(page: PageAsk): boolean {
    return count(this.#lost, boundsOf(page)) >= MOST_LOST;
  }

  /** Counts a page that failed its check. @returns Whether it is not to be asked again. */
  wrong(page: PageAsk): boolean {
    return count(this.#wrong, boundsOf(page)) >= MOST_WRONG;
  }

  /** Whether a page of these bounds failed its check: what the service holds of it is no answer. */
  wasWrong(page: PageAsk): boolean {
    return this.#wrong.has(boundsOf(page));
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
