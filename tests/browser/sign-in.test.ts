import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Browser, BrowserContext, Page } from 'playwright';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { CACHE_NAME } from '#app/counts/cache/database.ts';
import { axe } from '#tests/support/browser/axe.ts';
import { counted, openBrowser } from '#tests/support/browser/browser.ts';
import { makeCertificate } from '#tests/support/service/certificate.ts';
import { command, groundswell } from '#tests/support/service/command.ts';
import { giveSample } from '#tests/support/run/made-data.ts';
import { temporaryFolder } from '#tests/support/service/process.ts';
import { startNetwork, type Network } from '#tests/support/browser/network.ts';

const folder = temporaryFolder();
const data = join(folder, 'data');
const PASSWORD = 'correct horse battery';
let browser: Browser;
let service: Network;
let url: string;
beforeAll(async () => {
  const [cert, key] = [join(folder, 'cert.pem'), join(folder, 'key.pem')];
  const made = makeCertificate(['localhost']);
  writeFileSync(cert, made.cert);
  writeFileSync(key, made.key);
  mkdirSync(data);
  await giveSample(data);
  service = await startNetwork(data, 'localhost', ['--tls-cert', cert, '--tls-key', key]);
  url = `https://localhost:${service.port}`;
  for (const name of ['anna', 'bob']) {
    const args = ['login', 'add', name, '--password', 'ask', '--data', data];
    await command(args, { readSecret: () => Promise.resolve([PASSWORD]) });
  }
  browser = await openBrowser();
});
afterAll(async () => {
  await browser.close();
  await service.stop();
  rmSync(folder, { recursive: true, force: true });
});

async function open(scheme: 'light' | 'dark' = 'light', width = 1440) {
  const context = await browser.newContext({
    ignoreHTTPSErrors: true,
    serviceWorkers: 'block',
    colorScheme: scheme,
    viewport: { width, height: 844 },
    locale: 'en-GB',
    timezoneId: 'UTC',
  });
  return { context, page: await context.newPage() };
}

async function fill(page: Page, name: string, password = PASSWORD): Promise<void> {
  await page.getByLabel('Name').fill(name);
  await page.getByLabel('Password').fill(password);
  await page.keyboard.press('Enter');
}

const databases = async (page: Page): Promise<(string | undefined)[]> =>
  await page.evaluate(async () => (await indexedDB.databases()).map(({ name }) => name));

async function signOut(context: BrowserContext): Promise<void> {
  const page = await context.newPage();
  await page.goto(`${url}/sign-in`);
  await page.getByRole('button', { name: 'Sign out', exact: true }).click();
  await page.getByRole('heading', { name: 'Sign in' }).waitFor();
  await page.close();
}

describe('the page to sign in', () => {
  it.each([
    ['light', 1440],
    ['dark', 390],
  ] as const)(
    'is accessible, in %s at %i pixels, also with a fault and signed in',
    { tags: 'long' },
    async (scheme, width) => {
      const { context, page } = await open(scheme, width);
      await page.goto(url);
      expect(await page.evaluate(() => document.activeElement?.getAttribute('name'))).toBe('name');
      expect(await axe(page).catch(String)).toEqual([]);
      await fill(page, 'anna', 'no');
      expect(await page.getByRole('alert').innerText()).toBe('The name or the password is wrong.');
      expect(await page.evaluate(() => document.activeElement?.getAttribute('name'))).toBe(
        'password',
      );
      expect(await page.getByLabel('Name').inputValue()).toBe('anna');
      const wide = await page.evaluate(() => document.documentElement.scrollWidth);
      expect(wide).toBeLessThanOrEqual(width);
      await page.goto(`${url}/sign-in`);
      await fill(page, 'anna');
      await page.getByText('You are signed in as anna').waitFor();
      expect(await axe(page).catch(String)).toEqual([]);
      await context.close();
    },
  );
});

describe('in one browser', () => {
  it(
    'each login has its own boards and counts, and a page is not used for another',
    { tags: 'long' },
    async () => {
      const { context, page } = await open();
      await page.goto(`${url}/#source=sample&q=election`);
      await fill(page, 'anna');
      await counted(page);
      const [first = ''] = (await databases(page)).map(String);
      expect(first).toMatch(new RegExp(`^${CACHE_NAME}[\\da-f]{12}$`));
      await expect
        .poll(() => page.evaluate(() => Object.keys(localStorage)))
        .toContain(`${first.slice(CACHE_NAME.length)}groundswell-last`);

      await signOut(context);
      const other = await context.newPage();
      await other.goto(url);
      await fill(other, 'bob');
      await counted(other);
      expect(other.url()).not.toContain('election');
      const both = (await databases(other)).map(String);
      expect(new Set(both)).toEqual(new Set([first, both.find((name) => name !== first)]));
      expect(both).toHaveLength(2);

      // Anna's page is still open.
      await page.bringToFront();
      await page.evaluate(() => document.dispatchEvent(new Event('visibilitychange')));
      await page.getByText('This browser is not signed in.').waitFor();
      await context.close();
    },
  );
});

describe('a session that ends in the middle of work', () => {
  it('loses nothing: the page asks to sign in again, and goes on', async () => {
    const { context, page } = await open();
    await page.goto(`${url}/#source=sample&range=30d&q=election`);
    await fill(page, 'anna');
    await counted(page);
    await groundswell('login', 'set', 'anna', '--password', 'generate', '--data', data);
    const args = ['login', 'set', 'anna', '--password', 'ask', '--data', data];
    await command(args, { readSecret: () => Promise.resolve([PASSWORD]) });

    await page.evaluate(() => document.dispatchEvent(new Event('visibilitychange')));
    await page.getByText('This browser is not signed in.').waitFor();
    await counted(page);
    const [tab] = await Promise.all([
      context.waitForEvent('page'),
      page.getByRole('link', { name: 'Sign in' }).click(),
    ]);
    await fill(tab, 'anna');
    await tab.getByText('You are signed in as anna').waitFor();
    await tab.close();
    await page.getByText('This browser is not signed in.').waitFor({ state: 'detached' });
    await counted(page);
    expect(page.url()).toContain('q=election');
    await context.close();
  });
});

describe('the boards of a login', () => {
  const boardButton = (page: Page, name: string) =>
    page.getByRole('banner').getByRole('button', { name: new RegExp(`^${name}`) });
  const choose = async (page: Page, what: string): Promise<void> => {
    await boardButton(page, 'Board').click();
    const name = new RegExp(`^${what}`);
    await page.getByRole('dialog').getByRole('button', { name }).click();
  };
  /** The names in the menu of boards. */
  const names = async (page: Page): Promise<string[]> => {
    await boardButton(page, 'Board').click();
    const list = page.getByRole('list', { name: 'Saved boards' }).getByRole('button');
    const found = await list.locator('.name').allInnerTexts();
    await page.keyboard.press('Escape');
    return found;
  };
  /** Does what a browser does when its window comes to the front. */
  const look = (page: Page) =>
    page.evaluate(() => document.dispatchEvent(new Event('visibilitychange')));
  const save = async (page: Page, name: string): Promise<void> => {
    await choose(page, 'Save this board…');
    await page.getByLabel('Name of the board').fill(name);
    await page.keyboard.press('Enter');
    await boardButton(page, `Board: ${name}$`).waitFor();
  };

  it(
    'are in each browser of the login, also offline, and in none of another login',
    { tags: 'long' },
    async () => {
      const [one, two, other] = [await open(), await open(), await open()];
      const all = [
        [one, 'anna', 'election'],
        [two, 'anna', 'storm'],
        [other, 'bob', 'matcha'],
      ] as const;
      for (const [{ page }, name, query] of all) {
        await page.goto(`${url}/#source=sample&q=${query}`);
        await fill(page, name);
        await counted(page);
      }
      const stored = one.page.waitForResponse(
        (answer) => answer.request().method() === 'PUT' && answer.url().includes('/boards/version'),
      );
      await save(one.page, 'Elections');
      expect((await stored).status()).toBe(200);
      // The address of a board works in a browser that has not seen it.
      await expect.poll(() => one.page.url()).toContain('board=');
      const link = await two.context.newPage();
      await link.goto(one.page.url());
      await boardButton(link, 'Board: Elections').waitFor();
      await link.close();
      await expect.poll(() => names(two.page)).toEqual(['Elections']);

      // Both change it, one of them offline.
      await two.context.setOffline(true);
      await choose(two.page, 'Elections');
      await boardButton(two.page, 'Board: Elections').waitFor();
      await choose(two.page, 'Rename…');
      await two.page.getByLabel('New name of this board').fill('Votes');
      await two.page.keyboard.press('Enter');
      await boardButton(two.page, 'Board: Votes').waitFor();
      await choose(one.page, 'Rename…');
      await one.page.getByLabel('New name of this board').fill('Polls');
      await one.page.keyboard.press('Enter');
      await boardButton(one.page, 'Board: Polls').waitFor();
      await expect.poll(() => names(two.page)).toEqual(['Votes']);
      await two.context.setOffline(false);
      await look(two.page);
      const both = ['Polls', 'Votes (other browser)'];
      await expect.poll(() => names(two.page), { timeout: 20_000 }).toEqual(both);
      await look(one.page);
      await expect.poll(() => names(one.page), { timeout: 20_000 }).toEqual(both);

      await choose(one.page, 'Delete');
      await one.page.getByText('Deleted the board Polls.').waitFor();
      await look(two.page);
      const left = ['Votes (other browser)'];
      await expect.poll(() => names(two.page), { timeout: 20_000 }).toEqual(left);
      await one.page.getByRole('button', { name: 'Undo' }).click();
      await expect.poll(() => names(one.page)).toEqual(both);
      await look(two.page);
      await expect.poll(() => names(two.page), { timeout: 20_000 }).toEqual(both);

      await look(other.page);
      expect(await names(other.page)).toEqual([]);
      for (const { context } of [one, two, other]) await context.close();
    },
  );
});
