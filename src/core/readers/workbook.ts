import { SaxesParser, type SaxesTagPlain } from 'saxes';
import { MAX_ROW } from './csv.ts';
import { FeedError } from './error.ts';
import type { ColumnRow } from './row.ts';

/** Opens a part of a workbook, such as `xl/workbook.xml`, as blocks of text; null if it has no such part. */
export type OpenPart = (name: string) => Promise<AsyncIterable<string> | null>;

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

/** Days from day 0 of Excel's two date systems to 1970 (ECMA-376 part 1, 18.17.4.1). */
const EPOCH_1900 = 25_569;
const EPOCH_1904 = 24_107;
const DAY_SECONDS = 86_400;
/** Number formats that every workbook has and that show a date or a time (ECMA-376 part 1, 18.8.30). */
const DATE_FORMATS = new Set([
  14, 15, 16, 17, 18, 19, 20, 21, 22, 27, 28, 29, 30, 31, 32, 33, 34, 35, 36, 45, 46, 47, 50, 51,
  52, 53, 54, 55, 56, 57, 58,
]);
/** Columns and rows that a sheet can have (Excel's own limits). */
const MAX_COLUMNS = 16_384;
const MAX_ROWS = 1_048_576;
/** Maximum number of characters that cells share: half a million Posts; they are in memory at once. */
const MAX_SHARED = 64 * 1024 * 1024;

/** An element without its namespace: some writers give every element a prefix. */
function localName(name: string): string {
  const colon = name.indexOf(':');
  return colon === -1 ? name : name.slice(colon + 1);
}

function attribute({ attributes }: SaxesTagPlain, name: string): string | undefined {
  const value = attributes[name];
  return typeof value === 'string' ? value : undefined;
}

interface Handlers {
  readonly open: (name: string, tag: SaxesTagPlain) => void;
  readonly close?: (name: string) => void;
  readonly text?: (text: string) => void;
}

/** Parses a part block by block, pausing after each, so that rows can be passed on. */
async function* parsed(
  file: string,
  blocks: AsyncIterable<string>,
  { open, close, text }: Handlers,
): AsyncGenerator<void> {
  const parser = new SaxesParser({ xmlns: false, position: false });
  parser.on('error', (error) => {
    throw new FeedError('damaged', file, `is damaged: its XML cannot be read (${error.message}).`);
  });
  parser.on('opentag', (tag) => open(localName(tag.name), tag));
  if (close) parser.on('closetag', (tag) => close(localName(tag.name)));
  if (text) parser.on('text', text);
  for await (const block of blocks) {
    parser.write(block);
    yield;
  }
  parser.close();
}

async function parseAll(
  file: string,
  blocks: AsyncIterable<string> | null,
  handlers: Handlers,
): Promise<void> {
  if (!blocks) return;
  const passes = parsed(file, blocks, handlers);
  while (!(await passes.next()).done);
}

/** True if a custom number format shows a date: it has a part of one outside quotes, brackets and escapes. */
function isDateFormat(format: string): boolean {
  const bare = format.replaceAll(/"[^"]*"|\[[^\]]*\]|\\.|_.|\*./g, '');
  return /[ymdhs]/i.test(bare) && !/general/i.test(bare);
}

async function styles(file: string, open: OpenPart): Promise<boolean[]> {
  const custom = new Map<number, boolean>();
  const isDate: boolean[] = [];
  let inCells = false;
  await parseAll(file, await open('xl/styles.xml'), {
    open: (name, tag) => {
      if (name === 'numFmt') {
        custom.set(
          Number(attribute(tag, 'numFmtId')),
          isDateFormat(attribute(tag, 'formatCode') ?? ''),
        );
      } else if (name === 'cellXfs') inCells = true;
      else if (name === 'xf' && inCells) {
        const format = Number(attribute(tag, 'numFmtId') ?? 0);
        isDate.push(custom.get(format) ?? DATE_FORMATS.has(format));
      }
    },
    close: (name) => {
      if (name === 'cellXfs') inCells = false;
    },
  });
  return isDate;
}

/** The part that a relationship of the workbook leads to. */
function partOf(target: string): string {
  return target.startsWith('/') ? target.slice(1) : `xl/${target.replace(/^\.\//, '')}`;
}

/**
 * Reads what the sheets of an XLSX workbook share, and their names.
 *
 * @param file - Name for messages.
 * @throws {@link FeedError} `damaged` for XML that cannot be read, `unknown-kind` without a sheet that has cells.
 */
export async function openWorkbook(file: string, open: OpenPart): Promise<Workbook> {
  const targets = new Map<string, string>();
  await parseAll(file, await open('xl/_rels/workbook.xml.rels'), {
    open: (name, tag) => {
      if (name !== 'Relationship' || !attribute(tag, 'Type')?.endsWith('/worksheet')) return;
      targets.set(attribute(tag, 'Id') ?? '', partOf(attribute(tag, 'Target') ?? ''));
    },
  });
  const sheets: Sheet[] = [];
  let epoch = EPOCH_1900;
  await parseAll(file, await open('xl/workbook.xml'), {
    open: (name, tag) => {
      if (name === 'workbookPr' && /^(1|true)$/.test(attribute(tag, 'date1904') ?? '')) {
        epoch = EPOCH_1904;
      }
      if (name !== 'sheet') return;
      const id = Object.entries(tag.attributes).find(([key]) => /(^|:)id$/.test(key))?.[1] as
        | string
        | undefined;
      const part = targets.get(id ?? '');
      const named = attribute(tag, 'name');
      if (part !== undefined && named !== undefined) sheets.push({ name: named, part });
    },
  });
  if (sheets.length === 0) {
    throw new FeedError('unknown-kind', file, 'is a workbook without a sheet of cells.');
  }
  return { sheets, epoch, isDate: await styles(file, open) };
}

/** Characters that a workbook writes as `_x000D_` and the like (ECMA-376 part 1, 22.9.2.19). */
function unescaped(text: string): string {
  if (!text.includes('_x')) return text;
  return text.replaceAll(/_x([0-9A-Fa-f]{4})_/g, (_, code: string) =>
    String.fromCharCode(Number.parseInt(code, 16)),
  );
}

/**
 * Reads the texts that cells share.
 *
 * @param most - Number of texts that are needed.
 * @throws {@link FeedError} `unreadable` beyond {@link MAX_SHARED} characters, `damaged`.
 */
export async function sharedTexts(file: string, open: OpenPart, most: number): Promise<string[]> {
  const texts: string[] = [];
  const blocks = most === 0 ? null : await open('xl/sharedStrings.xml');
  if (!blocks) return texts;
  let characters = 0;
  let current = '';
  let inText = false;
  // Japanese readings of a text are next to it, and no part of it.
  let inReading = false;
  const passes = parsed(file, blocks, {
    open: (name) => {
      if (name === 'si') current = '';
      else if (name === 'rPh') inReading = true;
      else if (name === 't') inText = !inReading;
    },
    close: (name) => {
      if (name === 't') inText = false;
      else if (name === 'rPh') inReading = false;
      else if (name === 'si') {
        characters += current.length;
        if (characters > MAX_SHARED) {
          const why = `has more than ${MAX_SHARED} characters of text; save the sheet as CSV (UTF-8).`;
          throw new FeedError('unreadable', file, why);
        }
        texts.push(unescaped(current));
      }
    },
    text: (text) => {
      if (inText) current += text;
    },
  });
  for await (const _ of passes) if (texts.length >= most) break;
  return texts;
}

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
      this.#line = Number(attribute(tag, 'r') ?? this.#line + 1);
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
    const place = attribute(tag, 'r');
    this.#column = (place === undefined ? null : columnOf(place)) ?? this.#column;
    if (this.#column >= MAX_COLUMNS) throw this.#damaged('a column beyond the last');
    this.#type = attribute(tag, 't') ?? 'n';
    this.#style = Number(attribute(tag, 's') ?? -1);
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
    if (this.#type !== 'n') return unescaped(value);
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
  const passes = parsed(file, blocks, {
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

/** Rows of a sheet that suffice to recognise its header and columns. */
export const SAMPLE_ROWS = 500;

/** The first rows of a sheet, with only those of the shared texts that they need. @throws {@link FeedError} */
export async function sheetSample(
  file: string,
  book: Workbook,
  part: string,
  open: OpenPart,
): Promise<ColumnRow[]> {
  const first = async (shared: (index: number) => string): Promise<ColumnRow[]> => {
    const rows: ColumnRow[] = [];
    const blocks = await open(part);
    if (!blocks) return rows;
    for await (const batch of sheetRows(file, book, blocks, shared)) {
      rows.push(...batch);
      if (rows.length >= SAMPLE_ROWS) break;
    }
    return rows.slice(0, SAMPLE_ROWS);
  };
  let most = -1;
  await first((index) => {
    most = Math.max(most, index);
    return ' ';
  });
  const texts = await sharedTexts(file, open, most + 1);
  return await first((index) => texts[index] ?? '');
}
