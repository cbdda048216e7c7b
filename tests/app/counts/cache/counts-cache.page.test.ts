import { afterEach, describe, expect, test } from 'vitest';
import { CountsCache, type CacheEvents } from '#app/counts/cache/counts-cache.ts';
import { CountsDatabase } from '#app/counts/cache/database.ts';
import { wholeCache } from '#tests/support/data/whole-cache.ts';
import { CACHE_DELETED, CACHE_FULL, CACHE_OUTDATED } from '#app/counts/cache/records.ts';
import { Fault } from '#contract/fault.ts';
import { SETTLE_MS } from '#core/counts/ledger.ts';
import { answered } from '#tests/support/data/answered.ts';

let names = 0;
const opened: { close(): void }[] = [];

function open(name = `counts-${(names += 1)}`, events?: CacheEvents) {
  const cache = wholeCache(new CountsCache(new CountsDatabase(name), events));
  opened.push(cache);
  return cache;
}

afterEach(() => {
  for (const cache of opened.splice(0)) cache.close();
});

const RANGE = { series: 's', granularity: 'hour', from: 0, to: 200 } as const;

async function faultOf(promise: Promise<unknown>): Promise<Fault> {
  const error: unknown = await promise.catch((e: unknown) => e);
  if (!(error instanceof Fault)) throw new Error(`expected a Fault, got ${String(error)}`);
  return error;
}

describe('the browser’s cache', () => {
  test('has its records after a reload', async () => {
    const { records, receipt } = answered({ from: 20, days: 20, at: 99, id: 'a' });
    const first = open('kept');
    await first.write(records, receipt, SETTLE_MS);
    first.close();
    expect(await open('kept').records(RANGE)).toEqual(records);
  });

  test('loses no answer when two tabs write at once', async () => {
    const [one, two] = [open('shared'), open('shared')];
    const answers = Array.from({ length: 30 }, (_, i) =>
      answered({ from: i, days: 1, at: 99, id: `r${i}` }),
    );
    await Promise.all(
      answers.map(({ records, receipt }, i) =>
        (i % 2 === 0 ? one : two).write(records, receipt, SETTLE_MS),
      ),
    );
    const [record] = await one.records(RANGE);
    expect(record?.segments).toHaveLength(30);
  });

  test('loses nothing when two tabs update the row of a series at once', async () => {
    const [one, two] = [open('noted'), open('noted')];
    const row = { key: 's', source: 'platform', store: 'a', query: 'q' } as const;
    const stale = { ...row, usedAt: 1, fullHead: 0, invalidated: [] };
    const spans = Array.from({ length: 12 }, (_, i) => ({ start: i * 10, end: i * 10 + 5 }));
    const answers = await Promise.all(
      spans.flatMap((span, i) => {
        const [here, there] = i % 2 === 0 ? [one, two] : [two, one];
        return [
          here.invalidate(stale, [span]),
          there.touch({ ...stale, usedAt: 7 }),
          there.noteFullHead(stale, 20_000 + i),
        ];
      }),
    );
    const noted = await one.seriesRow('s');
    expect(noted).toMatchObject({ usedAt: 7, fullHead: 20_011 });
    expect(noted?.invalidated.map(({ start, end }) => ({ start, end }))).toEqual(spans);
    // Every call has another generation, and returned it.
    const generations = noted?.invalidated.map(({ generation }) => generation) ?? [];
    expect(generations.toSorted((a, b) => a - b)).toEqual(spans.map((_, i) => i + 1));
    spans.forEach(({ start }, i) => {
      const returned = (answers[i * 3] ?? []).find((span) => span.start === start);
      expect(returned?.generation).toBe(generations[i]);
    });
  });

  test('closes for a newer version in another tab, and reports it', async () => {
    let reports = 0;
    const cache = open('versions', { onOutdated: () => (reports += 1) });
    await cache.records(RANGE);
    const newer = await new Promise<IDBDatabase>((resolve, reject) => {
      const request = indexedDB.open('versions', 10_000);
      request.addEventListener('success', () => resolve(request.result));
      request.addEventListener('error', () => reject(request.error ?? new Error('not opened')));
    });
    expect(reports).toBe(1);
    const { records, receipt } = answered({ from: 0, days: 1, at: 99, id: 'a' });
    expect((await faultOf(cache.write(records, receipt, SETTLE_MS))).body.type).toBe(
      CACHE_OUTDATED,
    );
    newer.close();
    expect((await faultOf(open('versions').records(RANGE))).body.type).toBe(CACHE_OUTDATED);
  });
});

describe('a cache that is deleted while the page is open', () => {
  const removed = (name: string): Promise<void> =>
    new Promise((resolve, reject) => {
      const request = indexedDB.deleteDatabase(name);
      request.addEventListener('success', () => resolve());
      request.addEventListener('blocked', () => reject(new Error('blocked')));
    });

  test('does not block the deletion, and reports it once, not as a newer version', async () => {
    let [deletions, versions] = [0, 0];
    const cache = open('deleted', {
      onDeleted: () => (deletions += 1),
      onOutdated: () => (versions += 1),
    });
    const { records, receipt } = answered({ from: 0, days: 40, at: 99, id: 'a' });
    await cache.write(records, receipt, SETTLE_MS);
    const writes = Array.from({ length: 8 }, () => cache.write(records, receipt, SETTLE_MS));
    await removed('deleted');
    for (const result of await Promise.allSettled(writes)) {
      if (result.status === 'fulfilled') continue;
      expect((result.reason as Fault).body.type).toBe(CACHE_DELETED);
    }
    for (const call of [cache.records(RANGE), cache.boards.list()]) {
      const { body } = await faultOf(Promise.resolve(call));
      expect(body.type).toBe(CACHE_DELETED);
      expect(body.title).toContain('deleted');
    }
    expect([deletions, versions]).toEqual([1, 0]);
  });

  test('is empty and works when it is opened again', async () => {
    const cache = open('again');
    const { records, receipt } = answered({ from: 0, days: 40, at: 99, id: 'a' });
    await cache.write(records, receipt, SETTLE_MS);
    await removed('again');
    const fresh = open('again');
    expect(await fresh.records(RANGE)).toEqual([]);
    await fresh.write(records, receipt, SETTLE_MS);
    expect(await fresh.records(RANGE)).toEqual(records);
    expect((await faultOf(cache.records(RANGE))).body.type).toBe(CACHE_DELETED);
  });
});

describe('a full disk', () => {
  const { add, put } = IDBObjectStore.prototype;

  /** Makes writes to one table fail: the browser has no real quota to exceed in a test. */
  function fill(table: string): void {
    for (const [name, write] of Object.entries({ add, put }) as ['add' | 'put', typeof put][]) {
      IDBObjectStore.prototype[name] = function (this: IDBObjectStore, ...args) {
        if (this.name === table) throw new DOMException('no room', 'QuotaExceededError');
        return write.apply(this, args);
      };
    }
  }

  const empty = (): void => {
    Object.assign(IDBObjectStore.prototype, { add, put });
  };

  afterEach(empty);

  test.each(['cells', 'summaries', 'receipts'])(
    'while writing %s is a fault of its own type, leaves nothing half written, and ends when there is room',
    async (table) => {
      const cache = open('full');
      const first = answered({ from: 0, days: 1, at: 99, id: 'a' });
      await cache.write(first.records, first.receipt, SETTLE_MS);
      fill(table);
      const minutes = answered({
        from: 0,
        days: 31,
        at: 99,
        id: 'b',
        granularity: 'minute',
        count: 1e6,
      });
      const fault = await faultOf(cache.write(minutes.records, minutes.receipt, SETTLE_MS));
      expect(fault.body.type).toBe(CACHE_FULL);
      const range = { ...RANGE, granularity: 'minute' } as const;
      expect(await cache.records(range)).toEqual([]);
      expect(await cache.summaries(range)).toEqual([]);
      expect(await cache.records(RANGE)).toEqual(first.records);
      empty();
      await cache.write(minutes.records, minutes.receipt, SETTLE_MS);
      expect(await cache.records(range)).toEqual(minutes.records);
    },
  );
});

describe('making room', () => {
  const { put } = IDBObjectStore.prototype;
  const remove = IDBObjectStore.prototype.delete;

  afterEach(() => {
    IDBObjectStore.prototype.put = put;
    IDBObjectStore.prototype.delete = remove;
  });

  test('lets a write succeed that had no room before', async () => {
    const cache = open('room');
    const row = { source: 'posts', store: 'a', query: 'q', fullHead: 0, invalidated: [] } as const;
    for (const [series, usedAt] of [
      ['s', 2],
      ['old', 1],
    ] as const) {
      const { records, receipt } = answered({ from: 0, days: 1, at: 99, id: series, series });
      await cache.write(records, receipt, SETTLE_MS);
      await cache.touch({ ...row, key: series, usedAt });
    }
    let room = false;
    IDBObjectStore.prototype.put = function (this: IDBObjectStore, ...args) {
      if (!room) throw new DOMException('no room', 'QuotaExceededError');
      return put.apply(this, args);
    };
    IDBObjectStore.prototype.delete = function (this: IDBObjectStore, ...args) {
      if (this.name === 'cells') room = true;
      return remove.apply(this, args);
    };
    const { records, receipt } = answered({ from: 5, days: 1, at: 99, id: 'b' });
    const fault = await faultOf(cache.write(records, receipt, SETTLE_MS));
    expect(fault.body.type).toBe(CACHE_FULL);
    expect(await cache.makeRoom(['s'])).toMatchObject({ key: 'old' });
    await cache.write(records, receipt, SETTLE_MS);
    expect((await cache.records(RANGE))[0]?.segments).toHaveLength(2);
    expect(await cache.records({ ...RANGE, series: 'old' })).toEqual([]);
  });
});
