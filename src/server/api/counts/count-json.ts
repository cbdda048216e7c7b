import type { Vocabulary } from '#contract/vocabulary.ts';
import { formatInstant } from '#contract/instant.ts';
import { BUCKET_MS, floorTo, type Granularity } from '#core/time/bucket.ts';
import { DAY_MS, MINUTE_MS, type Span } from '#core/time/span.ts';
import { COUNT_NAMES, type CountSelection } from './count-selection.ts';

/** Minimum length of a buffer for {@link PieceText.write}. */
export const MIN_PIECE = 256;

/** More than the longest row: two instants and a count of ten digits, with their names. */
const ROW_ROOM = 128;

/** Length of `2024-01-31T08:30:00.000Z`, and the offset of `08:30` in it. */
const TIME = 24;
const CLOCK = 11;

const ZERO = 48;
const COLON = 58;
const OPEN = 91;
const CLOSE = 125;

const DAY_MINUTES = DAY_MS / MINUTE_MS;

/**
 * A UTF-8 text that is written in pieces, so that it is never in memory as a whole and no piece blocks the thread for
 * long.
 */
export interface PieceText {
  /** Length of the whole text in bytes. */
  readonly length: number;
  /**
   * Writes the next piece.
   *
   * @param into - At least {@link MIN_PIECE} bytes; not used after the call.
   * @returns The number of bytes written to the beginning of `into`; 0 at the end of the text.
   * @throws {@link RangeError} if `into` is shorter.
   */
  write(into: Uint8Array): number;
}

/** A page of counts. */
export interface CountPage extends CountSelection {
  readonly span: Span;
  readonly granularity: Granularity;
  /** One per UTC bucket of the span, which may cut the first and last bucket. */
  readonly counts: Uint32Array;
}

function checkPiece(into: Uint8Array): void {
  if (into.length >= MIN_PIECE) return;
  throw new RangeError(`A piece must have at least ${MIN_PIECE} bytes, got ${into.length}`);
}

/** A row with a count of 0 and blank times, and the offsets of those times, -1 if absent. */
function rowForm({ fields, vocabulary }: CountSelection): {
  row: Buffer;
  start: number;
  end: number;
} {
  let text = ',{';
  const at = { start: -1, end: -1 };
  for (const field of fields.filter((field) => field !== 'tweet_count')) {
    if (text.length > 2) text += ',';
    text += `"${field}":"`;
    at[field] = text.length;
    text += `${' '.repeat(TIME)}"`;
  }
  if (fields.includes('tweet_count'))
    text += `${text.length > 2 ? ',' : ''}"${COUNT_NAMES[vocabulary]}":0`;
  return { row: Buffer.from(`${text}}`, 'latin1'), ...at };
}

/** Overwrites the time of day in an instant's text. */
function putClock(bytes: Uint8Array, at: number, minuteOfDay: number): void {
  const hour = (minuteOfDay / 60) | 0;
  const minute = minuteOfDay - hour * 60;
  const hourTens = (hour / 10) | 0;
  const minuteTens = (minute / 10) | 0;
  const clock = at + CLOCK;
  bytes[clock] = ZERO + hourTens;
  bytes[clock + 1] = ZERO + hour - hourTens * 10;
  bytes[clock + 2] = COLON;
  bytes[clock + 3] = ZERO + minuteTens;
  bytes[clock + 4] = ZERO + minute - minuteTens * 10;
}

/** Number of decimal digits. */
function digitsOf(count: number): number {
  let digits = 1;
  for (let limit = 10; count >= limit; limit *= 10) digits += 1;
  return digits;
}

class PageText implements PieceText {
  readonly length: number;
  readonly #page: CountPage;
  readonly #form: ReturnType<typeof rowForm>;
  readonly #withCount: boolean;
  /** Last bucket boundary at or before the span's start. */
  readonly #base: number;
  readonly #tail: Buffer;
  #nextRow = 0;
  #tailWritten = 0;

  constructor(page: CountPage, nextToken: string | null) {
    const { counts, fields, vocabulary, span, granularity } = page;
    this.#page = page;
    this.#form = rowForm(page);
    this.#withCount = fields.includes('tweet_count');
    this.#base = floorTo(span.start, granularity);
    let total = 0;
    let rows = counts.length * this.#form.row.length;
    for (let i = 0; i < counts.length; i++) {
      const count = counts[i]!;
      total += count;
      if (count > 9 && this.#withCount) rows += digitsOf(count) - 1;
    }
    const meta = {
      [`total_${COUNT_NAMES[vocabulary]}`]: total,
      ...(nextToken === null ? {} : { next_token: nextToken }),
    };
    // In the first row, the bracket replaces the comma.
    const open = counts.length === 0 ? '{"data":[' : '';
    this.#tail = Buffer.from(`${open}],"meta":${JSON.stringify(meta)}}`, 'latin1');
    this.length = (counts.length === 0 ? 0 : '{"data":'.length + rows) + this.#tail.length;
  }

  write(into: Uint8Array): number {
    checkPiece(into);
    let at = this.#writeRows(into);
    if (this.#nextRow === this.#page.counts.length) {
      const rest = this.#tail.subarray(this.#tailWritten, this.#tailWritten + into.length - at);
      into.set(rest, at);
      this.#tailWritten += rest.length;
      at += rest.length;
    }
    return at;
  }

  #writeRows(out: Uint8Array): number {
    const { counts } = this.#page;
    const { row, start, end } = this.#form;
    const minutes = BUCKET_MS[this.#page.granularity] / MINUTE_MS;
    const first = this.#base / MINUTE_MS;
    const withCount = this.#withCount;
    const room = out.length - ROW_ROOM;
    let at = 0;
    let i = this.#nextRow;
    if (i === 0 && counts.length > 0) at = Buffer.from('{"data":', 'latin1').copy(out);
    for (; i < counts.length && at <= room; i++) {
      // Within a day, rows differ only in their times of day.
      const endMinute = (first + (i + 1) * minutes) % DAY_MINUTES;
      if (i < 2 || endMinute <= minutes || i === counts.length - 1) this.#putInstants(i);
      else {
        if (start >= 0) putClock(row, start, endMinute - minutes);
        if (end >= 0) putClock(row, end, endMinute);
      }
      out.set(row, at);
      if (i === 0) out[at] = OPEN;
      at += row.length;
      if (!withCount) continue;
      let count = counts[i]!;
      if (count < 10) out[at - 2] = ZERO + count;
      else {
        const digits = digitsOf(count);
        at += digits - 1;
        for (let k = at - 2; k > at - 2 - digits; k--) {
          const tens = Math.floor(count / 10);
          out[k] = ZERO + count - tens * 10;
          count = tens;
        }
        out[at - 1] = CLOSE;
      }
    }
    this.#nextRow = i;
    return at;
  }

  /** Writes both instants of a bucket into the row, with their dates. */
  #putInstants(i: number): void {
    const { span, granularity } = this.#page;
    const { row, start, end } = this.#form;
    const width = BUCKET_MS[granularity];
    const from = this.#base + i * width;
    if (start >= 0) row.write(formatInstant(Math.max(span.start, from)), start, 'latin1');
    if (end >= 0) row.write(formatInstant(Math.min(span.end, from + width)), end, 'latin1');
  }
}

/**
 * The JSON text of a page, `{"data":[…],"meta":{…}}`, written byte by byte without an object per bucket.
 * The total in `meta` is the sum of the counts.
 */
export function pageText(page: CountPage, nextToken: string | null): PieceText {
  return new PageText(page, nextToken);
}

/** The answer if nothing can match: only `meta` (recorded, platform-facts 1.3). */
export function nothingText(vocabulary: Vocabulary): PieceText {
  const text = Buffer.from(`{"meta":{"total_${COUNT_NAMES[vocabulary]}":0}}`, 'latin1');
  let written = false;
  return {
    length: text.length,
    write: (into) => {
      checkPiece(into);
      if (written) return 0;
      written = true;
      return text.copy(into);
    },
  };
}
