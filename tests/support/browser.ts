import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  chromium as playwright,
  type Browser,
  type BrowserContext,
  type Download,
  type Page,
} from 'playwright';
import { inject } from 'vitest';

/** A window of a real Chromium that records requests and errors. */
export interface Visit {
  readonly context: BrowserContext;
  readonly page: Page;
  /** Texts of all errors and warnings of the console and the page. */
  readonly complaints: string[];
  /** Paths of the counts requests that left the page or its service worker and workers. */
  readonly counts: string[];
}

export interface Look {
  readonly width?: number;
  readonly height?: number;
  readonly colorScheme?: 'light' | 'dark';
  /** Whether the page is kept for when the service is away, which takes room; it is unless said otherwise. */
  readonly kept?: boolean;
  /** Whether it is signed in; true by default. */
  readonly signedIn?: boolean;
}

/** A service and the cookie of a browser that is signed in to it. */
interface Session {
  readonly url: string;
  readonly cookie: string;
}

const sessions = new WeakMap<Browser, readonly Session[]>();

/**
 * Connects to the browser of all journeys; windows opened by this connection are signed in to services, and close
 * with it.
 */
export async function openBrowser(...signedIn: readonly Session[]): Promise<Browser> {
  const browser = await playwright.connect(inject('chromium'));
  sessions.set(browser, signedIn);
  return browser;
}

/** Opens a separate window without a cache, and with no cookies but those of the sessions. */
export async function visit(browser: Browser, look: Look = {}): Promise<Visit> {
  const context = await browser.newContext({
    viewport: { width: look.width ?? 1440, height: look.height ?? 900 },
    colorScheme: look.colorScheme ?? 'light',
    reducedMotion: 'reduce',
    locale: 'en-GB',
    timezoneId: 'UTC',
    acceptDownloads: true,
    serviceWorkers: look.kept === false ? 'block' : 'allow',
  });
  for (const { url, cookie } of look.signedIn === false ? [] : (sessions.get(browser) ?? [])) {
    const [name = '', value = ''] = cookie.split('=');
    await context.addCookies([{ name, value, url, httpOnly: true, sameSite: 'Strict' }]);
  }
  const page = await context.newPage();
  const complaints: string[] = [];
  const counts: string[] = [];
  page.on('console', (message) => {
    if (message.type() === 'error' || message.type() === 'warning') complaints.push(message.text());
  });
  page.on('pageerror', (error) => complaints.push(String(error)));
  context.on('request', (request) => {
    const { pathname, search } = new URL(request.url());
    if (pathname.includes('/2/tweets/counts/')) counts.push(pathname + search);
  });
  return { context, page, complaints, counts };
}

/** A complete total; others say how much of the time they cover. */
const WHOLE = /^\s*[\d,.]+\s*$/;

/** Total of a series in the summary table, as a number; waits until it is complete. */
export async function totalOf(page: Page, name: string): Promise<number> {
  const cell = page.getByRole('row', { name }).getByRole('cell').first();
  await cell.filter({ hasText: WHOLE }).waitFor();
  return Number((await cell.innerText()).replaceAll(',', ''));
}

/** Waits until a first total is complete. */
export async function counted(page: Page): Promise<void> {
  await page.getByRole('cell').filter({ hasText: WHOLE }).first().waitFor();
}

/** Chooses one of the page's resolutions that are in sight. */
export async function resolution(page: Page, name: string): Promise<void> {
  await page.getByRole('radio', { name, exact: true }).check();
}

/** Types a custom range. */
export async function range(page: Page, from: string, to: string): Promise<void> {
  await page.getByRole('button', { name: /^Range:/ }).click();
  await page.getByLabel('From').fill(from);
  await page.getByLabel('To (inclusive)').fill(to);
  await page.keyboard.press('Enter');
}

/** Chooses a time zone by typing its name. */
export async function zone(page: Page, name: string): Promise<void> {
  await page.getByRole('button', { name: /^Time zone:/ }).click();
  await page.getByRole('combobox', { name: 'Search time zones' }).fill(name);
  await page.keyboard.press('Enter');
}

/** Saves a download under a name of its own; its folder is that of all files of tests. @returns Its path. */
export async function fileOf(download: Download): Promise<string> {
  const file = join(mkdtempSync(join(tmpdir(), 'groundswell-download-')), 'file');
  await download.saveAs(file);
  return file;
}

/** Takes a CSV from the export menu; gives its name and text. */
export async function csv(
  page: Page,
  form: 'long' | 'wide',
): Promise<{ name: string; text: string }> {
  const waiting = page.waitForEvent('download');
  await page.getByRole('button', { name: 'Export' }).click();
  await page.getByRole('menuitem', { name: `CSV, ${form}` }).click();
  const download = await waiting;
  const chunks: Buffer[] = [];
  for await (const chunk of await download.createReadStream()) chunks.push(chunk as Buffer);
  return { name: download.suggestedFilename(), text: Buffer.concat(chunks).toString('utf8') };
}

/** Takes a long CSV as often as it takes until no count in it is missing: what was asked last is there then. */
export async function wholeCsv(page: Page): Promise<string> {
  const until = Date.now() + 20_000;
  for (;;) {
    const { text } = await csv(page, 'long');
    if (!text.includes(',,never,')) return text;
    if (Date.now() > until) throw new Error('expected every count, got some never asked');
  }
}

/** Drags a file over the page and, where it says so, lets it go there. */
export async function drag(
  page: Page,
  name: string,
  content: Uint8Array | string,
  ...kinds: ('dragover' | 'drop')[]
): Promise<void> {
  const bytes = [...Buffer.from(content)];
  await page.evaluate(
    ({ name, bytes, kinds }) => {
      const dataTransfer = new DataTransfer();
      dataTransfer.items.add(new File([new Uint8Array(bytes)], name));
      const target = document.querySelector('main') ?? document.body;
      for (const kind of kinds) {
        target.dispatchEvent(
          new DragEvent(kind, { dataTransfer, bubbles: true, cancelable: true }),
        );
      }
    },
    { name, bytes, kinds },
  );
}
