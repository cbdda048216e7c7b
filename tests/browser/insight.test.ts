import type { Page } from 'playwright';
import { beforeAll, describe, expect, it } from 'vitest';
import { HOUR_MS, type Span } from '#core/time/span.ts';
import { axe } from '#tests/support/browser/axe.ts';
import { totalOf, visit } from '#tests/support/browser/browser.ts';
import { countAll } from '#tests/support/data/counts.ts';
import { realData } from '#tests/support/data/posts.ts';
import { appToken } from '#tests/support/service/command.ts';
import { corpusStage } from '#tests/support/browser/stage.ts';

const folder = realData();
const ZONE = 'America/New_York';
/** Four months with a change to summer time. */
const SPAN = { start: Date.UTC(2017, 1, 1, 5), end: Date.UTC(2017, 5, 1, 4) };
const QUERIES = `zone=${ZONE}&q=trump&name=Trump&q=hillary&name=Hillary`;
const SPRING = `/#source=posts&from=2017-02-01&to=2017-05-31&by=week&${QUERIES}`;
/** The four months of an election. */
const AUTUMN = `/#source=posts&from=2016-08-01&to=2016-11-30&by=day&${QUERIES}`;
const AUTUMN_SPAN = { start: Date.UTC(2016, 7, 1, 4), end: Date.UTC(2016, 11, 1, 5) };

const local = new Intl.DateTimeFormat('en-GB', {
  timeZone: ZONE,
  weekday: 'short',
  hour: '2-digit',
  hourCycle: 'h23',
  day: 'numeric',
  month: 'short',
  year: 'numeric',
});
const part = (at: number, type: Intl.DateTimeFormatPartTypes): string =>
  local.formatToParts(at).find((each) => each.type === type)?.value ?? '';
/** `Wed 13` and `Wed, 1 Feb 2017`. */
const hourOf = (at: number): string => `${part(at, 'weekday')} ${part(at, 'hour')}`;
const dayOf = (at: number): string =>
  `${part(at, 'weekday')}, ${part(at, 'day')} ${part(at, 'month')} ${part(at, 'year')}`;

const number = (text: string): number => Number(text.replaceAll(',', ''));
const tab = (page: Page, name: RegExp): Promise<void> => page.getByRole('tab', { name }).click();

describe.runIf(folder)('the insight panel over real posts', () => {
  let token: string;
  const stage = corpusStage(folder);
  beforeAll(async () => {
    token = await appToken(stage.service.data);
  });
  /** Count of every hour of the span, by its start. */
  const hours = async (query: string, span: Span = SPAN): Promise<Map<number, number>> => {
    const { buckets } = await countAll(stage.service.url, token, query, 'hour', span);
    const out = new Map<number, number>();
    for (let at = span.start; at < span.end; at += HOUR_MS) {
      out.set(at, buckets[new Date(at).toISOString()] ?? 0);
    }
    return out;
  };

  it('shows hours of the week and days in local time', { tags: 'long' }, async () => {
    const { page, complaints, context } = await visit(stage.browser);
    await page.goto(stage.service.url + SPRING);
    await totalOf(page, 'Trump');
    const truth = await hours('trump');

    await tab(page, /^Rhythm/);
    const heat = page.getByRole('region', { name: 'Hours of Trump' });
    await heat.getByRole('row', { name: /^Sun/ }).waitFor();
    const means = new Map<string, { sum: number; times: number }>();
    for (const [at, count] of truth) {
      const { sum, times } = means.get(hourOf(at)) ?? { sum: 0, times: 0 };
      means.set(hourOf(at), { sum: sum + count, times: times + 1 });
    }
    for (const day of ['Mon', 'Wed', 'Sun']) {
      const cells = await heat
        .getByRole('row', { name: new RegExp(`^${day}`) })
        .getByRole('cell')
        .allInnerTexts();
      const shown = cells.slice(0, 24).map((text) => /^([\d.,]+)\D+(\d+)/.exec(text.trim()));
      const known = Array.from({ length: 24 }, (_, hour) =>
        means.get(`${day} ${String(hour).padStart(2, '0')}`),
      );
      expect(shown.map((cell) => Number(cell?.[2]))).toEqual(known.map((each) => each?.times));
      for (const [hour, cell] of shown.entries()) {
        const { sum, times } = known[hour] ?? { sum: NaN, times: NaN };
        expect(Math.abs(number(cell?.[1] ?? '') - sum / times)).toBeLessThanOrEqual(0.05);
      }
      const sums = known.reduce((all, each) => all + (each?.sum ?? NaN), 0);
      expect(number(cells[24] ?? '')).toBe(sums);
    }

    await page.getByRole('radio', { name: 'Calendar' }).check({ force: true });
    const days = new Map<string, number>();
    for (const [at, count] of truth) days.set(dayOf(at), (days.get(dayOf(at)) ?? 0) + count);
    const cell = page.getByRole('button', { name: /^\w{3}, \d+ \w+ 2017: [\d,]+ Posts?$/ });
    await expect.poll(() => cell.count()).toBe(days.size);
    const labels = await cell.evaluateAll((all) => all.map((each) => each.ariaLabel ?? ''));
    const shown = labels.map((label) => /^(.*): ([\d,]+) Posts?$/.exec(label));
    expect(new Map(shown.map((each) => [each?.[1], number(each?.[2] ?? '')]))).toEqual(
      new Map([...days].map(([day, count]) => [day.replace('Sep ', 'Sept '), count])),
    );
    const [busiest = ''] = [...days].sort((a, b) => b[1] - a[1])[0] ?? [];
    await page.getByRole('button', { name: `${busiest}: ` }).click();
    // The chart zooms to the day, by hour.
    const zoom = (): string =>
      new URLSearchParams(new URL(page.url()).hash.slice(1)).get('zoom') ?? '';
    await expect.poll(() => dayOf(Date.parse(zoom().slice(0, 17)))).toBe(busiest);
    await page
      .getByRole('region', { name: 'Series' })
      .getByText(`${days.get(busiest)} in view`)
      .waitFor();
    expect(complaints).toEqual([]);
    await context.close();
  });

  it(
    'lists peaks with their Posts, and compares a zoomed peak with the time before',
    { tags: 'long' },
    async () => {
      const { page, complaints, context } = await visit(stage.browser);
      await page.goto(stage.service.url + AUTUMN);
      await totalOf(page, 'Hillary');
      const truth = {
        Trump: await hours('trump', AUTUMN_SPAN),
        Hillary: await hours('hillary', AUTUMN_SPAN),
      };
      await tab(page, /^Peaks/);
      await page.getByRole('radio', { name: 'By size' }).check();
      const [first] = await page.getByRole('listitem').filter({ hasText: '× the usual' }).all();
      if (!first) throw new Error('expected a peak');
      const text = (await first.innerText()).replaceAll(/\s+/g, ' ');
      const name = text.includes('Trump') ? 'Trump' : 'Hillary';
      const count = number(/([\d,]+) Posts/.exec(text)?.[1] ?? '');
      await first.getByRole('button').click();
      const drawer = page.getByRole('complementary');
      await drawer
        .getByText(`${count.toLocaleString('en-GB')} Posts`)
        .first()
        .waitFor();
      const at = (): URLSearchParams => new URLSearchParams(new URL(page.url()).hash.slice(1));
      await expect.poll(() => at().get('at')).toMatch(name === 'Trump' ? /^1@/ : /^2@/);
      const [start = NaN, end = NaN] = (at().get('at') ?? '')
        .slice(2)
        .split('/')
        .map((each) => Date.parse(each));
      const within = (from: number, to: number): number =>
        [...truth[name]].reduce((sum, [hour, n]) => (hour >= from && hour < to ? sum + n : sum), 0);
      expect(count).toBe(within(start, end));
      await drawer.getByText('Onset', { exact: true }).waitFor();
      await page.keyboard.press('Escape');

      // Three days by the hour, against the three before.
      const zoom = { start: start - 24 * HOUR_MS, end: start + 48 * HOUR_MS };
      const iso = (instant: number): string => `${new Date(instant).toISOString().slice(0, 16)}Z`;
      await page.goto(`${page.url()}&zoom=${iso(zoom.start)}/${iso(zoom.end)}`);
      await page.reload();
      await page.getByRole('button', { name: 'Width: hours' }).waitFor();
      await tab(page, /^Summary/);
      const now = within(zoom.start, zoom.end);
      const before = within(zoom.start - 72 * HOUR_MS, zoom.start);
      const change = `${now < before ? '-' : '+'}${(Math.abs(now / before - 1) * 100).toFixed(1)}%`;
      await page.getByRole('row', { name }).getByText(change).waitFor();
      expect(complaints).toEqual([]);
      await context.close();
    },
  );

  it('draws several years over each other, each with its own total', async () => {
    const { page, complaints, context } = await visit(stage.browser);
    await page.goto(`${stage.service.url}${SPRING}&against=year`);
    await totalOf(page, 'Trump');
    await page.getByRole('button', { name: 'Comparison: vs. the year before' }).click();
    await page.getByRole('menuitemradio', { name: 'With the 2 years before' }).click();
    await expect.poll(() => page.url()).toContain('against=year-2');
    const years = [2016, 2015];
    for (const year of years) await page.getByRole('columnheader', { name: `${year}` }).waitFor();
    for (const [name, query] of [
      ['Trump', 'trump'],
      ['Hillary', 'hillary'],
    ] as const) {
      const cells = page.getByRole('row', { name }).getByRole('cell');
      for (const [i, year] of years.entries()) {
        const span = { start: Date.UTC(year, 1, 1, 5), end: Date.UTC(year, 5, 1, 4) };
        const counts = await hours(query, span);
        const total = [...counts.values()].reduce((sum, count) => sum + count, 0);
        await expect.poll(async () => number(await cells.nth(1 + i).innerText())).toBe(total);
      }
    }
    // Read out, and at the ends of the lines.
    const chart = page.getByRole('img', { name: /^Posts a week/ });
    await expect.poll(() => chart.getAttribute('aria-label')).toMatch(/; 2016: [\d,]+; 2015: /);
    await page.getByText('Thin lines: 2016, 2015').waitFor();

    // Then a row for each topic, each with its years.
    await page.getByRole('button', { name: 'Form: Line' }).click();
    await page.getByRole('menuitemradio', { name: 'Small multiples' }).click();
    await page.getByText('Each row has its own scale').waitFor();
    await expect.poll(() => chart.getAttribute('aria-label')).toContain('each on its own scale');
    await page.getByRole('button', { name: /^Chart options/ }).click();
    await page.getByRole('radio', { name: 'One scale' }).check();
    await expect.poll(() => page.url()).toContain('form=multiples&rows=shared');
    await page.keyboard.press('Escape');
    await page.reload();
    await expect.poll(() => chart.getAttribute('aria-label')).toContain('on one scale');
    expect(await axe(page)).toEqual([]);
    expect(complaints).toEqual([]);
    await context.close();
  });

  it('leaves the curve in view next to the drawer, which Escape closes before it zooms out', async () => {
    const { page, complaints, context } = await visit(stage.browser, { width: 390, height: 844 });
    await page.goto(stage.service.url + AUTUMN);
    await totalOf(page, 'Hillary');
    const chart = page.getByRole('application');
    const drawer = page.getByRole('complementary').filter({ has: page.getByLabel('Close') });
    const open = async (): Promise<void> => {
      await chart.focus();
      for (const key of ['Home', 'ArrowRight', 'Enter']) await page.keyboard.press(key);
      await drawer.waitFor();
    };
    for (const [width, height] of [
      [1440, 900],
      [900, 900],
      [390, 844],
    ] as const) {
      await page.setViewportSize({ width, height });
      await open();
      const isFree = async (): Promise<boolean> => {
        const [curve, sheet] = [await chart.boundingBox(), await drawer.boundingBox()];
        if (!curve || !sheet || curve.y < 0 || curve.y + curve.height > height) return false;
        return curve.x + curve.width <= sheet.x || curve.y + curve.height <= sheet.y;
      };
      await expect.poll(isFree).toBe(true);
      await chart.focus();
      await page.keyboard.press('+');
      await expect.poll(() => page.url()).toContain('zoom=');
      await page.keyboard.press('Escape');
      await drawer.waitFor({ state: 'detached' });
      expect(page.url()).toContain('zoom=');
      await chart.focus();
      await page.keyboard.press('0');
      await expect.poll(() => page.url()).not.toContain('zoom=');
    }
    await open();
    expect(await axe(page)).toEqual([]);
    await drawer.getByRole('button', { name: 'Close' }).click();
    await drawer.waitFor({ state: 'detached' });
    await expect.poll(() => chart.evaluate((each) => each === document.activeElement)).toBe(true);
    expect(complaints).toEqual([]);
    await context.close();
  });
});
