import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { DAY_MS } from '#core/time/span.ts';
import { callerOf, program } from '#tests/support/service/callers.ts';
import { startService, type TestService } from '#tests/support/service/service.ts';

const START = Date.parse('2026-11-21T10:30:20Z');
const POSTS = Array.from({ length: 20 }, (_, i) => ({
  id: BigInt(`19900000000000${String(i).padStart(5, '0')}`),
  createdAt: START - 3_600_000 + i * 1000,
  text: `tea ${i}`,
}));
const IDS = POSTS.map(({ id }) => String(id));

let now = START;
let service: TestService;
let app: ReturnType<typeof program>;
beforeEach(() => {
  now = START;
  service = startService({ now: () => now, posts: POSTS });
  app = program(service, { access: 'pay-per-use' });
});
afterEach(() => service.close());

async function usage(parameters = '') {
  const { status, body } = await app.get(`/2/usage/tweets${parameters}`);
  expect(status).toBe(200);
  return body.data;
}

describe('GET /2/usage/tweets', () => {
  it('counts the Posts that lookups and searches returned, each once per UTC day and app', async () => {
    const other = program(service);
    /** Ids by day. */
    const read = new Map<number, Set<string>>();
    const looked = async (ids: readonly string[]): Promise<void> => {
      const { data } = (await app.get(`/2/tweets?ids=${ids.join(',')}`)).body;
      const day = Math.floor(now / DAY_MS);
      const seen = read.get(day) ?? new Set();
      read.set(day, seen);
      for (const { id } of data) seen.add(id);
    };
    for (const [days, ids] of [
      [0, IDS.slice(0, 5)],
      [0, IDS.slice(3, 8)],
      [1, IDS.slice(0, 2)],
      [2, [...IDS.slice(0, 10), '5']],
      [2, IDS.slice(0, 10)],
    ] as const) {
      now = START + days * DAY_MS;
      await looked(ids);
      await other.get(`/2/tweets?ids=${IDS.join(',')}`);
      await app.get('/2/tweets/counts/recent?query=tea');
    }
    const counts = [...read.values()].map((ids) => ids.size);
    expect(counts).toEqual([8, 2, 10]);
    const days = ['2026-11-20', '2026-11-21', '2026-11-22', '2026-11-23'];
    const daily = [0, ...counts].map((n, i) => ({
      date: `${days[i]}T00:00:00.000Z`,
      usage: n,
    }));
    const data = await usage('?days=4');
    expect(data).toEqual({
      cap_reset_day: 8,
      project_cap: 3_000_000,
      project_id: expect.stringMatching(/^\d{1,10}$/),
      project_usage: 20,
      daily_project_usage: { project_id: Number(data.project_id), usage: daily },
      daily_client_app_usage: [{ client_app_id: app.id, usage: daily, usage_result_count: 4 }],
    });

    now = Date.parse('2026-12-01T00:00:00Z');
    await app.get(`/2/tweets/${IDS[0]}`);
    const next = await usage();
    expect([next.cap_reset_day, next.project_usage]).toEqual([31, 1]);
    expect(next.daily_project_usage.usage).toHaveLength(7);
    await service.restart();
    expect(await usage()).toEqual(next);
  });

  it('shows the fields that are asked for, and always those of the project', async () => {
    const always = ['cap_reset_day', 'project_cap', 'project_id', 'project_usage'];
    expect(Object.keys(await usage('?usage.fields=project_cap'))).toEqual(always);
    expect(Object.keys(await usage('?usage.fields=daily_project_usage,project_id'))).toEqual([
      ...always,
      'daily_project_usage',
    ]);
  });

  it.each([
    ['days=0', 'days', '0', 'is not between 1 and 90'],
    ['days=91', 'days', '91', 'is not between 1 and 90'],
    ['days=two', 'days', 'two', 'is not a valid Int'],
    ['days=', 'days', '', 'is not a valid Int'],
    ['usage.fields=cap', 'usage.fields', 'cap', 'is not one of [cap_reset_day,'],
    ['day=1', 'day', '1', 'is not one of [days,usage.fields]'],
  ])('refuses %s and says why', async (query, parameter, value, message) => {
    const { status, body } = await app.get(`/2/usage/tweets?${query}`);
    expect(status).toBe(400);
    expect(body.errors).toEqual([
      { parameters: { [parameter]: [value] }, message: expect.stringContaining(message) },
    ]);
  });
});

describe('GET /usage', () => {
  it('lists every app and the dashboard, with the days that were asked for', async () => {
    await app.get('/2/tweets/counts/recent?query=tea');
    now += 40 * DAY_MS;
    await app.get('/2/tweets/counts/recent?query=tea');
    type Bill = {
      readonly name: string;
      readonly charged: number;
      readonly month: { readonly charged: number };
      readonly days: readonly { readonly day: string }[];
    };
    const ask = async (days: number): Promise<Bill[]> =>
      (await callerOf(service).get(`/usage?days=${days}`)).body.data;
    const [all, few] = [await ask(90), await ask(1)];
    const names = all.map(({ name }) => name);
    expect(names.toSorted()).toEqual(['Command line', 'Dashboard', app.name]);
    expect(names.at(-1)).toBe('Dashboard');
    const reader = (bills: readonly Bill[]) => bills.find(({ name }) => name === app.name);
    expect(reader(all)).toMatchObject({
      charged: 10_000,
      month: { charged: 5_000 },
      days: [{ day: '2026-12-31' }, { day: '2026-11-21' }],
    });
    expect(reader(few)).toMatchObject({ charged: 5_000, days: [{ day: '2026-12-31' }] });
    expect((await service.request('/usage?days=91')).status).toBe(400);
  });
});
