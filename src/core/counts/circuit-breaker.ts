import type { Granularity } from '#core/time/bucket.ts';
import type { CountsEndpoint } from './endpoint.ts';
import type { Bounds } from './head.ts';
import { windowSpan, type PlannedRequest } from './requests.ts';

/** Windows in a row whose pages are rejected before the series stops: each page was bought twice. */
const MAX_REFUSED_IN_A_ROW = 3;

/** Sends of one window in a session: one that stays needed would be bought forever. */
const MAX_SENDS = 3;

/** Rejected pages for the same bounds in a session: each was bought. */
const MAX_REFUSED = 2;

/** Requests for the same bounds without a complete answer in a session: each may have been billed. */
const MAX_LOST = 3;

/** The content of a request: the same when it is sent again. */
interface SentPage extends Bounds {
  readonly endpoint: CountsEndpoint;
  readonly granularity: Granularity;
  readonly token?: string | null;
}

/** Increments the count of a key. @returns The new count. */
function count(counts: Map<string, number>, key: string): number {
  const times = (counts.get(key) ?? 0) + 1;
  counts.set(key, times);
  return times;
}

function keyOf({ endpoint, granularity, start, end, token }: SentPage): string {
  return [endpoint, granularity, start, end, token].join(' ');
}

/** Keeps a session from buying endlessly, however often it plans again. */
export class CircuitBreaker {
  readonly #windows = new Map<string, number>();
  readonly #lost = new Map<string, number>();
  readonly #refused = new Map<string, number>();
  #refusedInARow = 0;

  /** Counts a window that is about to be sent. @returns False if it is still needed after several answers. */
  countWindow(request: PlannedRequest): boolean {
    const { start, end } = windowSpan(request);
    return count(this.#windows, `${request.endpoint} ${start} ${end}`) <= MAX_SENDS;
  }

  /** Counts a request without a whole answer. @returns Whether to stop sending it. */
  countLost(page: SentPage): boolean {
    return count(this.#lost, keyOf(page)) >= MAX_LOST;
  }

  /** Counts a page that failed its check. @returns Whether to stop requesting it. */
  countRefused(page: SentPage): boolean {
    return count(this.#refused, keyOf(page)) >= MAX_REFUSED;
  }

  /** True if a page for these bounds failed its check, so that the service's copy will not do. */
  wasRefused(page: SentPage): boolean {
    return this.#refused.has(keyOf(page));
  }

  /** Notes a window that was fetched. */
  succeeded(): void {
    this.#refusedInARow = 0;
  }

  /** Notes a window that failed because its pages did. @returns Whether to stop the series. */
  failed(): boolean {
    this.#refusedInARow += 1;
    return this.#refusedInARow >= MAX_REFUSED_IN_A_ROW;
  }
}
