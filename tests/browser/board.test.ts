import { FORM_WORDS } from '#app/board/chart-panel/chart-labels.ts';
import { readFileSync } from 'node:fs';
import Papa from 'papaparse';
import type { Locator, Page } from 'playwright';
import { beforeAll, describe, expect, it } from 'vitest';
import { Formatter } from '#app/format/formatter.ts';
import { FORMS } from '#app/chart/draw/form.ts';
import { axe } from '#tests/support/browser/axe.ts';
import {
  chartOptions,
  chooseExport,
  csv,
  fileOf,
  totalOf,
  visit,
  wholeCsv,
} from '#tests/support/browser/browser.ts';
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

/** Presses Tab until an element has the focus. */
async function tabTo(page: Page, found: Locator): Promise<void> {
  for (let i = 0; i < 80; i += 1) {
    await page.keyboard.press('Tab');
    if (await found.evaluate((each) => each === document.activeElement)) return;
  }
  throw new Error('expected Tab to reach the element');
}

describe.runIf(folder)('a board over real posts', () => {
  let token: string;
  const truth = (query: string, granularity: 'minute' | 'hour' | 'day', span = SPAN) =>
    countAll(stage.service.url, token, query, granularity, span);

  const stage = corpusStage(folder);
  beforeAll(async () => {
    token = await appToken(stage.service.data);
  });

  it(
    'forecasts, draws a trend and a target, and leaves every count as it was',
    { tags: 'long' },
    async () => {
      const { page, complaints, context } = await visit(stage.browser);
      await page.goto(stage.service.url + TWO);
      const { total } = await truth('trump', 'day');
      expect(await totalOf(page, 'Trump')).toBe(total);
      const before = await wholeCsv(page);
      const menu = await chartOptions(page);
      await menu.getByLabel('Forecast').check();
      await menu.getByLabel('Trend line').check();
      await menu.getByLabel('Target', { exact: true }).fill('a lot');
      await page.keyboard.press('Enter');
      await menu.getByText('“a lot” is not a number').waitFor();
      expect(await menu.getByLabel('Target', { exact: true }).inputValue()).toBe('a lot');
      await menu.getByLabel('Target', { exact: true }).fill('200');
      await menu.getByLabel('Label of the target').fill('Goal');
      await page.keyboard.press('Enter');
      await page.keyboard.press('Escape');
      await expect.poll(() => page.url()).toMatch(/forecast=on&trendline=on&target=200\/day\+Goal/);

      // The same from the address alone, in the chart, by keyboard and in a file.
      await page.reload();
      // Hillary too in the long form, which imports all of the corpus.
      await page
        .getByText(/^Goal 200 per day reached: Trump on \d+(, Hillary on \d+)? of 122 days/)
        .waitFor();
      await page.getByText(/^Trend: Trump .+, Hillary /).waitFor();
      await chart(page).focus();
      for (const key of ['End', 'ArrowRight', 'ArrowRight']) await page.keyboard.press(key);
      await page.locator('.tip').getByText('Forecast, Sun, 2 Jul 2017').waitFor();
      await page
        .locator('.tip')
        .getByText(/80% between [\d,]+ and [\d,]+/)
        .first()
        .waitFor();
      await chooseExport(page, 'Slide…');
      const waiting = page.waitForEvent('download');
      await page.getByRole('button', { name: 'Save SVG' }).click();
      const svg = readFileSync(await fileOf(await waiting), 'utf8');
      for (const text of ['Forecast, 80% range', 'Goal 200']) expect(svg).toContain(text);
      await page.keyboard.press('Escape');
      const counts = (text: string): unknown =>
        rowsOf(text, 'Trump').map((row) => Object.values(row));
      expect(counts(await wholeCsv(page))).toEqual(counts(before));
      expect(await totalOf(page, 'Trump')).toBe(total);
      expect(complaints).toEqual([]);
      await context.close();
    },
  );

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

  it(
    'computes a formula as it is typed, keeps it right, and brings it back with its series',
    { tags: 'long' },
    async () => {
      const { page, complaints, context } = await visit(stage.browser);
      await page.goto(`${stage.service.url + TWO}&q=police&name=Police`);
      const [a, b, c] = [
        await totalOf(page, 'Trump'),
        await totalOf(page, 'Hillary'),
        await totalOf(page, 'Police'),
      ];
      const part = 'Trump ÷ (Trump + Hillary + Police)';
      await page.keyboard.press('=');
      const dialog = page.getByRole('dialog');
      await dialog.getByLabel('Formula').fill('A / (A + B + "polcie"');
      await dialog.getByRole('button', { name: 'Fix: C' }).click();
      await dialog.getByRole('button', { name: /^Fix: \(A \+ B \+ C\)/ }).click();
      await dialog.getByText(`${part} ${format.share(a / (a + b + c))}`).waitFor();
      await page.keyboard.press('Enter');
      await expect.poll(() => names(page)).toContain(part);
      const text = await wholeCsv(page);
      const counts = (label: string): number[] => rowsOf(text, label).map(({ count }) => count);
      const [all, others, police] = [counts('Trump'), counts('Hillary'), counts('Police')];
      expect(all).toHaveLength(122);
      expect(counts(part)).toEqual(
        all.map((count, i) => count / (count + (others[i] ?? 0) + (police[i] ?? 0) || 1)),
      );

      await page.getByRole('button', { name: `Actions of ${part}` }).click();
      await page.getByRole('menuitem', { name: /^Edit formula/ }).click();
      await dialog.getByLabel('Formula').fill('A + D');
      await dialog.getByText(/^“D” is this series/).waitFor();
      await dialog.getByLabel('Formula').fill('(A + B) * 2 - C');
      await dialog.getByRole('button', { name: 'Save' }).click();
      const made = '(Trump + Hillary) × 2 − Police';
      expect(await totalOf(page, made)).toBe((a + b) * 2 - c);

      // It stays right when its series move, go and return, and when the address opens again.
      await page.getByRole('button', { name: 'Edit the query trump', exact: true }).focus();
      await page.keyboard.press('Alt+ArrowDown');
      await expect.poll(() => page.url()).toContain('calc=%28B%2BA%29*2-C');
      await page.getByRole('button', { name: 'Actions of Hillary' }).click();
      await page.getByRole('menuitem', { name: /^Remove/ }).click();
      await page.getByText('Removed “Hillary” and 1 series computed from it.').waitFor();
      await expect.poll(() => names(page)).toEqual(['Trump', 'Police']);
      await page.getByRole('button', { name: 'Undo' }).click();
      expect(await totalOf(page, made)).toBe((a + b) * 2 - c);
      await page.reload();
      expect(await totalOf(page, made)).toBe((a + b) * 2 - c);
      expect(complaints).toEqual([]);
      await context.close();
    },
  );

  it('combines, splits and reorders series, and undoes it by keys', { tags: 'long' }, async () => {
    const { page, complaints, context } = await visit(stage.browser);
    await page.goto(stage.service.url + TWO);
    const trump = await totalOf(page, 'Trump');
    const hillary = await totalOf(page, 'Hillary');

    const made: Record<string, number> = {};
    for (const [kind, sign, query] of [
      ['Union', '∪', 'trump OR hillary'],
      ['Overlap', '∩', 'trump hillary'],
      ['Difference', '∖', 'trump -hillary'],
    ] as const) {
      await page.getByRole('heading', { name: 'Trump', exact: true }).click();
      await page.keyboard.press('=');
      const dialog = page.getByRole('dialog', { name: 'Combine series' });
      await dialog.waitFor();
      if (kind === 'Union') expect(await axe(page)).toEqual([]);
      await dialog.getByRole('button', { name: new RegExp(`^${kind} Posts`) }).click();
      const total = await totalOf(page, `Trump ${sign} Hillary`);
      expect([kind, total]).toEqual([kind, (await truth(query, 'day')).total]);
      made[kind] = total;
    }
    expect(made['Union']).toBe(trump + hillary - (made['Overlap'] ?? 0));
    expect(made['Difference']).toBe(trump - (made['Overlap'] ?? 0));

    // The two parts add up to the whole.
    await page.getByRole('button', { name: 'Actions of Trump', exact: true }).click();
    await page.getByRole('menuitem', { name: /^Split/ }).click();
    const split = page.getByRole('dialog');
    await split.getByRole('radio', { name: 'Reposts' }).check();
    await split.getByRole('button', { name: 'Add 2 queries' }).click();
    await expect.poll(async () => (await names(page)).length).toBe(7);
    const parts = (await names(page)).slice(5);
    const totals = [await totalOf(page, parts[0] ?? ''), await totalOf(page, parts[1] ?? '')];
    expect(totals.every((total) => total > 0)).toBe(true);
    expect(totals.reduce((sum, total) => sum + total, 0)).toBe(trump);

    // Undo and redo.
    await page.keyboard.press('Control+z');
    await expect.poll(() => names(page)).not.toContain(parts[0]);
    await page.keyboard.press('Control+Shift+Z');
    await expect.poll(() => names(page)).toContain(parts[1]);
    expect(await totalOf(page, parts[1] ?? '')).toBe(totals[1]);
    await page.keyboard.press('Control+z');
    await expect.poll(async () => (await names(page)).length).toBe(5);

    // Keys of the focused row: move, show alone, hide.
    const order = await names(page);
    const row = page.getByRole('button', { name: 'Edit the query trump', exact: true });
    await row.focus();
    await page.keyboard.press('Alt+ArrowDown');
    await expect.poll(() => names(page)).toEqual([order[1], order[0], ...order.slice(2)]);
    await expect.poll(() => row.evaluate((each) => each === document.activeElement)).toBe(true);
    const shown = async (): Promise<number> =>
      5 - (await page.getByRole('button', { name: /^Show / }).count());
    await page.keyboard.press('s');
    await expect.poll(shown).toBe(1);
    await page.keyboard.press('s');
    await expect.poll(shown).toBe(5);
    await page.keyboard.press('h');
    await expect.poll(shown).toBe(4);
    expect(rowsOf((await csv(page, 'long')).text, 'Trump')).toEqual([]);
    await row.focus();
    await page.keyboard.press('Delete');
    // Removing a series also removes the series computed from it.
    await expect
      .poll(() => names(page))
      .toEqual(order.filter((name) => name !== 'Trump' && !name.includes('÷')));
    await page.keyboard.press('Control+z');
    await expect.poll(async () => (await names(page)).sort()).toEqual([...order].sort());
    expect(complaints).toEqual([]);
    await context.close();
  });

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
    const line = drawer.getByRole('button', { name: /: add a series$/ }).first();
    const [name = ''] = (await line.innerText()).split('\n');
    await line.click();
    await page.getByRole('menuitem', { name: 'Only with ' }).click();
    await expect.poll(() => names(page)).toEqual(['Hillary', `Hillary: ${name}`]);
    expect(await totalOf(page, `Hillary: ${name}`)).toBeGreaterThan(0);
    expect(complaints).toEqual([]);
    await context.close();
  });

  it('can be used by keyboard alone, without unwanted animation', { tags: 'long' }, async () => {
    const { page, complaints, context } = await visit(stage.browser);
    await page.goto(stage.service.url + TWO);
    const total = await totalOf(page, 'Trump');
    await page.keyboard.press('n');
    await page.getByRole('textbox', { name: /^Query of/ }).waitFor();
    await page.keyboard.type('brussels');
    await page.keyboard.press('Enter');
    expect(await totalOf(page, 'brussels')).toBe((await truth('brussels', 'day')).total);
    await page.keyboard.press('Escape');
    await page.getByRole('textbox', { name: /^Query of/ }).waitFor({ state: 'detached' });

    await tabTo(page, chart(page));
    await page.keyboard.press('+');
    await expect.poll(() => page.url()).toContain('zoom=');
    await page.keyboard.press('ArrowRight');
    await page.getByText(/2017: .*Trump \d/).waitFor({ state: 'attached' });
    await page.keyboard.press('Enter');
    const title = page.getByRole('complementary').getByRole('heading', { level: 2, name: /2017/ });
    await title.waitFor();
    expect(await title.evaluate((each) => each === document.activeElement)).toBe(true);
    await page.keyboard.press('Escape');
    await title.waitFor({ state: 'detached' });
    expect(await chart(page).evaluate((each) => each === document.activeElement)).toBe(true);
    await page.keyboard.press('0');
    await expect.poll(() => page.url()).not.toContain('zoom=');
    expect(await totalOf(page, 'Trump')).toBe(total);

    await tabTo(page, page.getByRole('tab', { selected: true }));
    await page.keyboard.press('ArrowRight');
    await expect.poll(() => page.url()).toContain('tab=');
    await page.keyboard.press('?');
    const keys = page.getByRole('dialog');
    await keys.getByText('Escape').or(keys.getByText('Esc')).first().waitFor();
    expect(await axe(page)).toEqual([]);
    await page.keyboard.press('Escape');
    await keys.waitFor({ state: 'detached' });
    expect(await page.evaluate(() => document.getAnimations().length)).toBe(0);

    await page.setViewportSize({ width: 390, height: 844 });
    await page.getByRole('tab', { name: 'Summary' }).click();
    expect(await axe(page)).toEqual([]);
    const wide = await page.evaluate(() => document.documentElement.scrollWidth);
    expect(wide).toBeLessThanOrEqual(390);
    expect(complaints).toEqual([]);
    await context.close();
  });
});
