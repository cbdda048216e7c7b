import type { Page } from 'playwright';
import { describe, expect, it } from 'vitest';
import { CACHE_NAME } from '#app/counts/cache/database.ts';
import { fileOf, loadPlan, totalOf, visit } from '#tests/support/browser/browser.ts';
import { long } from '#tests/support/run/long.ts';
import { paidStage } from '#tests/support/browser/stage.ts';
import { pagesSpan, storms, viewOf } from '#tests/support/service/paid-service.ts';

const stage = paidStage();

const EIGHT = pagesSpan(8);
const FOUR = pagesSpan(4);

/** Opens the settings of the cache. */
async function openCache(page: Page): Promise<void> {
  await page.getByRole('button', { name: 'Settings, theme and keys' }).click();
  await page.getByRole('menuitem', { name: 'Settings' }).click();
  await page.getByRole('tab', { name: 'Storage' }).click();
}

describe('the cache in the settings', () => {
  it(
    'is exported, deleted, restored and imported without a request',
    { tags: 'long' },
    async () => {
      const query = 'storm -kept';
      const { page, complaints, counts, context } = await visit(stage.browser);
      await page.goto(stage.service.url + viewOf(query, FOUR));
      await loadPlan(page, 4);
      expect(await totalOf(page, query)).toBe(storms(FOUR));
      const before = counts.length;
      await openCache(page);
      await page.getByText(/4 pages fetched/).waitFor();
      await page.getByText(/\$0\.04 paid/).waitFor();

      const waiting = page.waitForEvent('download');
      await page.getByRole('button', { name: 'Export all' }).click();
      const file = await fileOf(await waiting);
      await page.getByText(/^Exported 1 series/).waitFor();

      const remove = page.getByRole('button', { name: /^Delete the counts of storm -kept/ });
      await remove.click();
      await page.getByText('Nothing is cached yet').waitFor();
      await page.getByRole('button', { name: 'Undo' }).click();
      await page.getByText(/4 pages fetched/).waitFor();
      await remove.click();
      await page.getByText('Nothing is cached yet').waitFor();
      await page.getByLabel('File of a cache').setInputFiles(file);
      await page.getByText(/4 pages fetched/).waitFor();
      await page.getByRole('button', { name: 'Close the settings' }).click();
      expect(await totalOf(page, query)).toBe(storms(FOUR));
      await page.reload();
      expect(await totalOf(page, query)).toBe(storms(FOUR));
      expect(counts).toHaveLength(before);
      expect(stage.service.sent(query)).toHaveLength(4);
      expect(complaints).toEqual([]);
      await context.close();
    },
  );
});

/** @returns A function that limits the page's storage, or without an argument removes the limit. */
async function limitRoom(page: Page): Promise<(bytes?: number) => Promise<void>> {
  const protocol = await page.context().newCDPSession(page);
  return async (bytes) => {
    const quota = bytes === undefined ? {} : { quotaSize: bytes };
    await protocol.send('Storage.overrideQuotaForOrigin', { origin: stage.service.url, ...quota });
  };
}

/** Opens a query of eight pages and approves buying minutes. */
async function getMinutes(page: Page, query: string): Promise<void> {
  await page.goto(stage.service.url + viewOf(query, EIGHT));
  await page.getByRole('switch', { name: /^Buy minutes/ }).check();
  await page.getByText(/^Buy minutes instead of hours\. Same price as hours/).waitFor();
  await loadPlan(page, 8);
}

describe('a full disk', () => {
  // Eight pages of minutes take about four times as much.
  const ROOM = 120_000;

  const WAYS: readonly [string, (page: Page) => Promise<unknown>][] = [
    ['is retried', (page) => page.getByRole('button', { name: 'Retry' }).click()],
    ['is reopened', (page) => page.reload()],
  ];
  for (const [how, go] of long() ? WAYS : WAYS.slice(-1)) {
    it(`stops a run with a message and loses nothing; with space again, the run ends when it ${how}`, async () => {
      const query = `storm -full -${how.split(' ')[1]}`;
      const { page, context } = await visit(stage.browser);
      const room = await limitRoom(page);
      await room(ROOM);
      await getMinutes(page, query);
      await page.getByText('The browser has no room left for counts.').waitFor();
      const before = stage.service.sent(query);
      expect(before.length).toBeLessThan(8);
      expect(before.every(({ search }) => search.get('granularity') === 'minute')).toBe(true);
      await room();
      await go(page);
      expect(await totalOf(page, query)).toBe(storms(EIGHT));
      expect(stage.service.sent(query)).toHaveLength(8);
      await page.reload();
      expect(await totalOf(page, query)).toBe(storms(EIGHT));
      expect(stage.service.sent(query)).toHaveLength(8);
      await context.close();
    });
  }
});

/** Ways in which the data of an open page may be deleted. */
const DELETIONS: readonly [string, (page: Page) => Promise<void>][] = [
  [
    'by another page',
    (page) =>
      page.evaluate(
        (name) =>
          new Promise<void>((resolve, reject) => {
            const request = indexedDB.deleteDatabase(name);
            request.addEventListener('success', () => resolve());
            request.addEventListener('blocked', () => reject(new Error('blocked')));
          }),
        CACHE_NAME,
      ),
  ],
  [
    'by the browser',
    async (page) => {
      const protocol = await page.context().newCDPSession(page);
      const { url: origin } = stage.service;
      await protocol.send('Storage.clearDataForOrigin', { origin, storageTypes: 'indexeddb' });
    },
  ],
];

describe('a cache deleted while its page is open', () => {
  it.each(long() ? DELETIONS : DELETIONS.slice(-1))(
    '%s: the page says so and sends nothing until it is reloaded',
    async (how, act) => {
      const query = `storm -${how.replaceAll(' ', '')}`;
      const { page, counts, context } = await visit(stage.browser);
      await page.goto(stage.service.url + viewOf(query, FOUR));
      await loadPlan(page, 4);
      expect(await totalOf(page, query)).toBe(storms(FOUR));
      const before = counts.length;
      await act(page);
      const words = page.getByText('The counts and boards stored in this browser were deleted.');
      await words.first().waitFor();
      expect(await page.getByText(/newer version|updated in another tab/).count()).toBe(0);
      expect(counts).toHaveLength(before);
      await page.getByRole('button', { name: 'Reload' }).first().click();
      // The service still holds the bought pages.
      expect(await totalOf(page, query)).toBe(storms(FOUR));
      expect(stage.service.sent(query)).toHaveLength(4);
      expect(await words.count()).toBe(0);
      await context.close();
    },
  );
});
