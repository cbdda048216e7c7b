import { describe, expect, it } from 'vitest';
import { CACHE_FULL } from '#app/counts/cache/records.ts';
import { CacheSettings } from '#app/settings/cache-settings.svelte.ts';
import { Toasts } from '#app/ui/toasts.svelte.ts';
import { Fault } from '#contract/fault.ts';
import { CACHED, NOW } from './examples.ts';
import { MemoryInventory, memoryStorage } from './fakes.ts';

async function openCache(willing = true) {
  const inventory = new MemoryInventory(CACHED);
  const toasts = new Toasts(() => undefined);
  const files: { name: string; file: Blob }[] = [];
  let filled = 0;
  const cache = new CacheSettings({
    inventory,
    storage: memoryStorage(willing),
    toasts,
    download: (file, name) => void files.push({ file, name }),
    onfilled: () => void (filled += 1),
    bytes: (value) => `${value} B`,
    now: () => NOW,
  });
  await cache.load();
  const queries = (): string[] => (cache.series ?? []).map(({ query }) => query);
  return { cache, inventory, toasts, files, queries, filled: () => filled };
}
const ALL = CACHED.map(({ query }) => query);
const full = (): Fault => new Fault(0, { title: 'full', type: CACHE_FULL });

describe('the cache settings', () => {
  it('list the cache with its size and the browser’s estimate', async () => {
    const { cache, queries } = await openCache();
    expect(queries()).toEqual(ALL);
    expect(cache.bytes).toBe(1_640_000 + 212_000 + 9_300_000);
    expect(cache.estimate).toEqual({ usage: 3_400_000, quota: 12_300_000_000 });
    expect(cache.persisted).toBe(false);
  });

  it('delete one series and restore it completely', async () => {
    const { cache, toasts, queries, filled } = await openCache();
    await cache.remove(CACHED.slice(1, 2));
    expect(queries()).toEqual([ALL[0], ALL[2]]);
    expect(toasts.list[0]?.text).toBe('Deleted the counts of matcha -recipe lang:en, 212000 B.');
    expect(filled()).toBe(0);
    toasts.list[0]?.action?.act();
    await expect.poll(filled).toBe(1);
    await expect.poll(queries).toEqual(ALL);
    expect(cache.series).toEqual(CACHED);
  });

  it('delete all series and restore them', async () => {
    const { cache, toasts, queries } = await openCache();
    await cache.remove(CACHED);
    expect(queries()).toEqual([]);
    expect(toasts.list[0]?.text).toBe('Deleted 3 series, 11152000 B.');
    toasts.list[0]?.action?.act();
    await expect.poll(queries).toEqual(ALL);
  });

  it('restore what was deleted before a deletion failed', async () => {
    const { cache, inventory, toasts, queries } = await openCache();
    const remove = inventory.remove.bind(inventory);
    inventory.remove = async (key) => {
      if (inventory.stored.size < 3) throw full();
      return remove(key);
    };
    await cache.remove(CACHED);
    expect(cache.outcome?.wrong).toBe(true);
    expect(toasts.list[0]?.text).toBe('Deleted 1 series, 1640000 B.');
    toasts.list[0]?.action?.act();
    await expect.poll(queries).toEqual(ALL);
  });

  it('restore only after the running task has ended', async () => {
    const { cache, toasts, queries } = await openCache();
    await cache.remove(CACHED.slice(0, 1));
    const second = cache.remove(CACHED.slice(1, 2));
    toasts.list[0]?.action?.act();
    await second;
    await expect.poll(queries).toEqual([ALL[0], ALL[2]]);
  });

  it('export the cache to a file and import it again', async () => {
    const { cache, inventory, files, queries } = await openCache();
    await cache.export();
    expect(files[0]?.name).toMatch(/^groundswell-cache_2026-11-20\./);
    expect(cache.outcome?.text).toMatch(/^Exported 3 series: a file of \d+ B\.$/);
    inventory.stored.clear();
    await cache.import(new File([files[0]?.file ?? ''], 'mine'));
    expect(queries()).toEqual(ALL);
    expect(cache.outcome?.text).toMatch(/^mine: 3 series, 3 stretches of counts and 295 receipts/);
    expect(cache.doing).toBe('');
  });

  it('explain why a file is invalid, and import nothing from it', async () => {
    const { cache, queries, filled } = await openCache();
    await cache.import(new File(['{broken'], 'holiday.jpg'));
    expect(cache.outcome).toEqual({
      text: 'holiday.jpg is not a backup of a Groundswell cache, or it is damaged. Nothing was imported.',
      wrong: true,
    });
    expect([queries(), filled()]).toEqual([ALL, 0]);
  });

  it('explain why the cache cannot be read, until it can', async () => {
    const { cache, inventory } = await openCache();
    inventory.fails = full();
    await cache.load();
    expect(cache.fault).toMatch(/^The browser has no room/);
    await cache.load();
    expect(cache.fault).toBe('');
  });

  it('show the permission to make room as it is stored, even if changing it fails', async () => {
    const { cache, inventory } = await openCache();
    await cache.letMakeRoom(true);
    expect([cache.mayMakeRoom, inventory.may]).toEqual([true, true]);
    inventory.fails = full();
    await cache.letMakeRoom(false);
    expect([cache.mayMakeRoom, inventory.may]).toEqual([true, true]);
  });

  it.each([true, false])(
    'show whether the browser agreed to protect the cache: %s',
    async (willing) => {
      const { cache } = await openCache(willing);
      await cache.keep();
      expect([cache.persisted, cache.declined]).toEqual([willing, !willing]);
    },
  );
});
