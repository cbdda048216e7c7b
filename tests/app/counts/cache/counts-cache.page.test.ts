import { Dexie } from 'dexie';
import { afterEach, describe, expect, test } from 'vitest';
import type { Neighbours } from '#app/counts/cache/opening.ts';
import { cacheFault } from '#app/counts/cache/opening.ts';
import { openCache } from '#app/counts/cache/counts-cache.ts';
import {
  CACHE_BROKEN,
  CACHE_DELETED,
  CACHE_FULL,
  CACHE_OUTDATED,
} from '#app/counts/cache/records.ts';
import { Fault } from '#contract/fault.ts';
import type { SeriesRow } from '#app/counts/cache/records.ts';
import { CountsStore } from '#app/counts/worker/counts-store.ts';
import type { CellRecord } from '#core/counts/ledger.ts';
import { SETTLE_MS, recordsOf } from '#core/counts/ledger.ts';
import type { CellSummary } from '#core/counts/summary.ts';
import { summarise } from '#core/counts/summary.ts';
import { CELL_MS, cellSpan } from '#core/time/span.ts';
import { planned } from '#tests/support/plans.ts';
import { answered, cacheLaws } from '#tests/support/cache-laws.ts';

let names = 0;
const opened: { close(): void }[] = [];

function open(name = `counts-${(names += 1)}`, neighbours?: Neighbours) {
  const cache = openCache(name, neighbours);
  opened.push(cache);
  return cache;
}

afterEach(async () => {
  for (const cache of opened.splice(0)) cache.close();
  for (const name of await Dexie.getDatabaseNames()) await Dexie.delete(name);
});

cacheLaws(() => open());

const RANGE = { series: 's', granularity: 'hour', from: 0, to: 200 } as const;

async function faultOf(promise: Promise<unknown>): Promise<Fault> {
  const error: unknown = await promise.catch((e: unknown) => e);
  if (!(error instanceof Fault)) throw new Error(`expected a Fault, got ${String(error)}`);
  return error;
}

describe('the browser’s cache', () => {
  test('is there after a reload', async () => {
    const { records, receipt } = answered({ from: 20, days: 20, at: 99, id: 'a' });
    const first = open('kept');
    await first.write(records, receipt, SETTLE_MS);
    first.close();
    expect(await open('kept').records(RANGE)).toEqual(records);
  });

  test('loses no answer of two tabs that write at once', async () => {
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

  test('loses nothing that two tabs note of a series at once', async () => {
    const [one, two] = [open('noted'), open('noted')];
    const row = { key: 's', source: 'platform', store: 'a', query: 'q' } as const;
    const stale = { ...row, usedAt: 1, fullHead: 0, raised: [] };
    const spans = Array.from({ length: 12 }, (_, i) => ({ start: i * 10, end: i * 10 + 5 }));
    const answers = await Promise.all(
      spans.flatMap((span, i) => {
        const [here, there] = i % 2 === 0 ? [one, two] : [two, one];
        return [
          here.raise(stale, [span]),
          there.touch({ ...stale, usedAt: 7 }),
          there.noteFullHead(stale, 20_000 + i),
        ];
      }),
    );
    const noted = await one.seriesRow('s');
    expect(noted).toMatchObject({ usedAt: 7, fullHead: 20_011 });
    expect(noted?.raised.map(({ start, end }) => ({ start, end }))).toEqual(spans);
    // No two of them were raised to one generation, and each was told of its own.
    const generations = noted?.raised.map(({ generation }) => generation) ?? [];
    expect(generations.toSorted((a, b) => a - b)).toEqual(spans.map((_, i) => i + 1));
    spans.forEach(({ start }, i) => {
      const told = (answers[i * 3] ?? []).find((span) => span.start === start);
      expect(told?.generation).toBe(generations[i]);
    });
  });

  test('writes records, summaries and receipt together or not at all', async () => {
    const cache = open('whole');
    const { records, receipt } = answered({ from: 0, days: 40, at: 99, id: 'a' });
    const unstorable = { ...receipt, noted: [() => undefined] } as unknown as typeof receipt;
    await faultOf(cache.write(records, unstorable, SETTLE_MS));
    expect(await cache.records(RANGE)).toEqual([]);
    expect(await cache.summaries(RANGE)).toEqual([]);
    await cache.write(records, receipt, SETTLE_MS);
    expect(await cache.records(RANGE)).toEqual(records);
  });

  test('closes for a newer version in another tab, and says so', async () => {
    let told = 0;
    const cache = open('versions', { onOutdated: () => (told += 1) });
    await cache.records(RANGE);
    const newer = await new Promise<IDBDatabase>((resolve, reject) => {
      const request = indexedDB.open('versions', 10_000);
      request.addEventListener('success', () => resolve(request.result));
      request.addEventListener('error', () => reject(request.error ?? new Error('not opened')));
    });
    expect(told).toBe(1);
    const { records, receipt } = answered({ from: 0, days: 1, at: 99, id: 'a' });
    expect((await faultOf(cache.write(records, receipt, SETTLE_MS))).body.type).toBe(
      CACHE_OUTDATED,
    );
    newer.close();
    expect((await faultOf(open('versions').records(RANGE))).body.type).toBe(CACHE_OUTDATED);
  });
});

describe('a cache that is deleted under the page', () => {
  const removed = (name: string): Promise<void> =>
    new Promise((resolve, reject) => {
      const request = indexedDB.deleteDatabase(name);
      request.addEventListener('success', () => resolve());
      request.addEventListener('blocked', () => reject(new Error('blocked')));
    });

  test('lets that happen, says so once, and is no newer version', async () => {
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

  /** What a write of one table of a transaction meets; a test's own window has no quota that is held. */
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
    'met at the %s is a fault by name, leaves nothing half written, and is over when there is room',
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

  test('lets the write succeed for which there was none', async () => {
    const cache = open('room');
    const row = { source: 'posts', store: 'a', query: 'q', fullHead: 0, raised: [] } as const;
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

describe('cacheFault', () => {
  const quota = new DOMException('no room', 'QuotaExceededError');

  test.each([
    ['a quota error', quota, CACHE_FULL],
    ['a quota error as Dexie has it', new Dexie.AbortError('aborted', quota), CACHE_FULL],
    ['a closed database', new Dexie.DatabaseClosedError(), CACHE_BROKEN],
    ['an older version than the stored one', new Dexie.VersionError(), CACHE_OUTDATED],
    ['anything else', new Dexie.UnknownError('disk'), CACHE_BROKEN],
    ['what is no error', 'oops', CACHE_BROKEN],
  ])('names %s', (_, error, type) => {
    expect(cacheFault(error).body.type).toBe(type);
  });
});

type Row = Record<string, unknown> & CellRecord & CellSummary;

/** Rewrites every row of a table behind the cache's back. */
async function rewrite(
  name: string,
  table: 'cells' | 'summaries',
  change: (row: Row) => object,
): Promise<void> {
  const db = new Dexie(name);
  await db.open();
  const rows = (await db.table(table).toArray()) as Row[];
  await db.table(table).bulkPut(rows.map((row) => change(row)));
  db.close();
}

const rowsOf = async (name: string, table: string): Promise<Row[]> => {
  const db = new Dexie(name);
  await db.open();
  const rows = (await db.table(table).toArray()) as Row[];
  db.close();
  return rows;
};

const withoutChecksum = (row: Row): object =>
  Object.fromEntries(Object.entries(row).filter(([name]) => name !== 'checksum'));

/** An array with one bit changed. */
const flipped = <T extends CellRecord['counts'] | Float64Array>(values: T, byte = 0): T => {
  const copy = values.slice() as T;
  const bytes = new Uint8Array(copy.buffer);
  bytes[byte] = (bytes[byte] ?? 0) ^ 1;
  return copy;
};

const DAMAGE: readonly (readonly [string, (row: Row) => object])[] = [
  ['the first count', (row) => ({ ...row, counts: flipped(row.counts) })],
  ['the last count', (row) => ({ ...row, counts: flipped(row.counts, row.counts.byteLength - 1) })],
  ['the width of counts', (row) => ({ ...row, counts: new Int8Array(row.counts.buffer) })],
  [
    'the end of a segment',
    (row) => ({
      ...row,
      segments: row.segments.map((one) => ({ ...one, to: one.to + 3_600_000 })),
    }),
  ],
  [
    'the time of a receipt',
    (row) => ({
      ...row,
      receipts: Object.fromEntries(
        Object.entries(row.receipts).map(([id, note]) => [id, { ...note, at: note.at + 1 }]),
      ),
    }),
  ],
];

describe('a stored record that was damaged', () => {
  const one = { from: 0, days: 10, at: 99, id: 'a' } as const;

  test.each(DAMAGE)('in %s is dropped with its summary, and the log says so', async (_, change) => {
    const cache = open('damaged');
    const { records, receipt } = answered(one);
    await cache.write(records, { ...receipt, price: 0.01 }, SETTLE_MS);
    const other = answered({ ...one, from: 31, id: 'b' });
    await cache.write(other.records, other.receipt, SETTLE_MS);
    await rewrite('damaged', 'cells', (row) => (row.key[2] === 100 ? change(row) : row));
    expect(await cache.records(RANGE)).toEqual(other.records);
    expect(await cache.summaries(RANGE)).toEqual(other.records.map((r) => summarise(r)));
    const [a, b] = await cache.shelf.receipts('s');
    expect(a).toMatchObject({ id: 'a', price: 0.01, noted: [{ kind: 'damaged', times: 1 }] });
    expect(b).toMatchObject({ id: 'b', noted: [] });
  });

  test.each(['hour', 'minute', 'day'] as const)('by the %s is not known to a look', async (by) => {
    const cache = open('looked');
    const { records, receipt } = answered({ ...one, granularity: by });
    await cache.write(records, receipt, SETTLE_MS);
    await rewrite('looked', 'cells', (row) => ({ ...row, counts: flipped(row.counts) }));
    await rewrite('looked', 'summaries', (row) => ({
      ...row,
      days: { ...row.days, sum: flipped(row.days.sum) },
    }));
    const series: SeriesRow = {
      key: 's',
      source: 'posts',
      store: 'a',
      query: 's',
      usedAt: 0,
      fullHead: 0,
      raised: [],
    };
    const { known } = await new CountsStore(cache).open(1, {
      series,
      granularity: by,
      told: by,
      span: cellSpan(100),
      raised: [],
      raisedIfAgreed: null,
      settleMs: SETTLE_MS,
      before: null,
    });
    expect(known.flat()).toEqual([]);
  });

  test('is not merged into what is fetched next, and costs nothing again', async () => {
    const cache = open('refetched');
    const run = { series: 's', at: 1, plan: planned(3), paused: false } as const;
    await cache.putRun({ ...run, made: { requests: 0, money: 0, bytes: 0 } });
    const { records, receipt } = answered(one);
    const bought = { ...receipt, price: 0.01 };
    await cache.write(records, bought, SETTLE_MS);
    await rewrite('refetched', 'cells', (row) => ({ ...row, counts: flipped(row.counts) }));
    const other = answered({ ...one, from: 12, id: 'b' });
    expect((await cache.write(other.records, other.receipt, SETTLE_MS)).records).toEqual(
      other.records,
    );
    expect(await cache.records(RANGE)).toEqual(other.records);
    // The service gives the page again for nothing.
    await cache.write(records, { ...bought, price: 0 }, SETTLE_MS);
    const [record] = await cache.records(RANGE);
    expect(record?.segments.map((segment) => segment.receipt)).toEqual(['a', 'b']);
    expect((await cache.run('s'))?.made).toMatchObject({ requests: 1, money: 0.01 });
    const [a] = await cache.shelf.receipts('s');
    expect(a).toMatchObject({ price: 0.01, noted: [{ kind: 'damaged' }] });
  });

  test('is not compared with, exported or united with a backup', async () => {
    const cache = open('carried');
    const { records, receipt } = answered(one);
    const spoil = () =>
      rewrite('carried', 'cells', (row) => ({ ...row, counts: flipped(row.counts) }));
    await cache.write(records, receipt, SETTLE_MS);
    const whole = await cache.shelf.contents('s');
    await spoil();
    const audit = answered({ ...one, id: 'b' });
    const compared = await cache.write([], audit.receipt, SETTLE_MS, audit.records);
    expect(compared.revisions).toEqual([]);
    await cache.shelf.unite(whole, SETTLE_MS);
    await spoil();
    await cache.shelf.unite(whole, SETTLE_MS);
    expect(await cache.records(RANGE)).toEqual(records);
    await spoil();
    expect((await cache.shelf.contents('s')).records).toEqual([]);
    expect((await cache.shelf.glance('s')).summaries).toEqual([]);
  });
});

describe('a stored summary that was damaged', () => {
  test.each(['hour', 'minute', 'day'] as const)(
    'by the %s is made again from its record',
    async (by) => {
      const cache = open('summary');
      const { records, receipt } = answered({
        from: 0,
        days: 10,
        at: 99,
        id: 'a',
        granularity: by,
      });
      await cache.write(records, receipt, SETTLE_MS);
      for (const tier of ['sum', 'min', 'max'] as const) {
        await rewrite('summary', 'summaries', (row) => ({
          ...row,
          days: { ...row.days, [tier]: flipped(row.days[tier]) },
        }));
        const range = { ...RANGE, granularity: by };
        expect(await cache.summaries(range)).toEqual(records.map((r) => summarise(r)));
        expect((await cache.shelf.glance('s')).summaries).toEqual(records.map((r) => summarise(r)));
      }
      expect(await cache.records({ ...RANGE, granularity: by })).toEqual(records);
      expect((await cache.shelf.receipts('s'))[0]?.noted).toEqual([]);
    },
  );

  test('of an earlier version, with sums that overflowed, is made again', async () => {
    const cache = open('overflowed');
    const { start } = cellSpan(100);
    const note = { at: start + 2 * CELL_MS, generation: 0, endpoint: 'all' } as const;
    const counts = Float64Array.from({ length: 48 }, () => 4_000_000_000);
    const span = { start, end: start + 48 * 3_600_000 };
    const records = recordsOf('s', 'hour', { ...span, counts, receipt: 'a', note });
    const { receipt } = answered({ from: 0, days: 2, at: 99, id: 'a' });
    await cache.write(records, receipt, SETTLE_MS);
    await rewrite('overflowed', 'cells', withoutChecksum);
    await rewrite('overflowed', 'summaries', (row) =>
      withoutChecksum({
        ...row,
        days: { ...row.days, sum: Uint32Array.from(row.days.sum) },
      } as Row),
    );
    const [summary] = await cache.summaries(RANGE);
    expect(summary?.days.sum[0]).toBe(24 * 4_000_000_000);
  });
});

describe('records of an earlier version', () => {
  test('are read without a checksum and get one when they are written next', async () => {
    const cache = open('earlier');
    const { records, receipt } = answered({ from: 0, days: 10, at: 99, id: 'a' });
    await cache.write(records, receipt, SETTLE_MS);
    for (const table of ['cells', 'summaries'] as const) {
      await rewrite('earlier', table, withoutChecksum);
    }
    expect(await cache.records(RANGE)).toEqual(records);
    expect(await cache.summaries(RANGE)).toEqual(records.map((r) => summarise(r)));
    await cache.write(records, receipt, SETTLE_MS);
    for (const table of ['cells', 'summaries']) {
      expect(await rowsOf('earlier', table)).toMatchObject([{ checksum: expect.any(Number) }]);
    }
  });
});
