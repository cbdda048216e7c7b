import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Page } from 'playwright';
import { describe, expect, it } from 'vitest';
import { loadPlan, totalOf, visit } from '#tests/support/browser/browser.ts';
import { paidStage } from '#tests/support/browser/stage.ts';
import { pagesSpan, storms, viewOf } from '#tests/support/service/paid-service.ts';

const stage = paidStage();

const EIGHT = pagesSpan(8);

/** Sets the daily cap in the settings. */
async function cap(page: Page, money: string): Promise<void> {
  await page.getByRole('button', { name: 'Settings, theme and keys' }).click();
  await page.getByRole('menuitem', { name: 'Settings' }).click();
  await page.getByRole('tab', { name: 'Spending' }).click();
  await page.getByLabel('Money per day').fill(money);
  await page.getByRole('button', { name: 'Save' }).click();
  await page.getByRole('button', { name: 'Save', disabled: true }).waitFor();
  await page.getByRole('button', { name: 'Close the settings' }).click();
}

describe('a budget', () => {
  it(
    'stops a run at the cap set in the settings, and lets it go on when the cap is raised',
    { tags: 'long' },
    async () => {
      const query = 'storm -budget';
      const { page, context } = await visit(stage.browser);
      await page.goto(stage.service.url + viewOf(query, EIGHT));
      await page.getByText(/This view needs 8 pages: \$0\.08/).waitFor();
      await cap(page, '0.05');
      await page.getByText(/Today’s budget of \$0\.05 stops it after 5 of 8 pages/).waitFor();
      await loadPlan(page, 8);
      await page
        .getByText(/5 of 8 pages.*today’s budget of \$0\.05 is used up; continues/)
        .waitFor();
      await page.getByText('Spending is paused:').waitFor();
      expect(stage.service.sent(query)).toHaveLength(5);

      await cap(page, '1');
      expect(await totalOf(page, query)).toBe(storms(EIGHT));
      await page.getByText('Spending is paused:').waitFor({ state: 'detached' });
      expect(stage.service.sent(query)).toHaveLength(8);
      await context.close();
    },
  );
});

describe('an address of the interface on another site', () => {
  it('buys nothing, whether opened from a chat or by a link, form, image, iframe, prefetch or script', async () => {
    const { url } = stage.service;
    const { page, context } = await visit(stage.browser);
    await page.goto(url);
    await page.getByRole('banner').first().waitFor();
    const { start, end } = pagesSpan(1);
    const bounds = {
      granularity: 'hour',
      start_time: new Date(start).toISOString(),
      end_time: new Date(end).toISOString(),
    };
    const lure = (way: string): string =>
      `${url}/platform/2/tweets/counts/all?${new URLSearchParams({ query: `storm ${way}`, ...bounds })}`;

    const answer = await page.goto(lure('chat'));
    expect(answer?.status()).toBe(403);

    // A page of another port on the same machine, so that the browser attaches the cookie wherever it ever does.
    const html = `<!doctype html><title>Lure</title>
      <img src="${lure('image').replaceAll('&', '&amp;')}">
      <iframe src="${lure('frame').replaceAll('&', '&amp;')}"></iframe>
      <link rel="prefetch" href="${lure('prefetch').replaceAll('&', '&amp;')}">
      <a href="${lure('link').replaceAll('&', '&amp;')}">link</a>
      <form method="post" action="${lure('form').replaceAll('&', '&amp;')}"><button>form</button></form>
      <script>
        const ways = [['cors', { credentials: 'include' }], ['no-cors', { mode: 'no-cors', credentials: 'include' }],
          ['header', { credentials: 'include', headers: { 'x-ask': 'ask-of-another' } }]];
        const asked = ways.map(([way, init]) => fetch(${JSON.stringify(lure('WAY'))}.replace('WAY', way), init).catch(() => 0));
        Promise.all(asked).then(() => { document.title = 'Tried'; });
      </script>`;
    const elsewhere = createServer((_, answer) => {
      answer.setHeader('content-type', 'text/html').end(html);
    }).listen(0, '127.0.0.1');
    await once(elsewhere, 'listening');
    const other = `http://127.0.0.1:${(elsewhere.address() as AddressInfo).port}/`;
    await page.goto(other);
    await page.waitForFunction(() => document.title === 'Tried');
    for (const way of ['link', 'button']) {
      await page.goto(other);
      const followed = page.waitForResponse(
        (response) => response.url().startsWith(url) && response.request().isNavigationRequest(),
      );
      await (way === 'link' ? page.getByText('link') : page.getByRole('button')).click();
      expect((await followed).status()).toBeGreaterThanOrEqual(400);
    }
    elsewhere.closeAllConnections();
    elsewhere.close();
    expect(
      stage.service.platform.sent.filter(({ search }) => search.get('query')?.startsWith('storm ')),
    ).toEqual(stage.service.sent('storm -budget'));
    await context.close();
  });
});
