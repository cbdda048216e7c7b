import type { Fault } from '#contract/fault.ts';
import type { PlannedRequest } from '#core/counts/requests.ts';
import { DAY_MS } from '#core/time/span.ts';
import { REFUSED_PAGE, stuckPages } from './faults.ts';
import type { PageRequest } from './load-request.ts';

/** Windows in a row whose pages are rejected before the series stops: each page was bought twice. */
const MAX_REFUSED_IN_A_ROW = 3;

/** Sends of one window in a session: one that stays needed would be bought forever. */
const MAX_SENDS = 3;

/** Rejected pages for the same bounds in a session: each was bought. */
const MAX_REFUSED = 2;

/** Requests for the same bounds without a complete answer in a session: each may have been billed. */
const MAX_LOST = 3;

/** Increments the count of a key. @returns The new count. */
function count(counts: Map<string, number>, key: string): number {
  const times = (counts.get(key) ?? 0) + 1;
  counts.set(key, times);
  return times;
}

/** Identifies the content of a request: the same when it is sent again. */
function boundsOf({ endpoint, granularity, start, end, token }: PageRequest): string {
  return [endpoint, granularity, start, end, token].join(' ');
}

/** Keeps a session from buying endlessly, however often it plans again. */
export class CircuitBreaker {
  readonly #windows = new Map<string, number>();
  readonly #lost = new Map<string, number>();
  readonly #refused = new Map<string, number>();
  #refusedInARow = 0;

  /** Counts a window that is about to be sent. @throws {Fault} if it is still needed after several answers. */
  countWindow({ from, to, endpoint, part }: PlannedRequest): void {
    const { start, end } = part ?? { start: from * DAY_MS, end: to * DAY_MS };
    const times = count(this.#windows, `${endpoint} ${start} ${end}`);
    if (times > MAX_SENDS) throw stuckPages(start);
  }

  /** Counts a request without a whole answer. @returns Whether to stop sending it. */
  countLost(page: PageRequest): boolean {
    return count(this.#lost, boundsOf(page)) >= MAX_LOST;
  }

  /** Counts a page that failed its check. @returns Whether to stop requesting it. */
  countRefused(page: PageRequest): boolean {
    return count(this.#refused, boundsOf(page)) >= MAX_REFUSED;
  }

  /** True if a page for these bounds failed its check, so that the service's copy will not do. */
  wasRefused(page: PageRequest): boolean {
    return this.#refused.has(boundsOf(page));
  }

  /** Notes a window that was fetched. */
  succeeded(): void {
    this.#refusedInARow = 0;
  }

  /** Notes a window that failed. @returns Whether to stop the series. */
  failed(fault: Fault): boolean {
    if (fault.body.type !== REFUSED_PAGE) return false;
    this.#refusedInARow += 1;
    return this.#refusedInARow >= MAX_REFUSED_IN_A_ROW;
  }
}
