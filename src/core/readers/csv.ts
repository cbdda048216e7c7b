import type { Row } from './row.ts';
import { type CsvShape, CsvReader, DELIMITERS, type Quotes } from './csv-reader.ts';

/**
 * Delimiter and line end of a CSV file, by its first line that is not blank: the delimiter that is most
 * frequent outside quotes.
 */
export function csvShape(head: string): CsvShape {
  let newline: CsvShape['newline'] | null = null;
  const seen = { ',': 0, ';': 0, '\t': 0 };
  let quoted = false;
  let begun = false;
  for (let at = 0; at < head.length; at += 1) {
    const c = head[at] ?? '';
    if (c === '"') {
      quoted = !quoted;
      begun = true;
    } else if (quoted) continue;
    else if (c === '\n' || c === '\r') {
      newline ??= c === '\n' || head[at + 1] === '\n' ? '\n' : '\r';
      if (begun) break;
    } else if (c === ',' || c === ';' || c === '\t') {
      seen[c] += 1;
      begun = true;
    } else if (c !== ' ') begun = true;
  }
  const best = Math.max(seen[','], seen[';'], seen['\t']);
  const delimiter = seen[','] === best ? ',' : seen[';'] === best ? ';' : '\t';
  return { delimiter, newline: newline ?? '\n' };
}

/** Text that suffices to compare delimiters, and the rows of it. */
const COMPARED = 64 * 1024;
const COMPARED_ROWS = 200;

/** The number that most of the rows have as their number of fields; bad rows have none. */
export function usualWidth(rows: readonly Row[]): number {
  const times = new Map<number, number>();
  for (const row of rows) {
    if (row.kind !== 'columns') continue;
    times.set(row.fields.length, (times.get(row.fields.length) ?? 0) + 1);
  }
  let best = 0;
  for (const [width, n] of times) {
    const most = times.get(best) ?? 0;
    if (n > most || (n === most && width > best)) best = width;
  }
  return best;
}

/** The rows that a text begins with. @param whole - Whether it is the whole text; else its last row may be cut off. */
export function firstRows(text: string, shape: CsvShape, whole: boolean): Row[] {
  const reader = new CsvReader(shape);
  const rows = reader.push(text);
  if (whole) rows.push(...reader.end());
  return rows;
}

/**
 * Delimiter and line end of a table that may have other lines above its header: the delimiter by which most rows have
 * the same number of fields, at least two.
 *
 * @param whole - Whether `head` is the whole text.
 */
export function tableShape(head: string, whole: boolean): CsvShape {
  const { newline } = csvShape(head);
  const text = head.slice(0, COMPARED);
  let best = csvShape(head);
  let most = 0;
  for (const delimiter of DELIMITERS) {
    const shape = { delimiter, newline };
    const rows = firstRows(text, shape, whole && text.length === head.length).slice(
      0,
      COMPARED_ROWS,
    );
    const width = usualWidth(rows);
    if (width < 2) continue;
    const same = rows.filter((row) => row.kind === 'columns' && row.fields.length === width);
    // Between equally regular readings, the one with more fields.
    const score = same.length / rows.length + width / 1e6;
    if (score > most) [most, best] = [score, shape];
  }
  return best;
}

/** The share of rows that have the usual number of fields. */
function regularity(rows: readonly Row[]): number {
  const width = usualWidth(rows);
  const same = rows.filter((row) => row.kind === 'columns' && row.fields.length === width);
  return rows.length === 0 ? 0 : same.length / rows.length;
}

/**
 * The quoting of a table: `none` if more rows are regular so, and most fields that begin with a quote do not end with
 * one, as texts of Posts do.
 *
 * @param whole - Whether `head` is the whole text.
 */
export function guessQuotes(head: string, shape: CsvShape, whole: boolean): Quotes {
  if (!head.includes('"')) return 'csv';
  const plain = firstRows(head, { ...shape, quotes: 'none' }, whole);
  const begun = plain
    .flatMap((row) => (row.kind === 'columns' ? row.fields : []))
    .filter((field) => field.startsWith('"'));
  const closed = begun.filter((field) => field.length > 1 && field.endsWith('"'));
  if (closed.length * 2 >= begun.length) return 'csv';
  return regularity(plain) > regularity(firstRows(head, shape, whole)) ? 'none' : 'csv';
}
