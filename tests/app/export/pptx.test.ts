import { unzipSync } from 'fflate';
import fc from 'fast-check';
import { readXlsx } from 'hucre/xlsx';
import { parse } from 'papaparse';
import { SaxesParser } from 'saxes';
import { describe, expect, it } from 'vitest';
import { FORMS } from '#app/chart/draw/form.ts';
import { deckOf } from '#app/export/pptx-slide.ts';
import { DATA_SHEET, pptxBlocks } from '#app/export/pptx.ts';
import { bytesIn } from '#core/export/bytes.ts';
import { csvBlocks } from '#core/export/csv.ts';
import { STATE } from '#core/series/series.ts';
import { DAY_MS } from '#core/time/span.ts';
import { zoneTable } from '#core/time/zone.ts';
import { unicodeText } from '#tests/support/data/unicode-text.ts';
import { exportJobs } from '#tests/support/data/export-jobs.ts';
import { slide, SLIDE_START } from '#tests/support/data/slides.ts';
import { runs } from '#tests/support/run/runs.ts';
import type { XlsxJob } from '#app/export/xlsx/counts-sheet.ts';
import type { SlideInput } from '#app/export/slide-rows.ts';
import { buildPyramid } from '#core/series/pyramid/build-pyramid.ts';
import { plainText } from '#core/export/csv-text.ts';

type Book = Pick<XlsxJob, 'bounds' | 'series' | 'timed'>;
const NOTES = ['Groundswell: method', '', '=1+1 <b> \0'];

/** The slide of a book whose series are all drawn. */
function slideOfBook({ bounds, series, timed }: Book, zone: string, input: SlideInput): SlideInput {
  const range = { start: bounds[0] ?? 0, end: bounds.at(-1) ?? 0 };
  const drawn = series.map(({ label: name, counts, states, fetchedAt }, i) => ({
    ...input.shown.data.series[0]!,
    id: i,
    name,
    curve: { bounds, counts, states, fetchedAt },
    pyramid: buildPyramid(counts),
  }));
  const view = { ...input.shown.view, range, window: range, table: zoneTable(zone, range) };
  const resolution = timed ? 'hour' : 'day';
  return {
    ...input,
    shown: {
      ...input.shown,
      data: { series: drawn, now: range.end },
      view: { ...view, resolution },
    },
  };
}

/** The book of a slide of days. */
function bookOf({ shown }: SlideInput): Book {
  const { bounds } = shown.data.series[0]!.curve;
  const series = shown.data.series.map(({ name, curve }) => ({
    query: name,
    label: name,
    source: 'sample',
    ...curve,
  }));
  return { bounds, series, timed: false };
}

async function written(input: SlideInput, book: Book) {
  const deck = deckOf(input, book, NOTES, SLIDE_START);
  const job = { form: 'pptx', ...book, method: [], events: [], deck } as const;
  const bytes = await bytesIn(pptxBlocks(job, input.shown.view.table));
  const parts = unzipSync(bytes);
  const xml = (name: string): string => new TextDecoder().decode(parts[name]);
  const { sheets } = await readXlsx(parts[DATA_SHEET] ?? new Uint8Array());
  const sheet = (name: string) => sheets.find((each) => each.name === name)?.rows ?? [];
  return { bytes, parts, xml, sheet, sheets: sheets.map(({ name }) => name) };
}

/** The values that a chart shows, by the reference to their cells; unknown ones are absent. */
function charted(xml: string): Map<string, (string | undefined)[]> {
  const out = new Map<string, (string | undefined)[]>();
  const numbers = /<c:f>([^<]+)<\/c:f><c:numCache>.*?<c:ptCount val="(\d+)"\/>(.*?)<\/c:numCache>/g;
  for (const [, ref = '', size = '', points = ''] of xml.matchAll(numbers)) {
    const values = Array.from<string | undefined>({ length: Number(size) });
    for (const [, i = '', value] of points.matchAll(/idx="(\d+)"><c:v>([^<]*)</g)) {
      values[Number(i)] = value;
    }
    out.set(ref, values);
  }
  return out;
}

/** The texts of elements. @throws If the document is not well-formed. */
function textsOf(xml: string, element: string): string[] {
  const out: string[] = [];
  let open = false;
  const parser = new SaxesParser();
  parser.on('opentag', ({ name }) => {
    open = name === element;
    if (open) out.push('');
  });
  parser.on('text', (text) => {
    if (open) out[out.length - 1] += text;
  });
  parser.on('closetag', () => (open = false));
  parser.write(xml).close();
  return out;
}

describe('a presentation', () => {
  it('has the counts of the CSV behind its chart: a zero is a zero, and an unknown count is an empty cell', async () => {
    await fc.assert(
      fc.asyncProperty(exportJobs, fc.constantFrom(...FORMS), async (job, form) => {
        const { zone, bounds, series, timed } = job;
        const book = { bounds, series, timed };
        const input = slideOfBook(book, zone, slide({ form }));
        const { xml, sheet, sheets, parts } = await written(input, book);
        const csv = await new Blob(
          [
            ...csvBlocks(
              { ...job, form: 'wide', separator: ',', mark: false },
              input.shown.view.table,
            ),
          ].map(({ bytes }) => bytes),
        ).text();
        const [head = [], ...rows] = parse<string[]>(csv, { skipEmptyLines: true }).data;
        const [names = [], ...cells] = sheet('Counts');
        const at = (name: string): number => head.indexOf(name);
        const first = timed ? 3 : 1;
        for (const [s] of series.entries()) {
          const column = at('date') + (timed ? 2 : 1) + s;
          expect(names[first + s]).toBe(plainText(head[column] ?? ''));
          expect(cells.map((row) => row[first + s] ?? null)).toEqual(
            rows.map((row) => (row[column] === '' ? null : Number(row[column]))),
          );
        }
        const dates = cells.map(([date]) => (date instanceof Date ? date.toISOString() : ''));
        expect(dates.map((date) => date.slice(0, 10))).toEqual(rows.map((row) => row[at('date')]));
        // The chart shows what its sheet has.
        const values = charted(xml('ppt/charts/chart1.xml'));
        const source = sheets.includes('Chart') ? 'Chart' : 'Counts';
        const [, ...drawn] = sheet(source);
        for (const [s] of series.entries()) {
          const letter = String.fromCharCode(65 + first + s);
          const shown = values.get(`${source}!$${letter}$2:$${letter}$${drawn.length + 1}`) ?? [];
          expect(shown.map((value) => (value === undefined ? null : Number(value) + 0))).toEqual(
            drawn.map((row) =>
              typeof row[first + s] === 'number' ? Number(row[first + s]) : null,
            ),
          );
        }
        for (const [name, bytes] of Object.entries(parts)) {
          if (!name.endsWith('.xlsx'))
            expect(() => textsOf(new TextDecoder().decode(bytes), '')).not.toThrow();
        }
      }),
      { numRuns: runs(60) },
    );
  });

  it('says what the slide says, whatever that is, as text only', async () => {
    const any = unicodeText();
    await fc.assert(
      fc.asyncProperty(any, any, any, async (title, subtitle, name) => {
        const input = slide({ title, subtitle, names: [name, '=1+1'], foot: title, notes: [name] });
        const { parts, xml } = await written(input, bookOf(input));
        const seen = (text: string): string =>
          text.replaceAll(/[\p{Surrogate}\p{Cc}\uFFFE\uFFFF]/gu, '');
        const clean = (xml: string): string => seen(textsOf(xml, 'a:t').join(' '));
        expect(clean(xml('ppt/slides/slide1.xml'))).toContain(seen(title));
        expect(clean(xml('ppt/notesSlides/notesSlide1.xml'))).toContain(seen(subtitle));
        const all = Object.keys(parts)
          .filter((part) => part.endsWith('.rels'))
          .map(xml)
          .join('');
        expect(all).not.toMatch(/TargetMode|https?:\/\/(?!schemas\.)/);
      }),
      { numRuns: runs(40) },
    );
  });

  it('has the finding as its title, the method as its notes, and the same bytes again', async () => {
    const input = slide({ title: 'Tea rose 28%', subtitle: 'Margin +21% to +35%' });
    const { xml, bytes } = await written(input, bookOf(input));
    const page = xml('ppt/slides/slide1.xml');
    expect(page).toMatch(/<p:ph type="title"\/>.*?<a:t>Tea rose 28%</);
    expect(textsOf(xml('ppt/notesSlides/notesSlide1.xml'), 'a:t')).toEqual([
      'Tea rose 28%',
      'Margin +21% to +35%',
      'Source: Sample',
      'Groundswell: method',
      '=1+1 <b> ',
    ]);
    expect((await written(input, bookOf(input))).bytes).toEqual(bytes);
  });

  it('has the colours of its theme, and marks peaks and unfinished days in the chart itself', async () => {
    const peaks = [{ key: 'a', number: 1, at: SLIDE_START + 55 * DAY_MS, count: 60, seriesId: 0 }];
    const input = slide({ theme: 'dark', peaks, high: 60, open: true });
    const { xml } = await written(input, bookOf(input));
    expect(xml('ppt/theme/theme1.xml')).toContain('<a:lt1><a:srgbClr val="0F1013"/>');
    const chart = xml('ppt/charts/chart1.xml');
    expect(chart).toMatch(/<c:dLbl><c:idx val="55"\/>.*?<a:t>1<\/a:t>/);
    expect(chart).toMatch(/<c:dPt><c:idx val="59"\/>/);
    expect(chart).toContain('<c:dispBlanksAs val="gap"/>');
  });

  it('draws a stack without a gap as an area, and one with a gap as bars, because an area would fall to zero', async () => {
    const input = slide({ form: 'stack', names: ['Oat', 'Tea'] });
    const kindOf = async (): Promise<string[]> =>
      [
        ...(await written(input, bookOf(input)))
          .xml('ppt/charts/chart1.xml')
          .matchAll(/<c:(\w+)Chart>/g),
      ].map(([, kind = '']) => kind);
    expect(await kindOf()).toEqual(['area']);
    const [{ curve }] = input.shown.data.series as [(typeof input.shown.data.series)[number]];
    curve.counts[12] = Number.NaN;
    curve.states[12] = STATE.never;
    expect(await kindOf()).toEqual(['bar']);
  });

  it('merges more points than a projector has pixels, and says so, but keeps every count in its sheet', async () => {
    const size = 9_000;
    const bounds = Float64Array.from({ length: size + 1 }, (_, i) => SLIDE_START + i * 3_600_000);
    const counts = Float64Array.from({ length: size }, (_, i) => i % 24);
    const states = new Uint8Array(size).fill(STATE.settled);
    const one = { query: 'tea', label: 'Tea', source: 'sample', counts, states };
    const book = { bounds, timed: true, series: [{ ...one, fetchedAt: new Float64Array(size) }] };
    const { xml, sheet } = await written(slideOfBook(book, 'UTC', slide()), book);
    expect(sheet('Counts')).toHaveLength(size + 1);
    const [, ...drawn] = sheet('Chart');
    expect(drawn).toHaveLength(3_000);
    expect(drawn[1]?.[3]).toBe(4);
    expect(textsOf(xml('ppt/notesSlides/notesSlide1.xml'), 'a:t').join('\n')).toContain(
      'each point the mean of 3 hours',
    );
  });
});
