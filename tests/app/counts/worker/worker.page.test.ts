import type { SourceInfo } from '#contract/counts/source.ts';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { CountsCache } from '#app/counts/cache/counts-cache.ts';
import { CACHE_NAME, CountsDatabase, NATIVE, VERSION } from '#app/counts/cache/database.ts';
import {
  CACHE_BROKEN,
  BAD_BACKUP,
  type PendingRequest,
  type RunRow,
} from '#app/counts/cache/records.ts';
import { CountsStore } from '#app/counts/worker/counts-store.ts';
import type { PageResponse, RenderRequest, LoadRequest } from '#app/counts/worker/messages.ts';
import { CacheInventory } from '#app/counts/cache/cache-inventory.ts';
import type { CacheListener } from '#app/counts/cache/opening.ts';
import { connect, type InventoryClient, type StoreClient } from '#app/counts/worker/client.ts';
import { Fault } from '#contract/fault.ts';
import { SETTLE_MS } from '#core/counts/ledger.ts';
import { Edges } from '#core/time/edges.ts';
import { CELL_MS, DAY_MS, HOUR_MS, cellSpan } from '#core/time/span.ts';
import { bytesOf, writtenPage } from '#tests/support/data/pages.ts';
import * as shelved from '#tests/support/data/inventory-laws.ts';
import { CATS, seriesRow } from '#tests/support/data/inventory-laws.ts';
import { planned } from '#tests/support/data/plans.ts';

const { start: START } = cellSpan(150);
const END = START + CELL_MS;

const SERIES = seriesRow(CATS, 7);
const STORE = { key: 'k', revision: 3, mark: 'c', invalidated: [] };

const LOAD: LoadRequest = {
  series: SERIES,
  granularity: 'minute',
  knownBy: 'minute',
  span: { start: START, end: END },
  invalidated: [],
  invalidatedIfApproved: null,
  settleMs: SETTLE_MS,
  before: null,
};

const RENDER: RenderRequest = {
  edges: Edges.of(
    Float64Array.from({ length: CELL_MS / HOUR_MS + 1 }, (_, i) => START + i * HOUR_MS),
  ),
  cut: { first: false, last: false },
  basis: null,
  reach: { start: 0, end: END + DAY_MS },
  covered: [{ start: -Infinity, end: Infinity }],
  failed: [],
};

const response = (): PageResponse => ({
  request: 'ask',
  first: 'ask',
  receipt: 'receipt',
  granularity: 'minute',
  endpoint: 'all',
  purpose: 'count',
  start: START,
  end: END,
  body: bytesOf(writtenPage(START, END, 'minute', (t) => (t / 60_000) % 11)),
  bytes: 1_000,
  date: END + 9 * DAY_MS,
  fetched: END + 9 * DAY_MS,
  generation: 0,
  index: 0,
  price: 0.01,
  followed: false,
  earlier: [],
});

const SOURCE = {
  id: 'posts',
  store: 'a',
  revision: 1,
  posts: 0,
  first: null,
  last: null,
  coverage: [],
} satisfies SourceInfo;

const ASK: PendingRequest = {
  id: 'ask',
  first: 'ask',
  series: CATS,
  query: 'cats',
  granularity: 'minute',
  endpoint: 'all',
  start: START,
  end: END,
  purpose: 'count',
  generation: 0,
  token: null,
  followed: false,
  at: 5,
  failed: null,
};

const RUN: RunRow = {
  series: CATS,
  at: 5,
  plan: planned(1, { granularity: 'minute', span: { start: START, end: END } }),
  paused: false,
  made: { requests: 0, money: 0, bytes: 0 },
};

let worker: Worker;
let store: StoreClient;
let inventory: InventoryClient;
let outdated = 0;

const LISTENER: CacheListener = {
  onOutdated: () => (outdated += 1),
  onBlocked: () => undefined,
  onDeleted: () => undefined,
};

/** Starts a counts worker, and stops the previous one. */
function start(listener = LISTENER): void {
  worker?.terminate();
  worker = new Worker(new URL('../../../../src/app/counts/worker/worker.ts', import.meta.url), {
    type: 'module',
  });
  ({ store, inventory } = connect(worker, listener));
}

beforeEach(() => {
  outdated = 0;
  start();
});

afterEach(() => worker.terminate());

describe('a store in a worker', () => {
  test('returns the same results as on the main thread', async () => {
    const here = new CountsStore(new CountsCache(new CountsDatabase('here')));
    for (const step of [
      (k: StoreClient) => k.open(1, LOAD),
      (k: StoreClient) => k.putRequest(ASK),
      (k: StoreClient) => k.accept(1, response()),
      (k: StoreClient) => k.putRequest(ASK),
      (k: StoreClient) => k.dropRequest(ASK.id),
      (k: StoreClient) => k.putRun(CATS, RUN),
      (k: StoreClient) => k.putRun(CATS, null),
      (k: StoreClient) => k.render(1, RENDER),
      (k: StoreClient) => k.judge(1, [], { confirmAbsentMs: null }),
      (k: StoreClient) => k.invalidateSeries(SERIES, [{ start: 20, end: 30 }]),
      (k: StoreClient) => k.storeRow('k', { revision: 3, mark: 'c' }),
      (k: StoreClient) => k.noteChanges(STORE, { revision: 4, mark: 'd' }, [{ start: 0, end: 1 }]),
      (k: StoreClient) => k.resetStore(STORE, { revision: 4, mark: 'e' }),
      (k: StoreClient) => k.notePageLength('k', 'hour', 7, 5),
      (k: StoreClient) => k.rememberSources([SOURCE]),
      (k: StoreClient) => k.sources(),
      (k: StoreClient) => k.close(1),
    ]) {
      expect(await step(store)).toEqual(await step(here));
    }
  });

  test('transfers the body instead of copying it', async () => {
    await store.open(1, LOAD);
    const given = response();
    const accepting = store.accept(1, given);
    expect(given.body.byteLength).toBe(0);
    expect((await accepting).kind).toBe('accepted');
  });

  test('renders the same curve every time', async () => {
    await store.open(1, LOAD);
    await store.accept(1, response());
    const first = await store.render(1, RENDER);
    expect(await store.render(1, RENDER)).toEqual(first);
    expect(first.curve.counts.every((count) => count > 0)).toBe(true);
  });

  test('writes the edges of minutes, once for all renderings', async () => {
    await store.open(1, { ...LOAD, granularity: 'minute', knownBy: 'minute' });
    await store.accept(1, response());
    const edges = Edges.ofMinutes({ start: START, end: END });
    const drawing = { ...RENDER, edges };
    const [one, two] = await Promise.all([store.render(1, drawing), store.render(1, drawing)]);
    expect(edges.written).toBe(true);
    const here = new CountsStore(new CountsCache(new CountsDatabase('here')));
    await here.open(1, { ...LOAD, granularity: 'minute', knownBy: 'minute' });
    await here.accept(1, response());
    const own = await here.render(1, {
      ...drawing,
      edges: Edges.ofMinutes({ start: START, end: END }),
    });
    for (const { curve } of [one, two]) {
      // Not compared as a whole: printing the difference of such arrays would take minutes.
      expect(curve.bounds === edges.all).toBe(true);
      for (const part of ['bounds', 'counts', 'states', 'fetchedAt'] as const) {
        const [actual, expected] = [curve[part], own.curve[part]];
        expect([part, actual.length]).toEqual([part, expected.length]);
        expect([part, actual.findIndex((value, i) => !Object.is(value, expected[i]))]).toEqual([
          part,
          -1,
        ]);
      }
    }
  });

  test('stores its counts for the next worker', async () => {
    await store.open(1, LOAD);
    await store.accept(1, response());
    const drawn = await store.render(1, RENDER);
    start();
    await store.open(1, LOAD);
    expect(await store.render(1, RENDER)).toEqual(drawn);
  });

  test('passes its errors on, Faults as Faults', async () => {
    await expect(store.render(9, RENDER)).rejects.toThrow('expected an open session, got 9');
    await store.sources();
    const newer = await new Promise<IDBDatabase>((resolve, reject) => {
      const request = indexedDB.open(CACHE_NAME, (VERSION + 1) * NATIVE);
      request.addEventListener('success', () => resolve(request.result));
      request.addEventListener('error', () => reject(request.error ?? new Error('not opened')));
    });
    newer.close();
    await expect(store.sources()).rejects.toBeInstanceOf(Fault);
    expect(outdated).toBe(1);
  });
});

describe('an inventory in a worker', () => {
  test('returns the same results as on the main thread, with the cache of the worker’s store', async () => {
    const cache = new CountsCache(new CountsDatabase('here'));
    const here = new CacheInventory(cache);
    for (const k of [store, new CountsStore(cache)]) {
      await k.open(1, LOAD);
      await k.accept(1, response());
    }
    const file = await inventory.export();
    expect(file).toBeInstanceOf(Blob);
    expect(await shelved.bytesOf(file)).toEqual(await shelved.bytesOf(await here.export()));
    for (const step of [
      (s: InventoryClient) => s.series(),
      (s: InventoryClient) => s.receipts(CATS),
      async (s: InventoryClient) => (await shelved.bytesOf(await s.remove(CATS))).length,
      (s: InventoryClient) => s.series(),
      (s: InventoryClient) => s.import(file),
      (s: InventoryClient) => s.receipts(CATS),
      (s: InventoryClient) => s.mayMakeRoom(),
      (s: InventoryClient) => s.setMayMakeRoom(true),
      (s: InventoryClient) => s.mayMakeRoom(),
    ]) {
      expect(await step(inventory)).toEqual(await step(here));
    }
    await store.open(2, LOAD);
    const { curve } = await store.render(2, RENDER);
    expect(curve.counts.every((count) => count > 0)).toBe(true);
  });

  test('passes its Faults on as Faults', async () => {
    const error: unknown = await inventory.import(new Blob(['no backup'])).catch((e: unknown) => e);
    expect(error).toBeInstanceOf(Fault);
    expect((error as Fault).body.type).toBe(BAD_BACKUP);
  });
});

describe('a worker that has stopped', () => {
  /** Runs a script instead of the counts. */
  function run(text: string): void {
    worker.terminate();
    worker = new Worker(URL.createObjectURL(new Blob([text], { type: 'text/javascript' })));
    ({ store, inventory } = connect(worker, LISTENER));
  }

  test.each([
    ['when it starts', `throw new Error('no memory')`],
    ['during a call', `onmessage = () => { onmessage = null; throw new Error('no memory'); }`],
  ])('%s fails every waiting and later call with a message', async (_, text) => {
    run(text);
    const waiting = [store.sources(), inventory.series()];
    for (const answer of [...waiting, store.sources(), store.open(1, LOAD), inventory.series()]) {
      const error: unknown = await answer.catch((e: unknown) => e);
      expect(error).toBeInstanceOf(Fault);
      const { body } = error as Fault;
      expect(body.type).toBe(CACHE_BROKEN);
      expect(body.detail).toMatch(/^Reload the page .* still there\. \(.*no memory\)$/);
    }
    const late: unknown = await store.close(1).catch((e: unknown) => e);
    expect(late).toBeInstanceOf(Fault);
  });
});
