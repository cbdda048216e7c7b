import type { Page } from 'playwright';
import { describe, expect, it } from 'vitest';
import { seriesKey, storeKey } from '#app/counts/cache/records.ts';
import { CACHE_NAME } from '#app/counts/cache/database.ts';
import type { SourceInfo } from '#contract/counts/source.ts';
import { recordsOf } from '#core/counts/ledger.ts';
import { summarise } from '#core/counts/summary.ts';
import { RULES_VERSION } from '#core/query/format.ts';
import { DAY_MS } from '#core/time/span.ts';
import { loadPlan, totalOf, visit } from '#tests/support/browser.ts';
import { paidStage } from '#tests/support/stage.ts';
import type { ReceiptOf1 } from '#tests/support/cache-version-1.ts';
import { pagesSpan, storms, TODAY, viewOf } from '#tests/support/paid-service.ts';

const stage = paidStage();

const EIGHT = pagesSpan(8);

/** Days whose counts differ from the service's, so that they can only come from the cache. */
const SPAN = { start: Date.UTC(2020, 2, 1), end: Date.UTC(2020, 4, 1) };
const COUNTS = Array.from({ length: (SPAN.end - SPAN.start) / DAY_MS }, (_, i) => (i * 37) % 300);
const TOTAL = COUNTS.reduce((sum, count) => sum + count, 0);
const VIEW = '/#source=platform&from=2020-03-01&to=2020-04-30&zone=UTC&by=day&q=spring';

/** The rows of version 1 with these counts, by table. */
async function rowsOf1(page: Page) {
  const { data } = await page.evaluate(async () => {
    return (await (await fetch('/sources')).json()) as { data: SourceInfo[] };
  });
  const platform = data.find(({ id }) => id === 'platform');
  if (!platform) throw new Error('expected the platform, got none');
  const series = seriesKey('platform', platform.store, 'spring', RULES_VERSION);
  const note = { at: TODAY - 5 * DAY_MS, generation: 0, endpoint: 'all' } as const;
  const records = recordsOf(series, 'day', { ...SPAN, counts: COUNTS, receipt: 'one', note });
  const receipt: ReceiptOf1 = {
    id: 'one',
    series,
    granularity: 'day',
    asked: SPAN,
    told: SPAN,
    total: TOTAL,
    noted: [],
    ...note,
  };
  const summaries = records.map((record) => {
    const { key, segments, receipts, days, hours } = summarise(record);
    return { key, segments, receipts, days, hours };
  });
  const store = {
    key: storeKey('platform', platform.store),
    revision: platform.revision,
    raised: [],
  };
  return {
    cells: records,
    summaries,
    receipts: [{ ...receipt, revisions: [] }],
    stores: [{ ...store, pageDays: 31 }],
    sources: data.map((info, place) => ({ id: info.id, place, info })),
  };
}

/** Opens a page of the same origin that is not the app. */
async function goBlank(page: Page): Promise<void> {
  const blank = `${stage.service.url}/blank`;
  await page.route(blank, (route) => route.fulfill({ contentType: 'text/html', body: '' }));
  await page.goto(blank);
}

/** Makes a database of version 1, and leaves it open without closing it for an upgrade. */
async function openOf1(page: Page): Promise<void> {
  await goBlank(page);
  const rows = await rowsOf1(page);
  await page.evaluate(
    async ([name, tables]) => {
      const done = (target: EventTarget, event: string): Promise<unknown> =>
        new Promise((resolve, reject) => {
          target.addEventListener(event, resolve);
          target.addEventListener('error', reject);
        });
      const opening = indexedDB.open(name, 10);
      opening.addEventListener('upgradeneeded', () => {
        const made = opening.result;
        for (const table of ['cells', 'summaries', 'stores']) {
          made.createObjectStore(table, { keyPath: 'key' });
        }
        made.createObjectStore('sources', { keyPath: 'id' });
        made.createObjectStore('receipts', { keyPath: 'id' }).createIndex('series', 'series');
      });
      await done(opening, 'success');
      const db = opening.result;
      const writing = db.transaction(Object.keys(tables), 'readwrite');
      for (const [table, list] of Object.entries(tables)) {
        for (const row of list) writing.objectStore(table).put(row);
      }
      await done(writing, 'complete');
      Object.assign(globalThis, { db });
    },
    [CACHE_NAME, rows] as const,
  );
}

/** Whether a request overlaps the view. The board also requests the previous period, which is not in this cache. */
const ofView = (path: string): boolean =>
  (new URLSearchParams(path.split('?')[1]).get('end_time') ?? '') > '2020-03-01T00:00:00Z';

describe('a browser with a cache of version 1', () => {
  it('shows the cached counts without a request, and upgrades the cache', async () => {
    const { page, complaints, counts, context } = await visit(stage.browser);
    await openOf1(page);
    complaints.length = 0;
    await page.goto(stage.service.url + VIEW);
    expect(await totalOf(page, 'spring')).toBe(TOTAL);
    await page.reload();
    expect(await totalOf(page, 'spring')).toBe(TOTAL);
    expect(counts.filter(ofView)).toEqual([]);
    expect(complaints).toEqual([]);
    const version = await page.evaluate(async (wanted) => {
      return (await indexedDB.databases()).find(({ name }) => name === wanted)?.version;
    }, CACHE_NAME);
    expect(version).toBe(40);
    await context.close();
  });

  it('waits for an open tab of that version, and says so', async () => {
    const { page, counts, context } = await visit(stage.browser);
    const older = await context.newPage();
    await openOf1(older);
    await page.goto(stage.service.url + VIEW);
    const waits = page.getByText(/An older Groundswell in another tab is using the counts/);
    await waits.waitFor();
    const cells = page.getByRole('row', { name: 'spring' }).getByRole('cell');
    expect(await cells.filter({ hasText: /\d/ }).count()).toBe(0);
    await older.close();
    expect(await totalOf(page, 'spring')).toBe(TOTAL);
    await waits.waitFor({ state: 'detached' });
    expect(counts.filter(ofView)).toEqual([]);
    await context.close();
  });
});

describe('a browser whose cache a newer version upgrades', () => {
  it('says so in the tab that was fetching; the bought pages are free in another browser', async () => {
    const query = 'storm -newer';
    const { page, context } = await visit(stage.browser);
    const newer = await context.newPage();
    const held = stage.service.holdAfter(query, 3);
    await page.goto(stage.service.url + viewOf(query, EIGHT));
    await loadPlan(page, 8);
    await held.reached;
    await goBlank(newer);
    await newer.evaluate(async (name) => {
      const opening = indexedDB.open(name, 50);
      await new Promise((resolve) => opening.addEventListener('success', resolve));
    }, CACHE_NAME);
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
  });
});
