import { freshness, reachOf } from '#core/counts/head.ts';
import { SETTLE_MS } from '#core/counts/ledger.ts';
import type { RequestNeed } from '#core/counts/requests.ts';
import { lastDays } from './household.ts';
import { dayOf } from '#core/counts/day-windows.ts';

export const NOON = Date.parse('2026-11-20T12:00:00Z');
export const TODAY = dayOf(NOON);
/** The public prices, USD. */
export const PRICES = { recent: 0.005, all: 0.01 };

/** The last 30 days, none of them known, from the archive alone, with overrides. */
export function need(
  over: Partial<RequestNeed> = {},
  look: Partial<RequestNeed['look']> = {},
): RequestNeed {
  const now = look.now ?? NOON;
  const endpoints = over.endpoints ?? 'all';
  return {
    look: {
      view: lastDays(now, 30),
      reach: reachOf(endpoints === 'recent' ? 'recent' : 'all', now, over.granularity ?? 'hour'),
      now,
      settleNow: now,
      known: [[]],
      freshMs: freshness('hour'),
      settleMs: SETTLE_MS,
      ...look,
    },
    granularity: 'hour',
    endpoints,
    prices: PRICES,
    pageDays: 31,
    pageBuckets: null,
    busySpans: [],
    busy: new Set(),
    fullHeadToday: false,
    ...over,
  };
}
