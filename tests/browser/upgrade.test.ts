import type { Page } from 'playwright';
import { describe, expect, it } from 'vitest';
import { CACHE_NAME, NATIVE, VERSION } from '#app/counts/cache/database.ts';
import { loadPlan, totalOf, visit } from '#tests/support/browser/browser.ts';
import { paidStage } from '#tests/support/browser/stage.ts';
import { pagesSpan, storms, viewOf } from '#tests/support/service/paid-service.ts';

const stage = paidStage();

const EIGHT = pagesSpan(8);

/** Opens the database of the cache without the app. */
async function openNative(page: Page, version: number): Promise<void> {
  await page.evaluate(
    async ([name, wanted]) => {
      const opening = indexedDB.open(name, wanted);
      await new Promise((resolve) => opening.addEventListener('success', resolve));
      opening.result.close();
    },
    [CACHE_NAME, version] as const,
  );
}

/** Opens a page of the same origin that is not the app. */
async function goBlank(page: Page): Promise<void> {
  const blank = `${stage.service.url}/blank`;
  await page.route(blank, (route) => route.fulfill({ contentType: 'text/html', body: '' }));
  await page.goto(blank);
}

describe('a browser with a cache from before the first release', () => {
  it('says how to keep its counts, requests nothing and leaves it unchanged', async () => {
    const earlier = (VERSION - 1) * NATIVE;
    const { page, counts, context } = await visit(stage.browser);
    await goBlank(page);
    await openNative(page, earlier);
    await page.goto(`${stage.service.url}/#source=platform&from=2020-03-01&to=2020-04-30&q=spring`);
    await page
      .getByText(/press Export all in the settings of that version/)
      .first()
      .waitFor();
    expect(counts).toEqual([]);
    const version = await page.evaluate(async (wanted) => {
      return (await indexedDB.databases()).find(({ name }) => name === wanted)?.version;
    }, CACHE_NAME);
    expect(version).toBe(earlier);
    await context.close();
  });
});

describe('a browser whose cache a newer version upgrades', () => {
  it(
    'says so in the tab that was fetching; the bought pages are free in another browser',
    { tags: 'long' },
    async () => {
      const query = 'storm -newer';
      const { page, context } = await visit(stage.browser);
      const newer = await context.newPage();
      const held = stage.service.holdAfter(query, 3);
      await page.goto(stage.service.url + viewOf(query, EIGHT));
      await loadPlan(page, 8);
      await held.reached;
      await goBlank(newer);
      await openNative(newer, (VERSION + 1) * NATIVE);
      await page.getByText('Groundswell was updated in another tab.').waitFor();
      await page.getByRole('button', { name: 'Reload', exact: true }).waitFor();
      held.release();
      await page.getByText('A newer version of this page has changed the cache.').waitFor();
      expect(stage.service.sent(query).length).toBeLessThan(8);
      await context.close();

      const other = await visit(stage.browser);
      await other.page.goto(stage.service.url + viewOf(query, EIGHT));
      // The service holds some of the pages.
      await other.page.getByRole('button', { name: /^Load · / }).click();
      expect(await totalOf(other.page, query)).toBe(storms(EIGHT));
      expect(stage.service.sent(query)).toHaveLength(8);
      await other.context.close();
    },
  );
});
