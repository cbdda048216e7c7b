import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import * as v from 'valibot';
import { expect, it, vi } from 'vitest';
import { ADVERTISERS, type AdvertisersAnswer } from '#contract/ads/advertisers.ts';
import { CONSOLE, ConsoleEvent, MOST_REFUSED } from '#contract/ads/console.ts';
import { consoleImports } from '#server/api/ads/console.ts';
import { adsStage } from './ads-stage.ts';

const { on, account } = adsStage();
on.signer('bob');

const send = (path: string, query: Readonly<Record<string, string>>, file: string) =>
  on.service.request(`${path}?${new URLSearchParams({ name: 'C:\\export.csv', ...query })}`, {
    method: 'POST',
    body: file,
    headers: { 'content-length': String(new TextEncoder().encode(file).length) },
  });
async function load(query: Readonly<Record<string, string>>, file: string) {
  const answer = await send(CONSOLE.import.path, query, file);
  expect(answer.status).toBe(200);
  const lines = (await answer.text()).trimEnd().split('\n');
  return lines.map((line) => v.parse(ConsoleEvent, JSON.parse(line)));
}
const accounts = async () =>
  ((await on.dashboard('alice').get(ADVERTISERS.path)).body as AdvertisersAnswer).accounts;

it.each([
  {
    name: 'columns that are read and that are not',
    file: 'Campaign name,Day,Spend (USD),CTR\nA,2026-10-25,1,1\nB,2026-10-26,2,1\n',
    found: {
      rows: 2,
      columns: [
        { field: 'campaign', column: 'Campaign name' },
        { field: 'time', column: 'Day' },
        { field: 'billed_charge_local_micro', column: 'Spend (USD)' },
      ],
      ignored: ['CTR'],
      undecided: null,
    },
  },
  {
    name: 'dates whose order it does not show',
    file: 'Campaign,Day\nA,04/03/2026\n',
    found: { rows: 1, undecided: { example: '04/03/2026' } },
  },
  {
    name: 'dates in two orders',
    file: 'Campaign,Day\nA,14/03/2026\nA,03/14/2026\n',
    found: { undecided: { example: null } },
  },
  {
    name: 'dates that show their order',
    file: 'Campaign,Day\nA,04/13/2026\n',
    found: { undecided: null },
  },
])('says of a file its $name, and changes nothing', async ({ file, found }) => {
  const before = await accounts();
  const answer = await send(CONSOLE.survey.path, {}, file);
  expect([answer.status, await answer.json()]).toEqual([200, expect.objectContaining(found)]);
  expect(await accounts()).toEqual(before);
});

it('imports a file into an ad account that it creates, and reports every row', async () => {
  const rows = Array.from({ length: MOST_REFUSED + 1 }, () => 'A,2026-10-25,x,');
  const file = ['Campaign,Date,Impressions,Status', 'B,2026-10-25,1,Odd', ...rows].join('\n');
  const order = { user: 'bob', time_zone: 'Asia/Tokyo', dates: 'DMY' };
  const events = await load(order, file);
  const done = events.pop();
  expect(events.at(-1)).toEqual({ type: 'reading', rows: 102 });
  const made = (await accounts()).find(({ imported }) => imported);
  expect(made).toMatchObject({ username: 'bob', timezone: 'Asia/Tokyo', campaigns: 1 });
  expect(done).toMatchObject({
    type: 'imported',
    read: 102,
    created: 1,
    updated: 0,
    unchanged: 0,
    refused: 101,
    statuses: ['Odd'],
    account: made?.id,
    campaigns: { total: 1, created: 1, updated: 0, unchanged: 0, ids: [expect.any(String)] },
  });
  const { reasons } = done as Extract<ConsoleEvent, { type: 'imported' }>;
  expect(reasons).toHaveLength(MOST_REFUSED);
  expect(reasons[0]).toEqual({
    line: 3,
    reason: 'expected a whole number as impressions, got "x"',
  });
  expect((await load(order, file)).at(-1)).toMatchObject({ created: 0, unchanged: 1 });
  const uploads = join(on.service.folder, 'uploads');
  expect(existsSync(uploads) && readdirSync(uploads)).toEqual([]);
});

it('imports a file into an ad account that exists, in its time zone', async () => {
  const order = { user: 'alice', account };
  const file = 'Campaign,Date,Impressions\nA,2026-10-25,3\n';
  expect((await load(order, file)).at(-1)).toMatchObject({ created: 1, account });
});

const FILE = 'Campaign,Date\nA,04/03/2026\n';
it.each([
  ['of dates in an unknown order', { user: 'alice' }, FILE, 'export.csv: has dates such as'],
  ['of an ad account of another user', { user: 'bob', account }, FILE, '@bob has no ad account'],
  ['that is no CSV', { user: 'bob' }, '[{"a": 1}]', 'export.csv: is not CSV'],
  [
    'without a campaign',
    { user: 'bob' },
    'a,b\n1,2\n',
    'export.csv: has no column for campaign_id',
  ],
])('refuses a file %s', async (_, order, file, message) => {
  const [event, ...more] = await load(order, file);
  expect([event, more]).toEqual([{ type: 'fault', message: expect.stringContaining(message) }, []]);
});

it.each([
  [404, { user: 'nobody' }, FILE],
  [400, { user: 'alice', dates: 'YMD' }, FILE],
  [400, { user: 'alice', time_zone: 'Berlin' }, FILE],
  [400, {}, FILE],
])('answers %i to %j', async (status, order, file) => {
  expect((await send(CONSOLE.import.path, order, file)).status).toBe(status);
});

it('surveys one file at a time, each in a thread of its own', async () => {
  const ends: (() => void)[] = [];
  const rules = new Map<object, (call: unknown) => Promise<unknown>>();
  const found = { rows: 0, columns: [], ignored: [], undecided: null };
  consoleImports({
    http: { serve: (endpoint: object, rule: never) => rules.set(endpoint, rule) },
    uploads: { receive: async () => ({ path: 'sent', remove: async () => {} }) },
    console: { survey: () => new Promise((resolve) => ends.push(() => resolve(found))) },
  } as unknown as Parameters<typeof consoleImports>[0]);
  const raw = { body: null, signal: new AbortController().signal };
  const call = { c: { req: { header: () => '0', raw } }, query: { name: 'a.csv' } };
  const both = [0, 1].map(() => rules.get(CONSOLE.survey)?.(call));
  await vi.waitFor(() => expect(ends).toHaveLength(1));
  ends[0]?.();
  expect(await both[0]).toBe(found);
  await vi.waitFor(() => expect(ends).toHaveLength(2));
  ends[1]?.();
  expect(await both[1]).toBe(found);
});
