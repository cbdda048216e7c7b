// Makes the picture of `docs/board.md` from the built dashboard over a new sample: `npm run picture`.
import { rmSync } from 'node:fs';
import { chromium as playwright } from 'playwright';
import { chromium } from './support/chromium.ts';
import { serveProcess, temporaryFolder } from './support/process.ts';

const FILE = 'docs/board-parts.png';

const SERIES = {
  'Oat milk': '"oat milk" OR #oatmilk',
  Matcha: 'matcha',
  'Cold brew': '"cold brew"',
};

/** Elements of the page by their letters, with px from the left edge of each (negative), or else from the right one. */
const PARTS: readonly (readonly [letter: string, element: string, px: number])[] = [
  ['A', '.source', 8],
  ['B', '.time', -14],
  ['C', '[data-series="1"] .change', 18],
  ['D', '[aria-label="Chart type"]', -14],
  ['E', '.bar button:has-text("View")', 14],
  ['F', '[aria-label="Peak 3"]', 70],
  ['G', '[aria-label="Peak 2"]', -14],
  ['H', '.all .name >> nth=0', -34],
  ['I', '.overview .strip', -14],
  ['J', '.lanes', -8],
  ['K', '[role="tab"]', -14],
  ['L', 'text=/^Complete ·/', -14],
  ['M', 'table', -14],
  ['N', 'header .end .primary', 5],
];

const data = temporaryFolder();
const service = await serveProcess(data);
const browser = await playwright.launch(await chromium());
try {
  const context = await browser.newContext({
    viewport: { width: 1360, height: 850 },
    locale: 'en-GB',
    timezoneId: 'UTC',
    reducedMotion: 'reduce',
  });
  const [name = '', value = ''] = service.cookie.split('=');
  await context.addCookies([{ name, value, url: service.url, httpOnly: true, sameSite: 'Strict' }]);
  const page = await context.newPage();
  const view = new URLSearchParams({ source: 'sample', range: '1y', zone: 'UTC' });
  for (const [label, query] of Object.entries(SERIES)) {
    view.append('q', query);
    view.append('name', label);
  }
  await page.goto(`${service.url}/#${view}`);
  await page.getByRole('button', { name: 'Keep exploring' }).click();
  await page.locator('[aria-label="Peak 3"]').waitFor();
  await page.getByText(/^Complete ·/).waitFor();
  for (const [letter, element, px] of PARTS) {
    const box = await page.locator(element).first().boundingBox();
    if (!box) throw new Error(`expected ${element} for ${letter} in the page`);
    const left = box.x + px + (px > 0 ? box.width : 0);
    await page.evaluate(
      ([text, x, y]) => {
        const mark = document.body.appendChild(document.createElement('b'));
        mark.textContent = text;
        mark.style.cssText = `position: fixed; left: ${x - 10}px; top: ${y - 10}px; width: 20px; z-index: 9;
          border-radius: 10px; background: #111; color: #fff; font-size: 12px; line-height: 20px; text-align: center`;
      },
      [letter, left, box.y + Math.min(box.height, 60) / 2] as const,
    );
  }
  await page.screenshot({ path: FILE });
} finally {
  await browser.close();
  await service.stop();
  rmSync(data, { recursive: true });
}
