import { copyFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { SeriesRun } from '#app/counts/fetch/series-run.svelte.ts';
import { CacheInventory } from '#app/counts/cache/cache-inventory.ts';
import { DAY_MS } from '#core/time/span.ts';
import {
  fakeLocks,
  fakeTabs,
  openDashboard,
  type Dashboard,
} from '#tests/support/browser/dashboard.ts';
import { FakeTime } from '#tests/support/fake-time.ts';
import { isCounts, lostConnection } from '#tests/support/service/faults.ts';
import { testCache } from '#tests/support/run/test-cache.ts';
import type { TestPost } from '#tests/support/service/service.ts';
import { NOW, POSTS, YEAR, ask, expectTruth, scene, until } from '#tests/support/data/storms.ts';

const on = scene();
const file = (name = 'posts.sqlite'): string => join(on.service.folder, name);
const backUp = (): Promise<void> => on.service.restart(() => copyFileSync(file(), file('backup')));
const restore = (): Promise<void> =>
  on.service.restart(() => {
    for (const end of ['', '-wal', '-shm']) rmSync(`${file()}${end}`, { force: true });
    copyFileSync(file('backup'), file());
  });

let ids = 10_000_000n;
/** Storms on these days of the year. */
function storms(...days: number[]): TestPost[] {
  return days.map((day) => ({
    id: (ids += 1n),
    createdAt: Date.parse('2024-01-01T12:00:00Z') + day * DAY_MS,
    text: 'a storm',
  }));
}
const B = storms(10, 10, 10, 100, 200);
const C = storms(40, 40);

/** Ways of counting again after the store was restored from a backup. */
const countsAgain = {
  'at the next run': (tab) => ask(tab, YEAR),
  'after Refresh': async (tab) => {
    const run = tab.run();
    await run.refresh(await tab.need(YEAR));
    return run;
  },
  'by hours, then by days': async (tab) => {
    await ask(tab, { ...YEAR, resolution: 'hour' });
    return ask(tab, YEAR);
  },
  'offline, then online': async (tab) => {
    tab.faults.inject(() => true, lostConnection);
    const away = await tab.run();
    await away.ask(await tab.need(YEAR));
    expect(away.offline).toBe(true);
    tab.faults.repair();
    return ask(tab, YEAR);
  },
} satisfies Record<string, (tab: Dashboard) => Promise<SeriesRun>>;

describe.each(Object.entries(countsAgain))('a store restored from a backup, %s', (_, count) => {
  test('shows the restored counts, although the dashboard knows its revision', async () => {
    await backUp();
    on.service.add('posts', B);
    expectTruth(await ask(on.tab, YEAR), [...POSTS, ...B]);
    await restore();
    on.service.add('posts', C);
    expectTruth(await count(on.tab), [...POSTS, ...C]);
    const D = storms(41, 300);
    on.service.add('posts', D);
    expectTruth(await count(on.tab), [...POSTS, ...C, ...D]);
  });
});

/** A second browser on the same service. */
function another(): Dashboard {
  return openDashboard(on.service, { time: new FakeTime(NOW), cache: testCache() });
}

describe('a store restored from a backup', () => {
  test('shows the restored counts, although its revision is lower', async () => {
    await backUp();
    on.service.add('posts', B);
    expectTruth(await ask(on.tab, YEAR), [...POSTS, ...B]);
    await restore();
    expectTruth(await ask(on.tab, YEAR));
  });

  test('shows the restored counts, although its revision is higher', async () => {
    await backUp();
    on.service.add('posts', B);
    expectTruth(await ask(on.tab, YEAR), [...POSTS, ...B]);
    await restore();
    for (const post of C) on.service.add('posts', [post]);
    expectTruth(await ask(on.tab, YEAR), [...POSTS, ...C]);
  });
});

describe('counts from before a store was restored', () => {
  test('are dropped by a running run', async () => {
    await backUp();
    on.service.add('posts', B);
    let pages = 0;
    on.tab.faults.inject(isCounts, async (_, pass) => {
      if ((pages += 1) === 3) {
        await restore();
        on.service.add('posts', C);
      }
      return pass();
    });
    const run = await ask(on.tab, YEAR);
    expect(pages).toBeGreaterThan(12);
    expectTruth(run, [...POSTS, ...C]);
  });

  test('are dropped by a run whose last page alone reveals the restore', async () => {
    await backUp();
    on.service.add('posts', B);
    let pages = 0;
    on.tab.faults.inject(isCounts, async (_, pass) => {
      const answer = await pass();
      if ((pages += 1) !== 12) return answer;
      await restore();
      on.service.add('posts', C);
      return pass();
    });
    expectTruth(await ask(on.tab, YEAR), [...POSTS, ...C]);
  });

  test('are dropped by the other series of the board and by other tabs without a run of their own', async () => {
    const [tab, lock, cache] = [fakeTabs(), fakeLocks(), testCache()];
    const open = (): Dashboard =>
      openDashboard(on.service, { time: on.time, cache, lock, tabs: tab() });
    const [here, there] = [open(), open()];
    await backUp();
    on.service.add('posts', B);
    const mine = await ask(here, YEAR);
    const elsewhere = await ask(there, { ...YEAR, query: 'storm a' });
    const before = sum(mine);
    expect(sum(elsewhere)).toBe(before);
    await restore();
    on.service.add('posts', C);
    await ask(here, { ...YEAR, query: 'calm' });
    await until(() => mine.phase === 'done' && sum(mine) !== before);
    expectTruth(mine, [...POSTS, ...C]);
    await until(() => elsewhere.phase === 'done' && sum(elsewhere) !== before);
    expectTruth(elsewhere, [...POSTS, ...C]);
  });

  test('do not return with a backup of another browser', async () => {
    await backUp();
    on.service.add('posts', B);
    const other = another();
    expectTruth(await ask(other, YEAR), [...POSTS, ...B]);
    const carried = await new CacheInventory(other.cache).export();
    await restore();
    expectTruth(await ask(on.tab, YEAR));
    on.service.add('posts', C);
    await new CacheInventory(on.tab.cache).import(carried);
    expectTruth(await ask(on.tab, YEAR), [...POSTS, ...C]);
    const back = await new CacheInventory(on.tab.cache).export();
    await new CacheInventory(other.cache).import(back);
    expectTruth(await ask(other, YEAR), [...POSTS, ...C]);
  });

  test('are dropped if they were stored before revisions had marks', async () => {
    expectTruth(await ask(on.tab, YEAR));
    await on.tab.cache.db.stores.toCollection().modify((row) => {
      delete (row as { mark?: string }).mark;
    });
    const again = await ask(on.tab, YEAR);
    expectTruth(again);
    expect(again.requests).toBe(12);
    expect((await ask(on.tab, YEAR)).requests).toBe(0);
  });
});

const sum = (run: SeriesRun): number =>
  Float64Array.from(run.curve?.counts ?? []).reduce((a, b) => a + b, 0);
