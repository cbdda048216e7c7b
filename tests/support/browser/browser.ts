import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  chromium as playwright,
  type Browser,
  type Locator,
  type BrowserContext,
  type Download,
  type Page,
} from 'playwright';
import { inject } from 'vitest';
import { DAY_MS } from '#core/time/span.ts';

/** A window of a real Chromium, with its requests and errors. */
export interface Visit {
  readonly context: BrowserContext;
  readonly page: Page;
  /** Errors and warnings of the console, and uncaught errors of the page. */
  readonly complaints: string[];
  /** Paths of the counts requests sent by the page, its workers and its service worker. */
  readonly counts: string[];
}

export interface VisitOptions {
  readonly width?: number;
  readonly height?: number;
  readonly colorScheme?: 'light' | 'dark';
  readonly forcedColors?: 'active';
  /** Device pixels in a CSS pixel; 1 by default. */
  readonly deviceScaleFactor?: number;
  /** True for a phone, which is touched. */
  readonly phone?: boolean;
  /** `en-GB` by default. */
  readonly locale?: string;
  /** True if the page may install its service worker, which fetches and stores every file of the page once more. */
  readonly serviceWorker?: boolean;
  /** True by default. */
  readonly signedIn?: boolean;
}

/** A service and the cookie of a signed-in browser. */
interface Session {
  readonly url: string;
  readonly cookie: string;
}

const sessions = new WeakMap<Browser, readonly Session[]>();

/**
 * Connects to the browser that all tests share. Windows of this connection are signed in to the services, and close
 * with it.
 */
export async function openBrowser(...signedIn: readonly Session[]): Promise<Browser> {
  const browser = await playwright.connect(inject('chromium'));
  sessions.set(browser, signedIn);
  return browser;
}

/** Playwright's warning in windows without a service worker. */
const NO_SERVICE_WORKER = 'Service Worker registration blocked by Playwright';

/** Opens a window with empty storage and only the sessions' cookies. */
export async function visit(browser: Browser, options: VisitOptions = {}): Promise<Visit> {
  const context = await browser.newContext({
    viewport: { width: options.width ?? 1440, height: options.height ?? 900 },
    colorScheme: options.colorScheme ?? 'light',
    forcedColors: options.forcedColors ?? 'none',
    deviceScaleFactor: options.deviceScaleFactor ?? 1,
    isMobile: options.phone ?? false,
    hasTouch: options.phone ?? false,
    reducedMotion: 'reduce',
    locale: options.locale ?? 'en-GB',
    timezoneId: 'UTC',
    acceptDownloads: true,
    serviceWorkers: options.serviceWorker ? 'allow' : 'block',
  });
  for (const { url, cookie } of options.signedIn === false ? [] : (sessions.get(browser) ?? [])) {
    const [name = '', value = ''] = cookie.split('=');
    await context.addCookies([{ name, value, url, httpOnly: true, sameSite: 'Strict' }]);
  }
  const page = await context.newPage();
  const complaints: string[] = [];
  const counts: string[] = [];
  page.on('console', (message) => {
    const text = message.text();
    if (text.startsWith(NO_SERVICE_WORKER)) return;
    if (message.type() === 'error' || message.type() === 'warning') complaints.push(text);
  });
  page.on('pageerror', (error) => complaints.push(String(error)));
  context.on('request', (request) => {
    const { pathname, search } = new URL(request.url());
    if (pathname.includes('/2/tweets/counts/')) counts.push(pathname + search);
  });
  return { context, page, complaints, counts };
}

/** The date of a day of the sample, whose last is today. */
export function dayBefore(days: number): string {
  return new Date(Date.now() - days * DAY_MS).toISOString().slice(0, 10);
}

/**
 * Three topics of the sample by day, two of them with a planted peak, over a third of a year: a year of them is a hundred
 * requests with the time before, and these took half the time of a visit.
 *
 * @param to - The last day; by default today, whose counts grow.
 */
export function sampleBoard(to = dayBefore(0)): string {
  const series = ['Matcha', 'Cold brew', 'Oat milk'].map((name): [string, string][] => [
    ['q', `"${name.toLowerCase()}"`.replace('"matcha"', 'matcha')],
    ['name', name],
  ]);
  const range = {
    source: 'sample',
    from: dayBefore(120),
    to,
    zone: 'UTC',
    by: 'day',
  };
  return `/#${new URLSearchParams([...Object.entries(range), ...series.flat()])}`;
}

/** A complete total; an incomplete one also shows how much of the time it covers. */
const WHOLE = /^\s*[\d,.]+\s*$/;

/** Waits until the total of a series in the summary table is complete. @returns The total. */
export async function totalOf(page: Page, name: string): Promise<number> {
  const cell = page.getByRole('row', { name }).getByRole('cell').first();
  await cell.filter({ hasText: WHOLE }).waitFor();
  return Number((await cell.innerText()).replaceAll(',', ''));
}

/** Loads a view that this browser's user did not make, whose pages cost a cent each. */
export async function loadPlan(page: Page, pages: number): Promise<void> {
  const price = `$0.${String(pages).padStart(2, '0')}`;
  const count = pages === 1 ? '1 page' : `${pages} pages`;
  await page.getByRole('button', { name: `Load · ${price} (${count})` }).click();
}

/** Waits until some series has a complete total. */
export async function counted(page: Page): Promise<void> {
  await page.getByRole('cell').filter({ hasText: WHOLE }).first().waitFor();
}

/** Chooses a resolution. */
export async function resolution(page: Page, name: string): Promise<void> {
  await page.getByRole('button', { name: /^Width:/ }).click();
  await page.getByRole('menuitemradio', { name, exact: true }).click();
}

/** Opens the options of the chart. @returns Their surface. */
export async function chartOptions(page: Page): Promise<Locator> {
  await page.getByRole('button', { name: /^Chart options/ }).click();
  return page.getByRole('dialog', { name: /^Chart options/ });
}

/** Adds a note in the middle of the time in view. */
export async function addEvent(page: Page): Promise<void> {
  await (await chartOptions(page)).getByRole('button', { name: 'Add an event' }).click();
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
  await page.getByRole('button', { name: /^Range:/ }).click();
  await page.getByRole('button', { name: /^Time zone:/ }).click();
  await page.getByRole('combobox', { name: 'Search time zones' }).fill(name);
  await page.keyboard.press('Enter');
  await page.keyboard.press('Escape');
}

/** Saves a download in a new temporary folder. @returns Its path. */
export async function fileOf(download: Download): Promise<string> {
  const file = join(mkdtempSync(join(tmpdir(), 'groundswell-download-')), 'file');
  await download.saveAs(file);
  return file;
}

/** Chooses an entry of the export menu, by the names on the way to it. */
export async function chooseExport(page: Page, ...names: (string | RegExp)[]): Promise<void> {
  await page.getByRole('button', { name: 'Export' }).click();
  for (const name of names) await page.getByRole('menuitem', { name }).click();
}

/** Downloads a CSV from the export menu. */
export async function csv(
  page: Page,
  form: 'long' | 'wide',
): Promise<{ name: string; text: string }> {
  const waiting = page.waitForEvent('download');
  const rows = form === 'long' ? /^CSV, .+ and topic/ : /^CSV, one row per \w+(?! and)\b/;
  await chooseExport(page, 'Spreadsheet', rows);
  const download = await waiting;
  const chunks: Buffer[] = [];
  for await (const chunk of await download.createReadStream()) chunks.push(chunk as Buffer);
  return { name: download.suggestedFilename(), text: Buffer.concat(chunks).toString('utf8') };
}

/** Downloads the long CSV until every count in it has been fetched. */
export async function wholeCsv(page: Page): Promise<string> {
  const until = Date.now() + 20_000;
  for (;;) {
    const { text } = await csv(page, 'long');
    if (!text.includes(',,never,')) return text;
    if (Date.now() > until) throw new Error('expected every count, got some never asked');
  }
}

/** Accepts the sheet of a dropped file as it is. */
export async function importAsShown(page: Page): Promise<void> {
  await page.getByRole('dialog').getByRole('button', { name: 'Import', exact: true }).click();
}

/** A file and what happens to it over the page, for {@link dragInPage}. */
export interface DraggedFile {
  readonly name: string;
  readonly base64: string;
  readonly kinds: readonly ('dragover' | 'drop')[];
}

/** Drags a file over the page; runs in the page of any browser. */
export function dragInPage({ name, base64, kinds }: DraggedFile): void {
  const bytes = Uint8Array.from(atob(base64), (letter) => letter.charCodeAt(0));
  const dataTransfer = new DataTransfer();
  dataTransfer.items.add(new File([bytes], name));
  const target = document.querySelector('main') ?? document.body;
  for (const kind of kinds) {
    target.dispatchEvent(new DragEvent(kind, { dataTransfer, bubbles: true, cancelable: true }));
  }
}

/** Drags a file over the page; with the kind `drop` it also drops it. */
export async function drag(
  page: Page,
  name: string,
  content: Uint8Array | string,
  ...kinds: ('dragover' | 'drop')[]
): Promise<void> {
  const base64 = Buffer.from(content).toString('base64');
  await page.evaluate(dragInPage, { name, base64, kinds });
}
