import { headOf, boundsOf, reachOf, freshness } from '#core/counts/head.ts';
import { SETTLE_MS, recordsOf, type CellRecord } from '#core/counts/ledger.ts';
import { stretchesToAsk } from '#core/counts/plan.ts';
import { planRequests, type PlannedRequest, type RequestNeed } from '#core/counts/requests.ts';
import { GRANULARITIES, bucketCount, type Granularity } from '#core/time/bucket.ts';
import { ARCHIVE_START, DAY_MS, PAGE_DAYS, SECOND_MS, type Span } from '#core/time/span.ts';
import { knownOf, type Known } from '#core/counts/known-counts.ts';
import { merge } from '#core/counts/merge-records.ts';
import { dayOf, type DayWindow } from '#core/counts/day-windows.ts';

/** Turns the need of a view into requests. */
export type Strategy = (need: RequestNeed) => readonly PlannedRequest[];

/** Days of the cells that contain a needed day, within the archive: a reference. */
function cells(need: RequestNeed, clip: boolean): PlannedRequest[] {
  const first = dayOf(ARCHIVE_START);
  const last = headOf(need.look.now).day;
  const out = new Map<number, DayWindow>();
  for (const { from, to } of stretchesToAsk(need.look)) {
    for (let day = from; day < to; day += 1) {
      const cell = Math.floor((day - first) / PAGE_DAYS);
      const begin = first + cell * PAGE_DAYS;
      const window = clip
        ? { from: out.get(cell)?.from ?? day, to: day + 1 }
        : { from: begin, to: Math.min(begin + PAGE_DAYS, last + 1) };
      out.set(cell, window);
    }
  }
  return [...out.values()].reverse().map((window) => ({ ...window, endpoint: 'all' }));
}

export const STRATEGIES = {
  windows: planRequests,
  wholeCells: (need: RequestNeed) => cells(need, false),
  clippedCells: (need: RequestNeed) => cells(need, true),
} satisfies Record<string, Strategy>;

/** A platform that answers at once with zeros, and the ledger of one query. */
export class Household {
  now: number;
  readonly bought: (PlannedRequest & { readonly granularity: Granularity })[] = [];
  readonly #records = new Map<string, CellRecord>();
  readonly #terms: Partial<RequestNeed>;
  readonly #settleMs: number;
  #fullHead = 0;

  constructor(now: number, terms: Partial<RequestNeed> = {}, settleMs = SETTLE_MS) {
    this.now = now;
    this.#terms = terms;
    this.#settleMs = settleMs;
  }

  known(granularity: Granularity): Known[] {
    return knownOf([...this.#records.values()].filter(({ key }) => key[1] === granularity));
  }

  /** The current need of a span; `force` requests the newest counts although they are fresh. */
  need(view: Span, granularity: Granularity = 'hour', force = false): RequestNeed {
    const { endpoints = 'all' } = this.#terms;
    const serving = GRANULARITIES.slice(0, GRANULARITIES.indexOf(granularity) + 1);
    return {
      look: {
        view,
        reach: reachOf(endpoints === 'recent' ? 'recent' : 'all', this.now, granularity),
        now: this.now,
        settleNow: this.now,
        known: serving.map((each) => this.known(each)),
        freshMs: force ? 0 : freshness(granularity),
        settleMs: this.#settleMs,
      },
      granularity,
      endpoints,
      prices: { recent: 0.005, all: 0.01 },
      pageDays: PAGE_DAYS,
      pageBuckets: null,
      busySpans: [],
      busy: new Set(),
      fullHeadToday: this.#fullHead === dayOf(this.now),
      ...this.#terms,
    };
  }

  /** Buys one request now and writes its answer. */
  buy(request: PlannedRequest, granularity: Granularity = 'hour'): void {
    const head = headOf(this.now);
    const bounds = boundsOf(request, reachOf(request.endpoint, this.now, granularity), head);
    if (!bounds) throw new RangeError('expected a window within reach, got none');
    const { start } = bounds;
    const end = bounds.end ?? this.now - 10 * SECOND_MS;
    if (bounds.end === null && request.to - request.from >= PAGE_DAYS) {
      this.#fullHead = dayOf(this.now);
    }
    this.bought.push({ ...request, granularity });
    const counts = new Uint8Array(bucketCount(start, end, granularity));
    const note = { at: this.now, generation: 0, endpoint: request.endpoint };
    const receipt = `r${this.bought.length}`;
    for (const record of recordsOf('q', granularity, { start, end, counts, receipt, note })) {
      const key = JSON.stringify(record.key);
      const old = this.#records.get(key);
      this.#records.set(key, old ? merge(old, record, this.#settleMs) : record);
    }
  }

  /**
   * Loads a view: buys everything a strategy requests, and plans again before every request if it does
   * so.
   */
  look(view: Span, granularity: Granularity = 'hour', strategy: Strategy = planRequests): void {
    for (const request of strategy(this.need(view, granularity))) this.buy(request, granularity);
  }
}

/** The last UTC days including today. */
export function lastDays(now: number, days: number): Span {
  const end = Math.floor(now / DAY_MS) * DAY_MS + DAY_MS;
  return { start: end - days * DAY_MS, end };
}
