import { describe, expect, test } from 'vitest';
import type { SavedBoard } from '#app/counts/cache/saved-board.ts';
import { CacheInventory } from '#app/counts/cache/cache-inventory.ts';
import { PLANTS } from '#tests/support/data/inventory-laws.ts';
import { testCache } from '#tests/support/run/test-cache.ts';

/** A cache, and how often it reported that boards were written. */
function fresh() {
  const reported = { times: 0 };
  const cache = testCache({ onBoards: () => (reported.times += 1) });
  return { cache, boards: cache.boards, reported };
}

const { was, ...PLAIN } = PLANTS;
void was;

const boardOf = (id: string, more: Partial<SavedBoard> = {}): SavedBoard => ({
  ...PLAIN,
  id,
  ...more,
});

describe('saved boards', () => {
  test('are read unchanged, including series from a file with their gaps', async () => {
    const { boards } = fresh();
    await boards.save(PLAIN);
    expect(await boards.board('plants')).toEqual(PLAIN);
    expect(await boards.board('other')).toBeNull();
  });

  test('are listed by name, then last saved first', async () => {
    const { boards } = fresh();
    await boards.save(boardOf('1', { name: 'tea', at: 1 }));
    await boards.save(boardOf('2', { name: 'Coffee', at: 2 }));
    await boards.save(boardOf('3', { name: 'tea', at: 3 }));
    expect((await boards.list()).map(({ id }) => id)).toEqual(['2', '3', '1']);
  });

  test('are reported whenever they are written, but not when they are read', async () => {
    const { boards, cache, reported } = fresh();
    await boards.save(PLAIN);
    expect(reported.times).toBe(1);
    await boards.rename('plants', 'Drinks', 5);
    await boards.opened('plants', 6);
    expect(reported.times).toBe(3);
    await boards.list();
    await boards.board('plants');
    expect(await boards.rename('none', 'x', 5)).toBeNull();
    expect(await boards.remove('none')).toBeNull();
    expect(reported.times).toBe(3);
    const file = await new CacheInventory(cache).export();
    await boards.remove('plants');
    await new CacheInventory(cache).import(file);
    expect(reported.times).toBe(5);
  });

  test('are renamed and opened without any other change', async () => {
    const { boards } = fresh();
    await boards.save(PLAIN);
    const renamed = { ...PLAIN, name: 'Drinks', at: 77 };
    expect(await boards.rename('plants', 'Drinks', 77)).toEqual(renamed);
    await boards.opened('plants', 99);
    expect(await boards.board('plants')).toEqual({ ...renamed, opened: 99 });
  });

  test('are deleted, and restored by what the deletion returns', async () => {
    const { boards } = fresh();
    await boards.save(PLAIN);
    const gone = await boards.remove('plants');
    expect(await boards.list()).toEqual([]);
    if (!gone) throw new Error('expected the board');
    await boards.save(gone);
    expect(await boards.board('plants')).toEqual(PLAIN);
  });

  test('imported from a file never overwrite one that has changed here', async () => {
    const { boards } = fresh();
    expect(await boards.take(PLAIN)).toBe('plants');
    expect(await boards.take(PLAIN)).toBe('plants');
    expect(await boards.list()).toHaveLength(1);
    await boards.save({ ...PLAIN, view: 'q=oat', at: 5000 });
    // The file has an earlier version of this board: nothing new.
    expect(await boards.take(PLAIN)).toBe('plants');
    expect(await boards.list()).toHaveLength(1);
    const elsewhere = { ...PLAIN, view: 'q=tea', at: 4000 };
    const id = await boards.take(elsewhere);
    expect(id).not.toBe('plants');
    expect(await boards.board(id)).toMatchObject({
      name: 'Plant drinks (imported)',
      view: 'q=tea',
    });
    expect(await boards.board('plants')).toMatchObject({ view: 'q=oat' });
    // The file is the copy also if it was written later: its changes may never have been saved.
    const later = { ...PLAIN, view: 'q=rice', at: 6000 };
    const copy = await boards.take(later);
    expect(await boards.take(later)).toBe(copy);
    const views = async () =>
      Promise.all((await boards.list()).map(async ({ id }) => (await boards.board(id))!.view));
    expect((await boards.list()).map(({ name }) => name)).toEqual([
      'Plant drinks',
      'Plant drinks (imported 2)',
      'Plant drinks (imported)',
    ]);
    expect(await views()).toEqual(['q=oat', 'q=rice', 'q=tea']);
    expect(await boards.board('plants')).toMatchObject({ at: 5000 });
    // A file of a copy that has changed.
    const again = await boards.take({ ...(await boards.board(copy))!, view: 'q=soy' });
    expect(await boards.board(again)).toMatchObject({ name: 'Plant drinks (imported 3)' });
  });
});
