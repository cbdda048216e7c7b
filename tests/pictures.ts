// Makes the pictures of the dashboard in `docs` from the built dashboard over a new sample: `npm run pictures`.
import { execFileSync } from 'node:child_process';
import { rmSync } from 'node:fs';
import { chromium as playwright, type BrowserContextOptions, type Page } from 'playwright';
import { chromium } from './support/run/chromium.ts';
import { serveProcess, temporaryFolder } from './support/service/process.ts';

const SERIES = {
  'Oat milk': '"oat milk" OR #oatmilk',
  Matcha: 'matcha',
  'Cold brew': '"cold brew"',
};

/** Elements of the page by their letters, with px from the left edge of each (negative), or else from the right one. */
const PARTS: readonly (readonly [letter: string, element: string, px: number])[] = [
  ['A', '.source', 8],
  ['B', '.time', -14],
  ['C', '[data-series="1"] .query', -14],
  ['D', '.sentence', -14],
  ['E', '[aria-label^="Chart options"]', 2],
  ['F', '[aria-label^="Peak 3"]', 70],
  ['G', '[aria-label^="Peak 2"]', -14],
  ['H', '.all .name >> nth=0', -34],
  ['I', '.overview .strip', -14],
  ['J', '[role="tab"]', -14],
  ['K', '[aria-label^="Complete."]', -14],
  ['L', 'table', -14],
  ['M', 'header .end .primary', 2],
];

/** Marks the parts with their letters. */
async function mark(page: Page): Promise<void> {
  for (const [letter, element, px] of PARTS) {
    const box = await page.locator(element).first().boundingBox();
    if (!box) throw new Error(`expected ${element} for ${letter} in the page`);
    const left = box.x + px + (px > 0 ? box.width : 0);
    await page.evaluate(
      ([text, x, y]) => {
        const label = document.body.appendChild(document.createElement('b'));
        label.textContent = text;
        label.style.cssText = `position: fixed; left: ${x - 10}px; top: ${y - 10}px; width: 20px; z-index: 9;
          border-radius: 10px; background: #111; color: #fff; font-size: 12px; line-height: 20px; text-align: center`;
      },
      [letter, left, box.y + Math.min(box.height, 60) / 2] as const,
    );
  }
}

/** Opens what happened at the highest peak. */
async function openPeak(page: Page): Promise<void> {
  await page.locator('[aria-label^="Peak 1"]').click();
  await page.getByText('What it was about').waitFor();
  await page.waitForFunction(() => !document.body.innerText.includes('Loading'));
}

const WIDE = { viewport: { width: 1440, height: 900 } };
const PHONE = { viewport: { width: 390, height: 844 } };
const PICTURES: readonly (readonly [
  file: string,
  options: BrowserContextOptions,
  prepare?: (page: Page) => Promise<void>,
])[] = [
  ['board', WIDE],
  ['board-dark', { ...WIDE, colorScheme: 'dark' }],
  ['peak', { viewport: { width: 1720, height: 872 } }, openPeak],
  ['phone', PHONE],
  ['board-parts', { viewport: { width: 1360, height: 850 } }, mark],
];

const view = new URLSearchParams({ source: 'sample', range: '1y', zone: 'UTC' });
for (const [label, query] of Object.entries(SERIES)) {
  view.append('q', query);
  view.append('name', label);
}
const data = temporaryFolder();
// Complete before the first picture: a service would answer earlier.
execFileSync(process.execPath, ['bin/groundswell.js', 'sample', '--data', data]);
const service = await serveProcess(data);
const browser = await playwright.launch(await chromium());
try {
  const [name = '', value = ''] = service.cookie.split('=');
  for (const [file, options, prepare] of PICTURES) {
    const context = await browser.newContext({
      locale: 'en-GB',
      timezoneId: 'UTC',
      reducedMotion: 'reduce',
      ...options,
    });
    await context.addCookies([
      { name, value, url: service.url, httpOnly: true, sameSite: 'Strict' },
    ]);
    const page = await context.newPage();
    await page.goto(`${service.url}/#${view}`);
    await page.getByRole('button', { name: 'Keep exploring' }).click();
    await page.mouse.move(0, 0);
    // Comes last: it needs the earlier period and the history.
    await page.getByText('is the 95% margin').waitFor();
    for (const peak of options === PHONE ? [1] : [1, 2, 3]) {
      await page.locator(`[aria-label^="Peak ${peak}: "]`).waitFor();
    }
    await prepare?.(page);
    await page.screenshot({ path: `docs/${file}.png` });
    await context.close();
  }
} finally {
  await browser.close();
  await service.stop();
  rmSync(data, { recursive: true });
}
