import { csvShape, firstRows, tableShape } from '#core/readers/csv.ts';
import type { CsvShape } from '#core/readers/csv.ts';
import { decodeSample, guessEncoding } from '#core/readers/encoding.ts';
import type { Encoding } from '#core/readers/encoding.ts';
import type { Row } from '#core/readers/row.ts';
import type { TableChoice } from './table.ts';

/** A table of text, from its first bytes. */
export interface TextTable {
  readonly encoding: Encoding;
  readonly shape: CsvShape;
  /** The rows that the sample has completely, with the header and the lines above it. */
  readonly rows: readonly Row[];
}

/**
 * Reads the first bytes of a table of text, its encoding and delimiter guessed unless they were chosen.
 *
 * @param whole - Whether `sample` is the whole file.
 */
export function readTextTable(sample: Uint8Array, whole: boolean, choice: TableChoice): TextTable {
  const encoding = choice.encoding ?? guessEncoding(sample);
  const text = decodeSample(sample, encoding, whole);
  const shape = choice.delimiter
    ? { delimiter: choice.delimiter, newline: csvShape(text).newline }
    : tableShape(text, whole);
  return { encoding, shape, rows: firstRows(text, shape, whole) };
}
