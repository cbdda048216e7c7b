import type { Page } from 'playwright';
import { describe, expect, it } from 'vitest';
import { counted, visit } from '#tests/support/browser/browser.ts';
import { realData } from '#tests/support/data/posts.ts';
import { corpusStage, ownStage } from '#tests/support/browser/stage.ts';

const folder = realData();
const BOARD =
  '/#source=posts&from=2017-03-01&to=2017-06-30&zone=UTC&by=day&q=trump&name=Trump&q=hillary';

/** Sums the shifts of the layout from now on that no input caused, as browsers report them. */
async function watchShifts(page: Page): Promise<void> {
  await page.addInitScript(() => {
    const seen = { sum: 0, what: [] as string[] };
    Object.assign(window, { shifts: seen });
    new PerformanceObserver((list) => {
      for (const entry of list.getEntries()) {
        const { value, hadRecentInput, sources } = entry as PerformanceEntry & {
          value: number;
          hadRecentInput: boolean;
          sources: readonly {
            node: Node | null;
            previousRect: DOMRect;
            currentRect: DOMRect;
          }[];
        };
        if (hadRecentInput) continue;
        seen.sum += value;
        const nodes = sources.map(({ node, previousRect: from, currentRect: to }) => {
          const name = node instanceof Element ? node.outerHTML.slice(0, 60) : node?.nodeName;
          return `${name} ${from.top}+${from.height} to ${to.top}+${to.height}`;
        });
        seen.what.push(`${value.toFixed(4)}: ${nodes.join(', ')}`);
      }
    }).observe({ type: 'layout-shift', buffered: true });
  });
}

/** Most that may shift (web.dev calls 0.1 good). */
const MOST = 0.02;

/** The shifts; empty if they are at most {@link MOST} together. */
async function shiftsOf(page: Page): Promise<readonly string[]> {
  const { sum, what } = await page.evaluate(
    () => (window as unknown as { shifts: { sum: number; what: string[] } }).shifts,
  );
  return sum < MOST ? [] : what;
}

describe.runIf(folder)('the layout of a board over real posts', () => {
  const stage = corpusStage(folder);

  it.each([
    [390, 844, 'light', 'ja'],
    [1440, 900, 'dark', 'de-DE'],
    [768, 1024, 'dark', 'de-DE'],
    [1280, 800, 'light', 'ja'],
  ] as const)(
    'at %d × %d, %s, in %s: nothing jumps or overflows',
    { tags: 'long' },
    async (width, height, colorScheme, locale) => {
      const options = { width, height, colorScheme, locale };
      const { page, complaints, context } = await visit(stage.browser, options);
      await watchShifts(page);
      await page.goto(stage.service.url + BOARD);
      await counted(page);
      await page.getByRole('application').waitFor();
      const peak = page.getByRole('button', { name: /^Peak/ }).first();
      await peak.waitFor();
      const still = await page.evaluate(() => {
        const box = document.querySelector('[role=application]')?.getBoundingClientRect();
        return [document.documentElement.scrollWidth <= innerWidth, box?.width, box?.height];
      });
      expect(still[0]).toBe(true);
      expect(await shiftsOf(page)).toEqual([]);

      // A click may move things, but on a busy machine the browser no longer knows that the click did.
      await peak.click();
      await page.getByText('Half-life', { exact: true }).waitFor();
      // The drawer makes room for the curve: next to it, or over it.
      const [curve, drawer] = await Promise.all([
        page.getByRole('application').boundingBox(),
        page.getByRole('complementary').filter({ hasText: 'Half-life' }).boundingBox(),
      ]);
      if (!curve || !drawer) throw new Error('expected a curve and a drawer');
      const isNext = curve.x + curve.width <= drawer.x;
      expect(isNext || curve.y + curve.height <= drawer.y).toBe(true);
      // Paper has a table of its own.
      await page.emulateMedia({ media: 'print' });
      expect(await page.locator('.page > .numbers').isVisible()).toBe(false);
      expect(complaints).toEqual([]);
      await context.close();
    },
  );
});

describe('the first visit ever', () => {
  const stage = ownStage();

  it.each([
    [390, 844],
    [1440, 900],
  ])(
    'at %d × %d moves nothing when the sample introduces itself',
    { tags: 'long' },
    async (width, height) => {
      const { page, context } = await visit(stage.browser, { width, height });
      // On a slow machine, what is there only while pages load stays for seconds.
      const devtools = await context.newCDPSession(page);
      await devtools.send('Emulation.setCPUThrottlingRate', { rate: 6 });
      await watchShifts(page);
      await page.goto(stage.service.url);
      await page.getByRole('region', { name: 'The sample' }).waitFor();
      await counted(page);
      expect(await shiftsOf(page)).toEqual([]);
      await page.reload();
      await counted(page);
      expect(await shiftsOf(page)).toEqual([]);
      await context.close();
    },
  );
});
