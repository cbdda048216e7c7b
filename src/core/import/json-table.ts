import { DocumentReader } from '#core/readers/json.ts';
import type { ColumnRow, Row, ValueRow } from '#core/readers/row.ts';
import { Includes } from './includes.ts';
import { object, type Json } from './json.ts';
import { planTable } from './table.ts';
import { readValue } from './values.ts';
import { LineReader } from '#core/readers/line-reader.ts';

/** Objects within objects have columns of their own, named by their path, to this depth. */
const DEPTH = 4;
/** Most columns; more are no table. */
const MOST_COLUMNS = 1000;

/**
 * The rows of JSON lines, or of a list, that a sample has completely.
 *
 * @param newline - The end of lines; null for a list.
 * @param whole - Whether the sample is the whole file.
 */
export function sampleOfJson(
  file: string,
  text: string,
  newline: '\n' | '\r' | null,
  whole: boolean,
): Row[] {
  const reader = newline === null ? new DocumentReader(file) : new LineReader(newline);
  const rows = reader.push(text);
  if (whole) rows.push(...reader.end());
  return rows;
}

/** A value as a table would have it. Ids beyond 2^53, which a number rounds, look rounded, as in a spreadsheet. */
function cellOf(value: unknown): string {
  if (value === null || value === undefined) return '';
  if (typeof value === 'string') return value;
  if (typeof value !== 'number') return JSON.stringify(value);
  const isRounded = Number.isInteger(value) && !Number.isSafeInteger(value);
  return isRounded ? value.toExponential().toUpperCase() : String(value);
}

function* cellsOf(value: Json, prefix: string, depth: number): Generator<[string, string]> {
  for (const [key, cell] of Object.entries(value)) {
    const inner = object(cell);
    if (inner && depth < DEPTH) yield* cellsOf(inner, `${prefix}${key}.`, depth + 1);
    else yield [`${prefix}${key}`, cellOf(cell)];
  }
}

/** The objects of JSON lines or a list as the rows of a table, whose columns are their members. */
export class JsonTable {
  readonly #at: ReadonlyMap<string, number>;

  private constructor(names: ReadonlySet<string>) {
    this.#at = new Map([...names].map((name, at) => [name, at]));
  }

  /**
   * Objects of another tool, which are no Posts of the interface, but have what a Post needs under other names.
   *
   * @param rows - The first rows, which name the columns.
   * @param map - Names of columns by field.
   * @param now - Epoch ms.
   * @returns Null if the rows are read as they are: they have a Post, or nothing that makes one.
   */
  static of(
    rows: readonly Row[],
    map: Readonly<Record<string, string>>,
    now: number,
  ): JsonTable | null {
    const values = rows.filter((row): row is ValueRow => row.kind === 'value');
    const names = new Set<string>();
    for (const row of values) {
      const value = object(row.value);
      if (!value || row.place !== '') return null;
      if (readValue(value, new Includes(), []).some((read) => typeof read !== 'string'))
        return null;
      for (const [name] of cellsOf(value, '', 1)) names.add(name);
      if (names.size > MOST_COLUMNS) return null;
    }
    if (values.length === 0) return null;
    const table = new JsonTable(names);
    const { missing } = planTable(table.sample(rows), { header: 0 }, map, now);
    return missing.every((each) => each === 'dates') ? table : null;
  }

  /** The first rows as those of a table, whose header is line 0. */
  sample(rows: readonly Row[]): Row[] {
    const header: ColumnRow = { kind: 'columns', line: 0, fields: [...this.#at.keys()] };
    return [header, ...this.rows(rows)];
  }

  /** Rows as those of the table. Members that the first rows do not have are left out. */
  rows(rows: readonly Row[]): Row[] {
    return rows.map((row) => {
      if (row.kind !== 'value') return row;
      const { line } = row;
      const value = object(row.value);
      if (!value) return { kind: 'bad', line, reason: 'is not an object' };
      const fields = Array.from({ length: this.#at.size }, () => '');
      for (const [name, cell] of cellsOf(value, '', 1)) {
        const at = this.#at.get(name);
        if (at !== undefined) fields[at] = cell;
      }
      return { kind: 'columns', line, fields };
    });
  }
}
