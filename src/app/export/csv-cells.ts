import { CsvError } from './csv-problem.ts';

/** A row with its line number. */
export interface CsvRow {
  readonly line: number;
  readonly cells: readonly string[];
}

/** Rows of one series so far. */
export interface CsvRows {
  readonly label: string;
  readonly query: string;
  readonly source: string;
  readonly starts: number[];
  readonly ends: number[];
  readonly counts: number[];
  readonly states: number[];
  readonly fetchedAt: number[];
}

const INSTANT = /^(\d{4}-\d\d-\d\d)T(\d\d:\d\d:\d\d)(?:\.(\d{3}))?Z$/;
const LOCAL = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d[+-]\d\d:\d\d$/;
/** Numbers of a file, and their decimals in words. */
export const CSV_NUMBERS = {
  point: { form: /^-?\d+(\.\d+)?$/, sign: 'a decimal point' },
  /** Of files with semicolons: those of earlier versions have points. */
  either: { form: /^-?\d+([.,]\d+)?$/, sign: 'a decimal comma or point' },
} as const;
export type CsvNumbers = (typeof CSV_NUMBERS)[keyof typeof CSV_NUMBERS];
const utc = 'an instant like 2026-03-08T06:00:00.000Z';

function instantIn(text: string): number | null {
  const [, date, time, part = '000'] = INSTANT.exec(text) ?? [];
  const at = date === undefined ? Number.NaN : Date.parse(text);
  // `Date` turns 31 February into a day in March.
  return !Number.isNaN(at) && new Date(at).toISOString() === `${date}T${time}.${part}Z` ? at : null;
}

/** The instant of a cell. */
export function instantOfCell(row: CsvRow, column: string, text: string): number {
  const at = instantIn(text);
  if (at === null) throw new CsvError(row.line, column, text, utc);
  return at;
}

/** The count of a cell. */
export function countOfCell(
  row: CsvRow,
  column: string,
  text: string,
  { form, sign }: CsvNumbers,
): number {
  if (text === '') return Number.NaN;
  const value = form.test(text) ? Number(text.replace(',', '.')) : Number.NaN;
  if (!Number.isFinite(value)) {
    throw new CsvError(row.line, column, text, `a number with ${sign}, or nothing`);
  }
  return value;
}

/** Reads and checks the bucket of a row. */
export function bucketOfCells(
  row: CsvRow,
  before: number | undefined,
): { start: number; end: number } {
  const [from = '', to = '', local = ''] = row.cells;
  const start = instantOfCell(row, 'start_utc', from);
  const end = instantOfCell(row, 'end_utc', to);
  if (end <= start) throw new CsvError(row.line, 'end_utc', to, 'an instant after start_utc');
  if (before !== undefined && start < before) {
    const rule = 'a bucket that starts no earlier than the previous one ends';
    throw new CsvError(row.line, 'start_utc', from, rule);
  }
  const same = LOCAL.test(local) && Date.parse(local) === Math.floor(start / 1000) * 1000;
  if (!same) {
    throw new CsvError(row.line, 'start_local', local, 'the instant of start_utc with its offset');
  }
  return { start, end };
}
