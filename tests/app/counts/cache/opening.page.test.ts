import type { SourceInfo } from '#contract/counts/source.ts';
import { afterEach, describe, expect, test } from 'vitest';
import { CountsCache, type CacheEvents } from '#app/counts/cache/counts-cache.ts';
import { CountsDatabase } from '#app/counts/cache/database.ts';
import { wholeCache } from '#tests/support/whole-cache.ts';
import { CACHE_OUTDATED, seriesKey, storeKey } from '#app/counts/cache/records.ts';
import { seriesRowOf } from '#app/counts/cache/series-row.ts';
import { Fault } from '#contract/fault.ts';
import { SETTLE_MS, merge } from '#core/counts/ledger.ts';
import { summarise } from '#core/counts/summary.ts';
import { answered } from '#tests/support/answered.ts';
import { openVersion1, type ReceiptOf1 } from '#tests/support/cache-version-1.ts';
import { openVersion2 } from '#tests/support/cache-version-2.ts';
import { PLANTS } from '#tests/support/inventory-laws.ts';

const opened: { close(): void }[] = [];

const closedAfter = <T extends { close(): void }>(cache: T): T => {
  opened.push(cache);
  return cache;
};
const open = (events?: CacheEvents) =>
  closedAfter(wholeCache(new CountsCache(new CountsDatabase('versions'), events)));
const open1 = (onOutdated?: () => void) => closedAfter(openVersion1('versions', onOutdated));

afterEach(() => {
  for (const cache of opened.splice(0)) cache.close();
});

const CATS = seriesKey('posts', 'a', 'cats', 1);
const DOGS = seriesKey('sample', 'b', 'dogs (hot OR cold)', 1);
const everyCell = { granularity: 'hour', from: 0, to: 200 } as const;

/** An answer with its receipt as version 1 wrote it. */
function answered1(a: Parameters<typeof answered>[0]) {
  const { records, receipt } = answered(a);
  const { id, series, granularity, endpoint, asked, total, at, generation, noted } = receipt;
  const old: ReceiptOf1 = {
    id,
    series,
    granularity,
    endpoint,
    asked,
    told: receipt.told,
    total,
    at,
    generation,
    noted,
  };
  return { records, receipt: old };
}

async function faultOf(promise: Promise<unknown>): Promise<Fault> {
  const error: unknown = await promise.catch((e: unknown) => e);
  if (!(error instanceof Fault)) throw new Error(`expected a Fault, got ${String(error)}`);
  return error;
}

describe('the cache of version 1', () => {
  test('is upgraded completely, and fields that it did not have are filled in', async () => {
    const one = { from: 20, days: 20, at: 99, id: 'a', series: CATS };
    const two = { from: 25, days: 3, at: 120, id: 'b', series: CATS, count: 900 };
    const three = {
      from: 0,
      days: 31,
      at: 40,
      id: 'c',
      series: DOGS,
      granularity: 'minute',
    } as const;
    const old = open1();
    for (const a of [one, two, three]) {
      const { records, receipt } = answered1(a);
      await old.write(records, receipt, SETTLE_MS);
    }
    const store = { key: storeKey('posts', 'a'), revision: 4, raised: [], pageDays: 10 };
    await old.putStore(store);
    const source = {
      id: 'posts',
      store: 'a',
      revision: 4,
      posts: 2,
      first: null,
      last: null,
      coverage: [],
    } satisfies SourceInfo;
    await old.putSources([source]);
    old.close();

    const cache = open();
    const [first, second] = answered(one).records;
    const [late] = answered(two).records;
    if (!first || !second || !late) throw new Error('expected two cells and one more');
    const records = [merge(first, late), second];
    expect(await cache.records({ series: CATS, ...everyCell })).toEqual(records);
    expect(await cache.summaries({ series: CATS, ...everyCell })).toEqual(
      records.map((record) => summarise(record)),
    );
    const minutes = { series: DOGS, ...everyCell, granularity: 'minute' } as const;
    expect(await cache.records(minutes)).toEqual(answered(three).records);
    expect(await cache.summaries(minutes)).toEqual(
      answered(three).records.map((r) => summarise(r)),
    );
    const filled = { ask: '', purpose: 'count', index: 0, price: 0, bytes: 0, kept: true };
    const receipts = await cache.inventory.receipts(CATS);
    expect(receipts).toEqual([
      { ...answered1(one).receipt, ...filled, revisions: [] },
      { ...answered1(two).receipt, ...filled, revisions: receipts[1]?.revisions },
    ]);
    expect(receipts[1]?.revisions).toHaveLength(3 * 24);
    expect(await cache.updateStore(store.key, (row) => row ?? { ...store, revision: 0 })).toEqual(
      store,
    );
    expect(await cache.sources()).toEqual([source]);
    const { at } = answered(two).receipt;
    expect(await cache.seriesRow(CATS)).toEqual({
      key: CATS,
      source: 'posts',
      store: 'a',
      query: 'cats',
      usedAt: at,
      fullHead: 0,
      raised: [],
    });
    expect(await cache.seriesRow(DOGS)).toMatchObject({
      source: 'sample',
      query: 'dogs (hot OR cold)',
      usedAt: answered(three).receipt.at,
    });
    const contents = await cache.inventory.contents(DOGS);
    expect(contents.asks).toEqual([]);
    expect(contents.run).toBeNull();
  });

  test('is upgraded even if it is empty', async () => {
    const old = open1();
    await old.putSources([]);
    old.close();
    expect(await open().inventory.keys()).toEqual([]);
  });

  test('closes in a tab still using it, which is notified, then refused, and leaves nothing half written', async () => {
    let notices = 0;
    const old = open1(() => (notices += 1));
    const answers = Array.from({ length: 24 }, (_, i) =>
      answered1({ from: i, days: 1, at: 99, id: `r${i}`, series: CATS }),
    );
    const before = answers[0];
    if (!before) throw new Error('expected an answer');
    await old.write(before.records, before.receipt, SETTLE_MS);
    const cache = open();
    const newer = cache.records({ series: CATS, ...everyCell });
    const results = await Promise.allSettled(
      answers.map(({ records, receipt }) => old.write(records, receipt, SETTLE_MS)),
    );
    await newer;
    expect(notices).toBe(1);
    const refused = await faultOf(old.write(before.records, before.receipt, SETTLE_MS));
    expect(refused.body.type).toBe(CACHE_OUTDATED);
    expect(refused.body.title).toContain('reload');
    for (const result of results) {
      if (result.status === 'fulfilled') continue;
      expect((result.reason as Fault).body.type).toBe(CACHE_OUTDATED);
    }
    const written = [
      'r0',
      ...results.flatMap(({ status }, i) => (status === 'fulfilled' ? [`r${i}`] : [])),
    ];
    const [record] = await cache.records({ series: CATS, ...everyCell });
    const [summary] = await cache.summaries({ series: CATS, ...everyCell });
    const receipts = await cache.inventory.receipts(CATS);
    const expected = [...new Set(written)].sort();
    expect(Object.keys(record?.receipts ?? {}).sort()).toEqual(expected);
    expect(Object.keys(summary?.receipts ?? {}).sort()).toEqual(expected);
    expect(receipts.map(({ id }) => id).sort()).toEqual(expected);
    // The newer version continues where the older one stopped.
    const { records, receipt } = answered({ from: 30, days: 1, at: 99, id: 'new', series: CATS });
    await cache.write(records, receipt, SETTLE_MS);
    expect((await cache.inventory.receipts(CATS)).length).toBe(expected.length + 1);
  });

  test('blocks the newer version while a tab keeps it open, which is reported until the tab closes it', async () => {
    const old = open1();
    const { records, receipt } = answered1({ from: 0, days: 1, at: 99, id: 'a', series: CATS });
    await old.write(records, receipt, SETTLE_MS);
    old.close();
    const held = await new Promise<IDBDatabase>((resolve, reject) => {
      const request = indexedDB.open('versions', 10);
      request.addEventListener('success', () => resolve(request.result));
      request.addEventListener('error', () => reject(request.error ?? new Error('not opened')));
    });
    const reports: boolean[] = [];
    let report: (() => void) | null = null;
    const reported = new Promise<void>((resolve) => (report = resolve));
    const cache = open({
      onBlocked: (blocked) => {
        reports.push(blocked);
        report?.();
      },
    });
    const reading = cache.records({ series: CATS, ...everyCell });
    await reported;
    expect(reports).toEqual([true]);
    held.close();
    expect(await reading).toEqual(records);
    expect(reports).toEqual([true, false]);
  });
});

describe('the cache of version 2', () => {
  test('is upgraded completely, and can store boards', async () => {
    const old = closedAfter(openVersion2('versions'));
    const { records, receipt } = answered({ from: 20, days: 20, at: 99, id: 'a', series: CATS });
    const row = seriesRowOf(CATS, 5);
    await old.put({
      cells: records,
      summaries: records.map((record) => summarise(record)),
      receipts: [{ ...receipt, revisions: [] }],
      series: [row],
      settings: [{ key: 'may-make-room', value: true }],
    });
    old.close();
    const cache = open();
    expect(await cache.records({ series: CATS, ...everyCell })).toEqual(records);
    expect(await cache.summaries({ series: CATS, ...everyCell })).toEqual(
      records.map((record) => summarise(record)),
    );
    expect(await cache.inventory.receipts(CATS)).toEqual([{ ...receipt, revisions: [] }]);
    expect(await cache.seriesRow(CATS)).toEqual(row);
    expect(await cache.mayMakeRoom()).toBe(true);
    expect(await cache.boards.list()).toEqual([]);
    const { was, ...board } = PLANTS;
    await cache.boards.save(board);
    expect(was).toEqual([]);
    expect(await cache.boards.board(board.id)).toEqual(board);
  });

  test('closes in a tab still using it, which is notified', async () => {
    let notices = 0;
    const old = closedAfter(openVersion2('versions', () => (notices += 1)));
    await old.put({ settings: [{ key: 'may-make-room', value: true }] });
    expect(await open().boards.list()).toEqual([]);
    expect(notices).toBe(1);
  });
});

describe('the cache of version 3', () => {
  test('is refused by version 1 with a message, and not changed', async () => {
    const cache = open();
    const { records, receipt } = answered({ from: 0, days: 1, at: 99, id: 'a', series: CATS });
    await cache.write(records, receipt, SETTLE_MS);
    cache.close();
    const further = answered1({ from: 5, days: 1, at: 99, id: 'b', series: CATS });
    const fault = await faultOf(open1().write(further.records, further.receipt, SETTLE_MS));
    expect(fault.body).toMatchObject({
      type: CACHE_OUTDATED,
      title: 'Another tab runs a newer version of this page: reload it',
    });
    const again = open();
    expect(await again.records({ series: CATS, ...everyCell })).toEqual(records);
    expect(await again.inventory.receipts(CATS)).toHaveLength(1);
  });
});
