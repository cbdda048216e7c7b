import { BUCKET_MS, bucketCount, ceilTo, type Granularity } from '#core/time/bucket.ts';
import { DAY_MS, PAGE_DAYS, type Span } from '#core/time/span.ts';
import type { CountsEndpoint } from './endpoint.ts';
import { HEAD_MARGIN_MS, boundsOf, headOf, lengthenHead, reachOf, type Bounds } from './head.ts';
import { neverAsked, spansToAsk, stretchesToAsk, type Look } from './plan.ts';
import { moneyOf, type Prices } from './price.ts';
import { cover, dayOf, growWindows, type DayWindow } from './day-windows.ts';

/** The endpoints a source offers. */
export type Endpoints = CountsEndpoint | 'both';

/** The endpoint with the longest reach. */
export function longestReach(endpoints: Endpoints): CountsEndpoint {
  return endpoints === 'recent' ? 'recent' : 'all';
}

/** A window and the endpoint to request it from. */
export interface PlannedRequest extends DayWindow {
  readonly endpoint: CountsEndpoint;
  /**
   * The part of these days to request, if pages are shorter than a day; absent: all of them, in one
   * request.
   */
  readonly part?: Span;
  /** The number of requests that the part takes; {@link newestPage} is the next. */
  readonly requests?: number;
}

/** The counts that a view needs from a source, on its terms. */
export interface RequestNeed {
  /**
   * Its reach is that of `all` if available, else of `recent`; its known lists cover everything that
   * serves.
   */
  readonly look: Look;
  /** The granularity to buy. */
  readonly granularity: Granularity;
  readonly endpoints: Endpoints;
  /** USD per request; own Posts cost nothing. */
  readonly prices: Prices;
  /** Days of the longest expected page. */
  readonly pageDays: number;
  /** Buckets of the longest expected page, if that is less than a day; else null. */
  readonly pageBuckets: number | null;
  /** Days in flight, held back, failed or without data: neither needed nor used to fill a page. */
  readonly busy: ReadonlySet<number>;
  /** The same to the bucket, epoch ms, in any order. */
  readonly busySpans: readonly Span[];
  /** For minutes: whether the newest counts were already requested with a full page this UTC day. */
  readonly fullHeadToday: boolean;
}

/** The part of a need that the length of pages gives. @param buckets - Of the shortest page so far; null: of full length. */
export function pageLength(
  buckets: number | null,
  granularity: Granularity,
): Pick<RequestNeed, 'pageDays' | 'pageBuckets'> {
  const pageMs = (buckets ?? Infinity) * BUCKET_MS[granularity];
  return {
    pageDays: Math.max(1, Math.min(PAGE_DAYS, Math.floor(pageMs / DAY_MS))),
    pageBuckets: pageMs < DAY_MS ? buckets : null,
  };
}

/** The part of a need that spans in flight, held back, failed or without data give. */
export function busyIn(busySpans: readonly Span[]): Pick<RequestNeed, 'busy' | 'busySpans'> {
  const busy = new Set<number>();
  for (const { start, end } of busySpans) {
    for (let day = dayOf(start); day <= dayOf(end - 1); day += 1) busy.add(day);
  }
  return { busy, busySpans };
}

/** A settled page in the service's vault: it costs nothing. Epoch ms. */
export interface HeldPage {
  readonly endpoint: CountsEndpoint;
  readonly start: number;
  readonly end: number;
  /** The time at which it was bought. */
  readonly at: number;
}

const at =
  (endpoint: CountsEndpoint) =>
  ({ from, to }: DayWindow): PlannedRequest => ({ from, to, endpoint });

/** First UTC day that recent covers completely, for a request that is still in flight a minute from now. */
function firstRecentDay(now: number): number {
  return dayOf(reachOf('recent', now, 'day').start);
}

/** The part of ascending stretches before a day. */
function before(stretches: readonly DayWindow[], day: number): DayWindow[] {
  const out = stretches.filter(({ from }) => from < day);
  const last = out.pop();
  return last ? [...out, { from: last.from, to: Math.min(last.to, day) }] : out;
}

/** The part of ascending stretches from a day on. */
function since(stretches: readonly DayWindow[], day: number): DayWindow[] {
  return stretches
    .filter(({ to }) => to > day)
    .map(({ from, to }) => ({ from: Math.max(from, day), to }));
}

/**
 * The cheapest requests for a need where both endpoints are available. Only recent's newest days
 * qualify, so it takes the newest windows or none. At equal prices the plan uses the fewest recent
 * requests, which is also the fewest in total.
 */
function cheapest(days: readonly DayWindow[], need: RequestNeed): PlannedRequest[] {
  const { pageDays, prices } = need;
  let best = cover(days, pageDays).map(at('all'));
  if (prices.recent >= prices.all) return best;
  let money = moneyOf(best, prices);
  const recent = cover(since(days, firstRecentDay(need.look.now)), pageDays).map(at('recent'));
  for (let n = 1; n <= recent.length; n += 1) {
    const newest = recent.slice(0, n);
    const older = cover(before(days, newest.at(-1)?.from ?? 0), pageDays).map(at('all'));
    const requests = [...newest, ...older];
    const price = moneyOf(requests, prices);
    if (price < money) [best, money] = [requests, price];
  }
  return best;
}

function covered(days: readonly DayWindow[], need: RequestNeed): PlannedRequest[] {
  const { endpoints, pageDays } = need;
  if (endpoints === 'both') return cheapest(days, need);
  return cover(days, pageDays).map(at(endpoints));
}

/** Days to request that are not in flight, as stretches, ascending. */
function openDays({ look, busy }: RequestNeed): DayWindow[] {
  let open = stretchesToAsk(look);
  for (const day of busy) {
    if (open.some(({ from, to }) => from <= day && day < to)) {
      open = [...before(open, day), ...since(open, day + 1)];
    }
  }
  return open;
}

/** Spans with the number of pages they take, newest first. */
function paged(
  spans: readonly Span[],
  endpoint: CountsEndpoint,
  need: RequestNeed,
): PlannedRequest[] {
  const { granularity, pageBuckets } = need;
  return spans
    .map((part) => ({
      from: dayOf(part.start),
      to: dayOf(part.end - 1) + 1,
      endpoint,
      part,
      requests: Math.ceil(
        bucketCount(part.start, part.end, granularity) / (pageBuckets ?? Infinity),
      ),
    }))
    .reverse();
}

/**
 * Plans for pages shorter than a day: exactly what is missing, each stretch page by page. Recent serves
 * the newest days if that is cheaper.
 */
function planPages(need: RequestNeed): PlannedRequest[] {
  const { look, granularity, endpoints, prices, busySpans } = need;
  const spans = spansToAsk(look, granularity, busySpans);
  if (endpoints !== 'both') return paged(spans, endpoints, need);
  const border = firstRecentDay(look.now) * DAY_MS;
  return spans
    .flatMap((span) => {
      const whole = paged([span], 'all', need);
      if (span.end <= border || prices.recent >= prices.all) return whole;
      const older = { start: span.start, end: Math.min(border, span.end) };
      const newer = { start: Math.max(border, span.start), end: span.end };
      const parts = [
        ...paged([newer], 'recent', need),
        ...paged(older.start < older.end ? [older] : [], 'all', need),
      ];
      return moneyOf(parts, prices) < moneyOf(whole, prices) ? parts : whole;
    })
    .sort((a, b) => (b.part?.start ?? 0) - (a.part?.start ?? 0));
}

/**
 * The newest page of a part: the next to request.
 *
 * @throws {RangeError} if a page has no bucket.
 */
export function newestPage({ start, end }: Span, granularity: Granularity, buckets: number): Span {
  if (!Number.isInteger(buckets) || buckets < 1) {
    throw new RangeError(`expected a page of at least one bucket, got ${buckets}`);
  }
  const first = ceilTo(end, granularity) - buckets * BUCKET_MS[granularity];
  return { start: Math.max(start, first), end };
}

/** The span that a window or a planned request covers. */
export function windowSpan({ from, to, part }: DayWindow & { readonly part?: Span }): Span {
  return part ?? { start: from * DAY_MS, end: to * DAY_MS };
}

/**
 * The bounds to send for a planned request; if it takes several pages, those of the newest. Null if the source no
 * longer covers any of it.
 *
 * @param now - The source's own time, epoch ms.
 * @param pageBuckets - Of the shortest page so far; null: pages have full length.
 */
export function boundsToSend(
  request: PlannedRequest,
  now: number,
  granularity: Granularity,
  pageBuckets: number | null,
): Bounds | null {
  const head = headOf(now);
  const reach = reachOf(request.endpoint, now, granularity);
  const { part } = request;
  if (!part || pageBuckets === null) return boundsOf(request, reach, head);
  const page = newestPage(part, granularity, pageBuckets);
  const start = Math.max(page.start, reach.start);
  const end = page.end > head.end - HEAD_MARGIN_MS ? head.send : page.end;
  return start < (end ?? head.end) ? { start, end } : null;
}

/**
 * Plans the requests of a view: the cheapest, among those the fewest, each with a day that only it
 * covers (ledger rules 2, 3, 4, 8). Planning again after any of them was answered never costs more in
 * total.
 *
 * @returns Newest first, disjoint.
 * @throws {RangeError} if a page has no day.
 */
export function planRequests(need: RequestNeed): PlannedRequest[] {
  if (need.pageBuckets !== null) return planPages(need);
  const { look, granularity, endpoints, pageDays, busy, fullHeadToday } = need;
  const never = neverAsked(look);
  const reaches = {
    all: dayOf(look.reach.start),
    recent: endpoints === 'both' ? firstRecentDay(look.now) : dayOf(look.reach.start),
  };
  const planned = growWindows(
    covered(openDays(need), need),
    (day, { endpoint }) => day >= reaches[endpoint] && !busy.has(day) && never(day),
    pageDays,
  );
  const [newest] = planned;
  if (!newest) return [];
  let first = reaches[newest.endpoint];
  for (const day of busy) if (day < newest.from) first = Math.max(first, day + 1);
  const length = granularity === 'minute' && fullHeadToday ? 'seam' : 'page';
  return lengthenHead(planned, headOf(look.now), length, first, pageDays);
}

/** UTC days that the source covers in the view, and how many of them need no request. */
export function fetchedDays({ look }: RequestNeed): { days: number; fetched: number } {
  const start = Math.max(look.view.start, look.reach.start);
  const end = Math.min(look.view.end, look.reach.end);
  const days = start < end ? Math.ceil(end / DAY_MS) - dayOf(start) : 0;
  const asked = stretchesToAsk(look).reduce((sum, { from, to }) => sum + to - from, 0);
  return { days, fetched: days - asked };
}

/**
 * The fewest stored pages that together cover every needed day that any of them covers completely.
 *
 * @param needDays - UTC day numbers, ascending.
 * @returns Newest first; each covers a needed day that no other of them covers.
 */
export function heldToTake(needDays: readonly number[], held: readonly HeldPage[]): HeldPage[] {
  const taken: HeldPage[] = [];
  let covered = -Infinity;
  for (const day of needDays) {
    if (day < covered) continue;
    let best: HeldPage | null = null;
    for (const page of held) {
      if (page.start > day * DAY_MS || page.end < (day + 1) * DAY_MS) continue;
      const [days, last] = [dayOf(page.end), best ? dayOf(best.end) : -Infinity];
      // Of two pages that reach equally far, the ledger prefers the one bought first.
      if (!best || days > last || (days === last && page.at < best.at)) best = page;
    }
    if (!best) continue;
    taken.unshift(best);
    covered = dayOf(best.end);
  }
  return taken;
}

/**
 * The granularity to buy: for own Posts what the view needs; from a priced source minutes if the view
 * needs them or the user accepted the offer, else hours, never days (ledger rule 7).
 */
export function boughtGranularity(
  needed: Granularity,
  priced: boolean,
  offer: boolean,
): Granularity {
  if (!priced) return needed;
  return offer || needed === 'minute' ? 'minute' : 'hour';
}
