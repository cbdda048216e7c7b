import type { Granularity } from '#core/time/bucket.ts';
import { BUCKET_MS, bucketCount, ceilTo } from '#core/time/bucket.ts';
import type { Span } from '#core/time/span.ts';
import { DAY_MS } from '#core/time/span.ts';
import { headOf, lengthenHead, reachOf } from './head.ts';
import type { Look, DayWindow } from './plan.ts';
import { cover, dayOf, growWindows, neverAsked, spansToAsk, stretchesToAsk } from './plan.ts';
import type { Prices } from './price.ts';
import { moneyOf } from './price.ts';

/** Which endpoints a source may be asked at. */
export type Endpoints = 'recent' | 'all' | 'both';

/** A window and where it is asked. */
export interface PlannedRequest extends DayWindow {
  readonly endpoint: 'recent' | 'all';
  /** What of these days is asked, where pages are shorter than a day; absent: all of them, in one request. */
  readonly part?: Span;
  /** How many requests the part takes; {@link newestPage} is the next. */
  readonly requests?: number;
}

/** What a look needs of a source, on its terms. */
export interface RequestNeed {
  /** Its reach is that of `all` where that may be asked, else of `recent`; its known lists are of everything that serves. */
  readonly look: Look;
  /** That is bought. */
  readonly granularity: Granularity;
  readonly endpoints: Endpoints;
  /** USD per request; own posts cost nothing. */
  readonly prices: Prices;
  /** Days of the longest page to be expected. */
  readonly pageDays: number;
  /** Buckets of the longest page to be expected, where that is less than a day; else null. */
  readonly pageBuckets: number | null;
  /** Days under way, held back or failed: neither needed nor grown into. */
  readonly busy: ReadonlySet<number>;
  /** The same to the bucket, epoch ms, in any order. */
  readonly busySpans: readonly Span[];
  /** Minutes: whether the head was asked in full length this UTC day already. */
  readonly fullHeadToday: boolean;
}

/** A settled page that the service holds: it costs nothing. Epoch ms. */
export interface HeldPage {
  readonly endpoint: 'recent' | 'all';
  readonly start: number;
  readonly end: number;
  /** When it was bought. */
  readonly at: number;
}

const at =
  (endpoint: 'recent' | 'all') =>
  ({ from, to }: DayWindow): PlannedRequest => ({ from, to, endpoint });

/** First UTC day of which recent tells the whole, for a request that is still under way a minute from now. */
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
 * The cheapest requests for a need where both endpoints may be asked. Only the newest days can be told by
 * recent, so it takes the newest windows or none; of equal prices those with the fewest of recent, which are
 * the fewest.
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

/** Days of a look to be asked and not under way, as stretches, ascending. */
function openDays({ look, busy }: RequestNeed): DayWindow[] {
  let open = stretchesToAsk(look);
  for (const day of busy) {
    if (open.some(({ from, to }) => from <= day && day < to)) {
      open = [...before(open, day), ...since(open, day + 1)];
    }
  }
  return open;
}

/** Spans with how many pages of so many buckets they take, newest first. */
function paged(
  spans: readonly Span[],
  endpoint: 'recent' | 'all',
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
 * Plans where pages are shorter than a day: exactly what is missing, each stretch of it page by page. The
 * newest days that recent can tell are asked there where that is cheaper.
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
 * The newest page of a part: what is asked next of it.
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

/**
 * Plans the requests of a look: the cheapest, of those the fewest, each with a day that only it tells (ledger
 * rules 2, 3, 4, 8). Planned anew after any of them was answered, the rest costs what was left.
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

/** UTC days of a view that the source can count, and how many of them are already fetched. */
export function fetchedDays({ look }: RequestNeed): { days: number; fetched: number } {
  const start = Math.max(look.view.start, look.reach.start);
  const end = Math.min(look.view.end, look.reach.end);
  const days = start < end ? Math.ceil(end / DAY_MS) - dayOf(start) : 0;
  const asked = stretchesToAsk(look).reduce((sum, { from, to }) => sum + to - from, 0);
  return { days, fetched: days - asked };
}

/**
 * The fewest held pages that tell every needed day which any of them tells whole.
 *
 * @param needDays - UTC day numbers, ascending.
 * @returns Newest first; each tells a needed day that no other of them tells.
 */
export function heldToTake(needDays: readonly number[], held: readonly HeldPage[]): HeldPage[] {
  const taken: HeldPage[] = [];
  let told = -Infinity;
  for (const day of needDays) {
    if (day < told) continue;
    let best: HeldPage | null = null;
    for (const page of held) {
      if (page.start > day * DAY_MS || page.end < (day + 1) * DAY_MS) continue;
      const [days, most] = [dayOf(page.end), best ? dayOf(best.end) : -Infinity];
      // Of two that tell as much the first bought is the one a ledger believes.
      if (!best || days > most || (days === most && page.at < best.at)) best = page;
    }
    if (!best) continue;
    taken.unshift(best);
    told = dayOf(best.end);
  }
  return taken;
}

/**
 * The granularity to buy: own posts what the view needs; of a priced source minutes where the view needs them
 * or the user took the offer, else hours, never days (ledger rule 7).
 */
export function boughtGranularity(
  needed: Granularity,
  priced: boolean,
  offer: boolean,
): Granularity {
  if (!priced) return needed;
  return offer || needed === 'minute' ? 'minute' : 'hour';
}
