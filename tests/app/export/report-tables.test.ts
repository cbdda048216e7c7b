import { expect, it } from 'vitest';
import { reportTables, type ReportData } from '#app/export/report-tables.ts';
import type { BoardEvent } from '#app/events/event.ts';
import { fileEvents } from '#app/events/event-file.ts';
import { Formatter } from '#app/format/formatter.ts';
import type { InsightSeries } from '#app/insight/insight.ts';
import { summarize } from '#app/insight/summary/summary.ts';
import { seriesStyle } from '#app/ui/series-style.ts';
import type { Causes } from '#core/causes/causes.ts';
import { STATE } from '#core/series/series.ts';
import { DAY_MS } from '#core/time/span.ts';

const START = Date.UTC(2026, 0, 1);

/** Series of whole days with these counts. */
function data(days: number, count: (day: number) => number, names = ['Tea']): ReportData {
  const bounds = Float64Array.from({ length: days + 1 }, (_, i) => START + i * DAY_MS);
  const now = START + days * DAY_MS;
  const series = names.map((name, id): InsightSeries => {
    const counts = Float64Array.from({ length: days }, (_, i) => count(i));
    const states = Uint8Array.from(counts, (value) =>
      Number.isNaN(value) ? STATE.never : STATE.settled,
    );
    const curve = { bounds, counts, states, fetchedAt: new Float64Array(days) };
    const summary = summarize(curve, now);
    const base = {
      id,
      name,
      kind: 'query',
      queried: true,
      hidden: false,
      before: null,
      pending: null,
    } as const;
    return { ...base, style: seriesStyle(id), curve, summary, run: { upperBounds: false } };
  });
  const format = new Formatter('en-US');
  return {
    series,
    peaks: [],
    events: [],
    headed: { per: 'day', earlier: null },
    bounds,
    zoom: null,
    now,
    format,
  };
}

it('has the summary without columns that say nothing, and the buckets, newest first', () => {
  const [summary, buckets, ...rest] = reportTables(data(4, (day) => day));
  expect(rest).toEqual([]);
  expect(summary?.columns).toEqual([
    'Series',
    'Total',
    'Mean per day',
    'Median',
    'Highest',
    'Highest day',
    'Complete',
  ]);
  expect(summary?.rows).toEqual([['Tea', '6', '1.5', '1.5', '3', 'Sun, Jan 4, 2026', '100%']]);
  expect(buckets?.rows[0]).toEqual(['Sun, Jan 4, 2026', '3']);
  expect(buckets?.rows).toHaveLength(4);
});

it('never shows a missing count as zero', () => {
  const tables = reportTables(data(3, (day) => (day === 1 ? Number.NaN : 2)));
  expect(tables.at(-1)?.rows.map(([, count]) => count)).toEqual(['2', 'not known –', '2']);
});

it('lists numbered peaks with their times, by number', () => {
  const given = data(10, (day) => day, ['Tea', 'Oat']);
  const peak = (number: number | null, day: number, seriesId: number) => ({
    key: `${day} ${seriesId}`,
    number,
    at: START + day * DAY_MS,
    count: day,
    seriesId,
    peak: { count: 2 * day },
  });
  const peaks = [peak(2, 3, 0), peak(1, 7, 1), peak(null, 5, 0)];
  expect(reportTables({ ...given, peaks })[1]?.rows).toEqual([
    ['1 Oat', 'Thu, Jan 8, 2026', '7'],
    ['2 Tea', 'Sun, Jan 4, 2026', '3'],
  ]);
});

it('states the causes of peaks with their shares, and of how many Posts if that is not all', () => {
  const given = data(10, (day) => day);
  const group = { kind: 'phrase', clause: '', alone: true, usual: 0 } as const;
  const causes: Causes = {
    posts: 14,
    groups: [
      { ...group, name: 'free tea', posts: 9 },
      { ...group, kind: 'repost', name: 'amber', posts: 2 },
    ],
    rest: { posts: 3, usual: 4 },
  };
  const peak = (number: number, day: number, posts: number, of: Causes | null) => ({
    number,
    at: START + day * DAY_MS,
    count: day,
    seriesId: 0,
    peak: { count: posts },
    causes: of,
  });
  const peaks = [peak(1, 7, 14, causes), peak(2, 3, 90, causes), peak(3, 5, 9, null)];
  const [, table] = reportTables({ ...given, peaks });
  expect(table?.columns.at(-1)).toBe('What it was about');
  const said = '64% “free tea”, 14% reposts of @amber, 22% everything else, as usual';
  expect(table?.rows.map((row) => row.at(-1))).toEqual([said, `${said} (of 14 Posts read)`, '–']);
});

it('has the events with their times, and details where there are any', () => {
  const given = data(10, (day) => day);
  const note = { kind: 'note', id: 'a', start: START, end: null, detail: '', source: '' } as const;
  const campaign = { ...note, kind: 'campaign', end: START + 7 * DAY_MS } as const;
  const window = { start: START, end: START + 10 * DAY_MS };
  const tableOf = (...all: readonly BoardEvent[]) =>
    reportTables({ ...given, events: fileEvents(all, window, 'UTC') })[1];
  const launch = { ...note, title: 'Launch' };
  expect(tableOf(launch)).toMatchObject({
    heading: 'Events',
    columns: ['Event', 'Kind', 'Time'],
    rows: [['Launch', 'Note', expect.stringContaining('Jan 1, 2026')]],
  });
  const spring = { ...campaign, title: 'Spring', detail: 'spend 5 EUR', source: 'ads.csv' };
  expect(tableOf(launch, spring)?.rows).toEqual([
    ['Launch', 'Note', expect.stringContaining('Jan 1, 2026'), ''],
    ['Spring', 'Campaign', expect.stringMatching(/^Jan 1\D+7, 2026$/), 'spend 5 EUR · ads.csv'],
  ]);
});

it('says how many buckets a long table leaves out', () => {
  const buckets = reportTables(data(2_500, () => 1)).at(-1);
  expect(buckets?.rows).toHaveLength(2_000);
  expect(buckets?.note).toBe('500 earlier days are not listed.');
});
