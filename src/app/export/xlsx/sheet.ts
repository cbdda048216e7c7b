import { ByteWriter, utf8 } from '#core/export/bytes.ts';
import { DATE, INCOMPLETE, TIME, UNCOVERED, type CsvBlock } from '#core/export/csv.ts';
import { XML, MAIN, CELL_FORMAT } from './package-parts.ts';
import { type SharedTexts, SheetRows } from './sheet-rows.ts';

const BLOCK = 1 << 20;
/** Maximum length of a cell, in bytes: its reference, its style and its number. */
const CELL_BYTES = 420;

/**
 * The head of a sheet.
 *
 * @param widths - Of its columns, in letters.
 * @param shown - True for the sheet that is open at first.
 */
export function sheetHead(widths: readonly number[], frozen: boolean, shown: boolean): string {
  const columns = widths.map(
    (width, i) => `<col min="${i + 1}" max="${i + 1}" width="${width}" customWidth="1"/>`,
  );
  const pane = '<pane ySplit="1" topLeftCell="A2" activePane="bottomLeft" state="frozen"/>';
  return `${XML}<worksheet xmlns="${MAIN}"><sheetViews><sheetView workbookViewId="0"${shown ? ' tabSelected="1"' : ''}>${frozen ? pane : ''}</sheetView></sheetViews><cols>${columns.join('')}</cols><sheetData>`;
}
/** The end of a sheet. */
export const SHEET_END = '</sheetData></worksheet>';

/** Widths of columns by name, in letters; those of series depend on their labels. */
const WIDTHS: Readonly<Record<string, number>> = {
  [DATE]: 12,
  [TIME]: 8,
  kind: 10,
  title: 48,
  detail: 40,
  label: 24,
  tweet_count: 13,
  status: 12,
  query: 40,
  source: 10,
  start_utc: 20,
  end_utc: 20,
  fetched_at: 20,
  start_local: 26,
  id: 26,
  [INCOMPLETE]: 24,
  [UNCOVERED]: 24,
};

/** A column of a sheet, with its width in letters. */
export interface SheetColumn {
  readonly name: string;
  readonly width: number;
}

/** Columns of known widths. */
export const namedColumns = (names: readonly string[]): SheetColumn[] =>
  names.map((name) => ({ name, width: WIDTHS[name] ?? 20 }));

/** Writes a sheet with a frozen header. @param shown - See {@link sheetHead}. */
export function* sheetBlocks(
  columns: readonly SheetColumn[],
  texts: SharedTexts,
  shown: boolean,
  write: (rows: SheetRows) => Generator<void>,
): Generator<CsvBlock> {
  const rowSize = CELL_BYTES * (columns.length + 1);
  const head = utf8(
    sheetHead(
      columns.map(({ width }) => width),
      true,
      shown,
    ),
  );
  const out = new ByteWriter(Math.max(BLOCK, head.length + 2 * rowSize));
  const rows = new SheetRows(out, texts, columns.length);
  out.bytes(head);
  rows.begin();
  for (const { name } of columns) rows.text(name, CELL_FORMAT.heading);
  rows.end();
  let done = 0;
  for (const _ of write(rows)) {
    done += 1;
    if (out.room < rowSize) yield { bytes: out.take(), rows: done };
  }
  out.bytes(utf8(SHEET_END));
  yield { bytes: out.take(), rows: done };
}
