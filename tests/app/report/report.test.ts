import { describe, expect, it } from 'vitest';
import { formatView, type View } from '#app/board/state/view.ts';
import type { SavedBoard } from '#app/counts/cache/saved-board.ts';
import { writeBoard } from '#app/counts/files/board-file.ts';
import { writeBundle } from '#app/export/bundle.ts';
import { readCsv } from '#app/export/read-csv.ts';
import { csvInReport } from '#app/export/report.ts';
import { openBoard } from '#app/report/main.ts';
import type {
  CausesQuestion,
  GivenBoard,
  ReportCounts,
  ReportQuestion,
} from '#contract/counts/report.ts';
import type { SourceInfo } from '#contract/counts/source.ts';
import { fixedKey, type FixedSeries } from '#core/series/imported-series.ts';
import { STATE } from '#core/series/series.ts';
import { DAY_MS } from '#core/time/span.ts';
import { byHours } from '#tests/app/board/counted-board.ts';
import { curveOf } from '#tests/core/series/curves.ts';
import { pairOf } from '#tests/core/series/formulas.ts';

const NOW = Date.UTC(2026, 10, 23, 6);

const SAMPLE: SourceInfo = {
  id: 'sample',
  store: 'sample',
  revision: 0,
  posts: 9,
  first: '2023-11-20T00:00:00Z',
  last: '2026-11-23T05:00:00Z',
  coverage: [{ start: '2023-11-20T00:00:00Z', end: null }],
};

/** Counts of the sample by a made-up rule, settled up to now. */
function counts(over: Partial<ReportCounts> = {}): ReportCounts & { asked: ReportQuestion[] } {
  const asked: ReportQuestion[] = [];
  return {
    asked,
    sources: [SAMPLE],
    stop: new AbortController().signal,
    count: async (question) => {
      asked.push(question);
      const { query, bounds } = question;
      const size = bounds.length - 1;
      const numbers = Float64Array.from({ length: size }, (_, i) =>
        byHours(query, bounds[i] ?? 0, bounds[i + 1] ?? 0, i),
      );
      const states = new Uint8Array(size).fill(STATE.settled);
      return { counts: numbers, states, fetchedAt: new Float64Array(size).fill(NOW) };
    },
    ...over,
  };
}

const link = (view: View): GivenBoard => ({
  link: `http://127.0.0.1:4319/#${formatView({ source: 'sample', zone: 'UTC', ...view })}`,
});

async function file(blob: Blob, name = 'A board.groundswell-board'): Promise<GivenBoard> {
  return { name, bytes: new Uint8Array(await blob.arrayBuffer()) };
}

const board = (view: View, over: Partial<SavedBoard> = {}): Promise<GivenBoard> =>
  writeBoard({
    id: 'b',
    at: 1,
    opened: 1,
    name: 'Tea week',
    view: formatView({ source: 'sample', zone: 'UTC', ...view }),
    notes: [],
    fixed: [],
    ...over,
  }).then((blob) => file(blob));

/** A report as text. */
async function report(given: GivenBoard, from = counts(), now = NOW) {
  const opened = await openBoard(given);
  const written = await opened.write({ now, zone: 'UTC', locale: 'en-US' }, from, 'html');
  const { title, subtitle, zone, bytes: html } = written;
  // Dates have narrow spaces in some versions of their tables.
  const plain = (text: string): string => text.replaceAll(/[^\S\r\n]/gu, ' ');
  return { title, zone, subtitle: plain(subtitle), text: plain(new TextDecoder().decode(html)) };
}

/** The counts that a report carries, by label. */
async function carried(text: string): Promise<Record<string, number[]>> {
  const reading = await readCsv(csvInReport(text) ?? '');
  if (!reading.ok) throw new Error(reading.problem.rule);
  return Object.fromEntries(
    reading.series.map(({ label, curve }) => [label, Array.from(curve.counts)]),
  );
}

const query = (text: string, label = '') => ({ query: text, label, hidden: false });
const MARCH = { from: '2026-03-01', to: '2026-03-31' };
const PANEL: FixedSeries = {
  label: 'Panel',
  query: '',
  source: 'a panel',
  ...curveOf([5, 7, 9], { start: Date.UTC(2026, 2, 1), width: DAY_MS }),
};

describe('a report', () => {
  it('of a board has its name, its notes, its computed series and those from files', async () => {
    const given = await board(
      {
        range: MARCH,
        series: [
          query('tea', 'Tea'),
          { ...query('', 'Part'), formula: pairOf('part', 1, 3) },
          { ...query('cold brew'), hidden: true },
          { ...query('', 'Panel'), file: fixedKey(PANEL) },
        ],
      },
      {
        fixed: [PANEL],
        notes: [
          { id: 'n', start: Date.UTC(2026, 2, 9), end: null, text: 'Launch day' },
          { id: 'o', start: Date.UTC(2026, 3, 9), end: null, text: 'Later' },
        ],
      },
    );
    const { title, subtitle, text } = await report(given);
    expect(title).toBe('Tea week');
    expect(subtitle).toContain('Mar 1–31, 2026');
    const events = /<h2>Events<\/h2>[^]*?<\/table>/.exec(text)?.[0];
    expect(events).toContain('<th scope="row">Launch day</th><td>Note</td><td>Mar 9, 2026');
    expect(events).not.toContain('Later');
    const found = await carried(text);
    const start = Date.UTC(2026, 2, 1);
    expect(Object.keys(found)).toEqual(['Tea', 'Part', 'Panel']);
    expect(found['Tea']).toEqual(
      Array.from({ length: 31 }, (_, i) =>
        byHours('tea', start + i * DAY_MS, start + (i + 1) * DAY_MS, i),
      ),
    );
    expect(found['Panel']?.slice(0, 3)).toEqual([5, 7, 9]);
  });

  it('counts by the buckets of the zone, up to now', async () => {
    const asked = counts();
    const view = {
      zone: 'Europe/Berlin',
      range: { preset: '7d' as const },
      series: [query('tea')],
    };
    const { zone, text } = await report(link(view), asked);
    expect(zone).toBe('Europe/Berlin');
    const [{ bounds } = { bounds: new Float64Array() }] = asked.asked;
    expect(bounds[0]).toBe(Date.UTC(2026, 10, 16, 23));
    expect(bounds.at(-1)).toBe(NOW);
    expect(text.includes('Time zone of the buckets</dt><dd>Europe/Berlin')).toBe(true);
  });

  it('of a range such as the last 30 days moves with the day it is written; fixed dates stay', async () => {
    const months = async (view: View): Promise<string[]> => [
      (await report(link(view))).subtitle,
      (await report(link(view), counts(), NOW + 7 * DAY_MS)).subtitle,
    ];
    const moving = await months({ range: { preset: '30d' }, series: [query('tea')] });
    expect(moving[0]).toContain('Oct 25 – Nov 23, 2026');
    expect(moving[1]).toContain('Nov 1–30, 2026');
    const [first, second] = await months({ range: MARCH, series: [query('tea')] });
    expect(second).toBe(first);
  });

  it.each<[string, View, RegExp]>([
    ['a comparison', { comparison: 'year' }, />vs. the year before</],
    [
      'a chosen period',
      { comparison: { from: '2026-01-01', to: '2026-01-31', by: 'start' } },
      />vs. Jan 1–31, 2026</,
    ],
    ['a resolution', { resolution: 'week' }, /<h2>By week<\/h2>/],
    ['a target', { target: { value: 70, label: 'Goal' } }, /Goal/],
    ['a forecast', { range: { preset: '1y' }, forecast: true }, /forecast/i],
    ['shares', { form: 'share' }, />100%</],
    ['an index', { trend: { kind: 'index' } }, /100 = mean of the first 7 days in view with Posts/],
    [
      'a zoom',
      { zoom: { start: Date.UTC(2026, 2, 9), end: Date.UTC(2026, 2, 11) } },
      /Mar 9–10, 2026/,
    ],
    ['no peaks', { range: { preset: '1y' }, peaks: false }, /^(?![\s\S]*<h2>Peaks)/],
  ])('honours %s', async (_, over, shown) => {
    const { text } = await report(
      link({ range: MARCH, series: [query('tea', 'Tea'), query('oat milk', 'Oat')], ...over }),
    );
    // Not `toMatch`: its failure would print the whole report.
    expect(shown.test(text)).toBe(true);
  });

  it('states the causes of each listed peak, which its picture names too', async () => {
    const burst = Date.UTC(2026, 2, 12);
    const asked: CausesQuestion[] = [];
    const given = counts({
      count: ({ bounds }) => {
        const numbers = Float64Array.from({ length: bounds.length - 1 }, (_, i) =>
          bounds[i]! >= burst && bounds[i]! < burst + DAY_MS ? 90 : 2,
        );
        const states = new Uint8Array(numbers.length).fill(STATE.settled);
        return Promise.resolve({
          counts: numbers,
          states,
          fetchedAt: new Float64Array(numbers.length).fill(NOW),
        });
      },
      causes: (question) => {
        asked.push(question);
        const group = { kind: 'phrase', name: 'free tea', clause: '"free tea"' } as const;
        return Promise.resolve({
          posts: 100,
          groups: [{ ...group, alone: true, posts: 73, usual: 0 }],
          rest: { posts: 27, usual: 30 },
          missing: [],
        });
      },
    });
    const view: View = { range: MARCH, resolution: 'day', series: [query('tea', 'Tea')] };
    const { text } = await report(link(view), given);
    expect(asked).toMatchObject([{ query: 'tea', span: { start: burst, end: burst + DAY_MS } }]);
    expect(text.includes('<td>73% “free tea”, 27% everything else, as usual')).toBe(true);
    expect(text.includes('>free tea</text>')).toBe(true);
  });

  it('in words has the finding, the figures and the peaks of the page', async () => {
    const burst = Date.UTC(2026, 2, 12);
    const given = counts({
      count: ({ bounds }) => {
        const numbers = Float64Array.from({ length: bounds.length - 1 }, (_, i) =>
          bounds[i]! >= burst && bounds[i]! < burst + DAY_MS ? 90 : 2,
        );
        const states = new Uint8Array(numbers.length).fill(STATE.settled);
        const fetchedAt = new Float64Array(numbers.length).fill(NOW);
        return Promise.resolve({ counts: numbers, states, fetchedAt });
      },
    });
    const view: View = { range: MARCH, resolution: 'day', series: [query('tea', 'Tea')] };
    const opened = await openBoard(link(view));
    const read = await opened.read({ now: NOW, zone: 'UTC', locale: 'en-US' }, given);
    const { sentence, known, series, peaks } = read;
    expect(sentence).toBe('Tea is up 141.9% from the previous period');
    expect(known).toBe(1);
    expect(peaks).toEqual([
      {
        series: 'Tea',
        span: { start: burst, end: burst + DAY_MS },
        posts: 90,
        expected: 2,
        causes: '',
      },
    ]);
    const posts = 90 + 30 * 2;
    // February is shorter; the change is of Posts a day.
    const before = 28 * 2;
    const change = { before, value: expect.closeTo(posts / 31 / 2 - 1), clear: true };
    expect(series).toMatchObject([{ name: 'Tea', known: 1, posts, change }]);
    const { buckets } = JSON.parse(new TextDecoder().decode(read.json)) as { buckets: unknown[] };
    expect(buckets).toHaveLength(31);
  });

  it('of a bundle has the counts of the bundle and asks for none', async () => {
    const start = Date.UTC(2026, 2, 1);
    const curve = curveOf([1, 2, 3], { start, width: DAY_MS });
    const bundle = await writeBundle({
      name: 'Then',
      view: formatView({
        source: 'posts',
        range: { from: '2026-03-01', to: '2026-03-03' },
        zone: 'UTC',
        resolution: 'day',
        series: [query('tea', 'Tea')],
      }),
      notes: [],
      span: { start, end: start + 3 * DAY_MS },
      past: [],
      series: [
        {
          place: 0,
          label: 'Tea',
          counts: {
            from: 'fixed',
            series: { from: 'file', label: 'Tea', query: 'tea', source: 'posts', curve },
          },
        },
      ],
      cache: null,
    });
    const asked = counts();
    const given = await file(bundle, 'then.groundswell');
    const { text, title } = await report(given, asked, NOW + 300 * DAY_MS);
    expect(title).toBe('Then');
    expect(await carried(text)).toEqual({ Tea: [1, 2, 3] });
    expect(asked.asked).toEqual([]);
    expect((await openBoard(given)).source).toBeNull();
  });
});

describe('a report is refused by name', () => {
  const of = (view: View) => link({ range: MARCH, ...view });
  it.each<[string, GivenBoard, RegExp]>([
    [
      'a series from a file in a link',
      of({ series: [query('tea'), { ...query('', 'Panel'), file: '0123abcd' }] }),
      /^“Panel” came from a file, which a link can’t contain/,
    ],
    ['an invalid query', of({ series: [query('tea'), query('(')] }), /^“\(” cannot be counted: /],
    [
      'a formula over a query that cannot be counted',
      of({
        series: [
          query('tea'),
          { ...query('('), hidden: true },
          { ...query('', 'Part'), formula: pairOf('part', 1, 2) },
        ],
      }),
      /^“Part” cannot be computed, because a series in it has no counts\.$/,
    ],
    [
      'a value that the view does not know',
      { link: '#source=sample&q=tea&form=pie&zone=Mars/Base' },
      /^“pie” is not a known form of chart\. “Mars\/Base” is not a known time zone\.$/,
    ],
    [
      'a range before the archive',
      { link: '#source=sample&q=tea&from=1999-01-01&to=1999-02-01' },
      /^The range 1999-01-01 to 1999-02-01: Posts begin on 2006-03-21/,
    ],
    [
      'a source without Posts',
      of({ source: 'posts', series: [query('tea')] }),
      /^The board counts Your posts, but none are imported\.$/,
    ],
    ['an address without a view', { link: 'http://127.0.0.1:4319/#' }, /^The address has no view/],
    [
      'a file of another kind',
      { name: 'posts.csv', bytes: new TextEncoder().encode('id,text\n1,tea\n') },
      /^“posts.csv” is not a file that Groundswell wrote\. Give a board file/,
    ],
    [
      'a damaged board',
      { name: 'a.groundswell-board', bytes: new TextEncoder().encode('PK') },
      /^“a.groundswell-board” cannot be read: /,
    ],
  ])('for %s', async (_, given, message) => {
    await expect(report(given)).rejects.toMatchObject({
      name: 'BoardError',
      message: expect.stringMatching(message),
    });
  });

  it('with the error of its counts, and without one when it is stopped', async () => {
    const given = of({ series: [query('tea'), query('oat')] });
    const broken = counts({ count: () => Promise.reject(new RangeError('the file is damaged')) });
    await expect(report(given, broken)).rejects.toThrow('the file is damaged');
    const stop = new AbortController();
    const stopped = counts({
      stop: stop.signal,
      count: async (_, signal) => {
        stop.abort(new Error('stopped'));
        throw signal.reason;
      },
    });
    await expect(report(given, stopped)).rejects.toThrow('stopped');
  });
});
