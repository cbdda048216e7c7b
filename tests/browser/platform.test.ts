import type { Page } from 'playwright';
import { describe, expect, it } from 'vitest';
import { DAY_MS } from '#core/time/span.ts';
import { loadPlan, range, totalOf, visit } from '#tests/support/browser/browser.ts';
import { paidStage } from '#tests/support/browser/stage.ts';
import { isCounts } from '#tests/support/service/faults.ts';
import { PLATFORM_FAULTS } from '#tests/support/service/platform.ts';
import { pagesSpan, storms, TODAY, viewOf } from '#tests/support/service/paid-service.ts';

const stage = paidStage();

const EIGHT = pagesSpan(8);

/** Opens a query of eight pages and approves its plan. */
async function approve(page: Page, query: string): Promise<void> {
  await page.goto(stage.service.url + viewOf(query, EIGHT));
  await loadPlan(page, 8);
}

describe('a plan', () => {
  it('shows pages, price and fetched days; declining requests nothing, approving exactly these pages', async () => {
    const query = 'storm -plan';
    const { page, complaints, context } = await visit(stage.browser);
    const sent = (): number => stage.service.sent(query).length;
    const plan = page.getByRole('dialog', { name: /^This view needs/ });
    const today = new Date(TODAY);
    const tomorrow = TODAY + DAY_MS;
    const year = {
      start: Date.UTC(today.getUTCFullYear() - 1, today.getUTCMonth(), today.getUTCDate() + 1),
      end: tomorrow,
    };
    const days = (year.end - year.start) / DAY_MS;

    await page.goto(`${stage.service.url}/#source=posts&range=all&zone=UTC&by=day&q=${query}`);
    await page.getByRole('button', { name: 'Source: your posts' }).click();
    await page.getByRole('menuitemradio', { name: /^Platform/ }).click();
    // Even the one page of the last 30 days is the user's choice after a change of source.
    await loadPlan(page, 1);
    const month = storms({ start: tomorrow - 30 * DAY_MS, end: tomorrow });
    expect(await totalOf(page, query)).toBe(month);
    expect(sent()).toBe(1);

    await page
      .getByRole('radiogroup', { name: 'Range', exact: true })
      .getByRole('radio', { name: '1 y' })
      .check();
    await expect.poll(() => plan.innerText()).toMatch(/This view needs 11 pages: \$0\.11/);
    // The bought page has one day more than the range.
    await plan.getByRole('cell', { name: `31 of ${days} days` }).waitFor();
    await page.getByRole('button', { name: 'Not now' }).click();
    await page.getByText('11 pages for $0.11 not loaded. Loaded counts stay visible.').waitFor();
    expect(sent()).toBe(1);
    const fetched = page.getByRole('row', { name: query }).getByRole('cell').first();
    const partial = String(storms({ start: tomorrow - 31 * DAY_MS, end: tomorrow }));
    // The cell begins with the share of the range that the total covers.
    await expect.poll(() => fetched.innerText()).toMatch(new RegExp(`^of [\\d.]+%\\s+${partial}$`));

    await page.getByRole('button', { name: 'Get them', exact: true }).click();
    await loadPlan(page, 11);
    await page.getByText(/Planned 11 pages for \$0\.11 · took 11 pages for \$0\.11/).waitFor();
    expect(await totalOf(page, query)).toBe(storms(year));
    expect(sent()).toBe(12);

    // Ninety days more need three pages, none of which has a day already fetched.
    const iso = (at: number): string => new Date(at).toISOString().slice(0, 10);
    const wider = { start: year.start - 90 * DAY_MS, end: tomorrow };
    await range(page, iso(wider.start), iso(TODAY));
    await expect.poll(() => totalOf(page, query)).toBe(storms(wider));
    expect(sent()).toBe(15);
    expect(
      stage.service
        .sent(query)
        .slice(12)
        .every(({ search }) => {
          return Date.parse(search.get('start_time') ?? '') < year.start;
        }),
    ).toBe(true);

    await expect.poll(() => page.url()).toContain(`from=${iso(wider.start)}`);
    await page.reload();
    expect(await totalOf(page, query)).toBe(storms(wider));
    expect(sent()).toBe(15);
    expect(complaints).toEqual([]);
    await context.close();
  });
});

describe('a typed query', () => {
  it(
    'is bought by the button with its price or by Enter; losing the focus, Escape and a reload buy nothing',
    { tags: 'long' },
    async () => {
      const query = 'storm -typed';
      const { page, complaints, context } = await visit(stage.browser);
      const two = pagesSpan(2);
      const sent = (): number => stage.service.platform.sent.filter(isCounts).length;
      await page.goto(stage.service.url + viewOf('storm', two));
      await loadPlan(page, 2);
      await totalOf(page, 'storm');
      const before = sent();
      const box = page.getByRole('textbox', { name: 'Query of storm' });
      const load = page.getByRole('button', { name: /load · \$0\.02$/i });
      const row = page.locator('[data-series]');
      const edit = page.getByRole('button', { name: /^Edit the query/ });

      await edit.click();
      await box.fill(query);
      await load.waitFor();
      await page.getByRole('tab', { name: 'Summary' }).click();
      await page.getByRole('button', { name: 'Add a query' }).click();
      await page.getByRole('textbox', { name: 'Query of New query' }).fill('storm -other');
      await expect.poll(() => load.count()).toBe(2);
      await expect.poll(() => page.url()).toContain('typed=storm+-typed');
      await expect.poll(() => page.url()).toContain('typed=storm+-other');
      await page.reload();
      // The typed queries are still there with their prices, and nothing was requested.
      await expect.poll(() => load.count()).toBe(2);
      expect(await row.first().innerText()).toContain('Still showing storm.');
      await page.getByRole('button', { name: 'Edit the query storm -other' }).click();
      await page.keyboard.press('Escape');
      await expect.poll(() => row.count()).toBe(1);
      await edit.click();
      await page.keyboard.press('Escape');
      await page.getByRole('button', { name: 'Edit the query storm', exact: true }).waitFor();
      expect(sent()).toBe(before);

      await edit.click();
      await box.fill(query);
      await load.click();
      expect(await totalOf(page, query)).toBe(storms(two));
      expect(sent()).toBe(before + 2);
      await page.getByRole('textbox', { name: `Query of ${query}` }).fill(`${query} -entered`);
      await load.waitFor();
      await page.keyboard.press('Enter');
      expect(await totalOf(page, `${query} -entered`)).toBe(storms(two));
      expect(sent()).toBe(before + 4);
      expect(complaints).toEqual([]);
      await context.close();
    },
  );
});

describe('a run', () => {
  it(
    'stays paused over a reload, and buys only the rest when resumed',
    { tags: 'long' },
    async () => {
      const query = 'storm -paused';
      const { page, complaints, context } = await visit(stage.browser);
      const held = stage.service.holdAfter(query, 3);
      await approve(page, query);
      await held.reached;
      await page.getByRole('button', { name: 'Pause', exact: true }).click();
      held.release();
      await page.getByText(/^Paused at \d of 8 pages/).waitFor();
      const paused = stage.service.sent(query).length;
      expect(paused).toBeLessThan(8);

      await page.reload();
      await page.getByText(/^Paused.* \$0\.0\d left/).waitFor();
      expect(stage.service.sent(query)).toHaveLength(paused);
      await page.getByRole('button', { name: 'Resume', exact: true }).click();
      expect(await totalOf(page, query)).toBe(storms(EIGHT));
      expect(stage.service.sent(query)).toHaveLength(8);
      // The page first looks for begun but unsent requests in the vault; the browser logs the 404.
      expect(complaints.filter((text) => !text.includes('404'))).toEqual([]);
      await context.close();
    },
  );

  it('continues after a reload without another approval', { tags: 'long' }, async () => {
    const query = 'storm -reloaded';
    const { page, context } = await visit(stage.browser);
    const held = stage.service.holdAfter(query, 3);
    await approve(page, query);
    await held.reached;
    await page.reload();
    held.release();
    expect(await totalOf(page, query)).toBe(storms(EIGHT));
    expect(stage.service.sent(query)).toHaveLength(8);
    await context.close();
  });

  it('shows its progress in a second tab, which buys nothing', async () => {
    const query = 'storm -tabs';
    const { page, complaints, context } = await visit(stage.browser);
    const second = await context.newPage();
    const held = stage.service.holdAfter(query, 3);
    await approve(page, query);
    await held.reached;
    await second.goto(stage.service.url + viewOf(query, EIGHT));
    await second.getByText(/Another tab is fetching: [0-3] of 8 pages/).waitFor();
    expect(await second.getByRole('button', { name: /^Load · / }).count()).toBe(0);
    held.release();
    expect(await totalOf(page, query)).toBe(storms(EIGHT));
    expect(await totalOf(second, query)).toBe(storms(EIGHT));
    expect(stage.service.sent(query)).toHaveLength(8);
    expect(complaints).toEqual([]);
    await context.close();
  });

  it('withdraws the same plan in a second tab', { tags: 'long' }, async () => {
    const query = 'storm -waiting';
    const { page, complaints, context } = await visit(stage.browser);
    const second = await context.newPage();
    const get = second.getByRole('button', { name: 'Load · $0.08 (8 pages)' });
    await second.goto(stage.service.url + viewOf(query, EIGHT));
    await get.waitFor();
    const held = stage.service.holdAfter(query, 3);
    await approve(page, query);
    await held.reached;
    await second.getByText(/Another tab is fetching: [0-3] of 8 pages/).waitFor();
    expect(await get.count()).toBe(0);
    held.release();
    expect(await totalOf(second, query)).toBe(storms(EIGHT));
    expect(await get.count()).toBe(0);
    expect(stage.service.sent(query)).toHaveLength(8);
    expect(complaints).toEqual([]);
    await context.close();
  });

  it('continues in the second tab when the first is closed', { tags: 'long' }, async () => {
    const query = 'storm -closed';
    const { page, context } = await visit(stage.browser);
    const second = await context.newPage();
    const held = stage.service.holdAfter(query, 3);
    await approve(page, query);
    await held.reached;
    await second.goto(stage.service.url + viewOf(query, EIGHT));
    const followed = second.getByText(/Another tab is fetching/);
    await followed.waitFor();
    await page.close();
    await followed.waitFor({ state: 'detached' });
    held.release();
    expect(await totalOf(second, query)).toBe(storms(EIGHT));
    expect(stage.service.sent(query)).toHaveLength(8);
    await context.close();
  });
});

describe('a token that the platform refuses', () => {
  it('is reported in words, and never reaches the page', async () => {
    const query = 'storm -refused';
    const { page, context } = await visit(stage.browser);
    const seen: string[] = [];
    const reading: Promise<void>[] = [];
    page.on('response', (response) => {
      reading.push(
        (async () => {
          seen.push(JSON.stringify(await response.allHeaders()), await response.text());
        })().catch(() => undefined),
      );
    });
    const ofQuery = (request: { search: URLSearchParams }): boolean =>
      request.search.get('query') === query;
    stage.service.platform.inject(ofQuery, PLATFORM_FAULTS.echo);
    await page.goto(stage.service.url + viewOf(query, EIGHT));
    await loadPlan(page, 8);
    await page
      .getByText('The platform rejects the token: it is missing, wrong or expired.')
      .waitFor();
    await page.getByText('Details').click();
    await Promise.all(reading);
    // Each running request was sent once: a retry after another sign-in would not help.
    expect(stage.service.sent(query).length).toBeLessThanOrEqual(4);
    const { token } = stage.service.platform;
    expect(stage.service.sent(query)[0]?.authorization).toContain(token);
    expect(seen.some((text) => text.includes('You sent'))).toBe(true);
    for (const text of [...seen, await page.content()]) expect(text).not.toContain(token);
    await context.close();
  });
});
