import { streamXlsxRows, XLSX_MAX_ROWS_PER_SHEET, type CellValue } from 'hucre/xlsx';
import { decimal } from '#core/export/bytes.ts';
import { CountRows } from './read-csv.ts';
import { DATE, LONG_AFTER, LONG_BEFORE, TIME } from '#core/export/csv.ts';
import { COUNTS_SHEET } from './xlsx.ts';
import { LONG_SHEET, START_LOCAL, WIDE_SHEET } from '#app/export/xlsx/counts-sheet.ts';
import { CsvError, type CsvReading } from './csv-problem.ts';

/** The text of a cell as a CSV file has it. */
function textOf(value: CellValue | undefined): string {
  if (value instanceof Date) return Number.isNaN(value.getTime()) ? '' : value.toISOString();
  if (typeof value === 'number') return Number.isFinite(value) ? decimal(value) : '';
  return value === null || value === undefined ? '' : String(value);
}

/** The order of a CSV file's cells, as places in a row of the sheet; -1 for a column that the sheet lacks. */
function orderOf(header: readonly string[]): readonly number[] {
  const days = header[0] !== DATE ? 0 : header[1] === TIME ? 2 : 1;
  const dates = header[days] === START_LOCAL ? days + 1 : days;
  const at = (name: string): number => header.indexOf(name);
  // `start_local` is in the file as a date and a time, without its offset.
  if (dates > 0 && LONG_SHEET.every((name, i) => header[dates + i] === name)) {
    return [...LONG_BEFORE, ...LONG_AFTER].map((name) => (name === START_LOCAL ? -1 : at(name)));
  }
  const end = header.length - WIDE_SHEET.length;
  if (dates > 0 && WIDE_SHEET.every((name, i) => header[end + i] === name)) {
    const middle = Array.from({ length: end - dates }, (_, i) => dates + i);
    return [end, end + 1, -1, ...middle];
  }
  const rule = `a sheet “${COUNTS_SHEET}” as Groundswell writes it: first ${DATE}, then counts, then ${WIDE_SHEET.join(' and ')}`;
  throw new CsvError(1, '', header.join(', '), rule);
}

/** `start_local` of a bucket, in UTC. */
const localOf = (start: string): string => start.replace(/\.\d{3}Z$/, '+00:00');

/**
 * Reads a workbook as `xlsx.ts` writes it, also after a spreadsheet has saved it again.
 *
 * @returns All series, or only the first problem.
 * @throws {Error} of the reader if the file is no workbook.
 */
export async function readXlsx(file: Uint8Array<ArrayBuffer>): Promise<CsvReading> {
  const rows = new CountRows(', ', (cell) => cell);
  let order: readonly number[] | null = null;
  let line = 0;
  try {
    const sheet = streamXlsxRows(file, { sheet: COUNTS_SHEET, maxRows: XLSX_MAX_ROWS_PER_SHEET });
    for await (const { index, values } of sheet) {
      line = index + 1;
      const cells = values.map(textOf);
      const header: readonly number[] | null = order;
      order ??= orderOf(cells);
      const moved = order.map((place) => cells[place] ?? '');
      const local = order.indexOf(-1);
      moved[local] = header ? localOf(moved[local - 2] ?? '') : 'start_local';
      // Cells after the last that is filled are absent.
      if (cells.some((cell) => cell !== '')) rows.take({ line, cells: moved });
    }
    return { ok: true, series: rows.end(line + 1) };
  } catch (error) {
    if (error instanceof CsvError) return { ok: false, problem: error.problem };
    throw error;
  }
}
