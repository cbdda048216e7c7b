import { randomBytes } from 'node:crypto';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { openDb } from '#server/db/driver.ts';
import { openService, type Service } from '#server/auth/store.ts';
import { freshFolder } from '#tests/server/db/folder.ts';

const file = freshFolder();
let service: Service;
const open = (): Service => openService(file('service.sqlite'), { random: (n) => randomBytes(n) });
const reopen = (): void => {
  service.close();
  service = open();
};
beforeEach(() => {
  service = open();
});
afterEach(() => service.close());

const DAY = 20_000;
const BILLED = {
  app: '7',
  day: DAY,
  operation: 'GET /x',
  account: 'none',
  resources: 2,
  posts: 1,
  charged: 3,
  price: 4,
};
const take = (ids: readonly string[], amount: number, day = DAY, app = '7') => {
  const { fresh, price } = service.bills.take(app, day, 'post', ids, amount);
  return [fresh.length, price];
};

it('bills a resource once a day, at the highest price, in any order', () => {
  expect(take(['1', '2', '2'], 1_000)).toEqual([2, 2_000]);
  expect(take(['2', '3'], 5_000)).toEqual([1, 9_000]);
  expect(take(['1', '2', '3'], 1_000)).toEqual([0, 0]);
  service.bills.add(BILLED);
  reopen();
  expect(take(['1', '2', '3', '4'], 1_000)).toEqual([1, 1_000]);
  expect(take(['1', '4'], 5_000)).toEqual([0, 8_000]);
  expect(service.bills.unbilled('7', DAY, 'post', ['4', '5'])).toEqual(['5']);
  expect(service.bills.unbilled('7', DAY, 'like', ['4'])).toEqual(['4']);
});

it('knows days and apps apart, and forgets days before yesterday', () => {
  const ids = Array.from({ length: 3_000 }, (_, i) => String(i));
  take(ids, 1, DAY);
  expect(take(['1'], 1, DAY + 1)).toEqual([1, 1]);
  expect(take(['1'], 1, DAY, '8')).toEqual([1, 1]);
  service.bills.add(BILLED);
  reopen();
  const db = openDb(file('service.sqlite'));
  const stored = db.prepare('SELECT count(*) FROM billed');
  expect(stored.get()).toEqual([3_002]);
  for (const [day, left] of [
    [DAY + 1, 3_002],
    [DAY + 2, 1_002],
    [DAY + 2, 1],
    [DAY + 3, 0],
  ] as const) {
    service.bills.add({ ...BILLED, day });
    service.bills.of('7', day);
    expect(stored.get()).toEqual([left]);
  }
  db.close();
});

it('adds up what it is given, also while a part waits', () => {
  service.bills.add(BILLED);
  service.bills.add(BILLED);
  const sum = { ...BILLED, requests: 2, resources: 4, posts: 2, charged: 6, price: 8 };
  expect(service.bills.of('7', DAY)).toEqual([sum]);
  service.bills.add(BILLED);
  reopen();
  const three = { ...BILLED, requests: 3, resources: 6, posts: 3, charged: 9, price: 12 };
  expect(service.bills.of('7', DAY)).toEqual([three]);
  expect(service.bills.of('7', DAY + 1)).toEqual([]);
  expect(service.bills.of('8', DAY)).toEqual([]);
});

it('writes within a second, while it is open', async () => {
  service.bills.add(BILLED);
  const db = openDb(file('service.sqlite'));
  const stored = db.prepare('SELECT requests FROM bill');
  await expect.poll(() => stored.get(), { timeout: 1_000 }).toEqual([1]);
  db.close();
});

it('stores a balance together with what it counts', () => {
  expect(service.bills.balance('7')).toBeUndefined();
  service.bills.add(BILLED);
  service.bills.putBalance('7', { creditsSet: 2, charged: 3 });
  const db = openDb(file('service.sqlite'));
  expect(db.prepare('SELECT charged FROM bill').all()).toEqual([[3]]);
  db.close();
  reopen();
  expect(service.bills.balance('7')).toEqual({ creditsSet: 2, charged: 3 });
});
