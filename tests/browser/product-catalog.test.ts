import { Agent, createServer, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import type { Page } from 'playwright';
import { TwitterApi } from 'twitter-api-v2';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { axe } from '#tests/support/browser/axe.ts';
import { visit } from '#tests/support/browser/browser.ts';
import { groundswell } from '#tests/support/service/command.ts';
import { giveTinySample } from '#tests/support/service/service.ts';
import { ownStage } from '#tests/support/browser/stage.ts';

const stage = ownStage(async (folder) => giveTinySample(folder), { args: ['--allow-private'] });
const run = async (...args: string[]): Promise<string> =>
  (await groundswell(...args, '--data', stage.service.data)).out;

const HEADER = 'id,title,description,link,image_link,price,availability,condition,brand\n';
const ROW = ',A mug,https://a.com/p,https://a.com/i.jpg,12.50 USD,in stock,new,Potter\n';
const FEED = `${HEADER}mug-1,Mug${ROW}mug-2,${ROW}mug-3,Mug${ROW.replace('12.50 USD', 'twelve')}`;

/** The shop's host. While `held` is set, an answer stays open. */
let shop: Server;
let held: ((answer: ServerResponse) => void) | null = null;

async function addCatalog(): Promise<void> {
  await run('app', 'add', 'Sync', '--early-access', 'yes');
  await run('user', 'add', 'lena', '--merchant-terms', 'yes');
  const app = JSON.parse(await run('app', 'rotate', 'Sync', '--json'));
  const grant = ['token', 'user', '--name', 'lena', '--app', 'Sync', '--oauth1', '--json'];
  const token = JSON.parse(await run(...grant));
  const client = new TwitterApi(
    {
      appKey: app.api_key,
      appSecret: app.api_key_secret,
      accessToken: token.access_token,
      accessSecret: token.access_token_secret,
    },
    { httpAgent: new Agent() },
  );
  const post = async (path: string, query: Record<string, string>) =>
    (await client.post(path, undefined, { query, prefix: `${stage.service.url}/5/` })) as {
      data: { id: string };
    };
  const { data } = await post('product_catalogs', { name: 'Kitchen shop' });
  const { port } = shop.address() as AddressInfo;
  await post(`product_catalogs/${data.id}/scheduled_feeds`, {
    feed_url: `http://127.0.0.1:${port}/feed.csv`,
    feed_format: 'CSV',
    frequency: 'WEEKLY',
    repeat: 'MONDAY',
    start_time: '08:00',
    time_zone: 'Europe/Berlin',
  });
}

beforeAll(async () => {
  shop = createServer((_, answer) => {
    answer.writeHead(200, { 'content-type': 'text/csv' });
    if (!held) return answer.end(FEED);
    answer.write(HEADER);
    held(answer);
  });
  await new Promise<void>((resolve) => shop.listen(0, '127.0.0.1', resolve));
});
afterAll(() => new Promise((resolve) => void shop.close(resolve)));

async function openPart(page: Page): Promise<void> {
  await page.goto(`${stage.service.url}/developers#catalogs`);
}

describe('the settings of product catalogs', () => {
  it(
    'say what a catalog needs, give it, and create one with its feed',
    { tags: 'long' },
    async () => {
      const { context, page, complaints } = await visit(stage.browser);
      await run('user', 'add', 'maya');
      await openPart(page);
      await page.getByText('No catalogs yet.').waitFor();
      const terms = page.getByRole('checkbox', { name: '@maya' });
      await terms.press('Space');
      await expect.poll(() => terms.isChecked()).toBe(true);
      const early = page.getByRole('group', { name: 'Early access' }).getByRole('checkbox').first();
      await early.press('Space');
      await expect.poll(() => early.isChecked()).toBe(true);
      expect(await axe(page)).toEqual([]);

      await page.getByRole('button', { name: 'Add catalog' }).press('Enter');
      await page.keyboard.type('Tea shop');
      await page.keyboard.press('Enter');
      await page.getByRole('button', { name: 'Add feed: Tea shop' }).press('Enter');
      await page.keyboard.type('shop.example');
      await page.keyboard.press('Enter');
      await page.getByText('Enter an http or https address').waitFor();
      expect(await axe(page)).toEqual([]);
      const { port } = shop.address() as AddressInfo;
      await page
        .getByLabel('Address of the file', { exact: true })
        .fill(`http://127.0.0.1:${port}/feed.csv`);
      await page.getByLabel('Read every').selectOption('Week');
      await page.getByLabel('On', { exact: true }).selectOption('Friday');
      await page.getByLabel('Time zone').fill('Asia/Tokyo');
      await page.getByRole('button', { name: 'Add feed', exact: true }).press('Enter');
      const catalog = page.getByRole('region', { name: 'Catalog Tea shop' });
      await catalog.getByText('Every Friday at 06:00, Asia/Tokyo').waitFor();
      await catalog.getByRole('button', { name: 'Edit the feed: Tea shop' }).press('Enter');
      await page.getByLabel('Read every').selectOption('Day');
      await page.getByRole('button', { name: 'Save' }).press('Enter');
      await catalog.getByText('Every day at 06:00, Asia/Tokyo').waitFor();
      expect(complaints).toEqual([]);
      await context.close();
    },
  );

  it('run a feed, and show what became of its rows', { tags: 'long' }, async () => {
    await addCatalog();
    const { context, page, complaints } = await visit(stage.browser);
    await openPart(page);
    const catalog = page.getByRole('region', { name: 'Catalog Kitchen shop' });
    await catalog.getByText('Every Monday at 08:00, Europe/Berlin').waitFor();
    await catalog.getByText('No runs yet.').waitFor();
    await catalog.getByRole('button', { name: 'Run now: Kitchen shop' }).press('Enter');
    const row = catalog.getByRole('row').filter({ hasText: 'Complete' });
    await row.waitFor();
    expect((await row.getByRole('cell').allInnerTexts()).slice(0, 6)).toEqual([
      'Complete',
      '1',
      '0',
      '0',
      '2',
      '3',
    ]);
    await catalog.getByRole('button', { name: /^Show the details/ }).press('Enter');
    await catalog.getByRole('list', { name: 'Rules' }).getByText('1 row refused').first().waitFor();
    const rows = catalog.getByRole('list', { name: 'Rows' });
    await rows.getByText('Line 4 · mug-3').waitFor();
    await rows.getByText('twelve').waitFor();
    expect(await axe(page)).toEqual([]);
    expect(complaints).toEqual([]);
    await context.close();
  });

  it(
    'read a file, find a product with its earlier price, and show what broke a rule',
    { tags: 'long' },
    async () => {
      const { context, page, complaints } = await visit(stage.browser);
      await openPart(page);
      const catalog = page.getByRole('region', { name: 'Catalog Kitchen shop' });
      const upload = async (rows: string): Promise<void> => {
        const buffer = Buffer.from(rows);
        const file = { name: 'shop.csv', mimeType: 'text/csv', buffer };
        await page.getByLabel('File of Kitchen shop').setInputFiles(file);
        await page.getByRole('button', { name: 'Upload', exact: true }).press('Enter');
        await page.getByText('shop.csv is being read into Kitchen shop.').first().waitFor();
      };
      const runs = (): Promise<number> =>
        catalog.getByRole('row').filter({ hasText: 'Complete' }).count();
      const before = await catalog
        .getByRole('row')
        .filter({ hasText: 'Complete' })
        .first()
        .waitFor()
        .then(runs);
      await upload(
        `${HEADER}mug-1,Mug${ROW.replace('12.50', '11.00')}pot-1,Pot${ROW}pot-2,Pot${ROW.replace('12.50 USD', 'twelve')}`,
      );
      await expect.poll(runs).toBe(before + 1);

      await catalog.getByRole('button', { name: 'Products and sets: Kitchen shop' }).press('Enter');
      const products = catalog.getByRole('table', { name: 'Products' });
      await products.getByRole('cell', { name: 'pot-1', exact: true }).waitFor();
      await catalog.getByLabel('Search', { exact: true }).fill('MUG');
      await page.keyboard.press('Enter');
      await expect.poll(() => products.getByRole('row').count()).toBe(2);
      const mug = products.getByRole('row').last();
      await mug.getByText('11.00 USD').and(page.locator(':visible')).waitFor();
      await mug.getByText(': 12.50 USD, in stock').waitFor();
      expect(await axe(page)).toEqual([]);

      await catalog
        .getByRole('button', { name: /^Show the details/ })
        .first()
        .press('Enter');
      const rules = catalog.getByRole('list', { name: 'Rules' });
      await rules.getByRole('button').first().press('Enter');
      await catalog.getByRole('list', { name: 'Rows' }).getByText('Line 4 · pot-2').waitFor();
      const saved = page.waitForEvent('download');
      await catalog.getByRole('button', { name: 'Download CSV' }).press('Enter');
      const report = await text(await (await saved).createReadStream());
      expect(report).toContain('pot-2');
      expect(complaints).toEqual([]);
      await context.close();
    },
  );

  it.each(['light', 'dark'] as const)(
    'in %s on a phone, show progress and cancel a run',
    { tags: 'long' },
    async (colorScheme) => {
      const { context, page, complaints } = await visit(stage.browser, { colorScheme, width: 390 });
      const asked = new Promise<ServerResponse>((resolve) => {
        held = resolve;
      });
      await openPart(page);
      await page.getByRole('button', { name: 'Run now: Kitchen shop' }).click();
      const answer = await asked;
      await page.getByText(/^Downloading · \d/).waitFor();
      await page.getByText('Running').and(page.locator(':visible')).waitFor();
      expect(await axe(page)).toEqual([]);
      expect(await page.evaluate(() => document.body.scrollWidth)).toBeLessThanOrEqual(390);
      await page.getByRole('button', { name: 'Cancel run: Kitchen shop' }).click();
      await page.getByText('Cancelled the run of Kitchen shop.').waitFor();
      await page.getByRole('button', { name: 'Run now: Kitchen shop' }).waitFor();
      await page.getByText('Failed').and(page.locator(':visible')).first().waitFor();
      held = null;
      answer.destroy();
      expect(complaints).toEqual([]);
      await context.close();
    },
  );

  it('say that the service is away', { tags: 'long' }, async () => {
    const { context, page } = await visit(stage.browser);
    await page.route('**/catalogs', (route) => route.abort());
    await openPart(page);
    await page.getByRole('alert').getByText('The service doesn’t answer.').waitFor();
    await page.unroute('**/catalogs');
    await page.getByRole('button', { name: 'Try again' }).click();
    await page.getByRole('region', { name: 'Catalog Kitchen shop' }).waitFor();
    await context.close();
  });
});
