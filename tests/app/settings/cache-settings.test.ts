import { describe, expect, it } from 'vitest';
import { CACHE_FULL } from '#app/counts/cache/records.ts';
import { CacheSettings } from '#app/settings/cache-settings.svelte.ts';
import { Toasts } from '#app/ui/toasts.svelte.ts';
import { Fault } from '#contract/fault.ts';
import { NOW, SHELF } from './examples.ts';
import { MemoryShelf, memoryStorage } from './memory-shelf.ts';

async function opened(willing = true) {
  const inventory = new MemoryShelf(SHELF);
  const toasts = new Toasts(() => undefined);
  const files: { name: string; file: Blob }[] = [];
  let filled = 0;
  const desk = new CacheSettings({
    inventory,
    storage: memoryStorage(willing),
    toasts,
    download: (file, name) => void files.push({ file, name }),
    onfilled: () => void (filled += 1),
    bytes: (value) => `${value} B`,
    now: () => NOW,
  });
  await desk.load();
  const held = (): string[] => (desk.series ?? []).map(({ query }) => query);
  return { desk, inventory, toasts, files, held, filled: () => filled };
}
const ALL = SHELF.map(({ query }) => query);
const full = (): Fault => new Fault(0, { title: 'full', type: CACHE_FULL });

describe('the cache', () => {
  it('is listed with its size and what the browser says', async () => {
    const { desk, held } = await opened();
    expect(held()).toEqual(ALL);
    expect(desk.bytes).toBe(1_640_000 + 212_000 + 9_300_000);
    expect(desk.estimate).toEqual({ usage: 3_400_000, quota: 12_300_000_000 });
    expect(desk.persisted).toBe(false);
  });

  it('loses one series, and can restore it completely', async () => {
    const { desk, toasts, held, filled } = await opened();
    await desk.remove(SHELF.slice(1, 2));
    expect(held()).toEqual([ALL[0], ALL[2]]);
    expect(toasts.list[0]?.text).toBe('Deleted the counts of matcha -recipe lang:en, 212000 B.');
    expect(filled()).toBe(0);
    toasts.list[0]?.action?.act();
    await expect.poll(filled).toBe(1);
    await expect.poll(held).toEqual(ALL);
    expect(desk.series).toEqual(SHELF);
  });

  it('loses all, and has all back', async () => {
    const { desk, toasts, held } = await opened();
    await desk.remove(SHELF);
    expect(held()).toEqual([]);
    expect(toasts.list[0]?.text).toBe('Deleted 3 series, 11152000 B.');
    toasts.list[0]?.action?.act();
    await expect.poll(held).toEqual(ALL);
  });

  it('can be restored as far as it was deleted where deleting fails', async () => {
    const { desk, inventory, toasts, held } = await opened();
    const remove = inventory.remove.bind(inventory);
    inventory.remove = async (key) => {
      if (inventory.held.size < 3) throw full();
      return remove(key);
    };
    await desk.remove(SHELF);
    expect(desk.outcome?.wrong).toBe(true);
    expect(toasts.list[0]?.text).toBe('Deleted 1 series, 1640000 B.');
    toasts.list[0]?.action?.act();
    await expect.poll(held).toEqual(ALL);
  });

  it('puts back after what is being done, also where that is asked meanwhile', async () => {
    const { desk, toasts, held } = await opened();
    await desk.remove(SHELF.slice(0, 1));
    const second = desk.remove(SHELF.slice(1, 2));
    toasts.list[0]?.action?.act();
    await second;
    await expect.poll(held).toEqual([ALL[0], ALL[2]]);
  });

  it('goes into a file and comes out of it', async () => {
    const { desk, inventory, files, held } = await opened();
    await desk.export();
    expect(files[0]?.name).toMatch(/^groundswell-cache_2026-11-20\./);
    expect(desk.outcome?.text).toMatch(/^Exported 3 series: a file of \d+ B\.$/);
    inventory.held.clear();
    await desk.import(new File([files[0]?.file ?? ''], 'mine'));
    expect(held()).toEqual(ALL);
    expect(desk.outcome?.text).toMatch(/^mine: 3 series, 3 stretches of counts and 295 receipts/);
    expect(desk.doing).toBe('');
  });

  it('says what is wrong with a file, and keeps nothing of it', async () => {
    const { desk, held, filled } = await opened();
    await desk.import(new File(['{broken'], 'holiday.jpg'));
    expect(desk.outcome).toEqual({
      text: 'holiday.jpg is not a backup of a Groundswell cache, or it is damaged. Nothing was imported.',
      wrong: true,
    });
    expect([held(), filled()]).toEqual([ALL, 0]);
  });

  it('says why it cannot be read, until it can', async () => {
    const { desk, inventory } = await opened();
    inventory.fails = full();
    await desk.load();
    expect(desk.fault).toMatch(/^The browser has no room/);
    await desk.load();
    expect(desk.fault).toBe('');
  });

  it('makes room only where the user agreed, and says so no other way than it is', async () => {
    const { desk, inventory } = await opened();
    await desk.letMakeRoom(true);
    expect([desk.mayMakeRoom, inventory.may]).toEqual([true, true]);
    inventory.fails = full();
    await desk.letMakeRoom(false);
    expect([desk.mayMakeRoom, inventory.may]).toEqual([true, true]);
  });

  it.each([true, false])(
    'tells what the browser answered when asked to keep it: %s',
    async (will) => {
      const { desk } = await opened(will);
      await desk.keep();
      expect([desk.persisted, desk.declined]).toEqual([will, !will]);
    },
  );
});
