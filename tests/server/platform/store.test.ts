import { statSync } from 'node:fs';
import { expect, test } from 'vitest';
import { DAY_MS } from '#core/time/span.ts';
import { openDb } from '#server/db/driver.ts';
import { openPlatform, type Order, type PlatformStore } from '#server/platform/store.ts';
import { openService } from '#server/auth/store.ts';
import { countingBytes, temporaryFolder } from '#tests/server/db/folder.ts';
import { StoreError } from '#server/db/store-error.ts';

const file = temporaryFolder();
const NOW = Date.parse('2026-11-20T12:00:00Z');
const TODAY = NOW / DAY_MS - 0.5;
const free = (): void => {};

const order = (over: Partial<Order> = {}): Order => ({
  ask: 'ask-0001',
  request: 'request',
  endpoint: 'all',
  query: 'tea',
  at: NOW,
  price: 10_000,
  room: 1_000,
  ...over,
});

const WINDOW = { meaning: 'tea', granularity: 'hour', fields: 'all', start: 0, end: DAY_MS };
const parts = (over = {}) => ({
  meaning: 'tea',
  granularity: 'hour',
  fields: 'all',
  start: 0,
  end: DAY_MS,
  token: null,
  ...over,
});
const page = (text: string, date = NOW) => ({
  date,
  headers: { date: 'then' },
  body: Buffer.from(text),
});
const SHARED = { instead: false, continued: false };
const textOf = (store: PlatformStore, from = 0): string | undefined => {
  const found = store.settledPage(WINDOW, from);
  return found && Buffer.from(found.body).toString();
};
const sumToday = (store: PlatformStore) => store.sum(TODAY, TODAY + 1);

test('the file is readable only by its user, and no other store opens it', () => {
  const path = file('kind.sqlite');
  openPlatform(path).close();
  expect(statSync(path).mode & 0o777).toBe(0o600);
  openPlatform(path).close();
  expect(() => openService(path, { random: countingBytes() })).toThrow(StoreError);
});

test('reserved, billed and uncertain purchases count, released ones do not', () => {
  const store = openPlatform(file('sums.sqlite'));
  const made = ['a', 'b', 'c', 'd'].map((ask) => store.reserve(order({ ask }), free));
  expect(sumToday(store)).toEqual({ requests: 4, price: 40_000 });
  const [open = 0, billed = 0, released = 0, uncertain = 0] = made;
  expect(new Set(made).size).toBe(4);
  store.bill(billed, parts(), page('b'), SHARED);
  store.end(released, 'released', 429);
  store.end(uncertain, 'uncertain', null);
  expect(sumToday(store)).toEqual({ requests: 3, price: 30_000 });
  expect(store.uncertain()).toEqual({ requests: 1, price: 10_000 });
  expect(store.sum(TODAY + 1, TODAY + 2)).toEqual({ requests: 0, price: 0 });
  store.end(open, 'released', null);
  store.close();
});

test('purchases running when the program stopped are uncertain when the file is opened again', () => {
  const path = file('crash.sqlite');
  const before = openPlatform(path);
  before.reserve(order(), free);
  expect(before.uncertain().requests).toBe(0);
  const after = openPlatform(path);
  expect(after.uncertain()).toEqual({ requests: 1, price: 10_000 });
  expect(sumToday(after)).toEqual({ requests: 1, price: 10_000 });
  before.close();
  after.close();
});

test('a refused reservation leaves nothing', () => {
  const store = openPlatform(file('refused.sqlite'));
  const refuse = (): never => {
    throw new Error('no room');
  };
  expect(() => store.reserve(order(), refuse)).toThrow('no room');
  expect(sumToday(store).requests).toBe(0);
  expect(store.requestOf('ask-0001')).toBeUndefined();
  store.close();
});

test('a page is found by its ask and by its window, also after a restart', () => {
  const path = file('page.sqlite');
  const store = openPlatform(path);
  store.bill(store.reserve(order(), free), parts(), page('one'), SHARED);
  store.close();
  const again = openPlatform(path);
  expect(again.pageOf('ask-0001')).toEqual({
    ...page('one'),
    ask: 'ask-0001',
    body: expect.anything(),
  });
  expect(again.settledPage(WINDOW, 0)?.ask).toBe('ask-0001');
  expect(again.requestOf('ask-0001')).toBe('request');
  expect(again.pageOf('ask-0002')).toBeUndefined();
  expect(textOf(again)).toBe('one');
  expect(textOf(again, NOW)).toBe('one');
  expect(textOf(again, NOW + 1)).toBeUndefined();
  again.close();
});

test.each([
  { meaning: 'coffee' },
  { granularity: 'day' },
  { fields: 'end' },
  { start: 1 },
  { end: DAY_MS + 1 },
])('a window that differs by %o has no page', (over) => {
  const store = openPlatform(file(`differs-${Object.keys(over).join()}.sqlite`));
  store.bill(store.reserve(order(), free), parts(), page('one'), SHARED);
  expect(store.settledPage({ ...WINDOW, ...over }, 0)).toBeUndefined();
  store.close();
});

test('the first page is returned until one is bought instead', () => {
  const store = openPlatform(file('instead.sqlite'));
  const bill = (ask: string, instead: boolean): void =>
    store.bill(store.reserve(order({ ask }), free), parts(), page(ask), { ...SHARED, instead });
  bill('first', false);
  bill('again', false);
  expect(textOf(store)).toBe('first');
  bill('instead', true);
  expect(textOf(store)).toBe('instead');
  expect(store.pages(WINDOW, 0, 9)).toHaveLength(1);
  expect(store.pageOf('first')?.body.toString()).toBe('first');
  store.close();
});

test('a page after a token is returned only to its own ask', () => {
  const store = openPlatform(file('token.sqlite'));
  store.bill(store.reserve(order(), free), parts({ token: 'next' }), page('rest'), SHARED);
  expect(textOf(store)).toBeUndefined();
  expect(store.pages(WINDOW, 0, 9)).toEqual([]);
  expect(store.pageOf('ask-0001')).toBeDefined();
  store.close();
});

test('a page with a continuation is returned only to its own ask, even if it was bought instead', () => {
  const store = openPlatform(file('continued.sqlite'));
  const bill = (ask: string, sharing: typeof SHARED): void =>
    store.bill(store.reserve(order({ ask }), free), parts(), page(ask), sharing);
  bill('short', { instead: false, continued: true });
  expect(textOf(store)).toBeUndefined();
  expect(store.pages(WINDOW, 0, 9)).toEqual([]);
  expect(store.pageOf('short')?.body.toString()).toBe('short');
  bill('whole', SHARED);
  expect(textOf(store)).toBe('whole');
  bill('instead', { instead: true, continued: true });
  expect(textOf(store)).toBeUndefined();
  store.close();
});

test('the list of pages has the first settled page of each window, newest window first, up to the limit', () => {
  const store = openPlatform(file('pages.sqlite'));
  const bill = (endpoint: 'recent' | 'all', start: number, days: number, date: number): void => {
    const of = parts({ start: start * DAY_MS, end: (start + days) * DAY_MS });
    store.bill(store.reserve(order({ endpoint }), free), of, page('', date), SHARED);
  };
  bill('recent', 3, 1, 5 * DAY_MS - 1);
  bill('all', 3, 1, 5 * DAY_MS);
  bill('recent', 3, 1, 9 * DAY_MS);
  bill('all', 5, 1, 7 * DAY_MS);
  bill('all', 1, 1, 3 * DAY_MS);
  bill('all', 1, 2, 4 * DAY_MS);
  const listed = (settleMs: number, limit: number): string[] =>
    store
      .pages(WINDOW, settleMs, limit)
      .map(({ endpoint, start, end, date }) =>
        [endpoint, ...[start, end, date].map((at) => at / DAY_MS)].join(' '),
      );
  expect(listed(DAY_MS, 9)).toEqual(['all 5 6 7', 'all 3 4 5', 'all 1 3 4', 'all 1 2 3']);
  expect(listed(DAY_MS, 2)).toEqual(['all 5 6 7', 'all 3 4 5']);
  expect(listed(DAY_MS + 1, 9)).toEqual(['recent 3 4 9']);
  expect(listed(0, 2)).toEqual(['all 5 6 7', `recent 3 4 ${5 - 1 / DAY_MS}`]);
  store.close();
});

test('spending is summed by day, month and query', () => {
  const store = openPlatform(file('spending.sqlite'));
  const buy = (at: string, query: string, price: number): void => {
    const made = order({ at: Date.parse(at), ask: at + query, query, price });
    store.bill(store.reserve(made, free), parts(), page(''), SHARED);
  };
  buy('2026-10-31T23:59:59Z', 'tea', 5_000);
  buy('2026-11-01T00:00:00Z', 'tea', 10_000);
  buy('2026-11-01T23:59:59Z', 'coffee', 20_000);
  const day = (text: string): number => Date.parse(text) / DAY_MS;
  expect(store.days(62)).toEqual([
    { day: day('2026-11-01'), requests: 2, price: 30_000 },
    { day: day('2026-10-31'), requests: 1, price: 5_000 },
  ]);
  expect(store.days(1)).toHaveLength(1);
  expect(store.months()).toEqual([
    { month: '2026-11', requests: 2, price: 30_000 },
    { month: '2026-10', requests: 1, price: 5_000 },
  ]);
  expect(store.queries()).toEqual([
    { query: 'coffee', requests: 1, price: 20_000, last: Date.parse('2026-11-01T23:59:59Z') },
    { query: 'tea', requests: 2, price: 15_000, last: Date.parse('2026-11-01T00:00:00Z') },
  ]);
  store.close();
});

test('settings are stored unchanged', () => {
  const path = file('settings.sqlite');
  const store = openPlatform(path);
  expect(store.settings()).toBeUndefined();
  store.putSettings({ a: 1 });
  store.putSettings({ a: 2 });
  store.close();
  const again = openPlatform(path);
  expect(again.settings()).toEqual({ a: 2 });
  const db = openDb(path);
  db.exec(`UPDATE setting SET value = '{'`);
  db.close();
  expect(again.settings()).toBeNull();
  again.close();
});

test('a file of a later format stays unchanged', () => {
  const path = file('later.sqlite');
  openPlatform(path).close();
  const db = openDb(path);
  db.exec(`UPDATE meta SET value = '99' WHERE key = 'format'`);
  db.close();
  expect(() => openPlatform(path)).toThrow('newer version');
});
