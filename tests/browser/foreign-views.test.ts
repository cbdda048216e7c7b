import type { Page } from 'playwright';
import { describe, expect, it } from 'vitest';
import type { PlatformAnswer } from '#contract/counts/platform.ts';
import { writeBoard } from '#app/counts/files/board-file.ts';
import { chooseExport, fileOf, totalOf, visit } from '#tests/support/browser/browser.ts';
import { pagesSpan, storms, viewOf } from '#tests/support/service/paid-service.ts';
import { paidStage } from '#tests/support/browser/stage.ts';

const stage = paidStage();

const TWO = pagesSpan(2);

/** Requests of any kind that reached the platform, and those that the relay's ledger bills. */
async function spent(): Promise<{ sent: number; billed: number }> {
  const { url, cookie, platform } = stage.service;
  const answer = await fetch(`${url}/platform/settings`, { headers: { cookie } });
  const { today } = (await answer.json()) as PlatformAnswer;
  return { sent: platform.sent.length, billed: today.requests };
}

const sheet = (page: Page) => page.getByRole('dialog', { name: /^This view needs/ });

/** Waits for the plan of a view that needs so many pages. */
async function waits(page: Page, pages: number): Promise<void> {
  const price = `$0.${String(pages).padStart(2, '0')}`;
  const count = `${pages} ${pages === 1 ? 'page' : 'pages'}`;
  await page.getByRole('heading', { name: `This view needs ${count}: ${price}` }).waitFor();
  await sheet(page).getByText('nothing is requested before you load it').waitFor();
  await page.getByRole('button', { name: `Load · ${price} (${count})` }).waitFor();
}

/** Presses Tab until a button has the focus, then Enter. */
async function pressByKeyboard(page: Page, name: RegExp): Promise<void> {
  const focused = (): Promise<string> =>
    page.evaluate(() => document.activeElement?.textContent?.trim() ?? '');
  for (let i = 0; i < 30 && !name.test(await focused()); i += 1) await page.keyboard.press('Tab');
  expect(await focused()).toMatch(name);
  await page.keyboard.press('Enter');
}

describe('a view that this browser’s user did not make', () => {
  it('requests nothing from a link, four links in turn, a board file, a saved board, a bundle or another source until it is loaded', async () => {
    const { page, context, complaints } = await visit(stage.browser);
    const before = await spent();
    const untouched = async (): Promise<void> => expect(await spent()).toEqual(before);
    const open = (query: string, more = ''): string =>
      stage.service.url + viewOf(query, TWO).replace('&by=day', `&by=day${more}`);

    // A link with everything that could load more: a period before, a forecast, live updates, and the drawer.
    const span = `${new Date(TWO.start).toISOString()}/${new Date(TWO.end).toISOString()}`;
    const at = encodeURIComponent(`1@${span.replaceAll('.000Z', 'Z')}`);
    await page.goto(open('storm -linked', `&against=previous&forecast=on&live=1&at=${at}`));
    await waits(page, 4);
    await untouched();

    for (const turn of [1, 2, 3, 4]) {
      await page.goto(open(`storm -turn${turn}`));
      await page.getByRole('heading', { name: `storm -turn${turn}` }).waitFor();
      await waits(page, 2);
    }
    await page.reload();
    await waits(page, 2);
    await page.goBack();
    await page.getByRole('heading', { name: 'storm -turn3' }).waitFor();
    await waits(page, 2);
    await page.goForward();
    await page.getByRole('heading', { name: 'storm -turn4' }).waitFor();
    await waits(page, 2);
    await untouched();

    const view = viewOf('storm -filed', TWO).slice(2);
    const board = { id: 'b1', name: 'Sent', at: 1, opened: 1, view, notes: [], fixed: [] };
    const buffer = Buffer.from(await (await writeBoard(board)).arrayBuffer());
    const file = { name: 'sent.json', mimeType: 'application/json', buffer };
    await page.getByLabel('File to open').setInputFiles(file);
    await page.getByRole('heading', { name: 'storm -filed' }).waitFor();
    await waits(page, 2);
    await page.goto(open('storm -between'));
    await page.getByRole('heading', { name: 'storm -between' }).waitFor();
    await page
      .getByRole('banner')
      .getByRole('button', { name: /^Board/ })
      .click();
    await page.getByRole('button', { name: /^Sent/ }).click();
    await page.getByRole('heading', { name: 'storm -filed' }).waitFor();
    await waits(page, 2);
    await untouched();

    await page.goto(`${stage.service.url}/#source=posts&range=all&zone=UTC&by=day&q=storm -source`);
    await page.getByRole('button', { name: 'Source: your posts' }).click();
    await page.getByRole('menuitemradio', { name: /^Platform/ }).click();
    await waits(page, 1);
    await page.getByRole('button', { name: 'Not now' }).click();
    await page.getByText('1 page for $0.01 not loaded.').waitFor();
    await untouched();
    expect(complaints).toEqual([]);
    await context.close();
  });

  it(
    'costs what its button says, is loaded by the keyboard, and is the user’s from then on',
    { tags: 'long' },
    async () => {
      const query = 'storm -loaded';
      const { page, context, complaints } = await visit(stage.browser);
      const before = await spent();
      const grown = async (): Promise<{ sent: number; billed: number }> => {
        const now = await spent();
        return { sent: now.sent - before.sent, billed: now.billed - before.billed };
      };
      const address =
        stage.service.url + viewOf(query, TWO).replace('&by=', '&against=previous&by=');
      await page.goto(address);
      await waits(page, 4);
      await pressByKeyboard(page, /^Load · \$0\.04 \(4 pages\)$/);
      expect(await totalOf(page, query)).toBe(storms(TWO));
      await expect.poll(grown).toEqual({ sent: 4, billed: 4 });

      // The user's own range and query need a handful of pages without a question.
      const edit = page.getByRole('button', { name: /^Edit the query/ });
      await edit.click();
      await page.getByRole('textbox', { name: `Query of ${query}` }).fill(`${query} -typed`);
      await page.keyboard.press('Enter');
      expect(await totalOf(page, `${query} -typed`)).toBe(storms(TWO));
      await expect.poll(grown).toEqual({ sent: 8, billed: 8 });
      expect(await sheet(page).count()).toBe(0);

      // Nobody but this browser knows them as the user's.
      await expect.poll(() => page.url()).toContain('-typed');
      const own = page.url();
      await page.reload();
      expect(await totalOf(page, `${query} -typed`)).toBe(storms(TWO));
      const other = await visit(stage.browser);
      await other.page.goto(own);
      await other.page.getByRole('heading', { name: `${query} -typed` }).waitFor();
      await expect.poll(grown).toEqual({ sent: 8, billed: 8 });
      await other.context.close();

      // A bundle of it opens elsewhere without a request.
      const downloading = page.waitForEvent('download');
      await chooseExport(page, 'More', 'Bundle');
      const path = await fileOf(await downloading);
      const third = await visit(stage.browser);
      await third.page.goto(stage.service.url);
      await third.page.getByLabel('File to open').setInputFiles(path);
      await third.page.getByText(/^Opened the bundle/).waitFor();
      expect(await grown()).toEqual({ sent: 8, billed: 8 });
      await third.context.close();
      expect(complaints).toEqual([]);
      await context.close();
    },
  );
});
