import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { BoardRow, Campaign } from '#app/counts/cache/saved-board.ts';
import { contentSum, savedOver } from '#app/counts/cache/merge-boards.ts';
import type { WholeCache } from './whole-cache.ts';
import {
  seriesKey,
  storeKey,
  type SeriesRow,
  type SeriesContents,
} from '#app/counts/cache/records.ts';
import { CacheInventory } from '#app/counts/cache/cache-inventory.ts';
import { SETTLE_MS } from '#core/counts/ledger.ts';
import { answered } from './answered.ts';
import { planned } from './plans.ts';
import { knownOf } from '#core/counts/known-counts.ts';

export const CATS = seriesKey('platform', 'api.x.com', 'cats', 1);
export const DOGS = seriesKey('sample', 'b', 'dogs (hot OR cold)', 1);

export const seriesRow = (key: string, usedAt: number): SeriesRow => {
  const [source, store, query] = JSON.parse(key) as [SeriesRow['source'], string, string];
  return {
    key,
    source,
    store,
    query: `${query} as typed`,
    usedAt,
    fullHead: 3,
    invalidated: [{ start: 0, end: 10, generation: 5 }],
  };
};

/** A campaign whose members are not in the order of the schema of files. */
export const SPRING: Campaign = {
  source: 'ads.csv',
  tag: '#spring',
  currency: 'EUR',
  budget: 900,
  spend: 812.5,
  impressions: 40_000,
  clicks: null,
  days: [
    { start: 86_400_000, clicks: null, spend: 400.25, impressions: 20_000 },
    { start: 2 * 86_400_000, clicks: null, spend: 412.25, impressions: 20_000 },
  ],
  control: { topic: 'matcha', queries: ['coffee'], chosen: 7, changes: 1 },
};

/** A board with two notes, a campaign and a series from a file, one bucket of which has no count. */
export const PLANTS: BoardRow = savedOver(null, {
  id: 'plants',
  name: 'Plant drinks',
  at: 1000.5,
  opened: 2000,
  view: 'source=sample&range=3y&q=matcha',
  notes: [
    { id: 'n1', start: 0, end: null, text: 'Recall “story”' },
    { id: 'n2', start: 5, end: 86_400_000, text: 'Barista contest' },
    {
      id: 'n3',
      start: 86_400_000,
      end: 3 * 86_400_000,
      text: 'Spring',
      campaign: SPRING,
    },
  ],
  fixed: [
    {
      label: 'Panel',
      query: 'matcha',
      source: 'a panel',
      bounds: Float64Array.of(0, 3_600_000, 7_200_000),
      counts: Float64Array.of(7.5, Number.NaN),
      states: Uint8Array.of(5, 0),
      fetchedAt: Float64Array.of(9, Number.NaN),
    },
  ],
});

type Answer = Parameters<typeof answered>[0] & { readonly price?: number };

export async function write(cache: WholeCache, { price = 0, ...a }: Answer): Promise<void> {
  const { records, receipt } = answered(a);
  const faults = [{ kind: 'unexpected-token', got: 'b26v8', times: 1 }] as const;
  await cache.write(records, { ...receipt, price, bytes: 1234, faults }, SETTLE_MS);
}

/** Fills a cache with two series: several granularities, pages across cell boundaries, revisions, a request, a run, a store. */
export async function fill(cache: WholeCache): Promise<void> {
  await write(cache, { series: CATS, from: 20, days: 20, at: 99, id: 'a', price: 0.01 });
  await write(cache, {
    series: CATS,
    from: 25,
    days: 3,
    at: 120,
    id: 'b',
    count: 300,
    price: 0.005,
  });
  const fine = { series: CATS, granularity: 'minute', from: 0, days: 2, at: 50, id: 'c' } as const;
  await write(cache, { ...fine, count: 70_000, price: 0.01 });
  await write(cache, { series: DOGS, granularity: 'day', from: -40, days: 31, at: 9, id: 'd' });
  await cache.touch(seriesRow(CATS, 10));
  await cache.touch(seriesRow(DOGS, 20));
  await cache.putRequest({
    id: 'open',
    first: 'before',
    series: CATS,
    query: 'cats',
    granularity: 'hour',
    endpoint: 'all',
    start: 0,
    end: null,
    purpose: 'again',
    generation: 2,
    token: 'b26v8',
    followed: true,
    at: 7.5,
    failed: { status: 503, title: 'Service Unavailable', type: 'about:blank', detail: 'later' },
  });
  await cache.putRun({
    series: CATS,
    at: 8.5,
    plan: planned(3, { leastMs: 2_000.5 }),
    paused: true,
    made: { requests: 1, money: 0.01, bytes: 3 },
  });
  await cache.updateStore(storeKey('sample', 'b'), () => ({
    key: storeKey('sample', 'b'),
    revision: 5,
    invalidated: [{ start: 0, end: 10, generation: 5 }],
  }));
  await cache.inventory.importBoards([PLANTS]);
}

const order = <T extends { readonly id: string }>(rows: readonly T[]): T[] =>
  [...rows].sort((a, b) => (a.id < b.id ? -1 : 1));

/** The whole content of a cache, in a fixed order. */
export async function everything(cache: WholeCache): Promise<(SeriesContents | BoardRow)[]> {
  const all: (SeriesContents | BoardRow)[] = await cache.inventory.boards();
  for (const key of await cache.inventory.keys()) {
    const { requests, receipts, ...rest } = await cache.inventory.contents(key);
    all.push({ ...rest, requests: order(requests), receipts: order(receipts) });
  }
  return all;
}

export const bytesOf = async (blob: Blob): Promise<Uint8Array> =>
  new Uint8Array(await blob.arrayBuffer());

/** Answers for the two series. */
const answers = fc.array(
  fc.record({
    series: fc.constantFrom(CATS, DOGS),
    granularity: fc.constantFrom('hour' as const, 'day' as const),
    from: fc.integer({ min: -5, max: 35 }),
    days: fc.integer({ min: 1, max: 31 }),
    late: fc.integer({ min: 0, max: 3 }),
    count: fc.constantFrom(0, 7, 300),
  }),
  { maxLength: 6 },
);

interface Edit {
  readonly id: string;
  readonly view: string;
  readonly at: number;
}

/** Saves of boards. */
const edits = fc.record({
  id: fc.constantFrom('a', 'b'),
  view: fc.constantFrom('q=x', 'q=y', 'q=z'),
  at: fc.integer({ min: 0, max: 3 }),
});
const edits2 = fc.tuple(fc.array(edits, { maxLength: 4 }), fc.array(edits, { maxLength: 4 }));

/** Saves a board over its stored version, if there is one. */
async function save(cache: WholeCache, { id, view, at }: Edit): Promise<void> {
  const before = (await cache.inventory.boards()).find((row) => row.id === id) ?? null;
  const board = { id, name: id, at, opened: at, view, notes: [], fixed: [] };
  const row = savedOver(before, board);
  await cache.inventory.importBoards([row]);
}

/** Tests the inventory over a cache. @param open - Opens an empty cache. */
export function inventoryLaws(open: () => WholeCache, numRuns: number): void {
  const filled = async (): Promise<WholeCache> => {
    const cache = open();
    await fill(cache);
    return cache;
  };

  describe('the inventory of a cache', () => {
    test('keeps the price of a page that is written again, and takes its new content', async () => {
      const cache = open();
      const { records, receipt } = answered({ series: CATS, from: 0, days: 3, at: 99, id: 'a' });
      await cache.write(records, { ...receipt, price: 0.01, accepted: false }, SETTLE_MS);
      await cache.write(records, receipt, SETTLE_MS);
      const stored = await cache.inventory.receipts(CATS);
      expect(stored).toEqual([{ ...receipt, price: 0.01, revisions: [] }]);
    });

    test('lists series, last used first, with their coverage and cost', async () => {
      const cache = await filled();
      const [dogs, cats, ...none] = await new CacheInventory(cache).series();
      expect(none).toEqual([]);
      expect(dogs).toMatchObject({ ...seriesRow(DOGS, 20), receipts: 1, paid: 0, requests: 0 });
      expect(cats).toMatchObject({ ...seriesRow(CATS, 10), receipts: 3, paid: 0.025, requests: 1 });
      const all = { from: 0, to: 200 };
      expect(cats?.coverage).toEqual([
        {
          granularity: 'minute',
          known: knownOf(await cache.records({ series: CATS, granularity: 'minute', ...all })),
        },
        {
          granularity: 'hour',
          known: knownOf(await cache.records({ series: CATS, granularity: 'hour', ...all })),
        },
      ]);
      expect(dogs?.coverage.map(({ granularity }) => granularity)).toEqual(['day']);
      // 44,640 counts of four bytes, 2 × 744 of one, and the rest of the records.
      expect(cats?.bytes).toBeGreaterThan(44_640 * 4);
      expect(cats?.bytes).toBeLessThan(44_640 * 4 + 50_000);
    });

    test('lists receipts newest first', async () => {
      const receipts = await new CacheInventory(await filled()).receipts(CATS);
      expect(receipts.map(({ id }) => id)).toEqual(['b', 'a', 'c']);
      expect(receipts[0]?.revisions).toHaveLength(72);
    });

    test('orders receipts of the same instant by their span, newest first', async () => {
      const cache = await filled();
      for (const [id, from] of [
        ['x', 40],
        ['z', 41],
        ['y', 42],
      ] as const) {
        await write(cache, { series: CATS, from, days: 1, at: 200, id });
      }
      const receipts = await new CacheInventory(cache).receipts(CATS);
      expect(receipts.map(({ id }) => id)).toEqual(['y', 'z', 'x', 'b', 'a', 'c']);
    });

    test('restores an export in another cache, which then exports the same bytes', async () => {
      const cache = await filled();
      const file = await new CacheInventory(cache).export();
      const other = open();
      const held = await new CacheInventory(other).import(file);
      expect(held).toEqual({ series: 2, records: 5, receipts: 4, boards: 1 });
      expect(await everything(other)).toEqual(await everything(cache));
      const again = await new CacheInventory(other).export();
      expect(await bytesOf(again)).toEqual(await bytesOf(file));
    });

    test('changes nothing by importing its own export', async () => {
      const cache = await filled();
      const before = await everything(cache);
      const inventory = new CacheInventory(cache);
      await inventory.import(await inventory.export());
      expect(await everything(cache)).toEqual(before);
    });

    test('stores a summary for every record that it imports', async () => {
      const cache = await filled();
      const other = open();
      await write(other, { series: CATS, from: 10, days: 20, at: 80, id: 'x' });
      await new CacheInventory(other).import(await new CacheInventory(cache).export());
      const range = { series: CATS, granularity: 'hour', from: 0, to: 200 } as const;
      const copy = open();
      await new CacheInventory(copy).import(await new CacheInventory(other).export());
      expect(await other.summaries(range)).toEqual(await copy.summaries(range));
      expect(knownOf(await other.summaries(range))).toEqual(knownOf(await other.records(range)));
    });

    test('exports only the requested series', async () => {
      const cache = await filled();
      const other = open();
      const inventory = new CacheInventory(other);
      await inventory.import(await new CacheInventory(cache).export([DOGS, 'unknown']));
      expect(await other.inventory.boards()).toEqual([]);
      expect((await inventory.series()).map(({ key }) => key)).toEqual([DOGS]);
    });

    test('removes a whole series, and returns a file that restores it', async () => {
      const cache = await filled();
      const before = await everything(cache);
      const inventory = new CacheInventory(cache);
      const undo = await inventory.remove(CATS);
      expect((await inventory.series()).map(({ key }) => key)).toEqual([DOGS]);
      expect(await inventory.receipts(CATS)).toEqual([]);
      expect(await cache.run(CATS)).toBeNull();
      await inventory.import(undo);
      expect(await everything(cache)).toEqual(before);
    });

    test('restores a run as paused, so that it buys nothing by itself', async () => {
      const cache = await filled();
      const run = await cache.run(CATS);
      if (!run) throw new Error('expected a run');
      await cache.putRun({ ...run, paused: false });
      const inventory = new CacheInventory(cache);
      const file = await inventory.export();
      await inventory.import(file);
      expect((await cache.run(CATS))?.paused).toBe(false);
      const other = open();
      await new CacheInventory(other).import(file);
      expect((await other.run(CATS))?.paused).toBe(true);
    });

    test('reopens no request that was answered since in either browser', async () => {
      const cache = await filled();
      const inventory = new CacheInventory(cache);
      const early = await inventory.export();
      const { records, receipt } = answered({ series: CATS, from: 3, days: 1, at: 99, id: 'e' });
      await cache.write(records, { ...receipt, request: 'open' }, SETTLE_MS);
      await inventory.import(early);
      expect(await cache.pendingRequests(CATS)).toEqual([]);
      const other = await filled();
      expect(await other.pendingRequests(CATS)).toHaveLength(1);
      await new CacheInventory(other).import(await inventory.export());
      expect(await other.pendingRequests(CATS)).toEqual([]);
    });

    test('knows a store only up to the revision that both caches know', async () => {
      const [cache, other] = [await filled(), await filled()];
      const key = storeKey('sample', 'b');
      await other.updateStore(key, (row) => ({
        ...(row ?? { key }),
        revision: 9,
        mark: 'm',
        invalidated: [
          { start: 5, end: 8, generation: 9 },
          { start: 20, end: 30, generation: 7 },
        ],
      }));
      await new CacheInventory(other).import(await new CacheInventory(cache).export());
      expect((await other.inventory.contents(DOGS)).store).toEqual({
        key,
        revision: 5,
        named: [{ revision: 9, mark: 'm' }],
        invalidated: [
          { start: 0, end: 5, generation: 5 },
          { start: 5, end: 8, generation: 9 },
          { start: 8, end: 10, generation: 5 },
          { start: 20, end: 30, generation: 7 },
        ],
      });
    });

    test('leaves boards alone when the file has none', async () => {
      const cache = open();
      await write(cache, { series: CATS, from: 0, days: 3, at: 99, id: 'a' });
      const file = await new CacheInventory(cache).export();
      const other = open();
      await other.inventory.importBoards([PLANTS]);
      await new CacheInventory(other).import(file);
      expect(await other.inventory.boards()).toEqual([PLANTS]);
    });

    test('keeps the later version of a board that both changed, and the other as a copy', async () => {
      const [cache, other] = [await filled(), await filled()];
      const here = savedOver(PLANTS, { ...PLANTS, view: 'range=1y&q=oat', at: 3000 });
      const there = savedOver(PLANTS, { ...PLANTS, name: 'Drinks', at: 2500 });
      await cache.inventory.importBoards([here]);
      await other.inventory.importBoards([there]);
      await new CacheInventory(cache).import(await new CacheInventory(other).export());
      const boards = await cache.inventory.boards();
      expect(boards.map(({ name, view }) => ({ name, view }))).toEqual([
        { name: 'Plant drinks', view: here.view },
        { name: 'Drinks (imported)', view: PLANTS.view },
      ]);
      await new CacheInventory(other).import(await new CacheInventory(cache).export());
      expect(await other.inventory.boards()).toEqual(boards);
    });

    test('makes no copy of an earlier version of a board', async () => {
      const cache = await filled();
      const early = await new CacheInventory(cache).export();
      const now = savedOver(PLANTS, { ...PLANTS, notes: [], at: 3000 });
      await cache.inventory.importBoards([now]);
      await new CacheInventory(cache).import(early);
      expect(await cache.inventory.boards()).toEqual([now]);
      // The clock may go back: the version derived from the other is the later one.
      const other = await filled();
      const slow = savedOver(PLANTS, { ...PLANTS, notes: [], at: 1 });
      await other.inventory.importBoards([slow]);
      expect((await other.inventory.boards()).map(({ notes }) => notes)).toEqual([[]]);
    });

    test('merges the boards of two browsers in any order and any number of times', async () => {
      await fc.assert(
        fc.asyncProperty(fc.array(edits, { maxLength: 5 }), edits2, async (first, [one, two]) => {
          const browser = async (more: readonly Edit[]): Promise<WholeCache> => {
            const cache = open();
            for (const edit of [...first, ...more]) await save(cache, edit);
            return cache;
          };
          const [here, there] = [await browser(one), await browser(two)];
          const before = [...(await here.inventory.boards()), ...(await there.inventory.boards())];
          const [a, b] = [
            await new CacheInventory(here).export(),
            await new CacheInventory(there).export(),
          ];
          await new CacheInventory(here).import(b);
          await new CacheInventory(there).import(a);
          await new CacheInventory(there).import(a);
          const boards = await here.inventory.boards();
          expect(await there.inventory.boards()).toEqual(boards);
          // A version that no save replaced still exists, as the board or as a copy.
          for (const { id, view } of before) {
            const old = boards.find((row) => row.id === id)?.was ?? [];
            const held = boards.some((row) => row.id.startsWith(id) && row.view === view);
            const was = before.filter((row) => row.id === id && row.view === view);
            expect(held || was.every((row) => old.includes(contentSum(row)))).toBe(true);
          }
        }),
        { numRuns },
      );
    });

    test('merges two browsers in any order and any number of times', async () => {
      await fc.assert(
        fc.asyncProperty(answers, answers, async (one, two) => {
          const browser = async (name: string, reported: typeof one): Promise<WholeCache> => {
            const cache = open();
            for (const [i, { late, ...a }] of reported.entries()) {
              await write(cache, { ...a, at: a.from + a.days + late, id: `${name}${i}` });
              await cache.touch(seriesRow(a.series, i));
            }
            return cache;
          };
          const files = [];
          for (const [name, reported] of [
            ['x', one],
            ['y', two],
          ] as const) {
            files.push(await new CacheInventory(await browser(name, reported)).export());
          }
          const [a, b] = files as [Blob, Blob];
          const here = await browser('x', one);
          await new CacheInventory(here).import(b);
          const there = await browser('y', two);
          await new CacheInventory(there).import(a);
          await new CacheInventory(there).import(a);
          expect(await everything(there)).toEqual(await everything(here));
          const [c, d] = [here, there].map((cache) => new CacheInventory(cache).export());
          expect(await bytesOf((await c) as Blob)).toEqual(await bytesOf((await d) as Blob));
        }),
        { numRuns },
      );
    });
  });
}
