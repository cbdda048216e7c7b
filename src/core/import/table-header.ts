import { usualWidth } from '#core/readers/csv.ts';
import type { ColumnRow, Row } from '#core/readers/row.ts';
import { knownNames } from './fields.ts';
import { readPostUrl } from './post-url.ts';
import { isStamp } from './stamp.ts';

/** Rows among which the header is searched: exports put a handful of lines above it. */
const HEADER_ROWS = 40;
/** A value longer than this is no name of a column. */
const NAME_LENGTH = 200;

export function isColumns(row: Row): row is ColumnRow {
  return row.kind === 'columns';
}

/** True if a cell is a value of a Post rather than the name of a column. */
function isValue(cell: string): boolean {
  return (
    cell.length > NAME_LENGTH ||
    /^\d{9,}$/.test(cell) ||
    readPostUrl(cell) !== null ||
    isStamp(cell)
  );
}

/**
 * The row with the names of the columns: the one with the most known names; else the first as wide as most rows,
 * unless it has values. Null if there is no such row.
 *
 * @param knownIn - Counts the known names among the cells of a row.
 */
function headerOf(
  rows: readonly Row[],
  knownIn: (cells: readonly string[]) => number = knownNames,
): ColumnRow | null {
  const width = usualWidth(rows);
  const first = rows.slice(0, HEADER_ROWS).filter(isColumns);
  let best: ColumnRow | null = null;
  let most = 1;
  for (const row of first) {
    const known = knownIn(row.fields);
    if (known > most && !row.fields.some(isValue)) [best, most] = [row, known];
  }
  if (best) return best;
  const usual = first.find(({ fields }) => fields.length >= width);
  return usual && usual.fields.some(isValue) ? null : (usual ?? null);
}

/**
 * The row with the names of the columns, the rows after it, and the columns' number and names.
 *
 * @param line - Of the header; 0 for none, absent to find one by {@link headerOf}.
 * @throws {RangeError} if no row is on that line.
 */
export function headedRows(
  rows: readonly Row[],
  line: number | undefined,
  knownIn?: (cells: readonly string[]) => number,
) {
  const columns = rows.filter(isColumns);
  const head =
    line === undefined
      ? headerOf(rows, knownIn)
      : (columns.find((row) => row.line === line) ?? null);
  if (line !== undefined && line > 0 && !head) {
    throw new RangeError(`expected the line of a row as the header, got ${line}`);
  }
  const width = head?.fields.length ?? usualWidth(rows);
  return {
    head,
    body: columns.filter((row) => row.line > (head?.line ?? 0)),
    width,
    names: head
      ? head.fields.map((name) => name.trim())
      : Array.from({ length: width }, (_, n) => `Column ${n + 1}`),
  };
}
