import { describe, expect, test } from 'vitest';
import { WriteQueue, type Writing } from '#app/counts/worker/write-queue.ts';
import { SETTLE_MS } from '#core/counts/ledger.ts';
import { answered } from '#tests/support/data/answered.ts';
import { testCache } from '#tests/support/run/test-cache.ts';

const RANGE = { series: 's', granularity: 'hour', from: 0, to: 200 } as const;

/** An answer for one day of cell 100. */
const day = (from: number, id = `of day ${from}`): Writing => ({
  ...answered({ from, days: 1, at: 99, id }),
  settleMs: SETTLE_MS,
});

/** A cache whose writes can be delayed, and the queue before it. */
function held() {
  const cache = testCache();
  const unsaved = new WriteQueue(cache);
  const write = cache.write.bind(cache);
  const going: (() => void)[] = [];
  let holding = false;
  cache.write = async (...args) => {
    if (holding) await new Promise<void>((resolve) => going.push(resolve));
    return await write(...args);
  };
  /** Lets the database finish its current work. */
  const turn = async (): Promise<void> => {
    for (let i = 0; i < 50; i += 1) await new Promise((resolve) => setImmediate(resolve));
  };
  return {
    cache,
    unsaved,
    turn,
    /** From now on writes wait for {@link go}. */
    hold: () => (holding = true),
    /** Lets the next write through. */
    go: async () => {
      await turn();
      going.shift()?.();
      await turn();
    },
    /** Ids of receipts that are shown, from the cache or from memory. */
    shown: async () => {
      const waiting = unsaved.records();
      const all = [...(await cache.records(RANGE)), ...waiting];
      return [...new Set(all.flatMap(({ receipts }) => Object.keys(receipts)))].sort();
    },
  };
}

/** A queue with these days in memory, and a cache that has room again. */
async function waiting(...days: Writing[]) {
  const all = held();
  all.cache.disk.full = true;
  expect((await all.unsaved.write(days, [])).full).not.toBeNull();
  all.cache.disk.full = false;
  return all;
}

describe('an answer that the cache has no room for', () => {
  test('stays in view until it is written, even with concurrent saves', async () => {
    const { unsaved, cache, hold, go, shown } = await waiting(day(1), day(2), day(40));
    const ids = ['of day 1', 'of day 2', 'of day 40'];
    hold();
    let saved = 0;
    const saves = [1, 2, 3].map(() => unsaved.save().then(() => (saved += 1)));
    for (let i = 0; i < ids.length; i += 1) {
      expect(await shown()).toEqual(ids);
      expect(saved).toBe(0);
      await go();
    }
    await Promise.all(saves);
    expect(await shown()).toEqual(ids);
    expect(unsaved.records()).toEqual([]);
    expect((await cache.db.receipts.toCollection().primaryKeys()).sort()).toEqual(ids);
  });

  test('is not lost when it arrives while earlier ones are being saved', async () => {
    const { unsaved, cache, hold, go, turn, shown } = await waiting(day(1));
    hold();
    const saving = unsaved.save();
    await turn();
    const writing = unsaved.write([day(2)], []);
    await go();
    cache.disk.full = true;
    await go();
    await saving;
    expect((await writing).full).not.toBeNull();
    expect(await shown()).toEqual(['of day 1', 'of day 2']);
    // Both days are in one cell: the one in memory is merged into the one saved in the meantime.
    expect(Object.keys(unsaved.records()[0]?.receipts ?? {})).toHaveLength(2);
    cache.disk.full = false;
    const last = unsaved.save();
    await go();
    await last;
    expect(unsaved.records()).toEqual([]);
    expect(await shown()).toEqual(['of day 1', 'of day 2']);
  });

  test('leaves memory only if there was room for it', async () => {
    const { unsaved, cache, shown } = await waiting(day(1), day(40), day(80));
    cache.disk.room = 2;
    await unsaved.save();
    expect(await cache.db.cells.count()).toBe(2);
    expect(unsaved.records().map(({ receipts }) => Object.keys(receipts))).toEqual([['of day 80']]);
    expect(await shown()).toEqual(['of day 1', 'of day 40', 'of day 80']);
    cache.disk.room = 1;
    await unsaved.save();
    expect(unsaved.records()).toEqual([]);
    expect(await cache.db.cells.count()).toBe(3);
  });

  test('stays in memory when the cache fails in another way, until a later save succeeds', async () => {
    const { unsaved, cache, shown } = await waiting(day(1));
    const { write } = cache;
    cache.write = async () => {
      throw new Error('broken');
    };
    await expect(unsaved.save()).rejects.toThrow('broken');
    expect(await shown()).toEqual(['of day 1']);
    cache.write = write;
    await unsaved.save();
    expect(await cache.db.receipts.toCollection().primaryKeys()).toEqual(['of day 1']);
  });
});
