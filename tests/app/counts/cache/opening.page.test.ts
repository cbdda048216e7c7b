import { afterEach, describe, expect, test } from 'vitest';
import { CountsCache, type CacheEvents } from '#app/counts/cache/counts-cache.ts';
import { CountsDatabase, NATIVE, VERSION } from '#app/counts/cache/database.ts';
import { wholeCache } from '#tests/support/data/whole-cache.ts';
import { CACHE_EARLIER, CACHE_OUTDATED, seriesKey } from '#app/counts/cache/records.ts';
import { faultText } from '#app/format/fault-text.ts';
import { Fault } from '#contract/fault.ts';
import { SETTLE_MS } from '#core/counts/ledger.ts';
import { answered } from '#tests/support/data/answered.ts';

const opened: { close(): void }[] = [];

const closedAfter = <T extends { close(): void }>(cache: T): T => {
  opened.push(cache);
  return cache;
};
const open = (name: string, events?: CacheEvents) =>
  closedAfter(wholeCache(new CountsCache(new CountsDatabase(name), events)));

/** Opens the cache as the next version of the page would, which adds a table. */
function openNext(name: string, events?: CacheEvents) {
  const db = new CountsDatabase(name);
  db.version(VERSION + 1).stores({ added: 'id' });
  return closedAfter(wholeCache(new CountsCache(db, events)));
}

/** Opens the database without Dexie. */
function openNative(name: string, version: number): Promise<IDBDatabase> {
  return new Promise((resolve, reject) => {
    const request = indexedDB.open(name, version);
    request.addEventListener('success', () => resolve(request.result));
    request.addEventListener('error', () => reject(request.error ?? new Error('not opened')));
  });
}

afterEach(() => {
  for (const cache of opened.splice(0)) cache.close();
});

const CATS = seriesKey('posts', 'a', 'cats', 1);
const everyCell = { granularity: 'hour', from: 0, to: 200 } as const;

async function faultOf(promise: Promise<unknown>): Promise<Fault> {
  const error: unknown = await promise.catch((e: unknown) => e);
  if (!(error instanceof Fault)) throw new Error(`expected a Fault, got ${String(error)}`);
  return error;
}

describe('a cache from before the first release', () => {
  test.each([1, 2, 3, 4])(
    'is refused with what to do, and not changed: version %i',
    async (version) => {
      const name = `earlier ${version}`;
      (await openNative(name, version * NATIVE)).close();
      const cache = open(name);
      for (const work of [
        () => cache.records({ series: CATS, ...everyCell }),
        () => cache.sources(),
      ]) {
        const fault = await faultOf(work());
        expect(fault.body.type).toBe(CACHE_EARLIER);
        expect(faultText(fault)).toMatch(/press Export all .* delete the data .* import the file/u);
      }
      const still = await openNative(name, version * NATIVE);
      expect([still.version, still.objectStoreNames.length]).toEqual([version * NATIVE, 0]);
      still.close();
    },
  );

  test('is no longer refused once it is deleted', async () => {
    const name = 'earlier deleted';
    (await openNative(name, NATIVE)).close();
    const cache = open(name);
    expect((await faultOf(cache.sources())).body.type).toBe(CACHE_EARLIER);
    await new Promise((resolve) => {
      indexedDB.deleteDatabase(name).addEventListener('success', resolve);
    });
    expect(await cache.sources()).toBeNull();
  });
});

describe('the cache of this version, opened by the next one', () => {
  test('closes in a tab still using it, which is notified, then refused, and leaves nothing half written', async () => {
    let notices = 0;
    const old = open('versions', { onOutdated: () => (notices += 1) });
    const answers = Array.from({ length: 24 }, (_, i) =>
      answered({ from: i, days: 1, at: 99, id: `r${i}`, series: CATS }),
    );
    const before = answers[0];
    if (!before) throw new Error('expected an answer');
    await old.write(before.records, before.receipt, SETTLE_MS);
    const cache = openNext('versions');
    const newer = cache.records({ series: CATS, ...everyCell });
    const results = await Promise.allSettled(
      answers.map(({ records, receipt }) => old.write(records, receipt, SETTLE_MS)),
    );
    await newer;
    expect(notices).toBe(1);
    for (const refused of [old, open('versions')]) {
      const fault = await faultOf(refused.write(before.records, before.receipt, SETTLE_MS));
      expect(fault.body).toMatchObject({
        type: CACHE_OUTDATED,
        title: 'Another tab runs a newer version of this page: reload it',
      });
    }
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

  test('blocks it while a tab keeps it open, which is reported until the tab closes it', async () => {
    const name = 'held';
    const old = open(name);
    const { records, receipt } = answered({ from: 0, days: 1, at: 99, id: 'a', series: CATS });
    await old.write(records, receipt, SETTLE_MS);
    old.close();
    const held = await openNative(name, VERSION * NATIVE);
    const reports: boolean[] = [];
    let report: (() => void) | null = null;
    const reported = new Promise<void>((resolve) => (report = resolve));
    const cache = openNext(name, {
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
