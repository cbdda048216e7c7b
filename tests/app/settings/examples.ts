import { seriesKey, type CachedSeries } from '#app/counts/cache/records.ts';
import type { PlatformAnswer } from '#contract/counts/platform.ts';
import type { SpendingAnswer } from '#contract/counts/spending.ts';
import { DEFAULT_PLATFORM_SETTINGS } from '#contract/counts/platform-terms.ts';
import type { SourceInfo } from '#contract/counts/source.ts';
import { DAY_MS } from '#core/time/span.ts';

export const NOW = Date.UTC(2026, 10, 20, 13, 2);

export const OWN: readonly SourceInfo[] = [
  {
    id: 'sample',
    store: 'made',
    revision: 1,
    posts: 214_000,
    first: '2023-11-20T00:00:00Z',
    last: '2026-11-20T13:00:00Z',
    coverage: [{ start: '2006-03-21T00:00:00Z', end: null }],
  },
  { id: 'posts', store: 'mine', revision: 0, posts: 0, first: null, last: null, coverage: [] },
];
export const PLATFORM: SourceInfo = {
  id: 'platform',
  store: 'api.x.com',
  revision: 0,
  posts: null,
  first: '2006-03-21T00:00:00.000Z',
  last: null,
  coverage: [{ start: '2006-03-21T00:00:00Z', end: null }],
};

export const ANSWER: PlatformAnswer = {
  host: 'api.x.com',
  settings: DEFAULT_PLATFORM_SETTINGS,
  today: { requests: 36, money: 0.36 },
  month: { requests: 412, money: 4.115 },
  clockAheadMs: null,
  pools: {
    recent: null,
    all: { remaining: 264, reset: Date.UTC(2026, 10, 20, 13, 11) / 1000 },
  },
};

export const SPENDING: SpendingAnswer = {
  today: ANSWER.today,
  month: ANSWER.month,
  days: [
    { day: '2026-11-20', requests: 36, money: 0.36 },
    { day: '2026-11-18', requests: 376, money: 3.755 },
  ],
  months: [{ month: '2026-11', requests: 412, money: 4.115 }],
  queries: [
    {
      query: '"oat milk" OR #oatmilk',
      requests: 245,
      money: 2.445,
      last: '2026-11-20T12:40:00.000Z',
    },
    {
      query: 'matcha -recipe lang:en',
      requests: 155,
      money: 1.55,
      last: '2026-11-18T09:12:00.000Z',
    },
    { query: '@barista', requests: 12, money: 0.12, last: '2026-11-18T09:20:00.000Z' },
  ],
  uncertain: { requests: 2, money: 0.02 },
};

/** A series that has these stretches of counts. */
export function cachedSeries(
  query: string,
  known: readonly { from: number; to: number; at: number }[],
  over: Partial<
    Pick<CachedSeries, 'source' | 'store' | 'usedAt' | 'bytes' | 'receipts' | 'paid' | 'requests'>
  > = {},
): CachedSeries {
  return {
    key: seriesKey(over.source ?? 'platform', over.store ?? 'api.x.com', query, 1),
    source: 'platform',
    store: 'api.x.com',
    query,
    usedAt: NOW - 3_600_000,
    bytes: 1_640_000,
    coverage: [{ granularity: 'hour', known: known.map((each) => ({ ...each, generation: 0 })) }],
    receipts: 244,
    paid: 2.44,
    requests: 0,
    fullHead: 0,
    invalidated: [],
    ...over,
  };
}

const day = (text: string): number => Date.parse(`${text}T00:00:00Z`);

/**
 * Three series: the whole archive with its last days provisional; one with gaps; one of a store that the service no
 * longer has.
 */
export const CACHED: readonly CachedSeries[] = [
  cachedSeries('"oat milk" OR #oatmilk', [{ from: day('2006-03-21'), to: NOW, at: NOW }]),
  cachedSeries(
    'matcha -recipe lang:en',
    [
      { from: day('2016-02-01'), to: day('2016-02-02'), at: NOW },
      { from: day('2021-01-01'), to: day('2023-05-05'), at: NOW },
      { from: day('2025-01-01'), to: day('2026-11-20'), at: day('2026-11-20') },
    ],
    { usedAt: NOW - 9 * DAY_MS, bytes: 212_000, paid: 0.155, receipts: 16, requests: 1 },
  ),
  cachedSeries('"cold brew"', [{ from: day('2024-01-01'), to: NOW, at: NOW }], {
    source: 'sample',
    store: 'made-before',
    usedAt: NOW - 40 * DAY_MS,
    bytes: 9_300_000,
    paid: 0,
    receipts: 35,
  }),
];
