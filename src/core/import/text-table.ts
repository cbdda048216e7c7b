import { csvShape, firstRows, guessQuotes, tableShape } from '#core/readers/csv.ts';
import { decodeSample, guessEncoding, type Encoding } from '#core/readers/encoding.ts';
import type { Row } from '#core/readers/row.ts';
import type { TableChoice } from './table.ts';
import type { CsvShape, Quotes } from '#core/readers/csv-reader.ts';

/** A table of text, from its first bytes. */
export interface TextTable {
  readonly encoding: Encoding;
  readonly shape: CsvShape & { readonly quotes: Quotes };
  /** The rows that the sample has completely, with the header and the lines above it. */
  readonly rows: readonly Row[];
}

/**
 * Reads the first bytes of a table of text, its encoding, delimiter and quotes guessed unless they were chosen.
 *
 * @param whole - Whether `sample` is the whole file.
 */
export function readTextTable(sample: Uint8Array, whole: boolean, choice: TableChoice): TextTable {
  const encoding = choice.encoding ?? guessEncoding(sample);
  const text = decodeSample(sample, encoding, whole);
  const shape = choice.delimiter
    ? { delimiter: choice.delimiter, newline: csvShape(text).newline }
    : tableShape(text, whole);
  const quotes = choice.quotes ?? guessQuotes(text, shape, whole);
  const quoted = { ...shape, quotes };
  return { encoding, shape: quoted, rows: firstRows(text, quoted, whole) };
}
