import { DAY_MS, MINUTE_MS } from '#core/time/span.ts';
import { type ByteWriter, decimal, utf8 } from '#core/export/bytes.ts';
import { XML, MAIN, CELL_FORMAT } from './package-parts.ts';

const MOST_LETTERS = 32_767;
/** Serial number of 1 January 1970 in days, as Excel counts them. */
export const EPOCH_DAYS = 25_569;

/**
 * Escapes a text for a cell. Characters that XML does not allow are written as Excel does, `_x0000_`; texts of this form
 * are escaped themselves.
 */
function cellText(text: string): string {
  const code = (sign: string): string =>
    `_x${sign.charCodeAt(0).toString(16).toUpperCase().padStart(4, '0')}_`;
  return text
    .replaceAll(/\p{Surrogate}/gu, '\uFFFD')
    .replaceAll(/_(?=x[0-9A-Fa-f]{4}_)/g, '_x005F_')
    .replaceAll(/[\p{Cc}\uFFFE\uFFFF]/gu, (sign) => ('\t\n'.includes(sign) ? sign : code(sign)))
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;');
}

/** The texts of all cells, each once. */
export class SharedTexts {
  readonly #places = new Map<string, number>();

  /** @returns The number of a text. @throws {RangeError} if it is longer than a cell of Excel can hold. */
  place(text: string): number {
    if (text.length > MOST_LETTERS) {
      throw new RangeError(
        `An Excel cell holds at most ${MOST_LETTERS} characters, and “${text.slice(0, 40)}…” has ${text.length}. Choose CSV.`,
      );
    }
    const known = this.#places.get(text);
    if (known !== undefined) return known;
    this.#places.set(text, this.#places.size);
    return this.#places.size - 1;
  }

  xml(): string {
    const all = [...this.#places.keys()];
    const items = all.map((text) => `<si><t xml:space="preserve">${cellText(text)}</t></si>`);
    return `${XML}<sst xmlns="${MAIN}" uniqueCount="${all.length}">${items.join('')}</sst>`;
  }
}

/** Letters of a column: A, B … Z, AA. */
export function letters(column: number): string {
  const above = Math.floor(column / 26) - 1;
  return (above >= 0 ? letters(above) : '') + String.fromCharCode(65 + (column % 26));
}

/** Writes the rows of a sheet, cell by cell. */
export class SheetRows {
  readonly #out: ByteWriter;
  readonly #texts: SharedTexts;
  readonly #columns: readonly Uint8Array[];
  readonly #formats: readonly Uint8Array[];
  /** The last instant of each column and its bytes: an end is the next start, and fetch times repeat. */
  readonly #instants: { at: number; bytes: Uint8Array }[] = [];
  #row = 0;
  #column = 0;

  constructor(out: ByteWriter, texts: SharedTexts, columns: number) {
    this.#out = out;
    this.#texts = texts;
    this.#columns = Array.from({ length: columns }, (_, i) => utf8(`<c r="${letters(i)}`));
    this.#formats = Object.values(CELL_FORMAT).map((format) =>
      utf8(format === CELL_FORMAT.plain ? '"' : `" s="${format}"`),
    );
  }

  begin(): void {
    const out = this.#out;
    this.#row += 1;
    this.#column = 0;
    out.bytes(ROW);
    out.integer(this.#row);
    out.bytes(TAG_END);
  }

  end(): void {
    this.#out.bytes(ROW_END);
  }

  #cell(format: number): void {
    this.#out.bytes(this.#columns[this.#column++] ?? new Uint8Array());
    this.#out.integer(this.#row);
    this.#out.bytes(this.#formats[format] ?? new Uint8Array());
  }

  skip(): void {
    this.#column += 1;
  }

  /** NaN leaves the cell empty. */
  number(value: number, format: number): void {
    if (Number.isNaN(value)) return this.skip();
    this.#cell(format);
    this.#out.bytes(VALUE);
    this.#out.number(value);
    this.#out.bytes(VALUE_END);
  }

  /** An instant in UTC, epoch ms; NaN leaves the cell empty. */
  instant(at: number): void {
    if (Number.isNaN(at)) return this.skip();
    const column = this.#column;
    const [own, before] = [this.#instants[column], this.#instants[column + 1]];
    const known = own?.at === at ? own : before?.at === at ? before : null;
    const bytes = known?.bytes ?? utf8(decimal(at / DAY_MS + EPOCH_DAYS));
    this.#instants[column] = { at, bytes };
    this.#cell(CELL_FORMAT.instant);
    this.#out.bytes(VALUE);
    this.#out.bytes(bytes);
    this.#out.bytes(VALUE_END);
  }

  /** An empty text leaves the cell empty. */
  text(value: string, format: number = CELL_FORMAT.plain): void {
    if (value === '') this.skip();
    else this.place(this.#texts.place(value), format);
  }

  /** A text by its number. */
  place(place: number, format: number = CELL_FORMAT.plain): void {
    this.#cell(format);
    this.#out.bytes(SHARED);
    this.#out.integer(place);
    this.#out.bytes(VALUE_END);
  }
}

const ROW = utf8('<row r="');
const TAG_END = utf8('">');
const ROW_END = utf8('</row>');
const VALUE = utf8('><v>');
const SHARED = utf8(' t="s"><v>');
const VALUE_END = utf8('</v></c>');

/** The day of a wall time as Excel counts it. */
export const serialDay = (wall: number): number => Math.floor(wall / DAY_MS) + EPOCH_DAYS;

/** The whole minutes of a wall time since midnight, as a part of a day. */
export const partOfDay = (wall: number): number =>
  (Math.floor((wall - Math.floor(wall / DAY_MS) * DAY_MS) / MINUTE_MS) * MINUTE_MS) / DAY_MS;

/** Writes the date and, if wanted, the time of day of a wall time, ms as if it were UTC. */
export function wallCells(rows: SheetRows, wall: number, timed: boolean): void {
  rows.number(serialDay(wall), CELL_FORMAT.date);
  if (timed) rows.number(partOfDay(wall), CELL_FORMAT.time);
}
