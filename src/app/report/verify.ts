import type { CellValue } from 'hucre/xlsx';
import type { FileSeries } from '#app/export/fixed.ts';
import { unescaped } from '#app/export/markup.ts';
import { FACTS, figureLines } from '#app/export/note.ts';
import { PPTX_PARTS } from '#app/export/pptx.ts';
import { isUnchanged } from '#app/export/report.ts';
import { Formatter } from '#app/format/formatter.ts';
import type { InsightSeries } from '#app/insight/insight.ts';
import { peaksFound } from '#app/insight/peaks/peaks-found.ts';
import { summaryRows } from '#app/insight/summary/summary-rows.ts';
import { summarize } from '#app/insight/summary/summary.ts';
import { seriesStyle } from '#app/ui/series-style.ts';
import { COUNTS_SHEET } from '#app/export/xlsx.ts';
import { BoardError, type CountsFile, type VerifiedFile } from '#contract/counts/report.ts';
import { Fault } from '#contract/fault.ts';
import { utf8 } from '#core/export/bytes.ts';
import { crcOf } from '#core/export/crc.ts';
import { LOCAL_LENGTH, zipEntries } from '#core/readers/zip.ts';
import { STATE } from '#core/series/series.ts';
import { RESOLUTIONS, type Resolution } from '#core/time/resolution.ts';
import { DAY_MS } from '#core/time/span.ts';
import { isZone } from '#core/time/zone-name.ts';
import {
  countsInFile,
  seriesFacts,
  cellsInSheet,
  decoded,
  type CountsInFile,
  type MethodLine,
} from './counts-in-file.ts';
import { headingOf, summaryCell, type ColumnId } from '#app/insight/summary/summary-columns.ts';
import { EPOCH_DAYS } from '#app/export/xlsx/sheet-rows.ts';

/*
 * Recomputes the figures of a file from the counts in it. Everything else is covered by the file's checksums: those of a
 * report's text, and of each part of the others.
 */

type In<K extends CountsInFile['kind']> = Extract<CountsInFile, { kind: K }>;

/** The figures that were recomputed, and the first that disagrees. */
class Figures {
  compared = 0;
  wrong: string | null = null;

  /** @param says - The figure in the file. @param counts - The same as its counts give it. */
  compare(figure: string, says: string, counts: string): void {
    this.compared += 1;
    if (says !== counts) {
      this.wrong ??= `${figure}: the file says ${says || 'nothing'}, and its counts give ${counts || 'nothing'}.`;
    }
  }

  fail(problem: string): void {
    this.wrong ??= problem;
  }
}

/**
 * Compares the figures of a method note with counts.
 *
 * @param whole - False for counts of which it is only known whether they are complete.
 */
function compareMethod(
  figures: Figures,
  series: readonly FileSeries[],
  method: readonly MethodLine[],
  whole: boolean,
): void {
  const facts = seriesFacts(method);
  figures.compare('Series', String(facts.length), String(series.length));
  for (const [i, { label, curve }] of series.entries()) {
    const said = facts[i] ?? new Map<string, string>();
    const kind = said.has('Known') ? 'formula' : 'query';
    const lines = new Map(figureLines({ kind, ...curve }).map(({ name, value }) => [name, value]));
    for (const name of ['Total', 'Known', 'No data', 'Missing', 'Fetched']) {
      const figure = (from: ReadonlyMap<string, string>): string => {
        const text = from.get(name) ?? '';
        if (whole) return text;
        if (name === 'Fetched') return '';
        return name === 'Missing' ? (text.split(';', 1)[0] ?? '') : text;
      };
      if (said.has(name) || lines.has(name)) {
        figures.compare(`${name} of “${label}”`, figure(said), figure(lines));
      }
    }
  }
}

/** The digits of a number as a page shows it; null if its digits are not 0 to 9. */
const digitsOf = (cell: string): string | null =>
  /[^\d\P{Nd}]/u.test(cell) ? null : cell.replaceAll(/\D/g, '');

/** The cells of the first table whose heading begins with a text. */
function tableIn(html: string, heading: string): readonly (readonly string[])[] {
  const start = html.indexOf(`<h2>${heading}`);
  const rows = start < 0 ? '' : html.slice(start, html.indexOf('</table>', start));
  return [...rows.matchAll(/<tr>(.*?)<\/tr>/gs)].map(([, row = '']) =>
    [...row.matchAll(/<t[hd][^>]*>(.*?)<\/t[hd]>/gs)].map(([, cell = '']) => unescaped(cell)),
  );
}

/** The view in which the figures of a report were computed. */
interface Shown {
  readonly per: Resolution;
  readonly zone: string;
  /** Epoch ms. */
  readonly now: number;
  /** False for a part of a range, whose peaks are those of the whole. */
  readonly isAll: boolean;
}

/** Null if the method does not say. */
function shownIn(method: readonly MethodLine[]): Shown | null {
  const said = new Map(method.map(({ name, value }) => [name, value]));
  const per = RESOLUTIONS.find((name) => name === said.get(FACTS.resolution));
  const zone = said.get(FACTS.zone) ?? '';
  const now = Date.parse(said.get(FACTS.written) ?? '');
  if (!per || !isZone(zone) || Number.isNaN(now)) return null;
  return { per, zone, now, isAll: !said.has(FACTS.range) };
}

/** A series as the tables of a report take it. @param at - Its position. */
function reported(
  { curve, source }: FileSeries,
  said: ReadonlyMap<string, string> | undefined,
  { at, name, now }: { readonly at: number; readonly name: string; readonly now: number },
): InsightSeries & { readonly shown: string; readonly source: string } {
  const isFormula = said?.has(FACTS.formula) ?? false;
  const fractions = curve.counts.some((count) => count % 1 !== 0 && !Number.isNaN(count));
  return {
    id: at,
    name,
    shown: name,
    source,
    kind: isFormula ? 'formula' : said?.has(FACTS.query) ? 'query' : 'file',
    queried: !fractions && (said?.has(FACTS.query) || said?.has(FACTS.given) || false),
    style: seriesStyle(at),
    hidden: false,
    curve,
    summary: summarize(curve, now, { fractions }),
    pending: null,
    before: null,
    run: { upperBounds: false },
  };
}

/** A figure without its margin. */
const figureIn = (cell = ''): string => digitsOf(cell.split(' (', 1)[0] ?? '') ?? '';

/** A row of the table of buckets of a report, the newest first. */
type BucketRow = readonly string[];

/** True if a total is the sum of its buckets: one of an unknown bucket may count known parts of it. */
const isSummed = ({ curve }: InsightSeries): boolean =>
  curve?.states.every((state) => state >= STATE.uncovered) ?? false;

/** True if each bucket is whole in all series or in none, so that shares of buckets are those of their parts. */
function haveOneExtent(series: readonly ReturnType<typeof reported>[]): boolean {
  const [first, ...rest] = series;
  const extent = (state: number): number => Math.min(state, STATE.provisional);
  return rest.every(
    ({ curve, source }) =>
      first &&
      curve?.states.every(
        (state, i) =>
          extent(state) === extent(first.curve?.states[i] ?? STATE.never) &&
          // Two sources can end at different times within a bucket.
          (state >= STATE.provisional || source === first.source),
      ),
  );
}

/**
 * Compares the summary of a report with counts. Changes need counts of another time, and a formula has figures of its
 * parts.
 */
function compareSummary(
  figures: Figures,
  html: string,
  series: readonly ReturnType<typeof reported>[],
  { per, zone, now }: Shown,
  buckets: readonly BucketRow[],
): void {
  const [head = [], ...lines] = tableIn(html, 'Summary');
  const headed = { per, earlier: null };
  const format = new Formatter('en-US').in(zone);
  const rows = summaryRows({ per, series, now, window: null, format });
  const queried = series.filter((each) => each.queried);
  const isShared = queried.every(isSummed) && haveOneExtent(queried);
  for (const [i, row] of rows.entries()) {
    const { kind, curve, summary } = series[i]!;
    if (kind === 'formula' || !curve) continue;
    const compare = (id: ColumnId, says: (cell: string) => string, counts: string): void => {
      const column = head.indexOf(headingOf(id, headed));
      if (column < 0) return;
      figures.compare(`${head[column]} of “${row.name}”`, says(lines[i]?.[column] ?? ''), counts);
    };
    const counted = (id: ColumnId): void =>
      compare(id, figureIn, figureIn(summaryCell(row, id).text));
    for (const id of ['mean', 'median', 'peak'] as const) counted(id);
    if (isSummed(series[i]!)) counted('total');
    if (isShared) counted('share');
    const listed = summary?.peak
      ? buckets[curve.counts.length - 1 - summary.peak.index]
      : undefined;
    if (listed) compare('on', (cell) => cell, listed[0] ?? '');
  }
}

/** Compares the peaks of a report with those of its counts, or with the buckets that they name. */
function comparePeaks(
  figures: Figures,
  html: string,
  series: readonly ReturnType<typeof reported>[],
  { zone, isAll }: Shown,
  buckets: readonly BucketRow[],
): void {
  const [, ...peaks] = tableIn(html, 'Peaks');
  if (peaks.length === 0) return;
  const found = peaksFound(
    series.filter(({ queried }) => queried),
    zone,
  )
    .peaks.filter(({ number }) => number !== null)
    .sort((a, b) => (a.number ?? 0) - (b.number ?? 0) || b.count - a.count);
  if (isAll) figures.compare('Peaks', String(peaks.length), String(found.length));
  for (const [i, [peak = '', time = '', posts = '']] of peaks.entries()) {
    const top = found[i];
    if (isAll && top) {
      figures.compare('Peak', peak, `${top.number} ${top.series.name}`);
      figures.compare(`Posts of peak ${peak}`, figureIn(posts), String(top.count));
      const listed = buckets[top.curve.counts.length - 1 - top.curve.bounds.indexOf(top.at)];
      if (listed) figures.compare(`Time of peak ${peak}`, time, listed[0] ?? '');
    } else if (!isAll) {
      const [row, another] = buckets.flatMap(([bucket], k) => (bucket === time ? [k] : []));
      const { curve } = series.find(({ name }) => peak.endsWith(` ${name}`)) ?? {};
      const count = row === undefined ? undefined : curve?.counts.at(-1 - row);
      // An hour that a clock shows twice has two buckets with one name.
      if (count === undefined || another !== undefined) continue;
      figures.compare(`Posts of peak ${peak}`, figureIn(posts), String(count));
    }
  }
}

function verifyReport({ html, series, method }: In<'report'>, figures: Figures): void {
  compareMethod(figures, series, method, true);
  // The newest bucket is the first row.
  const [, ...rows] = tableIn(html, 'By ');
  for (const [k, [bucket = '', ...cells]] of rows.entries()) {
    for (const [s, { label, curve }] of series.entries()) {
      const count = curve.counts.at(-1 - k) ?? Number.NaN;
      const says = digitsOf(cells[s] ?? '');
      if (says === null || (!Number.isNaN(count) && !Number.isSafeInteger(count))) continue;
      figures.compare(
        `“${label}” at ${bucket}`,
        says,
        Number.isNaN(count) ? '' : String(Math.abs(count)),
      );
    }
  }
  const shown = shownIn(method);
  if (shown) {
    const facts = seriesFacts(method);
    // Labels of counts are unique, names need not be.
    const [, ...names] = tableIn(html, 'Summary').map(([name = '']) => name);
    const all = series.map((each, at) =>
      reported(each, facts[at], { at, name: names[at] ?? '', now: shown.now }),
    );
    compareSummary(figures, html, all, shown, rows);
    comparePeaks(figures, html, all, shown, rows);
  } else
    figures.fail('Its method does not say by which buckets, in which zone or when it was written.');
  const unchanged = isUnchanged(html);
  if (unchanged === null)
    figures.fail('It has no checksum, so that a change of its other parts cannot be noticed.');
  if (unchanged === false)
    figures.fail(
      'Its counts agree, but another part was changed: its checksum is a different one.',
    );
}

function verifyWorkbook({ series, method }: In<'workbook' | 'slide'>, figures: Figures): void {
  // A wide sheet has no states and no times of fetching.
  compareMethod(
    figures,
    series,
    method,
    series.some(({ query }) => query !== ''),
  );
}

/** The number by which a sheet stores a cell, days for a date. */
const serialOf = (cell: Date | number): number =>
  typeof cell === 'number' ? cell : cell.getTime() / DAY_MS + EPOCH_DAYS;

/** Compares the points that a chart shows with the cells that it names. */
async function compareChart(xml: string, book: Uint8Array, figures: Figures): Promise<void> {
  const sheets = new Map<string, readonly (readonly CellValue[])[]>();
  const shown =
    /<c:f>(\w+)!\$([A-Z]+)\$2:[^<]*<\/c:f><c:numCache>.*?<c:ptCount val="(\d+)"\/>(.*?)<\/c:numCache>/gs;
  for (const [, sheet = COUNTS_SHEET, letters = '', size = '', points = ''] of xml.matchAll(
    shown,
  )) {
    const rows = sheets.get(sheet) ?? (await cellsInSheet(book, sheet));
    sheets.set(sheet, rows);
    const column =
      [...letters].reduce((sum, letter) => sum * 26 + letter.charCodeAt(0) - 64, 0) - 1;
    const values = new Map(
      [...points.matchAll(/idx="(\d+)"><c:v>([^<]*)</g)].map(([, i = '', value = '']) => [
        Number(i),
        value,
      ]),
    );
    for (let i = 0; i < Number(size); i += 1) {
      const cell = rows[i + 1]?.[column];
      const says = values.has(i) ? String(Number(values.get(i))) : '';
      const counts = cell instanceof Date || typeof cell === 'number' ? String(serialOf(cell)) : '';
      figures.compare(`Point ${i + 1} of column ${letters} in the chart`, says, counts);
    }
  }
}

async function verifySlide(slide: In<'slide'>, figures: Figures): Promise<void> {
  const { parts, book, series, notes } = slide;
  verifyWorkbook(slide, figures);
  await compareChart(decoded(parts[PPTX_PARTS.chart]), book, figures);
  compareMethod(figures, series, notes, false);
}

/** Compares the parts of a zip with the checksums in its directory. */
async function compareParts(
  { name: file, bytes }: CountsFile,
  parts: Readonly<Record<string, Uint8Array>>,
  figures: Figures,
): Promise<void> {
  const read = (from: number, length: number): Uint8Array => bytes.subarray(from, from + length);
  for (const { name, crc, headerAt } of await zipEntries({ file, size: bytes.length, read })) {
    const nameAt = headerAt + LOCAL_LENGTH;
    // The directory and the part itself have a name each.
    const isSame = decoded(read(nameAt, utf8(name).length)) === name;
    if (!isSame || crcOf(parts[name] ?? new Uint8Array()) !== crc)
      figures.fail(`Its part ${name} is damaged.`);
  }
}

/**
 * Recomputes the figures of a file that Groundswell wrote from the counts in it. Proves that the file agrees with
 * itself, not who wrote it.
 *
 * @throws {@link BoardError} for another file, and one without counts that can be read.
 */
export async function verifyFile(file: CountsFile): Promise<VerifiedFile> {
  const figures = new Figures();
  const result = (counts: number): VerifiedFile => ({
    counts,
    figures: figures.compared,
    wrong: figures.wrong,
  });
  try {
    const found = await countsInFile(file);
    if (found.kind === 'bundle') return result(found.bundle.series.length);
    if (found.kind === 'table') {
      throw new BoardError(`“${file.name}” has counts and no figures that follow from them.`);
    }
    if (found.kind === 'report') verifyReport(found, figures);
    else {
      if (found.kind === 'slide') await verifySlide(found, figures);
      else verifyWorkbook(found, figures);
      await compareParts(file, found.parts, figures);
    }
    return result(found.series.reduce((sum, { curve }) => sum + curve.counts.length, 0));
  } catch (error) {
    if (error instanceof Fault) return { counts: 0, figures: 0, wrong: error.message };
    throw error;
  }
}
