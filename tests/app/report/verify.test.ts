import fc from 'fast-check';
import { unzipSync, zipSync, type Zippable } from 'fflate';
import { describe, expect, it } from 'vitest';
import { formatView, type View } from '#app/board/state/view.ts';
import { figureLines } from '#app/export/note.ts';
import { DATA_SHEET } from '#app/export/pptx.ts';
import { plainWorkbook, xlsxBlocks } from '#app/export/xlsx.ts';
import { Formatter } from '#app/format/formatter.ts';
import { liftSheets } from '#app/lift/lift-workbook.ts';
import { openBoard, verifyFile } from '#app/report/main.ts';
import type { ReportForm } from '#contract/counts/report.ts';
import { bytesIn } from '#core/export/bytes.ts';
import { crcOf } from '#core/export/crc.ts';
import { STATE } from '#core/series/series.ts';
import { DAY_MS } from '#core/time/span.ts';
import { zoneTable } from '#core/time/zone.ts';
import { pairOf } from '#tests/core/series/formulas.ts';
import { curveOf } from '#tests/core/series/curves.ts';
import { bundleOf } from '#tests/support/data/bundles.ts';
import { liftReport } from '#tests/support/data/lift-reports.ts';
import { long } from '#tests/support/run/long.ts';

const NOW = Date.UTC(2026, 10, 23, 6);
const query = (query: string) => ({ query, label: '', hidden: false });
const TEN_DAYS: View = {
  zone: 'UTC',
  range: { from: '2026-11-01', to: '2026-11-10' },
  resolution: 'day',
  series: [query('tea'), query('oat')],
};
/** Long enough for peaks and a forecast, and cut by now. */
const TO_NOW: View = { ...TEN_DAYS, range: { from: '2026-09-01', to: '2026-11-30' } };
/** A burst of one day, for a peak. */
const BURST = Date.UTC(2026, 10, 7);

/** A file of two queries over ten days, or of another view. @param settled - False: some counts are unknown. */
async function file(
  form: ReportForm,
  view: View = TEN_DAYS,
  { locale = 'en-US', settled = true } = {},
): Promise<Uint8Array<ArrayBuffer>> {
  const shown = formatView({ source: 'sample', ...view });
  const board = await openBoard({ link: `http://127.0.0.1:4319/#${shown}` });
  const written = await board.write(
    { now: NOW, zone: 'UTC', locale },
    {
      sources: [
        {
          id: 'sample',
          store: 'sample',
          revision: 0,
          posts: 9,
          first: '2023-11-20T00:00:00Z',
          last: '2026-11-23T05:00:00Z',
          coverage: [{ start: '2023-11-20T00:00:00Z', end: null }],
        },
      ],
      stop: new AbortController().signal,
      count: async ({ query, bounds }) => {
        const size = bounds.length - 1;
        const each = query.length;
        // 3,001 on the first of a month, all in one hour; the second query has another level.
        const counts = Float64Array.from({ length: size }, (_, i) => {
          const at = bounds[i] ?? 0;
          const inBurst = at >= BURST && at < BURST + DAY_MS;
          const day = new Date(at);
          return (
            (day.getUTCHours() === 0 ? 2_997 + each + day.getUTCDate() : 0) + (inBurst ? 900 : 0)
          );
        });
        const states = new Uint8Array(size).fill(STATE.settled);
        if (!settled) for (let i = 30; i < size; i += 97) states[i] = STATE.failed;
        const known = counts.map((count, i) => (states[i] === STATE.failed ? Number.NaN : count));
        return { counts: known, states, fetchedAt: new Float64Array(size).fill(NOW) };
      },
    },
    form,
  );
  return written.bytes;
}

const verify = (name: string, bytes: Uint8Array<ArrayBuffer>) => verifyFile({ name, bytes });

/** Another digit in place of one. */
const otherDigit = (digit: string, by: number): string => String((Number(digit) + by) % 10);
const text = (bytes: Uint8Array): string => new TextDecoder().decode(bytes);
const utf8 = (said: string) => new TextEncoder().encode(said);

/** A workbook of twelve days, of which one is unknown. */
async function workbook(shape: 'long' | 'wide'): Promise<Uint8Array<ArrayBuffer>> {
  const numbers = Array.from({ length: 12 }, (_, i) => (i === 5 ? Number.NaN : 110 + i));
  const curve = curveOf(numbers, { start: NOW, width: DAY_MS });
  const { bounds } = curve;
  const series = [{ query: 'tea', label: 'Tea', source: 'posts', ...curve }];
  const method = [
    { of: 'series', name: '', value: 'Tea' } as const,
    ...figureLines({ kind: 'query', ...curve }),
  ];
  const job = { form: 'xlsx', shape, timed: false, bounds, series, method, events: [] } as const;
  const table = zoneTable('UTC', { start: bounds[0]!, end: bounds.at(-1)! });
  return await bytesIn(xlsxBlocks(job, table));
}

/** The mark of a workbook, which is in its first entry. */
const MARK = { extra: { 0x5747: utf8('groundswell:counts') } };

/** A file with other parts, and the checksums of those. */
function again(
  file: Uint8Array,
  parts: Readonly<Record<string, Uint8Array>>,
): Uint8Array<ArrayBuffer> {
  const [types = '', ...rest] = Object.keys(unzipSync(file));
  const all = { ...unzipSync(file), ...parts };
  const zip: Zippable = { [types]: [all[types]!, MARK] };
  for (const name of rest) zip[name] = all[name]!;
  return zipSync(zip) as Uint8Array<ArrayBuffer>;
}

/** A report with the checksum of what it is now. */
const sealed = (html: string) => {
  const body = html.replace(/<!--crc-32:.*\n$/, '');
  const sum = crcOf(utf8(body)).toString(16).padStart(8, '0');
  return utf8(`${body}<!--crc-32:${sum}-->\n`);
};

/** The first disagreement of a file, or why it cannot be read. */
const problemOf = async (name: string, bytes: Uint8Array<ArrayBuffer>): Promise<string | null> =>
  await verify(name, bytes).then(
    ({ wrong }) => wrong,
    ({ message }: Error) => message,
  );

describe('a file that is checked', () => {
  const year = { from: '2025-11-10', to: '2026-11-30' };
  it.each<[string, View, Parameters<typeof file>[2]?]>([
    ['ten days', {}],
    ['another locale', {}, { locale: 'de-DE' }],
    ['digits of another script', {}, { locale: 'ar-EG' }],
    ['unknown counts', {}, { settled: false }],
    ['hours in a zone with summer time', { resolution: 'hour', zone: 'America/New_York' }],
    ['weeks that the range and now cut', { resolution: 'week', range: year }],
    ['months', { resolution: 'month', range: year, zone: 'Europe/Berlin' }],
    ['days up to now, with peaks', TO_NOW],
    ['a zoom', { ...TO_NOW, zoom: { start: BURST - 3 * DAY_MS, end: BURST + 5 * DAY_MS } }],
    ['a comparison', { comparison: 'previous' }],
    [
      'shares of a zoom',
      { form: 'share', zoom: { start: BURST - 3 * DAY_MS, end: BURST + DAY_MS } },
    ],
    ['a trend line and a forecast', { ...TO_NOW, trendline: true, forecast: true }],
    ['no peaks', { ...TO_NOW, peaks: false }],
    [
      'a formula and a hidden series',
      {
        series: [
          query('tea'),
          { ...query('oat'), hidden: true },
          { ...query(''), formula: pairOf('part', 1, 2) },
        ],
      },
    ],
    [
      'one label twice, with peaks',
      {
        ...TO_NOW,
        series: ['tea', 'oat'].map((each) => ({ ...query(each), label: 'A' })),
      },
    ],
  ])('agrees with itself as it is written: %s', async (_, view, given) => {
    for (const form of ['html', 'pptx'] as const) {
      const found = await verify(`a.${form}`, await file(form, { ...TEN_DAYS, ...view }, given));
      expect(found).toMatchObject({ wrong: null });
      expect(found.figures).toBeGreaterThan(20);
    }
  });

  const kinds: [string, () => Promise<Uint8Array<ArrayBuffer>>][] = [
    ['a.html', () => file('html')],
    ['a.pptx', () => file('pptx')],
    ['a.xlsx', () => workbook('long')],
    ['a.xlsx', () => workbook('wide')],
    ['a.groundswell', async () => (await bundleOf(3)).bytes],
  ];
  /** A change of one digit in a text. */
  const changeIn = (at: readonly number[]) =>
    fc.tuple(fc.constantFrom(...at), fc.integer({ min: 1, max: 9 }));
  /** Runs of a law in the long form, and a small part of them. */
  const laws = (runs: number) => ({ numRuns: long() ? runs : 30 });
  const isDigit = (byte: number): boolean => byte >= 48 && byte < 58;

  it.each(kinds)(
    'notices every change of one digit, whatever it is of: %s, %#',
    async (name, of) => {
      const bytes = await of();
      const isZip = name !== 'a.html';
      const parts = isZip ? unzipSync(bytes) : {};
      const change = changeIn(Array.from(bytes.keys()).filter((i) => isDigit(bytes[i]!)));
      await fc.assert(
        fc.asyncProperty(change, async ([at, by]) => {
          const changed = bytes.slice();
          changed[at] = 48 + ((bytes[at]! - 48 + by) % 10);
          if ((await problemOf(name, changed)) !== null) return;
          // A digit of how a zip is packed: all in it is as before.
          expect(isZip && unzipSync(changed)).toEqual(parts);
        }),
        laws(10_000),
      );
    },
  );

  const cell = (row: string, n: number): RegExp =>
    new RegExp(`<th scope="row">${row}</th>(?:<td>[^<]*</td>){${n}}<td>([^<]*)</td>`, 'g');
  /** The figures that are recomputed, by part of a file: the digits in a group of each expression. */
  const method = /(?:Total|Known|Missing): ?(?:<\/dt><dd>)?([^;<]*)/g;
  const figures: [string, () => Promise<Uint8Array<ArrayBuffer>>, Record<string, RegExp[]>][] = [
    [
      'a.html',
      () => file('html', TO_NOW),
      {
        '': [
          /<(?:dt>(?:Total|Missing|Fetched)<\/dt><dd)>([^<]*)/g,
          // Total, mean, median, peak and its date.
          ...[0, 1, 2, 3, 4].map((n) => cell('(?:tea|oat)', n)),
          // Shares without their margins.
          /<td>(\d+\.\d%) \(/g,
          // Number, time and Posts of a peak.
          /<th scope="row">(\d) (?:tea|oat)</g,
          ...[0, 1].map((n) => cell('\\d (?:tea|oat)', n)),
          // The buckets, which begin with a month or a weekday.
          ...[0, 1].map((n) => cell('[A-Z][^<]*', n)),
          /,(\d+),(?:settled|partial),/g,
        ],
      },
    ],
    [
      'a.pptx',
      () => file('pptx'),
      {
        'ppt/charts/chart1.xml': [/<c:pt idx="\d+"><c:v>([\d.]+)</g],
        'ppt/notesSlides/notesSlide1.xml': [method],
      },
    ],
    ...(['long', 'wide'] as const).map((shape): (typeof figures)[number] => [
      'a.xlsx',
      () => workbook(shape),
      {
        'xl/worksheets/sheet1.xml': [/<v>(1[12]\d)</g],
        'xl/sharedStrings.xml': [/<t[^>]*>(\d+ Posts in [^<]*|1(?=;))/g],
      },
    ]),
  ];

  it.each(figures)(
    'names the figure after every change of one, with new checksums: %s, %#',
    async (name, of, where) => {
      const bytes = await of();
      const parts = name === 'a.html' ? { '': bytes } : unzipSync(bytes);
      const digits = Object.entries(where).flatMap(([part, expressions]) => {
        const within = text(parts[part]!);
        return expressions.flatMap((each) => {
          const found = [...within.matchAll(new RegExp(each, 'dg'))].flatMap(({ indices }) => {
            const [from, to] = indices![1]!;
            return Array.from({ length: to - from }, (_, i) => from + i);
          });
          expect(found.length, `${each}`).toBeGreaterThan(0);
          return found.filter((at) => /\d/.test(within[at]!)).map((at) => ({ part, at, within }));
        });
      });
      const change = fc.tuple(fc.constantFrom(...digits), fc.integer({ min: 1, max: 9 }));
      await fc.assert(
        fc.asyncProperty(change, async ([{ part, at, within }, by]) => {
          const changed = within.slice(0, at) + otherDigit(within[at]!, by) + within.slice(at + 1);
          const written =
            name === 'a.html' ? sealed(changed) : again(bytes, { [part]: utf8(changed) });
          expect(await problemOf(name, written)).toMatch(
            /: the file says .*, and its counts give /s,
          );
        }),
        laws(2_000),
      );
    },
  );

  it('names the figure, also if the checksums were computed again', async () => {
    const parts = unzipSync(await file('pptx'));
    const wrongAfter = async (part: string, from: RegExp, to: string): Promise<string | null> => {
      const changed = text(parts[part]!).replace(from, to);
      expect(changed).not.toBe(text(parts[part]!));
      return (await verify('a.pptx', zipSync({ ...parts, [part]: utf8(changed) }))).wrong;
    };
    expect(await wrongAfter('ppt/charts/chart1.xml', /<c:v>3002</, '<c:v>3020<')).toBe(
      'Point 2 of column B in the chart: the file says 3020, and its counts give 3002.',
    );
    expect(await wrongAfter('ppt/notesSlides/notesSlide1.xml', /Total: \d+/, 'Total: 99')).toMatch(
      /^Total of “tea”: the file says 99 Posts in 10 of 10 buckets, and its counts give 51655 Posts/,
    );
    const book = unzipSync(parts[DATA_SHEET]!);
    const sheet = text(book['xl/worksheets/sheet1.xml']!).replace('<v>3003<', '<v>3004<');
    const within = zipSync({ ...book, 'xl/worksheets/sheet1.xml': utf8(sheet) });
    const { wrong } = await verify('a.pptx', zipSync({ ...parts, [DATA_SHEET]: within }));
    expect(wrong).toMatch(/^Total of “tea”: .*51655 .*51656 /);
    const html = text(await file('html'));
    const report = await verify('a.html', utf8(html.replace('<td>3,002</td>', '<td>3,020</td>')));
    expect(report.wrong).toMatch(
      /^“tea” at .*2.*: the file says 3020, and its counts give 3002\.$/,
    );
  });

  it.each(['long', 'wide'] as const)(
    'agrees as a workbook, %s, until a count is changed',
    async (shape) => {
      const bytes = await workbook(shape);
      expect(await verify('a.xlsx', bytes)).toMatchObject({ counts: 12, wrong: null });
      const sheet = 'xl/worksheets/sheet1.xml';
      const changed = utf8(text(unzipSync(bytes)[sheet]!).replace('<v>113<', '<v>114<'));
      expect((await verify('a.xlsx', again(bytes, { [sheet]: changed }))).wrong).toBe(
        'Total of “Tea”: the file says 1271 Posts in 11 of 12 buckets, and its counts give 1272 Posts in 11 of 12 buckets.',
      );
    },
  );

  it.each(['long', 'wide'] as const)(
    'is recognised as a workbook by its sheets without its mark, %s',
    async (shape) => {
      const parts = unzipSync(await workbook(shape));
      expect(await verify('a.xlsx', zipSync(parts))).toMatchObject({ counts: 12, wrong: null });
      const sheet = 'xl/worksheets/sheet1.xml';
      const changed = utf8(text(parts[sheet]!).replace('<v>113<', '<v>114<'));
      const { wrong } = await verify('a.xlsx', zipSync({ ...parts, [sheet]: changed }));
      expect(wrong).toMatch(/^Total of “Tea”: the file says 1271 .* its counts give 1272 /);
    },
  );

  it('says what else it cannot check', async () => {
    const report = liftReport();
    const sheets = liftSheets(report, new Formatter('en-GB', 'UTC'), NOW);
    const lift = await bytesIn(plainWorkbook(sheets));
    for (const bytes of [lift, zipSync(unzipSync(lift))]) {
      await expect(verify('lift.xlsx', bytes)).rejects.toThrow(
        '“lift.xlsx” is a workbook of a lift, without the counts that its figures follow from.',
      );
    }
    await expect(verify('a.xlsx', zipSync({ 'xl/workbook.xml': utf8('') }))).rejects.toThrow(
      '“a.xlsx” is not a report, workbook, presentation or bundle that Groundswell wrote.',
    );
    await expect(verify('a.csv', utf8('id,text\n'))).rejects.toThrow('a.csv');
    const html = text(await file('html')).replace(/<!--crc-32.*/, '');
    expect((await verify('a.html', utf8(html))).wrong).toMatch(/no checksum/);
  });
});
