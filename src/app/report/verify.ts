import { unzipSync } from 'fflate';
import { streamXlsxRows, type CellValue } from 'hucre/xlsx';
import { readBundle } from '#app/export/bundle.ts';
import type { FileSeries } from '#app/export/fixed.ts';
import { unescaped } from '#app/export/markup.ts';
import { figureLines, type NoteLine } from '#app/export/note.ts';
import { DATA_SHEET, PPTX_PARTS } from '#app/export/pptx.ts';
import { problemWords, readCsv, type CsvReading } from '#app/export/read-csv.ts';
import { readXlsx } from '#app/export/read-xlsx.ts';
import { csvInReport, isUnchanged } from '#app/export/report.ts';
import { COUNTS_SHEET, METHOD_SHEET } from '#app/export/xlsx.ts';
import { fileKind, HEAD_BYTES } from '#app/import/file-kind.ts';
import { BoardError, type VerifiedFile } from '#contract/counts/report.ts';
import { Fault } from '#contract/fault.ts';
import { crcOf } from '#core/export/crc.ts';
import { zipEntries } from '#core/readers/zip.ts';
import { errorMessage } from '#core/thrown.ts';

/*
 * Recomputes the figures of a file from the counts in it. Everything else is covered by the file's checksums: those of a
 * report's text, and of each part of the others.
 */

/** A line of the method note in a file. */
type Said = Pick<NoteLine, 'of' | 'name' | 'value'>;

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

/** @throws {BoardError} that says why, if a file has no counts that can be read. */
function seriesIn(reading: CsvReading): readonly FileSeries[] {
  if (reading.ok) return reading.series;
  throw new BoardError(`Its counts cannot be read: ${problemWords(reading.problem)}`);
}

/**
 * Compares the figures of a method note with counts.
 *
 * @param whole - False for counts of which it is only known whether they are complete.
 */
function compareMethod(
  figures: Figures,
  series: readonly FileSeries[],
  method: readonly Said[],
  whole: boolean,
): void {
  const starts = method.flatMap(({ of }, i) => (of === 'series' ? [i] : []));
  figures.compare('Series', String(starts.length), String(series.length));
  for (const [i, { label, curve }] of series.entries()) {
    const said = new Map(
      method
        .slice((starts[i] ?? 0) + 1, starts[i + 1] ?? method.length)
        .filter(({ name }) => name !== '')
        .map(({ name, value }) => [name, value]),
    );
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

async function verifyReport(html: string, figures: Figures): Promise<number> {
  const csv = csvInReport(html);
  if (csv === null) throw new BoardError('It has too many buckets to include their counts.');
  const series = seriesIn(await readCsv(csv));
  const method = [
    ...html
      .slice(html.lastIndexOf('<h2>Method</h2>'))
      .matchAll(/<dt class="series">(.*?)<\/dt>|<dt>(.*?)<\/dt><dd>(.*?)<\/dd>/gs),
  ].map(([, label, name = '', value = '']) => {
    const of = label === undefined ? ('fact' as const) : ('series' as const);
    return { of, name: unescaped(name), value: unescaped(value) };
  });
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
  const unchanged = isUnchanged(html);
  if (unchanged === null)
    figures.fail('It has no checksum, so that a change of its other parts cannot be noticed.');
  if (unchanged === false)
    figures.fail(
      'Its counts agree, but another part was changed: its checksum is a different one.',
    );
  return series.reduce((sum, { curve }) => sum + curve.counts.length, 0);
}

/** The cells of a sheet. */
async function rowsOf(book: Uint8Array, sheet: string): Promise<readonly (readonly CellValue[])[]> {
  const rows: CellValue[][] = [];
  for await (const { index, values } of streamXlsxRows(book, { sheet })) rows[index] = values;
  return rows;
}

async function verifyWorkbook(
  book: Uint8Array<ArrayBuffer>,
  figures: Figures,
): Promise<readonly FileSeries[]> {
  const series = seriesIn(await readXlsx(book));
  const method = (await rowsOf(book, METHOD_SHEET)).map(([name, value]) => ({
    of: value === null || value === undefined ? ('series' as const) : ('fact' as const),
    name: String(name ?? ''),
    value: String(value ?? ''),
  }));
  // A wide sheet has no states and no times of fetching.
  compareMethod(
    figures,
    series,
    method,
    series.some(({ query }) => query !== ''),
  );
  return series;
}

const text = (bytes: Uint8Array | undefined): string => new TextDecoder().decode(bytes);

/** Compares the points that a chart shows with the cells that it names. */
async function compareChart(xml: string, book: Uint8Array, figures: Figures): Promise<void> {
  const sheets = new Map<string, readonly (readonly CellValue[])[]>();
  const shown =
    /<c:f>(\w+)!\$([A-Z]+)\$2:[^<]*<\/c:f><c:numCache>.*?<c:ptCount val="(\d+)"\/>(.*?)<\/c:numCache>/gs;
  for (const [, sheet = COUNTS_SHEET, letters = '', size = '', points = ''] of xml.matchAll(
    shown,
  )) {
    const rows = sheets.get(sheet) ?? (await rowsOf(book, sheet));
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
      if (cell instanceof Date) continue;
      const says = values.has(i) ? String(Number(values.get(i))) : '';
      const counts = typeof cell === 'number' ? String(cell) : '';
      figures.compare(`Point ${i + 1} of column ${letters} in the chart`, says, counts);
    }
  }
}

async function verifySlide(
  parts: Readonly<Record<string, Uint8Array>>,
  figures: Figures,
): Promise<readonly FileSeries[]> {
  const book = Uint8Array.from(parts[DATA_SHEET] ?? new Uint8Array());
  const series = await verifyWorkbook(book, figures);
  await compareChart(text(parts[PPTX_PARTS.chart]), book, figures);
  const notes = [...text(parts[PPTX_PARTS.notes]).matchAll(/<a:p>(.*?)<\/a:p>/gs)].map(
    ([, said = '']) =>
      unescaped([...said.matchAll(/<a:t>(.*?)<\/a:t>/gs)].map(([, run = '']) => run).join('')),
  );
  const method = notes.flatMap((note): Said[] => {
    const [, name = '', value = ''] = /^ {2}([^:]+): (.*)$/s.exec(note) ?? [];
    if (note.startsWith('- ')) return [{ of: 'series', name: '', value: note.slice(2) }];
    return name === '' ? [] : [{ of: 'fact', name, value }];
  });
  compareMethod(figures, series, method, false);
  return series;
}

/** Compares the parts of a zip with the checksums in its directory. */
async function compareParts(
  file: string,
  bytes: Uint8Array,
  parts: Readonly<Record<string, Uint8Array>>,
  figures: Figures,
): Promise<void> {
  const read = (from: number, length: number): Uint8Array => bytes.subarray(from, from + length);
  for (const { name, crc } of await zipEntries({ file, size: bytes.length, read })) {
    if (crcOf(parts[name] ?? new Uint8Array()) !== crc)
      figures.fail(`Its part ${name} is damaged.`);
  }
}

/**
 * Recomputes the figures of a file that Groundswell wrote from the counts in it. Proves that the file agrees with
 * itself, not who wrote it.
 *
 * @throws {@link BoardError} for another file, and one without counts that can be read.
 */
export async function verifyFile(
  name: string,
  bytes: Uint8Array<ArrayBuffer>,
): Promise<VerifiedFile> {
  const figures = new Figures();
  const kind = fileKind(name, bytes.subarray(0, HEAD_BYTES));
  const result = (counts: number): VerifiedFile => ({
    counts,
    figures: figures.compared,
    wrong: figures.wrong,
  });
  const size = (series: readonly FileSeries[]): number =>
    series.reduce((sum, { curve }) => sum + curve.counts.length, 0);
  if (kind === 'report') return result(await verifyReport(text(bytes), figures));
  try {
    if (kind === 'bundle') {
      const { series } = await readBundle(new Blob([bytes]));
      return result(series.length);
    }
    const parts = unzipSync(bytes);
    const isSlide = PPTX_PARTS.chart in parts;
    if (kind !== 'workbook' && !isSlide) {
      throw new BoardError(
        `“${name}” is not a report, workbook, presentation or bundle that Groundswell wrote.`,
      );
    }
    const series = isSlide
      ? await verifySlide(parts, figures)
      : await verifyWorkbook(bytes, figures);
    await compareParts(name, bytes, parts, figures);
    return result(size(series));
  } catch (error) {
    if (error instanceof BoardError) throw error;
    if (error instanceof Fault) return { counts: 0, figures: 0, wrong: error.message };
    throw new BoardError(`“${name}” cannot be read: ${errorMessage(error)}`);
  }
}
