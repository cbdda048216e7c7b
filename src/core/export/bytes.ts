import { DAY_MS, HOUR_MS, MINUTE_MS, SECOND_MS } from '#core/time/span.ts';

const ZERO = 0x30;
const DASH = 0x2d;
const COLON = 0x3a;
const LETTER_T = 0x54;
/** From this length on, one copy is faster than a loop. */
const COPY_BYTES = 48;
/** Length of a UTC instant with milliseconds. */
const UTC_BYTES = 24;
const encoder = new TextEncoder();

/** Encodes a text as UTF-8. Lone surrogates become U+FFFD. */
export function utf8(text: string): Uint8Array {
  return encoder.encode(text);
}

/**
 * Formats a number as the shortest text that parses back to it, without an exponent and independent of the locale.
 *
 * @throws {RangeError} for an infinity or NaN.
 */
export function decimal(value: number): string {
  if (!Number.isFinite(value)) throw new RangeError(`expected a finite number, got ${value}`);
  const text = String(value);
  if (!text.includes('e')) return text;
  const [, sign = '', whole = '', part = '', power] =
    /^(-?)(\d+)(?:\.(\d+))?(?:e([+-]\d+))?$/.exec(text) ?? [];
  const digits = whole + part;
  const point = whole.length + Number(power);
  if (point <= 0) return `${sign}0.${'0'.repeat(-point)}${digits}`;
  return point >= digits.length
    ? `${sign}${digits.padEnd(point, '0')}`
    : `${sign}${digits.slice(0, point)}.${digits.slice(point)}`;
}

/**
 * Writes bytes into a block of fixed size. Callers must check {@link room} and {@link take} the block before it is full:
 * writing past its end throws a RangeError only for texts.
 */
export class ByteWriter {
  #block: Uint8Array<ArrayBuffer>;
  /** The block taken last, whose write to disk may still be in progress. */
  #taken: Uint8Array<ArrayBuffer>;
  #at = 0;
  /** Per time column, the day since 1970 written last and its text, because most rows share their day. */
  readonly #days: Float64Array;
  readonly #dates: readonly Uint8Array[];
  /** Per time column, the UTC instant written last and its bytes. */
  readonly #instants: Float64Array;
  readonly #texts: readonly Uint8Array[];

  /** @param columns - Number of time columns. */
  constructor(size: number, columns: number) {
    this.#block = new Uint8Array(size);
    this.#taken = new Uint8Array(size);
    this.#instants = new Float64Array(columns).fill(Number.NaN);
    this.#texts = Array.from({ length: columns }, () => new Uint8Array(UTC_BYTES));
    this.#days = new Float64Array(columns).fill(Number.NaN);
    this.#dates = Array.from({ length: columns }, () => new Uint8Array(10));
  }

  /** Remaining bytes of the block. */
  get room(): number {
    return this.#block.length - this.#at;
  }

  /**
   * Returns what was written since the last call, without a copy. It is valid until the next call, so that it can be
   * written to disk while the next block is filled.
   */
  take(): Uint8Array<ArrayBuffer> {
    const out = this.#block.subarray(0, this.#at);
    [this.#block, this.#taken] = [this.#taken, this.#block];
    this.#at = 0;
    return out;
  }

  byte(value: number): void {
    this.#block[this.#at++] = value;
  }

  bytes(value: Uint8Array): void {
    if (value.length > COPY_BYTES) {
      this.#block.set(value, this.#at);
      this.#at += value.length;
    } else {
      const block = this.#block;
      let out = this.#at;
      for (let i = 0; i < value.length; i += 1) block[out++] = value[i] ?? 0;
      this.#at = out;
    }
  }

  #two(value: number): void {
    const tens = (value / 10) | 0;
    this.#block[this.#at++] = ZERO + tens;
    this.#block[this.#at++] = ZERO + value - tens * 10;
  }

  /** A whole number from 0 to 2^53 in decimal digits. */
  integer(value: number): void {
    let width = 1;
    for (let limit = 10; limit <= value; limit *= 10) width += 1;
    let rest = value;
    for (let i = this.#at + width - 1; i >= this.#at; i -= 1) {
      const next = Math.floor(rest / 10);
      this.#block[i] = ZERO + (rest - next * 10);
      rest = next;
    }
    this.#at += width;
  }

  /**
   * Writes a number as {@link decimal} does.
   *
   * @throws {RangeError} for an infinity or NaN.
   */
  number(value: number): void {
    if (value >= 0 && value <= Number.MAX_SAFE_INTEGER && Number.isInteger(value)) {
      this.integer(value);
    } else this.bytes(utf8(decimal(value)));
  }

  /** Writes a date like `2026-03-08`. @param at - Local time as if it were UTC, epoch ms. */
  date(at: number, column: number): void {
    const day = Math.floor(at / DAY_MS);
    const date = this.#dates[column];
    if (!date) throw new RangeError(`expected one of ${this.#dates.length} columns, got ${column}`);
    if (day !== this.#days[column]) {
      this.#days[column] = day;
      date.set(utf8(new Date(day * DAY_MS).toISOString().slice(0, 10)));
    }
    const block = this.#block;
    let out = this.#at;
    for (let i = 0; i < 10; i += 1) block[out++] = date[i] ?? 0;
    this.#at = out;
  }

  /** Writes a time of day like `13:00`. @param at - Local time as if it were UTC, epoch ms. */
  clock(at: number): void {
    const minutes = ((at - Math.floor(at / DAY_MS) * DAY_MS) / MINUTE_MS) | 0;
    this.#two((minutes / 60) | 0);
    this.byte(COLON);
    this.#two(minutes % 60);
  }

  #dateAndTime(at: number, column: number): number {
    this.date(at, column);
    const block = this.#block;
    let out = this.#at;
    let rest = at - Math.floor(at / DAY_MS) * DAY_MS;
    const hour = (rest / HOUR_MS) | 0;
    rest -= hour * HOUR_MS;
    const minute = (rest / MINUTE_MS) | 0;
    rest -= minute * MINUTE_MS;
    const second = (rest / SECOND_MS) | 0;
    block[out] = LETTER_T;
    block[out + 1] = ZERO + ((hour / 10) | 0);
    block[out + 2] = ZERO + (hour % 10);
    block[out + 3] = COLON;
    block[out + 4] = ZERO + ((minute / 10) | 0);
    block[out + 5] = ZERO + (minute % 10);
    block[out + 6] = COLON;
    block[out + 7] = ZERO + ((second / 10) | 0);
    block[out + 8] = ZERO + (second % 10);
    this.#at = out + 9;
    return rest - second * SECOND_MS;
  }

  /**
   * Writes an instant as `Date.toISOString` does (years 0 to 9999).
   *
   * @param like - A column that may have written the same instant last, whose bytes are then copied.
   */
  utc(at: number, column: number, like = column): void {
    const known = this.#texts[this.#instants[column] === at ? column : like];
    if (known && (this.#instants[column] === at || this.#instants[like] === at)) {
      const block = this.#block;
      let out = this.#at;
      for (let i = 0; i < UTC_BYTES; i += 1) block[out++] = known[i] ?? 0;
      this.#at = out;
      return;
    }
    const start = this.#at;
    this.#utc(at, column);
    const text = this.#texts[column];
    if (!text) return;
    for (let i = 0; i < UTC_BYTES; i += 1) text[i] = this.#block[start + i] ?? 0;
    this.#instants[column] = at;
  }

  #utc(at: number, column: number): void {
    const millis = this.#dateAndTime(at, column);
    this.byte(0x2e);
    const hundreds = (millis / 100) | 0;
    this.byte(ZERO + hundreds);
    this.#two(millis - hundreds * 100);
    this.byte(0x5a);
  }

  /**
   * Writes an instant in local time with its offset, to the second: `2026-03-08T03:00:00-04:00`.
   *
   * @param offset - Local time minus UTC in ms; whole minutes.
   */
  local(at: number, offset: number, column: number): void {
    this.#dateAndTime(at + offset, column);
    this.byte(offset < 0 ? DASH : 0x2b);
    const minutes = Math.abs(offset) / MINUTE_MS;
    this.#two((minutes / 60) | 0);
    this.byte(COLON);
    this.#two(minutes % 60);
  }
}
