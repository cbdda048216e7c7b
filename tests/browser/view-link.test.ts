import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Page } from 'playwright';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { View } from '#app/board/state/view.ts';
import { axe } from '#tests/support/browser/axe.ts';
import { dayBefore, sampleBoard, totalOf, visit } from '#tests/support/browser/browser.ts';
import { ownStage } from '#tests/support/browser/stage.ts';
import { storeBoard, viewLink } from '#tests/support/service/data-links.ts';

const stage = ownStage();
/** The service as a signed-in browser asks it. */
const send = (path: string, init: RequestInit = {}): Promise<Response> =>
  fetch(stage.service.url + path, {
    ...init,
    headers: { ...init.headers, cookie: stage.service.cookie },
  });

/** A page of another site that shows an address within. */
let site: { server: Server; origin: string };
let shown = '';
beforeAll(async () => {
  const server = createServer((_, answer) => {
    answer.setHeader('content-type', 'text/html');
    answer.end(
      `<!doctype html><title>Wiki</title><iframe src="${shown}" width="1200" height="700"></iframe>`,
    );
  });
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  site = { server, origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}` };
});
afterAll(() => site.server.close());

/** The board of the first link. */
async function boardId(): Promise<string> {
  const { boards } = (await (await send('/boards')).json()) as { boards: { id: string }[] };
  return boards[0]!.id;
}

describe('a view link', () => {
  it('is made in Share, and opens the board without an account, storage or a way to change it', async () => {
    const own = await visit(stage.browser);
    const { page } = own;
    await page.goto(stage.service.url + sampleBoard(dayBefore(1)));
    await page.getByRole('heading', { level: 2 }).first().waitFor();
    await page.getByRole('banner').getByRole('button', { name: 'Share' }).click();
    await page.getByRole('menuitem').filter({ hasText: 'Live link' }).click();
    await page.getByRole('textbox', { name: 'Name' }).fill('Coffee and tea');
    await page.getByRole('button', { name: 'Make the link' }).click();
    const address = await page.getByRole('dialog').locator('code').innerText();
    // A browser that has never been here.
    const other = await visit(stage.browser, { signedIn: false, serviceWorker: true });
    const { context, page: visitor, complaints } = other;
    const requests: string[] = [];
    visitor.on('request', (request) => requests.push(request.url()));
    await visitor.goto(address);
    await visitor.getByRole('heading', { name: 'Coffee and tea' }).waitFor();
    await visitor.getByRole('heading', { level: 2 }).first().waitFor();
    // The same question asked two ways; a change is known a moment after its counts.
    const rows = (of: Page): Promise<string[]> =>
      of.getByRole('table').first().getByRole('row').allInnerTexts();
    await totalOf(page, 'Matcha');
    await expect
      .poll(async () => [await rows(visitor), await rows(page)])
      .toSatisfy(([theirs, ours]) => JSON.stringify(theirs) === JSON.stringify(ours));
    expect((await rows(visitor)).length).toBeGreaterThan(3);
    await visitor.getByRole('tab', { name: 'Peaks' }).click();
    await visitor.getByRole('tabpanel').getByRole('button', { name: /Posts/ }).first().click();
    await visitor.getByText('What it was about').waitFor();
    expect(await visitor.getByRole('textbox').count()).toBe(0);
    expect(await axe(visitor)).toEqual([]);
    expect(requests.filter((url) => !url.startsWith(address))).toEqual([]);
    expect(complaints).toEqual([]);
    expect(await context.cookies()).toEqual([]);
    const stored = await visitor.evaluate(() => {
      try {
        return localStorage.length;
      } catch (error) {
        return (error as Error).name;
      }
    });
    expect([stored, await visitor.evaluate(() => self.origin)]).toEqual(['SecurityError', 'null']);
    await context.close();
    await own.context.close();
  });

  it('asks for its password, and shows within the pages of its sites alone', async () => {
    const { context, page } = await visit(stage.browser);
    const board = await boardId();
    const [open, closed] = [
      await viewLink(send, board, { sites: [site.origin], password: 'correct horse' }),
      await viewLink(send, board),
    ];
    shown = stage.service.url + open.path;
    await page.goto(site.origin);
    const shownIn = page.locator('iframe').contentFrame();
    await shownIn.getByLabel('Password of this link').fill('wrong horse');
    await page.keyboard.press('Enter');
    await shownIn.getByText('Wrong password.').waitFor();
    expect(await shownIn.getByRole('textbox', { description: 'Wrong password.' }).count()).toBe(1);
    await shownIn.getByLabel('Password of this link').fill('correct horse');
    await page.keyboard.press('Enter');
    await shownIn.getByRole('table').first().waitFor();
    await shownIn.locator('h1:focus').waitFor();
    shown = stage.service.url + closed.path;
    const refused = page.waitForEvent('console', (line) => line.text().includes('frame-ancestors'));
    await page.reload();
    await refused;
    await context.close();
  });

  it('says that the service does not answer, and goes on once it does', async () => {
    const { context, page } = await visit(stage.browser);
    const { path } = await viewLink(send, await boardId());
    await page.route('**/counts', (route) => route.abort());
    await page.goto(stage.service.url + path);
    const notice = page.getByRole('alert').filter({ hasText: 'The service doesn’t answer' });
    await notice.waitFor();
    await page.unroute('**/counts');
    await notice.getByRole('button', { name: 'Try again' }).click();
    await notice.waitFor({ state: 'detached' });
    await page.getByRole('heading', { level: 2 }).first().waitFor();
    // The figures of one time are never shown as those of another.
    const row = page.getByRole('row', { name: 'Matcha' });
    const total = (await row.getByRole('cell').first().innerText()).trim();
    expect(total).toMatch(/^[\d,]+$/);
    await page.route('**/counts', (route) => route.abort());
    await page.getByRole('radio', { name: '30 d' }).check({ force: true });
    await notice.waitFor();
    await page.getByText('No counts loaded. The note at the top says why.').waitFor();
    expect(await page.getByRole('tabpanel').innerText()).not.toContain(total);
    await context.close();
  });

  it('opens the board again that its owner has changed', async () => {
    const { context, page } = await visit(stage.browser, { signedIn: false });
    const view = (label: string, query: string): View => ({
      source: 'sample',
      range: { preset: '7d' },
      series: [{ query, label, hidden: false }],
    });
    const revision = await storeBoard(send, 'changed', view('Matcha', 'matcha'));
    const { path } = await viewLink(send, 'changed');
    await page.goto(stage.service.url + path);
    await page.getByRole('row', { name: 'Matcha' }).waitFor();
    await storeBoard(send, 'changed', view('Cold brew', '"cold brew"'), {}, revision);
    await page.getByRole('radio', { name: '30 d' }).check({ force: true });
    await page.getByRole('button', { name: 'Open it again' }).click();
    await page.getByRole('row', { name: 'Cold brew' }).waitFor();
    await context.close();
  });
});
