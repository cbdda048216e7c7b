import { DAY_MS, HOUR_MS, MINUTE_MS, SECOND_MS } from '#core/time/span.ts';

const ZERO = 0x30;
const DASH = 0x2d;
const COLON = 0x3a;
/** From this length on, one copy is faster than a loop. */
const COPY_BYTES = 10;
const encoder = new TextEncoder();

/** Encodes a text as UTF-8. Lone surrogates become U+FFFD. */
export function utf8(text: string): Uint8Array {
  return encoder.encode(text);
}

/** All bytes of a file that is written in blocks. */
export async function bytesIn(
  blocks: AsyncIterable<{ readonly bytes: Uint8Array<ArrayBuffer> }>,
): Promise<Uint8Array<ArrayBuffer>> {
  const parts: Blob[] = [];
  for await (const { bytes } of blocks) parts.push(new Blob([bytes]));
  return new Uint8Array(await new Blob(parts).arrayBuffer());
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
  /** The block taken last, whose write to disk may still be in progress; null before the first. */
  #taken: Uint8Array<ArrayBuffer> | null = null;
  #at = 0;

  constructor(size: number) {
    this.#block = new Uint8Array(size);
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
    const out = this.rest();
    const next = this.#taken ?? new Uint8Array(this.#block.length);
    [this.#block, this.#taken] = [next, this.#block];
    this.#at = 0;
    return out;
  }

  /** As {@link take}, if nothing is written after it. */
  rest(): Uint8Array<ArrayBuffer> {
    return this.#block.subarray(0, this.#at);
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

  /** A whole number from 0 to 2^31 in decimal digits. */
  integer(value: number): void {
    let width = 1;
    for (let limit = 10; limit <= value; limit *= 10) width += 1;
    let rest = value | 0;
    for (let i = this.#at + width - 1; i >= this.#at; i -= 1) {
      const next = (rest / 10) | 0;
      this.#block[i] = ZERO + (rest - next * 10);
      rest = next;
    }
    this.#at += width;
  }

  /**
   * Writes a number as {@link decimal} does.
   *
   * @param sign - Before its decimals.
   * @throws {RangeError} for an infinity or NaN.
   */
  number(value: number, sign = '.'): void {
    if (value >= 0 && (value | 0) === value) this.integer(value);
    else this.bytes(utf8(decimal(value).replace('.', sign)));
  }
}

function writeTwo(bytes: Uint8Array, at: number, value: number): void {
  const tens = (value / 10) | 0;
  bytes[at] = ZERO + tens;
  bytes[at + 1] = ZERO + value - tens * 10;
}

/** The text of a time, of which only what differs from the time before is written again. */
export class TimeText {
  /** Of {@link utc} 24, of {@link local} 25. */
  readonly bytes: Uint8Array;
  /** The day and the hour of the text, epoch ms. */
  #day = Number.NaN;
  #hour = Number.NaN;
  /** The seconds of the text and what follows them, ms. */
  #rest = Number.NaN;
  #offset = Number.NaN;

  /** @param bytes - The bytes to which the text is written, for instance a part of a row. */
  constructor(bytes: Uint8Array) {
    this.bytes = bytes;
    bytes.set(utf8('0000-00-00T00:00:00'));
  }

  /** Writes an instant as `Date.toISOString` does (years 0 to 9999). */
  utc(at: number): void {
    const rest = this.#toMinute(at);
    if (rest === this.#rest) return;
    const millis = this.#toSecond(rest);
    const hundreds = (millis / 100) | 0;
    this.bytes[19] = 0x2e;
    this.bytes[20] = ZERO + hundreds;
    writeTwo(this.bytes, 21, millis - hundreds * 100);
    this.bytes[23] = 0x5a;
  }

  /**
   * Writes an instant in local time with its offset, to the second: `2026-03-08T03:00:00-04:00`.
   *
   * @param offset - Local time minus UTC in ms; whole minutes.
   */
  local(at: number, offset: number): void {
    const rest = this.#toMinute(at + offset);
    if (rest === this.#rest && offset === this.#offset) return;
    this.#toSecond(rest);
    this.#offset = offset;
    const minutes = Math.abs(offset) / MINUTE_MS;
    this.bytes[19] = offset < 0 ? DASH : 0x2b;
    writeTwo(this.bytes, 20, (minutes / 60) | 0);
    this.bytes[22] = COLON;
    writeTwo(this.bytes, 23, minutes % 60);
  }

  /** Writes the date, the hour and the minute. @returns The rest, ms. */
  #toMinute(at: number): number {
    if (!(at >= this.#hour && at < this.#hour + HOUR_MS)) {
      if (!(at >= this.#day && at < this.#day + DAY_MS)) {
        this.#day = Math.floor(at / DAY_MS) * DAY_MS;
        // By digits: rows by days have another date each, and `toISOString` takes four times as long.
        const date = new Date(this.#day);
        const century = (date.getUTCFullYear() / 100) | 0;
        writeTwo(this.bytes, 0, century);
        writeTwo(this.bytes, 2, date.getUTCFullYear() - century * 100);
        writeTwo(this.bytes, 5, date.getUTCMonth() + 1);
        writeTwo(this.bytes, 8, date.getUTCDate());
        this.#rest = Number.NaN;
      }
      const hours = ((at - this.#day) / HOUR_MS) | 0;
      writeTwo(this.bytes, 11, hours);
      this.#hour = this.#day + hours * HOUR_MS;
    }
    const past = (at - this.#hour) | 0;
    const minute = (past / MINUTE_MS) | 0;
    writeTwo(this.bytes, 14, minute);
    return past - minute * MINUTE_MS;
  }

  /** Writes the seconds. @returns The rest, ms. */
  #toSecond(rest: number): number {
    this.#rest = rest;
    const second = (rest / SECOND_MS) | 0;
    writeTwo(this.bytes, 17, second);
    return rest - second * SECOND_MS;
  }
}
