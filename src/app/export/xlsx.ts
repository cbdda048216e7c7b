import type { ZoneTable } from '#core/time/zone.ts';
import { DATE, TIME, type CsvBlock } from '#core/export/csv.ts';
import type { NoteLine } from './note.ts';
import { type XlsxJob, countsSheet } from '#app/export/xlsx/counts-sheet.ts';
import { namedColumns, sheetBlocks, sheetHead, SHEET_END } from '#app/export/xlsx/sheet.ts';
import { CELL_FORMAT } from '#app/export/xlsx/package-parts.ts';
import { type PlainSheet, plainSheet } from '#app/export/xlsx/plain-sheet.ts';
import { workbookBlocks, WORKBOOK_MARK, textBlock } from '#app/export/xlsx/zipped-workbook.ts';
import { SharedTexts, wallCells } from '#app/export/xlsx/sheet-rows.ts';

/*
 * A workbook: the counts, the events of their time if there are any, and how it was counted. Written as parts of XML straight into a zip, in
 * constant memory. https://ecma-international.org/publications-and-standards/standards/ecma-376/
 */

/** Names of the sheets. */
export const COUNTS_SHEET = 'Counts';
const EVENTS_SHEET = 'Events';
export const METHOD_SHEET = 'Method';

/** Columns of the sheet of events after {@link DATE} and {@link TIME}. */
const EVENT_COLUMNS = [
  'kind',
  'title',
  'detail',
  'source',
  'start_utc',
  'end_utc',
  'start_local',
  'id',
] as const;

function* eventsSheet({ events }: XlsxJob, texts: SharedTexts): Generator<CsvBlock> {
  const columns = namedColumns([DATE, TIME, ...EVENT_COLUMNS]);
  const blocks = sheetBlocks(columns, texts, false, function* (rows) {
    for (const { kind, title, detail, source, start, end, startLocal, id } of events) {
      rows.begin();
      wallCells(rows, Date.parse(`${startLocal.slice(0, 19)}Z`), true);
      for (const text of [kind, title, detail, source]) rows.text(text);
      rows.instant(start);
      rows.instant(end ?? Number.NaN);
      for (const text of [startLocal, id]) rows.text(text);
      rows.end();
      yield;
    }
  });
  // Progress is that of the counts.
  for (const { bytes } of blocks) yield { bytes, rows: 0 };
}

function methodSheet(method: readonly NoteLine[], texts: SharedTexts): string {
  const cell = (column: string, row: number, text: string, format: number): string =>
    text === '' ? '' : `<c r="${column}${row}" s="${format}" t="s"><v>${texts.place(text)}</v></c>`;
  const rows = method.map(({ of, name, value }, i) => {
    const title = of === 'series' ? value : name;
    const said = of === 'series' ? '' : value;
    const cells =
      cell('A', i + 1, title, of === 'fact' ? CELL_FORMAT.wrapped : CELL_FORMAT.heading) +
      cell('B', i + 1, said, CELL_FORMAT.wrapped);
    return `<row r="${i + 1}">${cells}</row>`;
  });
  return `${sheetHead([32, 96], false, false)}${rows.join('')}${SHEET_END}`;
}

/**
 * Writes a workbook in blocks: a sheet of counts with real dates and numbers under a frozen header, one of events, and a
 * sheet of method. Texts are never formulas. Columns are those of a CSV file of this shape in an order for people: dates first,
 * and instants in UTC last.
 *
 * @param table - Offsets of the view's zone, over all of `job.bounds`.
 * @param more - Further sheets.
 * @throws {RangeError} if there are more rows, or longer texts, than a sheet of Excel holds; if a series does not have
 *   one entry per bucket, or a count is infinite.
 */
export async function* xlsxBlocks(
  job: XlsxJob,
  table: ZoneTable,
  more: readonly PlainSheet[] = [],
): AsyncGenerator<CsvBlock> {
  const texts = new SharedTexts();
  const method = methodSheet(job.method, texts);
  yield* workbookBlocks(texts, WORKBOOK_MARK.text, [
    [COUNTS_SHEET, () => countsSheet(job, table, texts)],
    ...(job.events.length > 0 ? [[EVENTS_SHEET, () => eventsSheet(job, texts)] as const] : []),
    [METHOD_SHEET, () => textBlock(method)],
    ...more.map((sheet) => plainSheet(sheet, texts, false)),
  ]);
}

/** Writes a workbook of small sheets in blocks, each under a frozen header. Texts are never formulas. */
export async function* plainWorkbook(sheets: readonly PlainSheet[]): AsyncGenerator<CsvBlock> {
  const texts = new SharedTexts();
  yield* workbookBlocks(
    texts,
    null,
    sheets.map((sheet, i) => plainSheet(sheet, texts, i === 0)),
  );
}
