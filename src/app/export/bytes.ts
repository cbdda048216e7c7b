import { DAY_MS, HOUR_MS, MINUTE_MS, SECOND_MS } from '#core/time/span.ts';

const ZERO = 0x30;
const DASH = 0x2d;
const COLON = 0x3a;
const encoder = new TextEncoder();

/** UTF-8 of a text. A lone surrogate becomes U+FFFD, as everywhere on the web. */
export function utf8(text: string): Uint8Array {
  return encoder.encode(text);
}

/**
 * Writes bytes into a block of fixed size. The caller takes the block with {@link take} before it is full;
 * writing past the end throws a RangeError (from the typed array) only for texts, so callers keep `room`.
 */
export class ByteWriter {
  #block: Uint8Array;
  #at = 0;
  /** Day since 1970 whose date stands in {@link #date}; writing dates goes by whole days. */
  #day = Number.NaN;
  #date = new Uint8Array(10);

  constructor(size: number) {
    this.#block = new Uint8Array(size);
  }

  /** Bytes that can still be written. */
  get room(): number {
    return this.#block.length - this.#at;
  }

  /** What was written since the last time; the writer starts a block of its own afresh. */
  take(): Uint8Array<ArrayBuffer> {
    const out = this.#block.slice(0, this.#at);
    this.#at = 0;
    return out;
  }

  byte(value: number): void {
    this.#block[this.#at++] = value;
  }

  bytes(value: Uint8Array): void {
    this.#block.set(value, this.#at);
    this.#at += value.length;
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

  #dateAndTime(at: number): number {
    const day = Math.floor(at / DAY_MS);
    if (day !== this.#day) {
      this.#day = day;
      this.#date.set(utf8(new Date(day * DAY_MS).toISOString().slice(0, 10)));
    }
    this.bytes(this.#date);
    this.byte(0x54);
    let rest = at - day * DAY_MS;
    const hour = (rest / HOUR_MS) | 0;
    rest -= hour * HOUR_MS;
    const minute = (rest / MINUTE_MS) | 0;
    rest -= minute * MINUTE_MS;
    const second = (rest / SECOND_MS) | 0;
    this.#two(hour);
    this.byte(COLON);
    this.#two(minute);
    this.byte(COLON);
    this.#two(second);
    return rest - second * SECOND_MS;
  }

  /** An instant as `Date.toISOString` writes it (years 0 to 9999). */
  utc(at: number): void {
    const millis = this.#dateAndTime(at);
    this.byte(0x2e);
    const hundreds = (millis / 100) | 0;
    this.byte(ZERO + hundreds);
    this.#two(millis - hundreds * 100);
    this.byte(0x5a);
  }

  /**
   * An instant in local time with its offset, to the second: `2026-03-08T03:00:00-04:00`.
   *
   * @param offset - What is added to UTC to get local time, in ms; whole minutes.
   */
  local(at: number, offset: number): void {
    this.#dateAndTime(at + offset);
    this.byte(offset < 0 ? DASH : 0x2b);
    const minutes = Math.abs(offset) / MINUTE_MS;
    this.#two((minutes / 60) | 0);
    this.byte(COLON);
    this.#two(minutes % 60);
  }
}
