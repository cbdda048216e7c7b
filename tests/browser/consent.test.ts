import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Page } from 'playwright';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { axe } from '#tests/support/browser/axe.ts';
import { visit } from '#tests/support/browser/browser.ts';
import { groundswell } from '#tests/support/service/command.ts';
import { long } from '#tests/support/run/long.ts';
import { consentPath } from '#tests/support/service/signing-in.ts';
import { ownStage } from '#tests/support/browser/stage.ts';

const stage = ownStage();

/** A program on another port: it sends the browser to the page of consent, and is called back. */
let program: Server;
let home = '';
let consent = '';
let onward = '';
beforeAll(async () => {
  program = createServer((request, response) => {
    response.setHeader('content-type', 'text/html');
    const where = new URL(request.url ?? '', home);
    if (where.pathname === '/api') {
      // As a program whose service and pages have different origins.
      const pages = home.replace('127.0.0.1', 'localhost');
      response.writeHead(302, { location: `${pages}/back${where.search}` }).end();
      return;
    }
    // From another name of this machine, the browser opens the page as another site's.
    const link = `<a href="${consent.replaceAll('&', '&amp;')}">Sign in</a>`;
    response.end(where.pathname === '/back' ? `Back at the program` : link);
  });
  await new Promise<void>((resolve) => program.listen(0, '127.0.0.1', resolve));
  home = `http://127.0.0.1:${(program.address() as AddressInfo).port}`;
  const { data, url } = stage.service;
  const run = async (...args: string[]): Promise<string> =>
    (await groundswell(...args, '--json', '--data', data)).out;
  const callback = `${home}/back`;
  const other = `${home}/api`;
  const callbacks = ['--callback', callback, '--callback', other];
  const app = JSON.parse(await run('app', 'add', 'Tea Shop', ...callbacks));
  for (const name of ['alice', 'bob']) await run('user', 'add', name);
  consent = url + consentPath({ ...app, callbacks: [callback] });
  onward = url + consentPath({ ...app, callbacks: [other] });
});
afterAll(() => new Promise((resolve) => void program.close(resolve)));

const sent = (page: Page): URLSearchParams => new URL(page.url()).searchParams;
const heading = (page: Page) =>
  page.getByRole('heading', { name: 'Allow Tea Shop to use your account?' });

describe('the page of consent', () => {
  it.each(long() ? (['light', 'dark'] as const) : (['light'] as const))(
    'in %s is accessible, and leads back',
    async (colorScheme) => {
      const { context, page, complaints } = await visit(stage.browser, { colorScheme, width: 360 });
      await page.goto(consent);
      await heading(page).waitFor();
      expect(await axe(page)).toEqual([]);
      expect(await page.evaluate(() => document.body.scrollWidth)).toBeLessThanOrEqual(360);
      await page.getByText('Read Posts that you can see').waitFor();

      const [refuse, allow] = await Promise.all(
        ['Refuse', 'Allow'].map((name) => page.getByRole('button', { name }).boundingBox()),
      );
      expect([refuse?.width, refuse?.height]).toEqual([allow?.width, allow?.height]);

      await page.getByRole('radio', { name: '@bob' }).check();
      await page.getByRole('button', { name: 'Allow' }).click();
      await page.getByText('Back at the program').waitFor();
      expect(sent(page).get('code')).toMatch(/^[\w-]{64}$/);
      expect(sent(page).get('state')).toBe('the state');
      expect(await page.evaluate(() => document.referrer)).toBe('');
      expect(complaints).toEqual([]);
      await context.close();
    },
  );

  it('leads back with an error when refused, by keyboard alone', async () => {
    const { context, page, complaints } = await visit(stage.browser);
    await page.goto(consent);
    await heading(page).waitFor();
    await page.getByRole('button', { name: 'Refuse' }).focus();
    await page.keyboard.press('Enter');
    await page.getByText('Back at the program').waitFor();
    expect(Object.fromEntries(sent(page))).toEqual({ error: 'access_denied', state: 'the state' });
    expect(complaints).toEqual([]);
    await context.close();
  });

  it('leads on where the callback redirects to another origin', async () => {
    const { context, page, complaints } = await visit(stage.browser);
    await page.goto(onward);
    await page.getByRole('radio', { name: '@alice' }).check();
    await page.getByRole('button', { name: 'Allow' }).click();
    await page.getByText('Back at the program').waitFor();
    expect(new URL(page.url()).hostname).toBe('localhost');
    expect(sent(page).get('code')).toMatch(/^[\w-]{64}$/);
    expect(complaints).toEqual([]);
    await context.close();
  });

  it('opened by another site asks to continue, because the session stays out', async () => {
    const { context, page } = await visit(stage.browser);
    await page.goto(home.replace('127.0.0.1', 'localhost'));
    await page.getByRole('link', { name: 'Sign in' }).click();
    await page.getByRole('link', { name: 'Continue' }).waitFor();
    expect(await axe(page)).toEqual([]);
    await page.getByRole('link', { name: 'Continue' }).click();
    await heading(page).waitFor();
    await context.close();
  });

  it('is at once there for a program on another port of the same host', async () => {
    const { context, page } = await visit(stage.browser);
    await page.goto(home);
    await page.getByRole('link', { name: 'Sign in' }).click();
    await heading(page).waitFor();
    await context.close();
  });

  it('says how to sign in where the browser is not signed in', async () => {
    const { context, page } = await visit(stage.browser, { signedIn: false });
    await page.goto(consent);
    await page.getByRole('heading', { name: 'This browser is not signed in' }).waitFor();
    await page.getByText('groundswell link').waitFor();
    expect(await axe(page)).toEqual([]);
    await context.close();
  });
});
