import { ATTRIBUTES, attributeOf, type Attribute } from '#core/catalog/attribute.ts';
import { FeedError, shown } from '#core/readers/error.ts';
import type { Row } from '#core/readers/row.ts';
import { malformed, type IgnoredNames, type ProductRow } from './product-row.ts';
import { CsvReader, type CsvPlace, type CsvShape } from '#core/readers/csv-reader.ts';

/** Most columns of a feed. */
const MOST_COLUMNS = 1000;

/** The column of each attribute. */
interface Columns {
  readonly count: number;
  /** For each of {@link ATTRIBUTES}, the number of its column; -1 for none. */
  readonly at: readonly number[];
}

/** A place between two rows; JSON. */
export interface ColumnPlace {
  readonly csv: CsvPlace;
  readonly columns: Columns | null;
  readonly openLine: number | null;
}

/** @throws {@link FeedError} `columns` for a header line that cannot be used. */
function columnsOf(file: string, header: readonly string[], ignored: IgnoredNames): Columns {
  if (header.length > MOST_COLUMNS) {
    throw new FeedError('columns', file, `has more than ${MOST_COLUMNS} columns.`);
  }
  const found = new Map<Attribute, number>();
  for (const [at, name] of header.entries()) {
    const attribute = attributeOf(name);
    if (attribute === null) {
      if (name.trim() !== '') ignored.add(name.trim());
      continue;
    }
    const before = found.get(attribute);
    if (before !== undefined) {
      const names = [header[before] ?? '', name].map((column) => `"${shown(column.trim())}"`);
      const why = `has two columns for ${attribute}: ${names.join(' and ')}.`;
      throw new FeedError('columns', file, why);
    }
    found.set(attribute, at);
  }
  if (!found.has('id')) {
    throw new FeedError('columns', file, 'has no column "id" in its header line.');
  }
  return { count: header.length, at: ATTRIBUTES.map((name) => found.get(name) ?? -1) };
}

/** True if a row is Excel's declaration of the separator, such as `sep=;`, which {@link csvShape} has followed. */
function isSeparator(row: Row | undefined): boolean {
  if (row?.kind !== 'columns' || row.fields.length !== 2) return false;
  const [name, rest] = row.fields;
  return name?.toLowerCase() === 'sep=' && rest === '';
}

function productRow(row: Row, { count, at }: Columns): ProductRow {
  const { line } = row;
  if (row.kind === 'bad') return malformed(line, `The row ${row.reason}`);
  if (row.kind !== 'columns' || row.fields.length !== count) {
    return malformed(line, 'The row has another number of fields than the header');
  }
  const { fields } = row;
  const values: string[] = [];
  for (const column of at) values.push(column === -1 ? '' : (fields[column] ?? ''));
  return { line, values, fault: '' };
}

/**
 * Reads the rows of a CSV or TSV feed. Its first line that is not blank names the columns, in any order; Excel's `sep=;` may
 * precede it.
 *
 * @throws {@link FeedError} `columns` if it does not.
 */
export class ColumnReader {
  readonly #file: string;
  readonly #ignored: IgnoredNames;
  readonly #reader: CsvReader;
  #columns: Columns | null = null;
  /** Line of an open quote after which no row was complete. */
  #openLine: number | null = null;
  #last: Row | null = null;

  /** @param from - The place of another reader of the same file, after which this one continues. */
  constructor(file: string, shape: CsvShape, ignored: IgnoredNames, from?: ColumnPlace) {
    this.#file = file;
    this.#ignored = ignored;
    this.#reader = new CsvReader(shape, from?.csv);
    this.#columns = from?.columns ?? null;
    this.#openLine = from?.openLine ?? null;
  }

  /** The place after the last block. */
  get place(): ColumnPlace {
    return { csv: this.#reader.place, columns: this.#columns, openLine: this.#openLine };
  }

  push(text: string): ProductRow[] {
    return this.#take(this.#reader.push(text));
  }

  end(): ProductRow[] {
    const rows = this.#take(this.#reader.end());
    if (!this.#columns) throw this.#noHeader('');
    return rows;
  }

  /**
   * After `end`, whose rows have the one that is cut off. A row that is complete apart from its line end is none.
   *
   * @throws {@link FeedError} `truncated` if the file ends within a row.
   */
  checkEnd(): void {
    const [columns, last] = [this.#columns, this.#last];
    if (this.#openLine !== null) throw this.#cut(this.#openLine, 'a quote is never closed');
    if (!columns || last?.kind !== 'columns' || !this.#reader.endsInRow) return;
    const { line, fields } = last;
    if (fields.length >= columns.count) return;
    throw this.#cut(line, `the last row has ${fields.length} of ${columns.count} fields`);
  }

  #cut(line: number, why: string): FeedError {
    return new FeedError('truncated', this.#file, `is cut off in line ${line}: ${why}.`);
  }

  #take(rows: Row[]): ProductRow[] {
    if (this.#columns) return this.#products(rows, this.#columns);
    const [header, ...others] = isSeparator(rows[0]) ? rows.slice(1) : rows;
    if (!header) return [];
    if (header.kind !== 'columns') {
      throw this.#noHeader(header.kind === 'bad' ? `: its first line ${header.reason}` : '');
    }
    this.#columns = columnsOf(this.#file, header.fields, this.#ignored);
    return this.#products(others, this.#columns);
  }

  #products(rows: readonly Row[], columns: Columns): ProductRow[] {
    this.#last = rows.at(-1) ?? this.#last;
    return rows.map((row) => {
      const product = productRow(row, columns);
      if (product.values) this.#openLine = null;
      else if (row.kind === 'bad' && row.isOpen) this.#openLine ??= row.line;
      return product;
    });
  }

  #noHeader(why: string): FeedError {
    const text = `has no header line with the names of its columns${why}.`;
    return new FeedError('columns', this.#file, text);
  }
}
