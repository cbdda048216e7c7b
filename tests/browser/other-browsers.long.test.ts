import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { dragInPage } from '#tests/support/browser/browser.ts';
import {
  openFirefox,
  openWebKit,
  type OtherBrowser,
} from '#tests/support/browser/other-browsers.ts';
import { giveSample } from '#tests/support/run/made-data.ts';
import { groundswell } from '#tests/support/service/command.ts';
import {
  serveProcess,
  temporaryFolder,
  type ServiceProcess,
} from '#tests/support/service/process.ts';

const BROWSERS = [
  ['Firefox', process.env['GROUNDSWELL_TEST_FIREFOX'], openFirefox],
  ['WebKit', process.env['GROUNDSWELL_TEST_WEBKIT'], openWebKit],
] as const;

/** Pictures of the last run. */
const PICTURES = 'tests/output';

const FILE = [
  'id,created_at,author,text',
  '1,2024-03-01T10:00:00Z,ann,green tea',
  '2,2024-03-02T10:00:00Z,bob,black tea',
  '3,2024-03-03T10:00:00Z,ann,coffee',
].join('\n');

const poll = { timeout: 60_000, interval: 100 };

/** The sight and the hands of a user in a browser. Elements are found by a selector and, as a pattern, by name or text. */
class Hands {
  readonly browser: OtherBrowser;

  constructor(browser: OtherBrowser) {
    this.browser = browser;
  }

  /** Name or text of the first such element in view, and its centre; null if there is none. */
  async find(selector: string, name = ''): Promise<{ text: string; x: number; y: number } | null> {
    return await this.browser.call(
      (selector, name) => {
        for (const each of document.querySelectorAll<HTMLElement>(selector)) {
          const text = (each.ariaLabel ?? each.innerText ?? '').trim();
          if (!new RegExp(name).test(text) || !each.checkVisibility()) continue;
          each.scrollIntoView({ block: 'nearest' });
          const box = each.getBoundingClientRect();
          return { text, x: box.x + box.width / 2, y: box.y + box.height / 2 };
        }
        return null;
      },
      selector,
      name,
    );
  }

  /** Waits for an element. @returns Its name or text. */
  async see(selector: string, name = ''): Promise<string> {
    await expect.poll(() => this.find(selector, name), poll).not.toBeNull();
    return (await this.find(selector, name))?.text ?? '';
  }

  async click(selector: string, name = ''): Promise<void> {
    await this.see(selector, name);
    const { x = 0, y = 0 } = (await this.find(selector, name)) ?? {};
    const to = { type: 'pointerMove', x: Math.round(x), y: Math.round(y), duration: 0 };
    const actions = [to, { type: 'pointerDown', button: 0 }, { type: 'pointerUp', button: 0 }];
    await this.browser.act([
      { type: 'pointer', id: 'mouse', parameters: { pointerType: 'mouse' }, actions },
    ]);
  }

  /** Presses a key, as WebDriver codes it. */
  async press(value: string): Promise<void> {
    const actions = ['keyDown', 'keyUp'].map((type) => ({ type, value }));
    await this.browser.act([{ type: 'key', id: 'keys', actions }]);
  }
}

const ESCAPE = '\uE00C';
const number = (text: string): number => Number(text.replaceAll(',', ''));

describe.each(BROWSERS)('in %s', (name, path = '', open) => {
  const data = temporaryFolder();
  let service: ServiceProcess;
  let browser: OtherBrowser;
  beforeAll(async () => {
    await giveSample(data);
    service = await serveProcess(data);
    browser = await open(path);
    mkdirSync(PICTURES, { recursive: true });
  });
  afterAll(async () => {
    await browser?.close();
    await service?.stop();
    rmSync(data, { recursive: true, force: true });
  });

  it.skipIf(path === '')(
    'a user signs in, finds what happened, takes the numbers, and imports own Posts',
    async () => {
      const user = new Hands(browser);
      const picture = async (state: string): Promise<void> =>
        writeFileSync(join(PICTURES, `${name}-${state}.png`), await browser.picture());
      await browser.resize(1440, 900);
      await browser.open((await groundswell('link', '--data', data)).out.trim());

      // The curve, the finding and the figures.
      await user.see('[role=img]', '^Posts a day, .*Matcha: [\\d,]+ Posts');
      await user.see('canvas');
      await user.see('h2', '[A-Z].* ');
      const total = (): Promise<string> => user.see('tr:nth-child(2) td:nth-child(2)', '^[\\d,]+$');
      const year = number(await total());
      expect(year).toBeGreaterThan(0);
      await picture('board');

      await user.click('.peak', '^Peak 1\\b');
      await user.see('[role=complementary], aside', 'What it was about');
      await picture('drawer');
      await user.press(ESCAPE);
      await expect.poll(() => user.find('h3', 'What it was about'), poll).toBeNull();

      await user.click('label', '^30.d$');
      await expect.poll(async () => number(await total()), poll).toBeLessThan(year / 4);
      const month = number(await total());

      // The file has the number of the page, and the service the same.
      await user.click('button', '^Export');
      await user.click('[role=menuitem]', '^Spreadsheet');
      await user.click('[role=menuitem]', '^CSV, one row per day and topic');
      const csv = (): string => {
        const file = readdirSync(browser.downloads).find((each) => each.endsWith('.csv'));
        return file ? readFileSync(join(browser.downloads, file), 'utf8') : '';
      };
      await expect.poll(csv, poll).toMatch(/\r\n$/);
      const [header = [], ...rows] = csv()
        .split('\r\n')
        .map((line) => line.split(','));
      // The query of this topic needs no quotes.
      const cell = (row: readonly string[], column: string): string =>
        row[header.indexOf(column)] ?? '';
      const counts = new Map(
        rows
          .filter((row) => cell(row, 'label') === 'Matcha')
          .map((row) => [cell(row, 'start_utc'), Number(cell(row, 'tweet_count'))]),
      );
      expect([...counts.values()].reduce((a, b) => a + b)).toBe(month);
      const [first = '', second = ''] = [...counts.keys()];
      const counted = await browser.call(async (address) => {
        const answer = await fetch(address);
        return (await answer.json()) as { meta: { total_tweet_count: number } };
      }, `/sample/2/tweets/counts/all?query=matcha&granularity=day&start_time=${first}&end_time=${second}`);
      expect(counts.get(first)).toBe(counted.meta.total_tweet_count);

      const base64 = Buffer.from(FILE).toString('base64');
      await browser.call(dragInPage, { name: 'tea.csv', base64, kinds: ['drop'] });
      await user.click('[role=dialog] button', '^Import$');
      await user.see('[role=status]', 'Added 3 Posts');
      await user.see('td', '^3$');

      expect(browser.complaints()).toEqual([]);

      await browser.open(`${service.url}/developers`);
      await user.see('h2', '^Accounts and apps$');
      await picture('developers');
      // Firefox reports a part that was on its way when its page was left.
      const left = /A ServiceWorker intercepted the request/;
      expect(browser.complaints().filter((text) => !left.test(text))).toEqual([]);
    },
  );
});
