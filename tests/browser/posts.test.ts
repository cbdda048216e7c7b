import Papa from 'papaparse';
import { beforeAll, describe, expect, it } from 'vitest';
import {
  csv,
  range,
  resolution,
  totalOf,
  visit,
  wholeCsv,
  zone,
} from '#tests/support/browser/browser.ts';
import { corpusStage } from '#tests/support/browser/stage.ts';
import { countAll } from '#tests/support/data/counts.ts';
import { realData } from '#tests/support/data/posts.ts';
import { appToken } from '#tests/support/service/command.ts';

const folder = realData();
const YEARS = { start: Date.UTC(2014, 10, 1), end: Date.UTC(2017, 10, 1) };
const VIEW =
  '#source=posts&from=2014-11-01&to=2017-10-31&zone=UTC&by=day&q=trump&q=hillary -clinton';

interface Row {
  query: string;
  start_utc: string;
  end_utc: string;
  start_local: string;
  tweet_count: string;
  status: string;
}

function rows(text: string): Row[] {
  const { data, errors } = Papa.parse<Row>(text, { header: true, skipEmptyLines: true });
  expect(errors).toEqual([]);
  return data;
}

/** Counts above 0 of a query in a long CSV, by the start of the bucket. */
function buckets(text: string, query: string): Record<string, number> {
  const found: Record<string, number> = {};
  for (const row of rows(text)) {
    const count = Number(row.tweet_count);
    if (row.query === query && count > 0) found[new Date(row.start_utc).toISOString()] = count;
  }
  return found;
}

describe.runIf(folder)('two topics over three years of real posts', () => {
  let token: string;

  const stage = corpusStage(folder);
  beforeAll(async () => {
    token = await appToken(stage.service.data);
  });

  it(
    'counts, zooms, refines, changes the zone, exports, and reloads without the service',
    { tags: 'long' },
    async () => {
      const { page, complaints, counts, context } = await visit(stage.browser, {
        serviceWorker: true,
      });
      const truth = (query: string, granularity: 'minute' | 'hour' | 'day', span = YEARS) =>
        countAll(stage.service.url, token, query, granularity, span);

      // Three years by day.
      await page.goto(stage.service.url + VIEW);
      const trump = await truth('trump', 'day');
      const hillary = await truth('hillary -clinton', 'day');
      expect(await totalOf(page, 'trump')).toBe(trump.total);
      expect(await totalOf(page, 'hillary')).toBe(hillary.total);
      const days = await csv(page, 'long');
      expect(days.name).toMatch(/\.csv$/);
      expect(buckets(days.text, 'trump')).toEqual(trump.buckets);
      expect(buckets(days.text, 'hillary -clinton')).toEqual(hillary.buckets);

      // Zoom by the wheel, and back.
      const chart = page.getByRole('application');
      const box = await chart.boundingBox();
      await page.mouse.move((box?.x ?? 0) + 700, (box?.y ?? 0) + 200);
      await page.mouse.wheel(0, -600);
      await expect.poll(() => page.url()).toContain('zoom=');
      await chart.press('Escape');
      await expect.poll(() => page.url()).not.toContain('zoom=');

      // A month by hour and by minute.
      await range(page, '2017-08-01', '2017-08-31');
      const month = { start: Date.UTC(2017, 7, 1), end: Date.UTC(2017, 8, 1) };
      for (const [name, granularity] of [
        ['Hour', 'hour'],
        ['Minute', 'minute'],
      ] as const) {
        await resolution(page, name);
        const known = await truth('trump', granularity, month);
        await expect.poll(() => totalOf(page, 'trump')).toBe(known.total);
        const text = await wholeCsv(page);
        expect(buckets(text, 'trump')).toEqual(known.buckets);
        expect(rows(text)).toHaveLength(2 * (granularity === 'hour' ? 744 : 44_640));
      }

      // Days in New York around the change to summer time on 12 March 2017, which has 23 hours.
      await zone(page, 'new york');
      await resolution(page, 'Day');
      await range(page, '2017-03-10', '2017-03-14');
      const edges = ['10T05', '11T05', '12T05', '13T04', '14T04', '15T04'].map((hour) =>
        Date.parse(`2017-03-${hour}:00:00Z`),
      );
      const span = { start: edges[0] ?? 0, end: edges[5] ?? 0 };
      const hours = (await truth('trump', 'hour', span)).buckets;
      const sums = edges.slice(0, 5).map((start, i) => {
        let sum = 0;
        for (let at = start; at < (edges[i + 1] ?? 0); at += 3_600_000) {
          sum += hours[new Date(at).toISOString()] ?? 0;
        }
        return sum;
      });
      await expect.poll(() => totalOf(page, 'trump')).toBe(sums.reduce((a, b) => a + b, 0));
      const local = rows((await csv(page, 'long')).text).filter((row) => row.query === 'trump');
      expect(local.map((row) => Number(row.tweet_count))).toEqual(sums);
      expect(local.map((row) => Date.parse(row.start_utc))).toEqual(edges.slice(0, 5));
      expect(local[2]?.start_local).toBe('2017-03-12T00:00:00-05:00');
      expect(local[3]?.start_local).toBe('2017-03-13T00:00:00-04:00');
      const wide = rows((await csv(page, 'wide')).text) as unknown as Record<string, string>[];
      expect(wide.map((row) => Number(row['trump']))).toEqual(sums);

      // The same years without the service: the same counts from the cache, and no request.
      await page.goto(stage.service.url + VIEW);
      await expect.poll(() => totalOf(page, 'trump')).toBe(trump.total);
      await page.evaluate(() => navigator.serviceWorker.ready.then(() => undefined));
      expect(complaints).toEqual([]);
      await stage.service.stop();
      counts.length = 0;
      await page.reload();
      expect(await totalOf(page, 'trump')).toBe(trump.total);
      expect(await totalOf(page, 'hillary')).toBe(hillary.total);
      await page.getByText('The service doesn’t answer.').waitFor();
      const again = await csv(page, 'long');
      // August now comes from the minutes fetched since, so only the time of fetching may differ.
      const untimed = (text: string): object[] =>
        rows(text).map((row) => ({ ...row, fetched_at: '' }));
      expect(untimed(again.text)).toEqual(untimed(days.text));
      expect(counts).toEqual([]);
      await context.close();
    },
  );
});
