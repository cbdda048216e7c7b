import { unzipSync } from 'fflate';
import { streamXlsxRows, type CellValue } from 'hucre/xlsx';
import { readBundle, type OpenedBundle } from '#app/export/bundle.ts';
import type { FileSeries } from '#app/export/fixed.ts';
import { unescaped } from '#app/export/markup.ts';
import type { NoteLine } from '#app/export/note.ts';
import { DATA_SHEET, PPTX_PARTS } from '#app/export/pptx.ts';
import { readCsv } from '#app/export/read-csv.ts';
import { readJsonFile } from '#app/export/read-json.ts';
import { readXlsx } from '#app/export/read-xlsx.ts';
import { csvInReport } from '#app/export/report.ts';
import { COUNTS_SHEET, METHOD_SHEET } from '#app/export/xlsx.ts';
import { fileKind, HEAD_BYTES } from '#app/import/file-kind.ts';
import { LIFT_SHEETS } from '#app/lift/lift-workbook.ts';
import { BoardError, type CountsFile } from '#contract/counts/report.ts';
import { Fault } from '#contract/fault.ts';
import { errorMessage } from '#core/thrown.ts';
import { problemWords, type CsvReading } from '#app/export/csv-problem.ts';

/** A line of the method note in a file. */
export type MethodLine = Pick<NoteLine, 'of' | 'name' | 'value'>;

type Parts = Readonly<Record<string, Uint8Array>>;

interface Numbers {
  readonly series: readonly FileSeries[];
  /** Empty for a file without a note. */
  readonly method: readonly MethodLine[];
}

/** The counts in a file that Groundswell wrote, with what else of it says something about them. */
export type CountsInFile =
  | { readonly kind: 'bundle'; readonly bundle: OpenedBundle }
  | (Numbers & { readonly kind: 'table' })
  | (Numbers & { readonly kind: 'report'; readonly html: string })
  | (Numbers & { readonly kind: 'workbook'; readonly parts: Parts })
  | (Numbers & {
      readonly kind: 'slide';
      readonly parts: Parts;
      /** The workbook behind the chart, and the note for the speaker. */
      readonly book: Uint8Array;
      readonly notes: readonly MethodLine[];
    });

/** @throws {BoardError} that says why, if a file has no counts that can be read. */
function seriesIn(reading: CsvReading): readonly FileSeries[] {
  if (reading.ok) return reading.series;
  throw new BoardError(`Its counts cannot be read: ${problemWords(reading.problem)}`);
}

export const decoded = (bytes: Uint8Array | undefined): string => new TextDecoder().decode(bytes);

/** The names of a workbook's sheets; none for another file. */
function sheetNames(parts: Parts): readonly string[] {
  const xml = decoded(parts['xl/workbook.xml']);
  return [...xml.matchAll(/<(?:\w+:)?sheet\s[^>]*\bname="([^"]*)"/g)].map(([, name = '']) => name);
}

/** The cells of a sheet. */
export async function cellsInSheet(
  book: Uint8Array,
  sheet: string,
): Promise<readonly (readonly CellValue[])[]> {
  const rows: CellValue[][] = [];
  for await (const { index, values } of streamXlsxRows(book, { sheet })) rows[index] = values;
  return rows;
}

/** The facts of a method note about each of its series, by name. */
export function seriesFacts(method: readonly MethodLine[]): ReadonlyMap<string, string>[] {
  const starts = method.flatMap(({ of }, i) => (of === 'series' ? [i] : []));
  return starts.map(
    (start, i) =>
      new Map(
        method
          .slice(start + 1, starts[i + 1] ?? method.length)
          .filter(({ name }) => name !== '')
          .map(({ name, value }) => [name, value]),
      ),
  );
}

async function inReport(html: string): Promise<CountsInFile> {
  const csv = csvInReport(html);
  if (csv === null) throw new BoardError('It has too many buckets to include their counts.');
  const method = [
    ...html
      .slice(html.lastIndexOf('<h2>Method</h2>'))
      .matchAll(/<dt class="series">(.*?)<\/dt>|<dt>(.*?)<\/dt><dd>(.*?)<\/dd>/gs),
  ].map(([, label, name = '', value = '']): MethodLine => {
    const of = label === undefined ? 'fact' : 'series';
    return { of, name: unescaped(name), value: unescaped(value) };
  });
  return { kind: 'report', html, series: seriesIn(await readCsv(csv)), method };
}

async function inWorkbook(book: Uint8Array<ArrayBuffer>): Promise<Numbers> {
  const series = seriesIn(await readXlsx(book));
  const method = (await cellsInSheet(book, METHOD_SHEET)).map(([name, value]): MethodLine => ({
    of: value === null || value === undefined ? 'series' : 'fact',
    name: String(name ?? ''),
    value: String(value ?? ''),
  }));
  return { series, method };
}

async function inSlide(parts: Parts): Promise<CountsInFile> {
  const book = Uint8Array.from(parts[DATA_SHEET] ?? new Uint8Array());
  const notes = [...decoded(parts[PPTX_PARTS.notes]).matchAll(/<a:p>(.*?)<\/a:p>/gs)]
    .map(([, said = '']) =>
      unescaped([...said.matchAll(/<a:t>(.*?)<\/a:t>/gs)].map(([, run = '']) => run).join('')),
    )
    .flatMap((note): MethodLine[] => {
      const [, name = '', value = ''] = /^(?: {2})?([^:]+): (.*)$/s.exec(note) ?? [];
      if (note.startsWith('- ')) return [{ of: 'series', name: '', value: note.slice(2) }];
      return name === '' ? [] : [{ of: 'fact', name, value }];
    });
  return { kind: 'slide', parts, book, notes, ...(await inWorkbook(book)) };
}

/**
 * Reads the counts in a file that Groundswell wrote.
 *
 * @throws {@link BoardError} for another file, and one without counts that can be read; {@link Fault} for a damaged
 *   bundle.
 */
export async function countsInFile({ name, bytes }: CountsFile): Promise<CountsInFile> {
  const kind = fileKind(name, bytes.subarray(0, HEAD_BYTES));
  try {
    if (kind === 'bundle') return { kind, bundle: await readBundle(new Blob([bytes])) };
    if (kind === 'report') return await inReport(decoded(bytes));
    if (kind === 'counts' || kind === 'json') {
      const text = decoded(bytes);
      const reading = kind === 'json' ? readJsonFile(text) : await readCsv(text);
      return { kind: 'table', series: seriesIn(reading), method: [] };
    }
    const parts = decoded(bytes.subarray(0, 2)) === 'PK' ? unzipSync(bytes) : {};
    if (PPTX_PARTS.chart in parts) return await inSlide(parts);
    const sheets = sheetNames(parts);
    // A program that saves a workbook drops the mark by which its kind is known.
    if (
      kind === 'workbook' ||
      [COUNTS_SHEET, METHOD_SHEET].every((sheet) => sheets.includes(sheet))
    ) {
      return { kind: 'workbook', parts, ...(await inWorkbook(bytes)) };
    }
    if (LIFT_SHEETS.every((sheet) => sheets.includes(sheet))) {
      throw new BoardError(
        `“${name}” is a workbook of a lift, without the counts that its figures follow from.`,
      );
    }
  } catch (error) {
    if (error instanceof BoardError || error instanceof Fault) throw error;
    throw new BoardError(`“${name}” cannot be read: ${errorMessage(error)}`);
  }
  throw new BoardError(
    `“${name}” is not a report, workbook, presentation or bundle that Groundswell wrote.`,
  );
}
