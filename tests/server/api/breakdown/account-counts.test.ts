import * as v from 'valibot';
import { afterAll, describe, expect, it } from 'vitest';
import { AccountCountsAnswer } from '#contract/counts/account-counts.ts';
import { boundaries } from '#core/time/boundary.ts';
import { DAY_MS, HOUR_MS } from '#core/time/span.ts';
import { zoneTable } from '#core/time/zone.ts';
import { Random } from '#server/sample/random.ts';
import { startService } from '#tests/support/service/service.ts';

const START = Date.UTC(2020, 2, 1);
const DAYS = 60;
const ZONE = 'Europe/Berlin';

const random = new Random(11);
/** Posts of thirty accounts, some known by their id alone, in no order of time. */
const posts = Array.from({ length: 1_500 }, (_, i) => {
  const account = random.below(30);
  return {
    id: BigInt(i + 1),
    createdAt: START + random.below(DAYS * DAY_MS),
    text: random.chance(0.5) ? 'green tea' : 'coffee',
    ...(account % 3 === 0 ? { authorId: String(900 + account) } : { username: `user${account}` }),
  };
});
const service = startService({ posts });
afterAll(() => service.close());

const at = (ms: number): string => new Date(ms).toISOString();
const span = { start: START + 3 * DAY_MS - HOUR_MS, end: START + (DAYS - 2) * DAY_MS - HOUR_MS };
const ASKED = {
  query: 'tea',
  start_time: at(span.start),
  end_time: at(span.end),
  granularity: 'day',
  time_zone: ZONE,
  window: '7',
};
const request = (over: Partial<Record<keyof typeof ASKED, string>> = {}) =>
  service.request(`/account-counts?${new URLSearchParams({ ...ASKED, ...over })}`);

/** The accounts of Posts about tea between two instants. */
function accountsBetween(from: number, to: number): number {
  const within = posts.filter(({ createdAt, text }) => {
    const second = Math.floor(createdAt / 1000) * 1000;
    return text.includes('tea') && second >= from && second < to;
  });
  return new Set(within.map((post) => ('username' in post ? post.username : post.authorId))).size;
}

describe('GET /account-counts', () => {
  it.each([
    ['day', 7],
    ['day', 1],
    ['day', 55],
    ['hour', 24],
    ['day', 56],
  ] as const)('counts each account once per %s and window of %s', async (granularity, window) => {
    const answer = await request({ granularity, window: String(window) });
    const { data } = v.parse(AccountCountsAnswer, await answer.json());
    // With a change of the clock on 29 March.
    const bounds = boundaries(span, granularity, zoneTable(ZONE, span), 1);
    const counted = (length: number): number[] =>
      Array.from({ length: Math.max(0, bounds.length - length) }, (_, i) =>
        accountsBetween(bounds[i]!, bounds[i + length]!),
      );
    expect(data).toEqual({ buckets: counted(1), windows: counted(window) });
  });

  it.each([
    [{ query: 'tea (' }, `query`],
    [{ time_zone: 'Europe/Atlantis' }, `'time_zone' must be the name of a time zone`],
    [{ granularity: 'week' }, 'granularity'],
    [{ window: '0' }, 'window'],
    [{ end_time: at(START + 3_000 * DAY_MS) }, `at most 2000 days after 'start_time'`],
    [{ end_time: ASKED.start_time }, `'end_time' must be after 'start_time'`],
  ])('refuses %j', async (over, says) => {
    const answer = await request(over);
    expect(answer.status).toBe(400);
    expect(await answer.text()).toContain(says);
  });
});
