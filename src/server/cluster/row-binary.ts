/** Reads values of ClickHouse's format RowBinary one after another. */
export class RowReader {
  readonly #bytes: Buffer;
  #at = 0;

  constructor(bytes: Buffer) {
    this.#bytes = bytes;
  }

  get done(): boolean {
    return this.#at >= this.#bytes.length;
  }

  #step(width: number): number {
    const at = this.#at;
    this.#at += width;
    return at;
  }

  u8(): number {
    return this.#bytes.readUInt8(this.#step(1));
  }

  u16(): number {
    return this.#bytes.readUInt16LE(this.#step(2));
  }

  u32(): number {
    return this.#bytes.readUInt32LE(this.#step(4));
  }

  i64(): bigint {
    return this.#bytes.readBigInt64LE(this.#step(8));
  }

  text(): string {
    const length = this.length();
    const at = this.#step(length);
    return this.#bytes.toString('utf8', at, at + length);
  }

  /** An unsigned LEB128 number, as before strings and arrays. */
  length(): number {
    let value = 0;
    for (let scale = 1; ; scale *= 128) {
      const byte = this.u8();
      value += (byte & 127) * scale;
      if (byte < 128) return value;
    }
  }
}

const PART = 1 << 20;

/** Writes values in ClickHouse's format RowBinary. */
export class RowWriter {
  #bytes = Buffer.allocUnsafe(PART);
  #at = 0;
  #parts: Buffer[] = [];

  /** Makes room for a value, and returns where it goes. */
  #step(width: number): number {
    if (this.#at + width > this.#bytes.length) {
      this.#parts.push(this.#bytes.subarray(0, this.#at));
      this.#bytes = Buffer.allocUnsafe(Math.max(PART, width));
      this.#at = 0;
    }
    const at = this.#at;
    this.#at += width;
    return at;
  }

  u8(value: number): void {
    const at = this.#step(1);
    this.#bytes[at] = value;
  }

  u16(value: number): void {
    const at = this.#step(2);
    this.#bytes.writeUInt16LE(value, at);
  }

  u32(value: number): void {
    const at = this.#step(4);
    this.#bytes.writeUInt32LE(value >>> 0, at);
  }

  i8(value: number): void {
    const at = this.#step(1);
    this.#bytes.writeInt8(value, at);
  }

  i64(value: bigint): void {
    const at = this.#step(8);
    this.#bytes.writeBigInt64LE(value, at);
  }

  u64(value: bigint): void {
    const at = this.#step(8);
    this.#bytes.writeBigUInt64LE(value, at);
  }

  length(value: number): void {
    let rest = value;
    while (rest > 127) {
      this.u8((rest & 127) | 128);
      rest >>>= 7;
    }
    this.u8(rest);
  }

  text(value: string): void {
    const length = Buffer.byteLength(value);
    this.length(length);
    const at = this.#step(length);
    this.#bytes.write(value, at, length, 'utf8');
  }

  /** All parts so far; the writer is empty afterwards. */
  take(): Buffer[] {
    const parts = [...this.#parts, this.#bytes.subarray(0, this.#at)];
    this.#parts = [];
    this.#bytes = Buffer.allocUnsafe(PART);
    this.#at = 0;
    return parts;
  }
}
