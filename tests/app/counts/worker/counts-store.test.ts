import { beforeEach, describe, expect, test } from 'vitest';
import { CACHE_FULL, type SeriesRow } from '#app/counts/cache/records.ts';
import { CountsStore } from '#app/counts/worker/counts-store.ts';
import type {
  PageResult,
  PageResponse,
  RenderRequest,
  LoadRequest,
} from '#app/counts/worker/messages.ts';
import { shortest } from '#app/counts/source-policy.ts';
import { Fault } from '#contract/fault.ts';
import { SETTLE_MS } from '#core/counts/ledger.ts';
import { STATE } from '#core/series/series.ts';
import type { Granularity } from '#core/time/bucket.ts';
import { Edges } from '#core/time/edges.ts';
import { DAY_MS, HOUR_MS } from '#core/time/span.ts';
import { testCache, type TestCache } from '#tests/support/run/test-cache.ts';
import { bytesOf, writtenPage, type WrittenPage } from '#tests/support/data/pages.ts';

const START = Date.parse('2026-03-01');
const DATE = Date.parse('2026-11-20T12:00:00Z');
const SERIES: SeriesRow = {
  key: 's',
  source: 'posts',
  store: 'store',
  query: 'storm',
  usedAt: DATE,
  fullHead: 0,
  invalidated: [],
};
const OWN = { confirmAbsentMs: null };

let cache: TestCache;
let store: CountsStore;
let receipts = 0;

beforeEach(() => {
  cache = testCache();
  store = new CountsStore(cache);
});

const loadRequest = (days: number, over: Partial<LoadRequest> = {}): LoadRequest => ({
  series: SERIES,
  granularity: 'day',
  knownBy: over.granularity ?? 'day',
  span: { start: START, end: START + days * DAY_MS },
  invalidated: [],
  invalidatedIfApproved: null,
  settleMs: SETTLE_MS,
  before: null,
  ...over,
});

const renderRequest = (days: number, step = DAY_MS): RenderRequest => ({
  edges: Edges.of(
    Float64Array.from({ length: (days * DAY_MS) / step + 1 }, (_, i) => START + i * step),
  ),
  cut: { first: false, last: false },
  basis: null,
  reach: { start: 0, end: DATE },
  covered: [{ start: -Infinity, end: Infinity }],
  failed: [],
});

/** Gives the store a page for days after the start. */
async function accept(
  from: number,
  to: number,
  posts: (start: number) => number,
  over: Partial<PageResponse> & {
    granularity?: Granularity;
    spoil?: (page: WrittenPage) => unknown;
  } = {},
): Promise<PageResult> {
  const { granularity = 'day', spoil, ...rest } = over;
  const [start, end] = [START + from * DAY_MS, START + to * DAY_MS];
  const page = writtenPage(start, end, granularity, posts);
  spoil?.(page);
  receipts += 1;
  return await store.accept(1, {
    request: `again${receipts}`,
    receipt: `receipt${receipts}`,
    first: `ask${from}`,
    granularity,
    endpoint: 'all',
    purpose: 'count',
    start,
    end,
    body: bytesOf(page),
    bytes: 1000,
    date: DATE,
    fetched: over.date ?? DATE,
    generation: 0,
    index: 0,
    price: 0,
    followed: false,
    earlier: [],
    ...rest,
  });
}

const counts = async (days: number, step?: number): Promise<number[]> =>
  Array.from((await store.render(1, renderRequest(days, step))).curve.counts);

describe('a valid page', () => {
  test('is written, known and rendered', async () => {
    expect((await store.open(1, loadRequest(4))).known).toEqual([[], [], []]);
    const accepted = await accept(1, 3, () => 5);
    expect(accepted).toMatchObject({ kind: 'accepted', faults: [], token: null });
    expect(accepted.known[2]).toEqual([
      { from: START + DAY_MS, to: START + 3 * DAY_MS, at: DATE, generation: 0 },
    ]);
    expect(await cache.db.receipts.count()).toBe(1);
    expect(await counts(4)).toEqual([NaN, 5, 5, NaN]);
  });

  test('is known to another store on the same cache', async () => {
    await store.open(1, loadRequest(2));
    await accept(0, 2, () => 3);
    store = new CountsStore(cache);
    const { known } = await store.open(1, loadRequest(2));
    expect(known[2]).toHaveLength(1);
    expect(await counts(2)).toEqual([3, 3]);
  });

  test('of a finer granularity serves a coarser one', async () => {
    await store.open(1, loadRequest(2, { granularity: 'hour' }));
    await accept(0, 2, () => 3, { granularity: 'hour' });
    await store.open(2, loadRequest(2, { before: 1 }));
    const { curve } = await store.render(2, renderRequest(2));
    expect([...curve.counts]).toEqual([72, 72]);
    expect([...curve.states]).toEqual([STATE.settled, STATE.settled]);
  });

  test('of minutes is not read again if the previous session has it', async () => {
    await store.open(1, loadRequest(1, { granularity: 'minute' }));
    await accept(0, 1, (t) => (t / 60_000) % 3, { granularity: 'minute' });
    const before = await counts(1, HOUR_MS);
    let read = 0;
    const records = cache.records.bind(cache);
    cache.records = async (range) => ((read += 1), await records(range));
    await store.open(1, loadRequest(1, { granularity: 'minute', before: 1 }));
    expect(await counts(1, HOUR_MS)).toEqual(before);
    expect(read).toBe(0);
  });
});

describe('a page that contradicts itself', () => {
  test.each<[string, (page: WrittenPage) => unknown, string]>([
    ['a gap', (page) => page.data?.splice(1, 1), 'gap'],
    ['a wrong total', (page) => (page.meta.total_tweet_count += 1), 'wrong-total'],
    [
      'a negative count',
      (page) => (page.data ?? []).forEach((bucket) => (bucket.tweet_count = -1)),
      'bad-count',
    ],
  ])('is rejected: %s', async (_, spoil, kind) => {
    await store.open(1, loadRequest(3));
    const accepted = await accept(0, 3, () => 5, { spoil });
    expect(accepted.kind).toBe('refused');
    expect(accepted.faults.map((fault) => fault.kind)).toContain(kind);
    expect(await cache.db.cells.count()).toBe(0);
    // The answer is noted with its evidence, because it may have been paid for.
    expect(await cache.db.receipts.toArray()).toMatchObject([
      { accepted: false, faults: accepted.faults },
    ]);
    expect(await counts(3)).toEqual([NaN, NaN, NaN]);
  });

  test('is rejected if its body is cut off', async () => {
    await store.open(1, loadRequest(3));
    const body = bytesOf(writtenPage(START, START + 3 * DAY_MS, 'day', () => 1));
    const accepted = await accept(0, 3, () => 1, { body: body.slice(0, -9) });
    expect(accepted).toMatchObject({ kind: 'refused', faults: [{ kind: 'cut-body' }] });
  });

  test('is accepted if it only differs in settled counts, which do not change', async () => {
    await store.open(1, loadRequest(3));
    await accept(0, 3, () => 5);
    const accepted = await accept(0, 3, () => 6, { date: DATE + 1000 });
    expect(accepted).toMatchObject({
      kind: 'accepted',
      faults: [{ kind: 'changed-settled', at: START, expected: 5, got: 6, times: 3 }],
    });
    expect(await counts(3)).toEqual([5, 5, 5]);
    expect(
      (await cache.db.receipts.toArray()).map((receipt) => receipt.revisions.length).sort(),
    ).toEqual([0, 3]);
  });

  test('is accepted if a token shows that it is short', async () => {
    await store.open(1, loadRequest(3));
    const start = START;
    const accepted = await accept(1, 3, () => 5, {
      start,
      spoil: (page) => (page.meta.next_token = 'more'),
    });
    expect(accepted).toMatchObject({
      kind: 'accepted',
      token: 'more',
      faults: [{ kind: 'unexpected-token' }],
    });
    expect(await counts(3)).toEqual([NaN, 5, 5]);
  });

  test('with only a token has no counts', async () => {
    await store.open(1, loadRequest(3));
    const spoil = (page: WrittenPage): void => {
      delete page.data;
      page.meta = { total_tweet_count: 0, next_token: 'more' };
    };
    expect(await accept(0, 3, () => 5, { spoil })).toMatchObject({
      kind: 'nothing',
      token: 'more',
    });
  });
});

describe('an empty page', () => {
  const span = (from: number, to: number) => ({
    start: START + from * DAY_MS,
    end: START + to * DAY_MS,
  });

  test('is accepted if nothing contradicts it', async () => {
    await store.open(1, loadRequest(3));
    expect((await accept(0, 3, () => 0)).kind).toBe('empty');
    expect(await counts(3)).toEqual([NaN, NaN, NaN]);
    const judged = await store.judge(1, [], OWN);
    expect(judged).toMatchObject({ accepted: ['ask0'], again: [] });
    expect(await counts(3)).toEqual([0, 0, 0]);
  });

  test('without data reports zeros for the whole request', async () => {
    await store.open(1, loadRequest(3));
    await accept(0, 3, () => 0, { spoil: (page) => delete page.data });
    await store.judge(1, [], OWN);
    expect(await counts(3)).toEqual([0, 0, 0]);
  });

  test('without data for the head reports zeros up to twelve seconds before its Date', async () => {
    await store.open(1, loadRequest(3));
    const date = START + 1.5 * DAY_MS + 12_345;
    const accepted = await accept(0, 3, () => 0, {
      end: null,
      date,
      spoil: (page) => delete page.data,
    });
    expect(accepted.kind).toBe('empty');
    const { known } = await store.judge(1, [], OWN);
    expect(known[2]).toEqual([{ from: START, to: START + 1.5 * DAY_MS, at: date, generation: 0 }]);
  });

  test('among busy neighbours is requested once more, and then accepted', async () => {
    await store.open(1, loadRequest(9));
    await accept(0, 3, () => 5);
    await accept(6, 9, () => 5);
    await accept(3, 6, () => 0);
    const { accepted, again } = await store.judge(1, [], OWN);
    expect(accepted).toEqual([]);
    expect(again).toEqual([{ request: 'ask3', endpoint: 'all', ...span(3, 6), afterMs: 0 }]);
    await accept(3, 6, () => 0);
    expect((await store.judge(1, [], OWN)).accepted).toEqual(['ask3']);
    expect(await counts(9)).toEqual([5, 5, 5, 0, 0, 0, 5, 5, 5]);
  });

  test('among busy neighbours is replaced by a second answer with counts', async () => {
    await store.open(1, loadRequest(9));
    await accept(0, 3, () => 5);
    await accept(6, 9, () => 5);
    await accept(3, 6, () => 0);
    await store.judge(1, [], OWN);
    expect((await accept(3, 6, () => 4)).kind).toBe('accepted');
    expect(await store.judge(1, [], OWN)).toMatchObject({ accepted: [], again: [] });
    expect(await counts(9)).toEqual([5, 5, 5, 4, 4, 4, 5, 5, 5]);
  });

  test('for a span known to be empty is accepted without another request', async () => {
    const platform = { confirmAbsentMs: 60_000 };
    const absent = { spoil: (page: WrittenPage) => delete page.data };
    await store.open(1, loadRequest(3));
    await accept(0, 3, () => 0, absent);
    expect((await store.judge(1, [], platform)).again).toHaveLength(1);
    await accept(0, 3, () => 0, absent);
    expect((await store.judge(1, [], platform)).accepted).toEqual(['ask0']);
    store = new CountsStore(cache);
    await store.open(1, loadRequest(3));
    await accept(0, 2, () => 0, absent);
    expect(await store.judge(1, [], platform)).toMatchObject({ accepted: ['ask0'], again: [] });
  });

  test('is not confirmed by a copy of itself', async () => {
    const platform = { confirmAbsentMs: 60_000 };
    const absent = { receipt: 'one', spoil: (page: WrittenPage) => delete page.data };
    await store.open(1, loadRequest(3));
    await accept(0, 3, () => 0, absent);
    await accept(0, 3, () => 0, absent);
    const { accepted, again } = await store.judge(1, [], platform);
    expect([accepted, again.length]).toEqual([[], 1]);
  });

  test('waits for a pending neighbour', async () => {
    await store.open(1, loadRequest(9));
    await accept(6, 9, () => 5);
    await accept(3, 6, () => 0);
    const waiting = await store.judge(1, [span(0, 3)], OWN);
    expect(waiting).toMatchObject({ accepted: [], again: [] });
    await accept(0, 3, () => 1);
    expect((await store.judge(1, [], OWN)).accepted).toEqual(['ask3']);
  });

  test('next to another that waits has no busy neighbour there', async () => {
    await store.open(1, loadRequest(12));
    await accept(9, 12, () => 5);
    await accept(6, 9, () => 0);
    await accept(3, 6, () => 0);
    const { accepted, again } = await store.judge(1, [span(0, 3)], OWN);
    expect(accepted).toEqual(['ask6', 'ask3']);
    expect(again).toEqual([]);
  });

  test('for settled Posts is requested once more, and never replaces them', async () => {
    await store.open(1, loadRequest(3));
    await accept(0, 3, () => 5);
    await accept(0, 3, () => 0, { date: DATE + 1000 });
    expect((await store.judge(1, [], OWN)).again).toHaveLength(1);
    await accept(0, 3, () => 0, { date: DATE + 2000 });
    expect((await store.judge(1, [], OWN)).accepted).toEqual(['ask0']);
    expect(await counts(3)).toEqual([5, 5, 5]);
  });
});

describe('a full cache', () => {
  const full = async (promise: Promise<unknown>): Promise<void> => {
    const error: unknown = await promise.catch((e: unknown) => e);
    expect(error).toBeInstanceOf(Fault);
    expect((error as Fault).body.type).toBe(CACHE_FULL);
  };

  test('causes a fault but loses nothing, and everything is written when there is room', async () => {
    await store.open(1, loadRequest(6));
    await accept(0, 2, () => 1);
    cache.disk.full = true;
    await full(accept(2, 4, () => 2));
    await full(accept(4, 6, () => 3));
    expect(await counts(6)).toEqual([1, 1, 2, 2, 3, 3]);
    expect(await cache.db.receipts.count()).toBe(1);
    await store.open(2, loadRequest(6));
    const { curve } = await store.render(2, renderRequest(6));
    expect([...curve.counts]).toEqual([1, 1, 2, 2, 3, 3]);
    cache.disk.full = false;
    await store.open(3, loadRequest(6));
    expect(await cache.db.receipts.count()).toBe(3);
    store = new CountsStore(cache);
    await store.open(1, loadRequest(6));
    expect(await counts(6)).toEqual([1, 1, 2, 2, 3, 3]);
  });
});

describe('an invalidated span', () => {
  const invalidated = [{ start: START + DAY_MS, end: START + 2 * DAY_MS, generation: 4 }];

  test('is not known, and is shown as provisional until it is fetched again', async () => {
    await store.open(1, loadRequest(3));
    await accept(0, 3, () => 5);
    const { known } = await store.open(1, loadRequest(3, { invalidated }));
    expect(
      known[2]?.map(({ from, to }) => [(from - START) / DAY_MS, (to - START) / DAY_MS]),
    ).toEqual([
      [0, 1],
      [2, 3],
    ]);
    const { curve } = await store.render(1, renderRequest(3));
    expect([...curve.counts]).toEqual([5, 5, 5]);
    expect([...curve.states]).toEqual([STATE.settled, STATE.provisional, STATE.settled]);
    await accept(0, 3, () => 6, { generation: 4 });
    const after = await store.render(1, renderRequest(3));
    expect([...after.curve.counts]).toEqual([6, 6, 6]);
    expect([...after.curve.states]).toEqual([STATE.settled, STATE.settled, STATE.settled]);
  });

  test('leaves figures out of date where the source covers it, to the bucket', async () => {
    await store.open(1, loadRequest(3));
    await accept(0, 3, () => 5);
    await store.open(1, loadRequest(3, { invalidated }));
    const outdated = async (...covered: [from: number, to: number][]): Promise<boolean> => {
      const days = covered.map(([from, to]) => ({
        start: START + from * DAY_MS,
        end: START + to * DAY_MS,
      }));
      return (await store.render(1, { ...renderRequest(3), covered: days })).outdated;
    };
    expect(await outdated([0, 3])).toBe(true);
    expect(await outdated([0, 1.1])).toBe(true);
    expect(await outdated([0, 0.5], [1.9, 3])).toBe(true);
    expect(await outdated([0, 1], [2, 3])).toBe(false);
    expect(await outdated([0, 1])).toBe(false);
    expect(await outdated([2, 3])).toBe(false);
    expect(await outdated()).toBe(false);
  });

  test('is stored per store, with a generation that never decreases', async () => {
    const first = await store.storeRow('k', { revision: 3, mark: 'c' });
    expect(first).toEqual({ key: 'k', revision: 3, mark: 'c', invalidated: [] });
    await store.noteChanges(first, { revision: 4, mark: 'd' }, [{ start: 10, end: 20 }]);
    const row = await store.noteChanges(first, { revision: 3, mark: 'c' }, [{ start: 0, end: 5 }]);
    expect(row).toEqual({
      key: 'k',
      revision: 4,
      mark: 'd',
      invalidated: [{ start: 10, end: 20, generation: 4 }],
    });
    expect((await store.storeRow('k', { revision: 9 })).revision).toBe(4);
  });
});

test('the store remembers its shortest page by granularity for a day', async () => {
  await store.storeRow('k', { revision: 0 });
  await store.notePageLength('k', 'hour', 7, DATE);
  await store.notePageLength('k', 'minute', 100, DATE);
  const row = await store.notePageLength('k', 'hour', 12, DATE);
  expect([shortest(row, 'hour', DATE), shortest(row, 'minute', DATE)]).toEqual([7, 100]);
  const later = await store.notePageLength('k', 'hour', 12, DATE + DAY_MS);
  expect(shortest(later, 'hour', DATE + DAY_MS)).toBe(12);
  expect(shortest(later, 'minute', DATE + DAY_MS)).toBeNull();
});

test('render throws a RangeError for a session that is not open', async () => {
  await expect(store.render(9, renderRequest(1))).rejects.toThrow(RangeError);
});
