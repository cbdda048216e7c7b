import * as v from 'valibot';
import { afterAll, describe, expect, it } from 'vitest';
import { UNTIL_NOW_HEADER } from '#contract/counts/counts.ts';
import { LIVE_SILENCE_MS, LiveCounts, LiveLine, MOST_LIVE } from '#contract/counts/live.ts';
import {
  callerOf,
  person,
  program,
  type Caller,
  type Credentials,
} from '#tests/support/service/callers.ts';
import { FakeClock } from '#tests/support/timers.ts';
import { startService } from '#tests/support/service/service.ts';
import { linesOf } from '#tests/support/service/stream-lines.ts';

const NOW = Date.UTC(2026, 10, 21, 14, 0, 0, 500);
const clock = new FakeClock(NOW);
const service = startService({
  posts: [{ id: 1n, createdAt: '2026-01-01T00:00:00Z', text: 'tea' }],
  now: clock.now,
  elapsed: clock.now,
  outgoing: { timer: clock.timer },
});
afterAll(() => service.close());

/** A second passes: the service does what is due. */
async function second(): Promise<void> {
  await clock.move(1000, () => service.tick());
}

async function follow(headers: Record<string, string> = {}) {
  const answer = await service.request('/live', { headers });
  const { next, line, close } = linesOf(answer);
  return { answer, line, close, next: async () => v.parse(LiveLine, await next()) };
}

/** A stream after its first lines. */
async function begun(headers: Record<string, string> = {}) {
  const stream = await follow(headers);
  const first = [await stream.next(), await stream.next()];
  return { ...stream, first };
}

const post = async (text: string): Promise<void> =>
  expect((await person(service, 'alice').post('/2/tweets', { text })).status).toBe(201);

const HOUR = '2026-11-21T14:00:00.000Z';
const count = (body: object) =>
  callerOf(service).post('/live/counts', {
    source: 'posts',
    granularity: 'hour',
    start: HOUR,
    ...body,
  });

describe('GET /live', () => {
  it('begins with the revision of each source, and says where counts changed since', async () => {
    const { first, answer, next, close } = await begun();
    expect(answer.headers.get('content-type')).toBe('application/x-ndjson');
    expect(first.map(({ source, revision, spans }) => [source, revision, spans])).toEqual([
      ['posts', 1, null],
      ['sample', 0, null],
    ]);
    service.add('posts', [{ id: 2n, createdAt: '2026-03-01T12:00:00Z', text: 'tea' }]);
    service.add('posts', [{ id: 3n, createdAt: '2026-05-01T12:00:00Z', text: 'tea' }]);
    await second();
    const line = await next();
    expect(line).toMatchObject({ source: 'posts', store: first[0]?.store, revision: 3 });
    expect(line.spans?.map(({ start }) => start)).toEqual([
      '2026-03-01T12:00:00.000Z',
      '2026-05-01T12:00:00.000Z',
    ]);
    const changes = await callerOf(service).get(`/changes?since=1&mark=${first[0]?.mark}`);
    expect(changes.body.spans).toEqual(line.spans);
    await close();
  });

  it('tells of a created Post before the next second, which a count until now has', async () => {
    // The first one begins a time that the source covers.
    await post('milk');
    const { next, close } = await begun();
    await post('live tea');
    await clock.move(40);
    expect((await next()).spans).toEqual([
      { start: '2026-11-21T14:00:01.000Z', end: '2026-11-21T14:00:02.000Z' },
    ]);
    const counted = v.parse(LiveCounts, (await count({ queries: ['live', 'milk'] })).body);
    expect(counted.counts).toEqual([[1], [1]]);
    const find = async (who: Caller, headers: Credentials = {}): Promise<number> =>
      (await who.get('/2/tweets/search/recent?query=live', headers)).body.meta.result_count;
    expect(await find(callerOf(service), { [UNTIL_NOW_HEADER]: '1' })).toBe(1);
    expect(await find(callerOf(service))).toBe(0);
    expect(await find(program(service), { [UNTIL_NOW_HEADER]: '1' })).toBe(0);
    await close();
  });

  it('sends a reader that is slow one line for all that happened', async () => {
    const { line, next, close } = await begun();
    for (const id of [11n, 12n, 13n]) {
      service.add('posts', [{ id, createdAt: '2026-06-01T12:00:00Z', text: 'tea' }]);
      await second();
    }
    expect((await next()).spans).toHaveLength(1);
    await second();
    expect((await next()).revision).toBeGreaterThan(4);
    await clock.move(LIVE_SILENCE_MS);
    await second();
    expect(await line()).toBe('');
    await close();
  });

  it('lets each session have four streams, and counts those that are closed no more', async () => {
    const { cookie } = service;
    const open = [];
    for (let i = 0; i < 4; i += 1) open.push(await begun({ cookie }));
    expect((await follow({ cookie })).answer.status).toBe(429);
    await (await begun()).close();
    await open[0]?.close();
    const again = await begun({ cookie });
    for (const each of [...open.slice(1), again]) await each.close();
  });

  it('has no parameters, and no body for HEAD', async () => {
    expect((await service.request('/live?since=1')).status).toBe(400);
    const head = await service.request('/live', { method: 'HEAD' });
    expect([head.status, await head.text()]).toEqual([200, '']);
  });

  it('ends with the service, and knows after a start what was missed', async () => {
    const { first, line, close } = await begun();
    await service.restart(() =>
      service.add('posts', [{ id: 21n, createdAt: '2026-07-01T12:00:00Z', text: 'tea' }]),
    );
    expect(await line()).toBeNull();
    await close();
    const after = await begun();
    expect(after.first[0]?.store).toBe(first[0]?.store);
    expect(after.first[0]?.revision).toBe((first[0]?.revision ?? 0) + 1);
    await after.close();
  });
});

describe('POST /live/counts', () => {
  it('counts many queries over one state, as the interface of counts does', async () => {
    const start = '2026-01-01T00:00:00Z';
    const queries = ['tea', 'milk', 'tea -milk'];
    const answer = await count({ queries, granularity: 'day', start });
    const { counts, end, revision } = v.parse(LiveCounts, answer.body);
    expect(answer.headers.get('x-store-revision')).toBe(String(revision));
    expect(Date.parse(end) - clock.now()).toBeGreaterThan(0);
    expect(Date.parse(end) - clock.now()).toBeLessThanOrEqual(1000);
    for (const [i, query] of queries.entries()) {
      const search = new URLSearchParams({ query, granularity: 'day', start_time: start });
      const page = await callerOf(service).get(`/2/tweets/counts/all?${search.toString()}`);
      const { data } = page.body;
      // A page has the newest 31 days, and ends ten seconds before now.
      const newest = counts[i]?.slice(-data.length) ?? [];
      expect(newest).toEqual(data.map((bucket: { tweet_count: number }) => bucket.tweet_count));
    }
    const total = (i: number): number => counts[i]?.reduce((sum, each) => sum + each, 0) ?? NaN;
    expect(total(0)).toBeGreaterThan(4);
    expect(total(2)).toBe(total(0));
  });

  it('refuses what is no start of a past bucket, too much, and queries that cannot be counted', async () => {
    const queries = ['tea'];
    for (const body of [
      { queries, start: '2026-11-21T14:00:30Z' },
      { queries, start: '2027-01-01T00:00:00Z' },
      { queries: [] },
      { queries: Array.from({ length: MOST_LIVE.queries + 1 }, () => 'tea') },
      { queries, granularity: 'minute', start: '2026-01-01T00:00:00Z' },
      { queries: ['(tea'] },
      { queries: ['in:nowhere'] },
    ])
      expect([body, (await count(body)).status]).toEqual([body, 400]);
    expect((await count({ queries, source: 'platform' })).status).toBe(404);
  });
});
