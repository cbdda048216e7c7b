import { Dexie } from 'dexie';
import { describe, expect, test } from 'vitest';
import { cacheFault } from '#app/counts/cache/opening.ts';
import {
  CACHE_BROKEN,
  CACHE_FULL,
  CACHE_OUTDATED,
  seriesKey,
  storeKey,
  type PendingRequest,
  type CellRange,
  type RunRow,
  type SeriesRow,
} from '#app/counts/cache/records.ts';
import { CountsStore } from '#app/counts/worker/counts-store.ts';
import { Fault } from '#contract/fault.ts';
import type { SourceInfo } from '#contract/counts/source.ts';
import { SETTLE_MS, recordsOf, type CellRecord } from '#core/counts/ledger.ts';
import { summarise, type CellSummary } from '#core/counts/summary.ts';
import { CELL_MS, DAY_MS, cellSpan } from '#core/time/span.ts';
import { answered, type Answer } from '#tests/support/data/answered.ts';
import { planned } from '#tests/support/data/plans.ts';
import { testCache, type TestCache } from '#tests/support/run/test-cache.ts';
import { merge } from '#core/counts/merge-records.ts';

const range = (from: number, to: number, over: Partial<CellRange> = {}): CellRange => ({
  series: 's',
  granularity: 'hour',
  from,
  to,
  ...over,
});

const SOURCES: SourceInfo[] = [
  { id: 'sample', store: 'a', revision: 3, posts: 10, first: null, last: null, coverage: [] },
  { id: 'posts', store: 'b', revision: 0, posts: 0, first: null, last: null, coverage: [] },
];

const FAILED = { status: 503, title: 'Service Unavailable', type: 'about:blank' };

const DAYS = { start: 0, end: 10 * DAY_MS };

/** A pending request of series `s`. */
const request = (id: string, at: number, over: Partial<PendingRequest> = {}): PendingRequest => ({
  id,
  first: id,
  series: 's',
  query: 's',
  granularity: 'hour',
  endpoint: 'all',
  start: 0,
  end: DAY_MS,
  purpose: 'count',
  generation: 0,
  token: null,
  followed: false,
  at,
  failed: null,
  ...over,
});

const run = (series: string, requests: number): RunRow => ({
  series,
  at: 1,
  plan: planned(requests),
  paused: false,
  made: { requests: 0, money: 0, bytes: 0 },
});

const rowOf = (key: string, usedAt: number): SeriesRow => ({
  key,
  source: 'posts',
  store: 'a',
  query: `as typed: ${key}`,
  usedAt,
  fullHead: 0,
  invalidated: [],
});

async function faultOf(promise: Promise<unknown>): Promise<Fault> {
  const error: unknown = await promise.catch((e: unknown) => e);
  if (!(error instanceof Fault)) throw new Error(`expected a Fault, got ${String(error)}`);
  return error;
}

const write = async (cache: TestCache, a: Answer) => {
  const { records, receipt } = answered(a);
  return await cache.write(records, receipt, SETTLE_MS);
};

describe('a cache', () => {
  test('reads what was written by series, granularity and cells, in order', async () => {
    const cache = testCache();
    await write(cache, { from: 20, days: 20, at: 99, id: 'a' });
    await write(cache, { from: 0, days: 3, at: 99, id: 'b', series: 'other' });
    await write(cache, { from: 0, days: 3, at: 99, id: 'c', granularity: 'day' });
    const { records } = answered({ from: 20, days: 20, at: 99, id: 'a' });
    expect(await cache.records(range(99, 102))).toEqual(records);
    expect(await cache.records(range(101, 101))).toEqual([records[1]]);
    expect(await cache.records(range(102, 110))).toEqual([]);
    expect(await cache.records(range(0, 200, { granularity: 'day' }))).toHaveLength(1);
  });

  test('stores an up-to-date summary with every record', async () => {
    const cache = testCache();
    await write(cache, { from: 20, days: 20, at: 99, id: 'a' });
    await write(cache, { from: 25, days: 10, at: 98, id: 'b', count: 300 });
    const records = await cache.records(range(0, 200));
    expect(await cache.summaries(range(0, 200))).toEqual(records.map((r) => summarise(r)));
  });

  test('merges another answer into the stored records, and reports the result', async () => {
    const cache = testCache();
    const one = { from: 0, days: 10, at: 11, id: 'a' };
    const two = { from: 5, days: 10, at: 16, id: 'b', count: 900 };
    await write(cache, one);
    const written = await write(cache, two);
    const [a, b] = [answered(one).records[0], answered(two).records[0]];
    const merged = merge(a as CellRecord, b as CellRecord);
    expect(written.records).toEqual([merged]);
    expect(await cache.records(range(0, 200))).toEqual([merged]);
    expect(written.revisions).toHaveLength(24 * 5);
  });

  test('adds each purchase once to the run of its series', async () => {
    const cache = testCache();
    await cache.putRun(run('s', 3));
    const { records, receipt } = answered({ from: 0, days: 3, at: 99, id: 'a' });
    const bought = { ...receipt, price: 0.01, bytes: 7 };
    await cache.write(records, bought, SETTLE_MS);
    await cache.write(records, bought, SETTLE_MS);
    await cache.write([], { ...bought, id: 'b', accepted: false }, SETTLE_MS);
    await cache.write([], { ...bought, id: 'c', price: 0 }, SETTLE_MS);
    await cache.write([], { ...bought, id: 'd', series: 'other' }, SETTLE_MS);
    const made = { requests: 2, money: 0.02, bytes: 14 };
    expect(await cache.run('s')).toEqual({ ...run('s', 3), made });
  });

  test('pauses and resumes a run without changing anything else in it', async () => {
    const cache = testCache();
    expect(await cache.pauseRun('s', true)).toBeNull();
    await cache.putRun(run('s', 3));
    expect(await cache.pauseRun('s', true)).toEqual({ ...run('s', 3), paused: true });
    expect(await cache.run('s')).toEqual({ ...run('s', 3), paused: true });
    expect(await cache.pauseRun('s', false)).toEqual(run('s', 3));
  });

  test('loses no answer when several are written at once', async () => {
    const cache = testCache();
    const answers = Array.from({ length: 31 }, (_, i) => ({
      from: i,
      days: 1,
      at: 99,
      id: `r${i}`,
      count: i,
    }));
    await Promise.all(answers.map((a) => write(cache, a)));
    const [record] = await cache.records(range(100, 100));
    expect(record?.segments).toHaveLength(31);
    expect(Array.from(record?.counts ?? []).filter((_, i) => i % 24 === 0)).toEqual(
      Array.from({ length: 31 }, (_, i) => i),
    );
  });

  test('compares records with the stored ones without writing them', async () => {
    const cache = testCache();
    const one = { from: 0, days: 10, at: 11, id: 'a' };
    await write(cache, one);
    const audit = answered({ from: 8, days: 10, at: 50, id: 'b', count: 900 });
    const written = await cache.write([], audit.receipt, SETTLE_MS, audit.records);
    expect(written.records).toEqual([]);
    expect(written.revisions).toHaveLength(24 * 2);
    expect(await cache.records(range(0, 200))).toEqual(answered(one).records);
    const [summary] = await cache.summaries(range(0, 200));
    expect(Object.keys(summary?.receipts ?? {})).toEqual(['a']);
  });

  test('stores the requests of a series until they are answered or dropped, oldest first', async () => {
    const cache = testCache();
    await cache.putRequest(request('ask of a', 3));
    await cache.putRequest(request('ask of b', 1));
    await cache.putRequest(request('ask of c', 2));
    await cache.putRequest(request('elsewhere', 0, { series: 'other' }));
    const failed = FAILED;
    await cache.putRequest(request('ask of c', 2, { failed }));
    expect(await cache.pendingRequests('s')).toEqual([
      request('ask of b', 1),
      request('ask of c', 2, { failed }),
      request('ask of a', 3),
    ]);
    await write(cache, { from: 0, days: 1, at: 9, id: 'b' });
    await cache.dropRequest('ask of a');
    await cache.dropRequest('unknown');
    expect(await cache.pendingRequests('s')).toEqual([request('ask of c', 2, { failed })]);
    expect(await cache.pendingRequests('other')).toHaveLength(1);
  });

  test('stores one run per series', async () => {
    const cache = testCache();
    expect(await cache.run('s')).toBeNull();
    await cache.putRun(run('s', 3));
    await cache.putRun(run('s', 4));
    await cache.putRun(run('other', 5));
    expect(await cache.run('s')).toEqual(run('s', 4));
    await cache.dropRun('s');
    expect(await cache.run('s')).toBeNull();
    expect(await cache.run('other')).toEqual(run('other', 5));
  });

  test('notes when a series was last opened without changing the rest of its row', async () => {
    const cache = testCache();
    expect(await cache.seriesRow('s')).toBeNull();
    const first = { ...rowOf('s', 3), fullHead: 20_000, invalidated: [{ ...DAYS, generation: 5 }] };
    await cache.touch(first);
    expect(await cache.seriesRow('s')).toEqual(first);
    await cache.touch({ ...rowOf('s', 4), query: 'other words' });
    expect(await cache.seriesRow('s')).toEqual({ ...first, usedAt: 4, query: 'other words' });
  });

  test('notes the latest head in full length without changing the rest of the row', async () => {
    const cache = testCache();
    await cache.noteFullHead(rowOf('s', 3), 20_000);
    expect(await cache.seriesRow('s')).toEqual({ ...rowOf('s', 3), fullHead: 20_000 });
    await cache.invalidate(rowOf('s', 1), [DAYS]);
    await cache.noteFullHead({ ...rowOf('s', 1), query: 'stale' }, 20_001);
    await cache.noteFullHead(rowOf('s', 1), 19_999);
    const invalidated = [{ ...DAYS, generation: 1 }];
    expect(await cache.seriesRow('s')).toEqual({ ...rowOf('s', 3), fullHead: 20_001, invalidated });
  });

  test('invalidates spans of a series under a new generation, and returns all invalidated spans', async () => {
    const cache = testCache();
    const first = [{ ...DAYS, generation: 1 }];
    expect(await cache.invalidate(rowOf('s', 3), [DAYS])).toEqual(first);
    expect(await cache.seriesRow('s')).toEqual({ ...rowOf('s', 3), invalidated: first });
    const [middle] = [{ start: 2 * DAY_MS, end: 3 * DAY_MS }];
    const later = { start: 20 * DAY_MS, end: 21 * DAY_MS };
    const invalidated = [
      { start: DAYS.start, end: middle.start, generation: 1 },
      { ...middle, generation: 2 },
      { start: middle.end, end: DAYS.end, generation: 1 },
      { ...later, generation: 2 },
    ];
    // The caller’s row is older than the stored one.
    expect(await cache.invalidate(rowOf('s', 1), [middle, later])).toEqual(invalidated);
    expect(await cache.seriesRow('s')).toEqual({ ...rowOf('s', 3), invalidated });
    await cache.touch(rowOf('s', 9));
    expect((await cache.invalidate(rowOf('s', 9), [later])).at(-1)).toEqual({
      ...later,
      generation: 3,
    });
  });

  test('makes room by deleting everything of the least recently opened series', async () => {
    const cache = testCache();
    for (const [series, usedAt] of [
      ['s', 30],
      ['old', 10],
      ['older', 5],
    ] as const) {
      await write(cache, { from: 20, days: 20, at: 99, id: `${series} 1`, series });
      await write(cache, {
        from: 0,
        days: 1,
        at: 9,
        id: `${series} 2`,
        series,
        granularity: 'day',
      });
      await cache.putRequest(request(`failed ${series}`, 1, { series, failed: FAILED }));
      await cache.touch(rowOf(series, 1));
      await cache.touch(rowOf(series, usedAt));
    }
    expect(await cache.makeRoom(['older', 'x'])).toEqual(rowOf('old', 10));
    for (const granularity of ['hour', 'day'] as const) {
      const gone = range(0, 200, { series: 'old', granularity });
      expect(await cache.records(gone)).toEqual([]);
      expect(await cache.summaries(gone)).toEqual([]);
      const remaining = range(0, 200, { granularity });
      expect((await cache.records(remaining)).length).toBeGreaterThan(0);
      expect((await cache.summaries(remaining)).length).toBeGreaterThan(0);
    }
    expect(await cache.pendingRequests('old')).toEqual([]);
    expect(await cache.pendingRequests('s')).toHaveLength(1);
    expect(await cache.makeRoom([])).toEqual(rowOf('older', 5));
    expect(await cache.makeRoom(['s'])).toBeNull();
    expect(await cache.makeRoom([])).toEqual(rowOf('s', 30));
    expect(await cache.makeRoom([])).toBeNull();
  });

  test('does not delete a series that this or another tab may be buying', async () => {
    const cache = testCache();
    await cache.touch(rowOf('s', 30));
    for (const [series, usedAt] of [
      ['asked', 10],
      ['agreed', 11],
      ['paused', 12],
    ] as const) {
      await write(cache, { from: 0, days: 1, at: 9, id: series, series });
      await cache.touch(rowOf(series, usedAt));
    }
    await cache.putRequest(request('open', 1, { series: 'asked' }));
    await cache.putRequest(request('open, of no row', 1, { series: 'stray' }));
    await cache.putRun(run('agreed', 1));
    await cache.putRun({ ...run('paused', 1), paused: true });
    expect(await cache.makeRoom([])).toEqual(rowOf('s', 30));
    expect(await cache.makeRoom([])).toBeNull();
    for (const series of ['asked', 'agreed', 'paused']) {
      expect(await cache.records(range(0, 200, { series }))).toHaveLength(1);
    }
    await cache.putRequest(request('open', 1, { series: 'asked', failed: FAILED }));
    await cache.dropRequest('open, of no row');
    await cache.dropRun('agreed');
    expect(await cache.makeRoom([])).toEqual(rowOf('asked', 10));
    expect(await cache.makeRoom([])).toEqual(rowOf('agreed', 11));
    expect(await cache.makeRoom([])).toBeNull();
  });

  test('deletes series first for which no use is noted', async () => {
    const cache = testCache();
    const key = seriesKey('sample', 'a', 'cat dog', 1);
    await write(cache, { from: 0, days: 1, at: 9, id: 'a', series: key });
    await write(cache, { from: 0, days: 1, at: 9, id: 'b' });
    await cache.touch(rowOf('s', 5));
    expect(await cache.makeRoom([])).toEqual({
      key,
      source: 'sample',
      store: 'a',
      query: 'cat dog',
      usedAt: 0,
      fullHead: 0,
      invalidated: [],
    });
    expect(await cache.records(range(0, 200))).toHaveLength(1);
  });

  test('may make room only after the user has allowed it', async () => {
    const cache = testCache();
    expect(await cache.mayMakeRoom()).toBe(false);
    await cache.setMayMakeRoom(true);
    expect(await cache.mayMakeRoom()).toBe(true);
    await cache.setMayMakeRoom(false);
    expect(await cache.mayMakeRoom()).toBe(false);
  });

  test('has no row of a store before the first update, then the last one', async () => {
    const cache = testCache();
    const row = { key: 'k', revision: 1, invalidated: [] };
    const seen: unknown[] = [];
    await cache.updateStore('k', (before) => (seen.push(before), row));
    await cache.updateStore('k', (before) => (seen.push(before), { ...row, revision: 2 }));
    expect(seen).toEqual([null, row]);
  });

  test('drops the counts of all series of a store whose epoch changes, and no others', async () => {
    const cache = testCache();
    const [store, other] = [storeKey('posts', 'a'), storeKey('posts', 'ab')];
    const series = ['cats', 'dogs'].map((query) => seriesKey('posts', 'a', query, 1));
    const stays = [seriesKey('posts', 'ab', 'cats', 1), seriesKey('sample', 'a', 'cats', 1)];
    for (const [i, each] of [...series, ...stays].entries()) {
      for (const granularity of ['hour', 'day'] as const) {
        const id = `${each} ${granularity}`;
        const { records, receipt } = answered({
          series: each,
          granularity,
          from: i,
          days: 1,
          at: 9,
          id,
        });
        await cache.write(records, receipt, SETTLE_MS);
      }
    }
    const row = { key: store, revision: 2, mark: 'x', invalidated: [] };
    const there = async (): Promise<number[]> =>
      Promise.all(
        [...series, ...stays].map(async (each) => {
          const [hours, days, summaries] = await Promise.all([
            cache.records(range(99, 101, { series: each })),
            cache.records(range(99, 101, { series: each, granularity: 'day' })),
            cache.summaries(range(99, 101, { series: each })),
          ]);
          const receipts = (await cache.version(each)) === '' ? 0 : 1;
          return hours.length + days.length + summaries.length + receipts;
        }),
      );
    await cache.updateStore(store, () => row);
    await cache.updateStore(other, () => ({ ...row, key: other, epoch: 0 }));
    expect(await there()).toEqual([4, 4, 4, 4]);
    await cache.updateStore(store, () => ({ ...row, revision: 3 }));
    expect(await there()).toEqual([4, 4, 4, 4]);
    await cache.updateStore(store, () => ({ ...row, epoch: 1 }));
    expect(await there()).toEqual([0, 0, 4, 4]);
  });

  test('remembers the last list of sources', async () => {
    const cache = testCache();
    expect(await cache.sources()).toBeNull();
    await cache.rememberSources(SOURCES);
    expect(await cache.sources()).toEqual(SOURCES);
    await cache.rememberSources(SOURCES.slice(1));
    expect(await cache.sources()).toEqual(SOURCES.slice(1));
  });

  test('writes records, summaries and receipt together or not at all', async () => {
    const cache = testCache();
    const { records, receipt } = answered({ from: 0, days: 40, at: 99, id: 'a' });
    const unstorable = { ...receipt, faults: [() => undefined] } as unknown as typeof receipt;
    await faultOf(cache.write(records, unstorable, SETTLE_MS));
    expect(await cache.records(range(0, 200))).toEqual([]);
    expect(await cache.summaries(range(0, 200))).toEqual([]);
    await cache.write(records, receipt, SETTLE_MS);
    expect(await cache.records(range(0, 200))).toEqual(records);
  });
});

describe('cacheFault', () => {
  const quota = new DOMException('no room', 'QuotaExceededError');

  test.each([
    ['a quota error', quota, CACHE_FULL],
    ['a quota error wrapped by Dexie', new Dexie.AbortError('aborted', quota), CACHE_FULL],
    ['a closed database', new Dexie.DatabaseClosedError(), CACHE_BROKEN],
    ['an older version than the stored one', new Dexie.VersionError(), CACHE_OUTDATED],
    ['anything else', new Dexie.UnknownError('disk'), CACHE_BROKEN],
    ['a value that is not an error', 'oops', CACHE_BROKEN],
  ])('classifies %s', (_, error, type) => {
    expect(cacheFault(error).body.type).toBe(type);
  });
});

type Row = Record<string, unknown> & CellRecord & CellSummary;

/** Rewrites every row of a table without the cache's knowledge. */
async function rewrite(
  { db }: TestCache,
  name: 'cells' | 'summaries',
  change: (row: Row) => object,
): Promise<void> {
  const table = db.table(name);
  const rows = (await table.toArray()) as Row[];
  await table.bulkPut(rows.map((row) => change(row)));
}

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
      segments: row.segments.map((segment) => ({ ...segment, to: segment.to + 3_600_000 })),
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

describe('a damaged record', () => {
  const one = { from: 0, days: 10, at: 99, id: 'a' } as const;

  test.each(DAMAGE)(
    'with a change of %s is dropped with its summary, as the log says',
    async (_, change) => {
      const cache = testCache();
      const { records, receipt } = answered(one);
      await cache.write(records, { ...receipt, price: 0.01 }, SETTLE_MS);
      const other = answered({ ...one, from: 31, id: 'b' });
      await cache.write(other.records, other.receipt, SETTLE_MS);
      await rewrite(cache, 'cells', (row) => (row.key[2] === 100 ? change(row) : row));
      expect(await cache.records(range(0, 200))).toEqual(other.records);
      expect(await cache.summaries(range(0, 200))).toEqual(other.records.map((r) => summarise(r)));
      const [a, b] = await cache.inventory.receipts('s');
      expect(a).toMatchObject({ id: 'a', price: 0.01, faults: [{ kind: 'damaged', times: 1 }] });
      expect(b).toMatchObject({ id: 'b', faults: [] });
    },
  );

  test.each(['hour', 'minute', 'day'] as const)('by the %s counts as unknown', async (by) => {
    const cache = testCache();
    const { records, receipt } = answered({ ...one, granularity: by });
    await cache.write(records, receipt, SETTLE_MS);
    await rewrite(cache, 'cells', (row) => ({ ...row, counts: flipped(row.counts) }));
    await rewrite(cache, 'summaries', (row) => ({
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
      invalidated: [],
    };
    const { known } = await new CountsStore(cache).open(1, {
      series,
      granularity: by,
      knownBy: by,
      span: cellSpan(100),
      invalidated: [],
      invalidatedIfApproved: null,
      settleMs: SETTLE_MS,
      before: null,
    });
    expect(known.flat()).toEqual([]);
  });

  test('is not merged into the next answer, and costs nothing again', async () => {
    const cache = testCache();
    const run = { series: 's', at: 1, plan: planned(3), paused: false } as const;
    await cache.putRun({ ...run, made: { requests: 0, money: 0, bytes: 0 } });
    const { records, receipt } = answered(one);
    const bought = { ...receipt, price: 0.01 };
    await cache.write(records, bought, SETTLE_MS);
    await rewrite(cache, 'cells', (row) => ({ ...row, counts: flipped(row.counts) }));
    const other = answered({ ...one, from: 12, id: 'b' });
    expect((await cache.write(other.records, other.receipt, SETTLE_MS)).records).toEqual(
      other.records,
    );
    expect(await cache.records(range(0, 200))).toEqual(other.records);
    // The service sends the page again for free.
    await cache.write(records, { ...bought, price: 0 }, SETTLE_MS);
    const [record] = await cache.records(range(0, 200));
    expect(record?.segments.map((segment) => segment.receipt)).toEqual(['a', 'b']);
    expect((await cache.run('s'))?.made).toMatchObject({ requests: 1, money: 0.01 });
    const [a] = await cache.inventory.receipts('s');
    expect(a).toMatchObject({ price: 0.01, faults: [{ kind: 'damaged' }] });
  });

  test('is not compared, exported or merged with a backup', async () => {
    const cache = testCache();
    const { records, receipt } = answered(one);
    const spoil = () => rewrite(cache, 'cells', (row) => ({ ...row, counts: flipped(row.counts) }));
    await cache.write(records, receipt, SETTLE_MS);
    const whole = await cache.inventory.contents('s');
    await spoil();
    const audit = answered({ ...one, id: 'b' });
    const compared = await cache.write([], audit.receipt, SETTLE_MS, audit.records);
    expect(compared.revisions).toEqual([]);
    await cache.inventory.merge(whole, SETTLE_MS);
    await spoil();
    await cache.inventory.merge(whole, SETTLE_MS);
    expect(await cache.records(range(0, 200))).toEqual(records);
    await spoil();
    expect((await cache.inventory.contents('s')).records).toEqual([]);
    expect((await cache.inventory.overview('s')).summaries).toEqual([]);
  });
});

describe('a damaged summary', () => {
  test.each(['hour', 'minute', 'day'] as const)(
    'by the %s is rebuilt from its record',
    async (by) => {
      const cache = testCache();
      const { records, receipt } = answered({
        from: 0,
        days: 10,
        at: 99,
        id: 'a',
        granularity: by,
      });
      await cache.write(records, receipt, SETTLE_MS);
      for (const tier of ['sum', 'min', 'max'] as const) {
        await rewrite(cache, 'summaries', (row) => ({
          ...row,
          days: { ...row.days, [tier]: flipped(row.days[tier]) },
        }));
        const all = range(0, 200, { granularity: by });
        expect(await cache.summaries(all)).toEqual(records.map((r) => summarise(r)));
        expect((await cache.inventory.overview('s')).summaries).toEqual(
          records.map((r) => summarise(r)),
        );
      }
      expect(await cache.records(range(0, 200, { granularity: by }))).toEqual(records);
      expect((await cache.inventory.receipts('s'))[0]?.faults).toEqual([]);
    },
  );

  test('of an earlier version with overflowed sums is rebuilt', async () => {
    const cache = testCache();
    const { start } = cellSpan(100);
    const note = { at: start + 2 * CELL_MS, generation: 0, endpoint: 'all' } as const;
    const counts = Float64Array.from({ length: 48 }, () => 4_000_000_000);
    const span = { start, end: start + 48 * 3_600_000 };
    const records = recordsOf('s', 'hour', { ...span, counts, receipt: 'a', note });
    const { receipt } = answered({ from: 0, days: 2, at: 99, id: 'a' });
    await cache.write(records, receipt, SETTLE_MS);
    await rewrite(cache, 'cells', withoutChecksum);
    await rewrite(cache, 'summaries', (row) =>
      withoutChecksum({
        ...row,
        days: { ...row.days, sum: Uint32Array.from(row.days.sum) },
      } as Row),
    );
    const [summary] = await cache.summaries(range(0, 200));
    expect(summary?.days.sum[0]).toBe(24 * 4_000_000_000);
  });
});

describe('records of an earlier version', () => {
  test('are read without a checksum, and get one when they are written again', async () => {
    const cache = testCache();
    const { records, receipt } = answered({ from: 0, days: 10, at: 99, id: 'a' });
    await cache.write(records, receipt, SETTLE_MS);
    for (const table of ['cells', 'summaries'] as const) {
      await rewrite(cache, table, withoutChecksum);
    }
    expect(await cache.records(range(0, 200))).toEqual(records);
    expect(await cache.summaries(range(0, 200))).toEqual(records.map((r) => summarise(r)));
    await cache.write(records, receipt, SETTLE_MS);
    for (const table of ['cells', 'summaries']) {
      expect(await cache.db.table(table).toArray()).toMatchObject([
        { checksum: expect.any(Number) },
      ]);
    }
  });
});
