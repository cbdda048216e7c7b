import type { SaxesTagPlain } from 'saxes';
import { FeedError } from './error.ts';
import type { ColumnRow } from './row.ts';
import { xmlAttribute, unescapedText, parsedXml } from './workbook-xml.ts';
import { MAX_ROW } from './csv-reader.ts';

/** A sheet of a workbook. */
export interface Sheet {
  readonly name: string;
  /** The part with its rows. */
  readonly part: string;
}

/** The parts that the sheets of a workbook share. */
export interface Workbook {
  readonly sheets: readonly Sheet[];
  /** Days before 1970 of day 0 of its dates. */
  readonly epoch: number;
  /** True if a cell of a style shows a date, by style. */
  readonly isDate: readonly boolean[];
}

const DAY_SECONDS = 86_400;

/** Columns and rows that a sheet can have (Excel's own limits). */
const MAX_COLUMNS = 16_384;
const MAX_ROWS = 1_048_576;

/** A date of a cell as its local time in ISO 8601: a day, a time of day, or both. */
function dateText(serial: number, epoch: number): string {
  const seconds = Math.round(serial * DAY_SECONDS);
  const at = new Date((seconds - epoch * DAY_SECONDS) * 1000);
  if (Number.isNaN(at.getTime())) return String(serial);
  const iso = at.toISOString();
  if (serial < 1) return iso.slice(11, 19);
  return seconds % DAY_SECONDS === 0 ? iso.slice(0, 10) : iso.slice(0, 19);
}

/** The column of a cell's place such as `AB12`, from 0; null if it is none. */
function columnOf(place: string): number | null {
  let column = 0;
  for (let at = 0; at < place.length; at++) {
    const c = place.charCodeAt(at);
    if (c < 65 || c > 90) return at === 0 ? null : column - 1;
    column = column * 26 + c - 64;
  }
  return null;
}

/** Reads the rows of a sheet as they close. */
class RowReader {
  readonly #file: string;
  readonly #book: Workbook;
  readonly #shared: (index: number) => string;
  rows: ColumnRow[] = [];
  #width = 0;
  #line = 0;
  #fields: string[] = [];
  #dates: number[] = [];
  #isFilled = false;
  #length = 0;
  #column = 0;
  #type = '';
  #style = -1;
  #value = '';
  #inValue = false;
  #inReading = false;

  constructor(file: string, book: Workbook, shared: (index: number) => string) {
    this.#file = file;
    this.#book = book;
    this.#shared = shared;
  }

  open(name: string, tag: SaxesTagPlain): void {
    if (name === 'c') this.#openCell(tag);
    else if (name === 'v') this.#inValue = true;
    else if (name === 't') this.#inValue = !this.#inReading;
    else if (name === 'rPh') this.#inReading = true;
    else if (name === 'row') {
      this.#line = Number(xmlAttribute(tag, 'r') ?? this.#line + 1);
      if (!(this.#line >= 1 && this.#line <= MAX_ROWS))
        throw this.#damaged('a row beyond the last');
      this.#fields = [];
      this.#dates = [];
      this.#isFilled = false;
      this.#length = 0;
      this.#column = 0;
    }
  }

  text(text: string): void {
    if (this.#inValue) this.#value += text;
  }

  close(name: string): void {
    if (name === 'v' || name === 't') this.#inValue = false;
    else if (name === 'rPh') this.#inReading = false;
    else if (name === 'c') this.#closeCell();
    else if (name === 'row') {
      if (!this.#isFilled) return;
      // Rows end with their last cell that is not empty.
      this.#width = Math.max(this.#width, this.#fields.length);
      while (this.#fields.length < this.#width) this.#fields.push('');
      this.rows.push({
        kind: 'columns',
        line: this.#line,
        fields: this.#fields,
        ...(this.#dates.length > 0 && { dates: this.#dates }),
      });
    }
  }

  #openCell(tag: SaxesTagPlain): void {
    const place = xmlAttribute(tag, 'r');
    this.#column = (place === undefined ? null : columnOf(place)) ?? this.#column;
    if (this.#column >= MAX_COLUMNS) throw this.#damaged('a column beyond the last');
    this.#type = xmlAttribute(tag, 't') ?? 'n';
    this.#style = Number(xmlAttribute(tag, 's') ?? -1);
    this.#value = '';
  }

  #closeCell(): void {
    const value = this.#cellText();
    this.#isFilled ||= this.#value !== '';
    this.#length += value.length;
    if (this.#length > MAX_ROW) throw this.#damaged(`a row of more than ${MAX_ROW} characters`);
    while (this.#fields.length < this.#column) this.#fields.push('');
    this.#fields[this.#column] = value;
    this.#column += 1;
  }

  #cellText(): string {
    const value = this.#value;
    if (value === '') return '';
    if (this.#type === 's') return this.#shared(Number(value));
    if (this.#type === 'b') return value === '1' ? 'true' : 'false';
    if (this.#type === 'e') return '';
    if (this.#type === 'd') return value;
    if (this.#type !== 'n') return unescapedText(value);
    const isDate = this.#book.isDate[this.#style] ?? false;
    if (!isDate || !Number.isFinite(Number(value))) return value;
    this.#dates.push(this.#column);
    return dateText(Number(value), this.#book.epoch);
  }

  #damaged(what: string): FeedError {
    return new FeedError(
      'damaged',
      this.#file,
      `is damaged: its sheet has ${what}, at row ${this.#line}.`,
    );
  }
}

/**
 * The rows of a sheet that are not empty, in batches, each as wide as the widest before it. Cells become texts: dates
 * their local time in ISO 8601, numbers their digits as stored, so that ids keep all of theirs.
 *
 * @param shared - The text that cells share, by its index.
 * @throws {@link FeedError} `damaged`, with the row.
 */
export async function* sheetRows(
  file: string,
  book: Workbook,
  blocks: AsyncIterable<string>,
  shared: (index: number) => string,
): AsyncGenerator<ColumnRow[]> {
  const reader = new RowReader(file, book, shared);
  const passes = parsedXml(file, blocks, {
    open: (name, tag) => reader.open(name, tag),
    close: (name) => reader.close(name),
    text: (text) => reader.text(text),
  });
  for await (const _ of passes) {
    if (reader.rows.length === 0) continue;
    yield reader.rows;
    reader.rows = [];
  }
  if (reader.rows.length > 0) yield reader.rows;
}
