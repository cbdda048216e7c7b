import Papa from 'papaparse';
import { unreadable } from './utf8.ts';
import type { Row } from './row.ts';

/** The characters that can separate the fields of a row. */
export const DELIMITERS = [',', ';', '\t', '|'] as const;
export type Delimiter = (typeof DELIMITERS)[number];

/** The meaning of a quote at the beginning of a field: `csv` that the field ends with the next one, `none` nothing. */
export const QUOTES = ['csv', 'none'] as const;
export type Quotes = (typeof QUOTES)[number];

/** The form of a CSV file, from its first block. */
export interface CsvShape {
  readonly delimiter: Delimiter;
  readonly newline: '\n' | '\r';
  /** `csv` if absent. */
  readonly quotes?: Quotes;
}

interface Parsed {
  readonly data: string[][];
  readonly errors: readonly { readonly row: number }[];
  readonly meta: { readonly cursor: number };
}

/** A place between two blocks at which reading can continue; JSON. */
export interface CsvPlace {
  /** Text of a row that is not complete. */
  readonly pending: string;
  /** Line of the next row, from 1 on. */
  readonly line: number;
  readonly doubtful: boolean;
  readonly skipping: boolean;
}

/** Maximum length of a CSV row, in UTF-16 units; a longer one is a quote that never closes. */
export const MAX_ROW = 128 * 1024;

function countOf(needle: string, text: string): number {
  let n = 0;
  for (let at = text.indexOf(needle); at !== -1; at = text.indexOf(needle, at + 1)) n += 1;
  return n;
}

/** True if a character between a closing quote and the next field is meaningless. */
function isBlank(c: string, delimiter: string, newline: string): boolean {
  return c !== delimiter && c !== newline && c.trim() === '';
}

/**
 * Parses CSV text (RFC 4180; line ends LF, CRLF or CR), block by block. A row that papaparse finds
 * malformed is refused by its first line alone, and reading continues at the next line, so that a quote
 * that never closes costs one row and not the rest of the file.
 */
export class CsvReader {
  readonly #shape: CsvShape;
  #pending = '';
  #line = 1;
  /** True if anything read so far was not UTF-8. */
  #doubtful = false;
  /** True if the current line is already refused. */
  #skipping = false;
  #endsInRow = false;

  /** @param from - The place of another reader of the same text, after which this one continues. */
  constructor(shape: CsvShape, from?: CsvPlace) {
    this.#shape = shape;
    if (!from) return;
    this.#pending = from.pending;
    this.#line = from.line;
    this.#doubtful = from.doubtful;
    this.#skipping = from.skipping;
  }

  /** The place after the last block. */
  get place(): CsvPlace {
    return {
      pending: this.#pending,
      line: this.#line,
      doubtful: this.#doubtful,
      skipping: this.#skipping,
    };
  }

  /** The rows that this block completes. Blank lines are ignored. */
  push(part: string): Row[] {
    let block = part;
    if (this.#skipping) {
      const end = block.indexOf(this.#shape.newline);
      if (end === -1) return [];
      block = block.slice(end + 1);
      this.#skipping = false;
    }
    this.#doubtful ||= unreadable(block) !== null;
    const text = this.#pending === '' ? block : this.#pending + block;
    const rows: Row[] = [];
    let at = this.#read(text, false, rows);
    if (text.length - at > MAX_ROW) at += this.#readSlowly(text.slice(at), false, rows);
    this.#pending = text.slice(at);
    return rows;
  }

  /** The rows that the end of the file completes. */
  end(): Row[] {
    const rows: Row[] = [];
    const { newline } = this.#shape;
    this.#endsInRow = this.#pending.slice(this.#pending.lastIndexOf(newline) + 1).trim() !== '';
    if (this.#pending !== '') this.#read(this.#pending, true, rows);
    this.#pending = '';
    return rows;
  }

  /** True if the last row has no line end; after `end`. */
  get endsInRow(): boolean {
    return this.#endsInRow;
  }

  #parse(text: string, last: boolean): Parsed {
    const { quotes, ...form } = this.#shape;
    // Its fast mode splits at delimiters, whatever the quotes.
    const config = quotes === 'none' ? { ...form, fastMode: true } : form;
    return new Papa.Parser(config).parse(text, 0, !last) as Parsed;
  }

  /** Reads complete rows and returns how far it got. */
  #read(text: string, last: boolean, rows: Row[]): number {
    const parsed = this.#parse(text, last);
    const { data } = parsed;
    if (parsed.errors.some((e) => e.row < data.length)) return this.#readSlowly(text, last, rows);
    const end = last ? text.length : parsed.meta.cursor;
    const breaks = countOf(this.#shape.newline, end === text.length ? text : text.slice(0, end));
    const single = breaks <= data.length - (last ? 1 : 0);
    for (const fields of data) this.#take(fields, single, rows);
    return end;
  }

  /** The same row by row, for text with a malformed row or one without end. */
  #readSlowly(text: string, last: boolean, rows: Row[]): number {
    let at = 0;
    while (at < text.length) {
      const row = this.#row(text, at, last);
      if (row === 'open' && !last && text.length - at <= MAX_ROW) break;
      if (typeof row === 'string') at += this.#refuseLine(text, at, row === 'open', rows);
      else {
        this.#take(row.fields, false, rows);
        at = row.end;
      }
    }
    return at;
  }

  /**
   * The row that begins at `at`, or whether it is malformed or incomplete. It reads no further than the
   * first wrong quote: papaparse would continue to the end, which takes hours if every line of a file
   * has one.
   */
  #row(
    text: string,
    at: number,
    last: boolean,
  ): { readonly fields: string[]; readonly end: number } | 'malformed' | 'open' {
    const { delimiter, newline, quotes } = this.#shape;
    const limit = Math.min(text.length, at + MAX_ROW);
    const fields: string[] = [];
    for (let from = at; ; from += 1) {
      let end = from;
      if (text[from] === '"' && quotes !== 'none') {
        end = text.indexOf('"', from + 1);
        while (end !== -1 && end < limit && text[end + 1] === '"') end = text.indexOf('"', end + 2);
        if (end === -1 || end >= limit) return 'open';
        fields.push(text.slice(from + 1, end).replaceAll('""', '"'));
        end += 1;
        while (end < limit && isBlank(text[end] ?? '', delimiter, newline)) end += 1;
      } else {
        while (end < limit && text[end] !== delimiter && text[end] !== newline) end += 1;
        fields.push(text.slice(from, end));
      }
      if (end >= limit) return last && end === text.length ? { fields, end } : 'open';
      if (text[end] === newline) return { fields, end: end + 1 };
      if (text[end] !== delimiter) return 'malformed';
      from = end;
    }
  }

  /** Refuses the line that begins at `at` and returns its length. */
  #refuseLine(text: string, at: number, isOpen: boolean, rows: Row[]): number {
    const next = text.indexOf(this.#shape.newline, at);
    const end = next === -1 ? text.length : next + 1;
    this.#skipping = next === -1;
    const row: Row =
      end - at > MAX_ROW
        ? { kind: 'bad', line: this.#line, reason: `is longer than ${MAX_ROW} characters` }
        : {
            kind: 'bad',
            line: this.#line,
            reason: 'has a quote that is opened or closed in the wrong place',
            ...(isOpen && { isOpen }),
          };
    rows.push(row);
    this.#line += 1;
    return end - at;
  }

  #take(fields: string[], single: boolean, rows: Row[]): void {
    const line = this.#line;
    this.#line += 1;
    if (!single) for (const field of fields) this.#line += countOf(this.#shape.newline, field);
    const last = fields.length - 1;
    const tail = fields[last] ?? '';
    if (tail.charCodeAt(tail.length - 1) === 13) fields[last] = tail.slice(0, -1);
    if (last === 0 && (fields[0] ?? '').trim() === '') return;
    const reason = this.#doubtful ? unreadable(fields.join(',')) : null;
    rows.push(reason === null ? { kind: 'columns', line, fields } : { kind: 'bad', line, reason });
  }
}
