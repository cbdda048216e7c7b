import { FORM_WORDS } from '#app/board/chart-panel/chart-labels.ts';
import Papa from 'papaparse';
import type { Locator, Page } from 'playwright';
import { beforeAll, describe, expect, it } from 'vitest';
import { Formatter } from '#app/format/formatter.ts';
import { FORMS } from '#app/chart/draw/form.ts';
import { axe } from '#tests/support/browser/axe.ts';
import { chartOptions, totalOf, visit, wholeCsv } from '#tests/support/browser/browser.ts';
import { corpusStage } from '#tests/support/browser/stage.ts';
import { countAll } from '#tests/support/data/counts.ts';
import { realData } from '#tests/support/data/posts.ts';
import { appToken } from '#tests/support/service/command.ts';

const folder = realData();
const format = new Formatter('en-GB');
const RANGE = 'source=posts&from=2017-03-01&to=2017-06-30&zone=UTC&by=day';
const SPAN = { start: Date.UTC(2017, 2, 1), end: Date.UTC(2017, 6, 1) };
const YEAR_BEFORE = { start: Date.UTC(2016, 2, 1), end: Date.UTC(2016, 6, 1) };
const TWO = `/#${RANGE}&q=trump&name=Trump&q=hillary&name=Hillary`;

/** The rows of one series in a long CSV. */
function rowsOf(text: string, label: string): { start: number; end: number; count: number }[] {
  const { data, errors } = Papa.parse<Record<string, string>>(text, {
    header: true,
    skipEmptyLines: true,
  });
  expect(errors).toEqual([]);
  return data
    .filter((row) => row['label'] === label)
    .map((row) => ({
      start: Date.parse(row['start_utc'] ?? ''),
      end: Date.parse(row['end_utc'] ?? ''),
      count: Number(row['tweet_count']),
    }));
}

/** The zoom in the address. */
function zoomOf(page: Page): { start: number; end: number } {
  const [from = '', to = ''] =
    new URLSearchParams(new URL(page.url()).hash.slice(1)).get('zoom')?.split('/') ?? [];
  return { start: Date.parse(from), end: Date.parse(to) };
}

/** Chooses in the menu of the view's options. */
async function choose(page: Page, what: string, option: string): Promise<void> {
  const menu = await chartOptions(page);
  if (what === 'Scale') await menu.getByRole('radio', { name: option }).check();
  else await menu.getByLabel(what).selectOption(option);
  await page.keyboard.press('Escape');
}

const chart = (page: Page): Locator => page.getByRole('application');
/** Names of the series, in order. */
const names = (page: Page): Promise<string[]> =>
  page.locator('th[scope=row] .text').allInnerTexts();

describe.runIf(folder)('a board over real posts', () => {
  let token: string;
  const truth = (query: string, granularity: 'minute' | 'hour' | 'day', span = SPAN) =>
    countAll(stage.service.url, token, query, granularity, span);

  const stage = corpusStage(folder);
  beforeAll(async () => {
    token = await appToken(stage.service.data);
  });

  it(
    'draws every chart type and scale, compares with the year before, and refines as it is zoomed',
    { tags: 'long' },
    async () => {
      const { page, complaints, context } = await visit(stage.browser);
      await page.goto(stage.service.url + TWO);
      const now = await truth('trump', 'day');
      expect(await totalOf(page, 'Trump')).toBe(now.total);

      const seen = new Set<string>();
      const picture = (): Promise<string> =>
        page
          .locator('canvas')
          .first()
          .evaluate((canvas: HTMLCanvasElement) => canvas.toDataURL());
      const another = async (): Promise<void> => {
        await expect.poll(async () => seen.has(await picture())).toBe(false);
        seen.add(await picture());
      };
      for (const form of FORMS) {
        await page.getByRole('button', { name: /^Form:/ }).click();
        await page.getByRole('menuitemradio', { name: FORM_WORDS[form] }).click();
        await another();
        if (form === 'stack' || form === 'share') continue;
        await choose(page, 'Scale', 'Logarithmic');
        await another();
        await choose(page, 'Scale', 'Linear');
      }
      await page.getByRole('button', { name: /^Form:/ }).click();
      await page.getByRole('menuitemradio', { name: 'Line' }).click();
      for (const [trend, address] of [
        ['Moving average, 7 days', 'trend=average-7'],
        ['Running total', 'trend=cumulative'],
        ['Index, start = 100', 'trend=index'],
        ['Per 100,000 of Hillary', 'trend=per-2'],
      ] as const) {
        await choose(page, 'Show', trend);
        await another();
        await expect.poll(() => page.url()).toContain(address);
      }
      await choose(page, 'Show', 'Counts');

      // The change agrees with the service's counts of the year before.
      await choose(page, 'Compare', 'With the year before');
      await another();
      const before = await truth('trump', 'day', YEAR_BEFORE);
      const change = now.total / before.total - 1;
      await page
        .getByRole('cell', { name: `${change > 0 ? '+' : '-'}${format.share(Math.abs(change))}` })
        .waitFor();

      // Zooming changes days to hours and minutes.
      const box = await chart(page).boundingBox();
      for (const [granularity, ms] of [
        ['hour', 3_600_000],
        ['minute', 60_000],
      ] as const) {
        await page.mouse.move((box?.x ?? 0) + 700, (box?.y ?? 0) + 120);
        for (let turns = 0; turns < 8; turns += 1) {
          await page.mouse.wheel(0, -400);
          await expect.poll(() => page.url()).toContain('zoom=');
          const { start, end } = zoomOf(page);
          if (end - start < ms * 160) break;
        }
        await page.getByRole('button', { name: `Width: ${granularity}s` }).waitFor();
        const zoom = zoomOf(page);
        const day = 86_400_000;
        const known = await truth('trump', granularity, {
          start: Math.floor(zoom.start / day) * day,
          end: Math.ceil(zoom.end / day) * day,
        });
        const rows = rowsOf(await wholeCsv(page), 'Trump');
        expect(rows.length).toBeGreaterThanOrEqual(Math.floor((zoom.end - zoom.start) / ms));
        expect(rows.filter(({ start, end }) => end - start !== ms)).toEqual([]);
        const expected = rows.map(({ start }) => known.buckets[new Date(start).toISOString()] ?? 0);
        expect(rows.map(({ count }) => count)).toEqual(expected);
      }

      // The overview moves the window, by keys and by the mouse.
      const near = zoomOf(page);
      await page.getByRole('button', { name: 'Show the whole range' }).click();
      await expect.poll(() => page.url()).not.toContain('zoom=');
      expect(near.end - near.start).toBeLessThan(12 * 3_600_000);
      const start = page.getByRole('slider', { name: 'Start of the view' });
      for (let i = 0; i < 20; i += 1) await start.press('ArrowRight');
      // Each step ends on a whole minute.
      const stepped = SPAN.start + 0.4 * (SPAN.end - SPAN.start);
      await expect
        .poll(() => Math.abs(zoomOf(page).start - stepped))
        .toBeLessThanOrEqual(20 * 60_000);
      const strip = await page
        .getByRole('group', { name: 'View in the whole range' })
        .boundingBox();
      const [left, middle, width] = [strip?.x ?? 0, (strip?.y ?? 0) + 14, strip?.width ?? 0];
      await page.mouse.move(left + width * 0.7, middle);
      await page.mouse.down();
      await page.mouse.move(left + width * 0.5, middle, { steps: 4 });
      await page.mouse.up();
      const shift = 0.2 * (SPAN.end - SPAN.start);
      await expect
        .poll(() => Math.abs(zoomOf(page).start - (SPAN.start + shift)))
        .toBeLessThan(6 * 3_600_000);
      expect(Math.abs(zoomOf(page).end - (SPAN.end - shift))).toBeLessThan(6 * 3_600_000);
      expect(complaints).toEqual([]);
      await context.close();
    },
  );

  it('explains a peak: its onset, its words, its Posts', { tags: 'long' }, async () => {
    const { page, complaints, context } = await visit(stage.browser);
    await page.goto(
      `${stage.service.url}/#source=posts&from=2016-08-01&to=2016-11-30&zone=UTC&by=day&q=hillary&name=Hillary`,
    );
    await totalOf(page, 'Hillary');
    // The earliest of the largest peaks.
    const rings = page.locator('.peak:not(.tick)');
    await rings.first().waitFor();
    const places = await rings.evaluateAll((all) =>
      all.map((each) => each.getBoundingClientRect().x),
    );
    const ring = rings.nth(places.indexOf(Math.min(...places)));
    await ring.click();
    const drawer = page.getByRole('complementary').filter({ hasText: 'Half-life' });
    await drawer.getByRole('heading', { name: /Sept 2016/ }).waitFor();
    await drawer
      .getByText(/Posts$/)
      .first()
      .waitFor();
    await drawer.getByText('Onset', { exact: true }).waitFor();
    await expect.poll(() => drawer.locator('.text').count()).toBeGreaterThan(20);
    const texts = await drawer.locator('.text').allInnerTexts();
    expect(texts.filter((text) => !/hillary/i.test(text))).toEqual([]);
    const size = await drawer.locator('.size').innerText();
    await drawer.getByText('What it was about').waitFor();
    await drawer.getByText('Words, accounts and links').click();
    await drawer.getByText(`Counted over all ${size}, reposts included.`).waitFor();
    expect(await axe(page)).toEqual([]);
    const at = (): string | null =>
      new URLSearchParams(new URL(page.url()).hash.slice(1)).get('at');
    await expect.poll(at).toMatch(/^1@2016-09-12/);
    const title = await drawer.getByRole('heading', { level: 2 }).innerText();

    await page.keyboard.press('Escape');
    await drawer.waitFor({ state: 'detached' });
    expect(await ring.evaluate((each) => each === document.activeElement)).toBe(true);
    await expect.poll(at).toBeNull();

    await page.goBack();
    await drawer.getByRole('heading', { name: title }).waitFor();
    await page.reload();
    await drawer.getByRole('heading', { name: title }).waitFor();
    await expect.poll(() => drawer.locator('.text').count()).toBeGreaterThan(20);

    // A line of the breakdown is one click from being a series.
    await drawer.getByText('Words, accounts and links').click();
    const line = drawer.getByRole('button', { name: /: add a series$/ }).first();
    const [name = ''] = (await line.innerText()).split('\n');
    await line.click();
    await page.getByRole('menuitem', { name: 'Only with ' }).click();
    await expect.poll(() => names(page)).toEqual(['Hillary', `Hillary: ${name}`]);
    expect(await totalOf(page, `Hillary: ${name}`)).toBeGreaterThan(0);
    expect(complaints).toEqual([]);
    await context.close();
  });
});
