import { Fault } from '#contract/fault.ts';
import { crc32 } from './crc32.ts';
import { BAD_BACKUP } from '#app/counts/cache/records.ts';

/*
 * The file of a backup: MAGIC, the version of its form, gzip of sections, CRC-32 of everything before it.
 * A section is four letters, the length of what follows, and that; numbers are little-endian. Magic, version
 * and checksum stay where they are in every later form, so that each version can tell what it cannot read.
 */

const MAGIC = new TextEncoder().encode('GRNDSWLL');
const FORM = 1;
const HEAD_BYTES = MAGIC.length + 4;
const SUM_BYTES = 4;
/** Far above any section; a length beyond is none. */
const MAX_SECTION = 2 ** 28;
/** Packed bytes that are held before they are handed to the browser as a Blob. */
const HELD_BYTES = 2 ** 23;

/** A part of a backup. */
export interface Section {
  /** Four letters. */
  readonly kind: string;
  readonly payload: Uint8Array<ArrayBuffer>;
}

/** The fault for a file that cannot be read. @param detail - What is wrong with it, as a sentence. */
export function badBackup(detail: string): Fault {
  const title = 'This file cannot be read as a backup';
  return new Fault(0, { title, detail, type: BAD_BACKUP });
}

function u32(value: number): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(4);
  new DataView(bytes.buffer).setUint32(0, value, true);
  return bytes;
}

const readU32 = (bytes: Uint8Array, at = 0): number =>
  new DataView(bytes.buffer, bytes.byteOffset).getUint32(at, true);

const hex = (value: number): string => value.toString(16).padStart(8, '0');

async function eachChunk(
  stream: ReadableStream<Uint8Array<ArrayBuffer>>,
  work: (chunk: Uint8Array<ArrayBuffer>) => void,
): Promise<void> {
  const reader = stream.getReader();
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return;
    work(value);
  }
}

/** Packs sections into a file; only one of them and some packed bytes are held at a time. */
export async function packed(sections: AsyncIterator<Section>): Promise<Blob> {
  const source = new ReadableStream<Uint8Array<ArrayBuffer>>(
    {
      async pull(controller) {
        const { done, value } = await sections.next();
        if (done === true) controller.close();
        else {
          const { kind, payload } = value as Section;
          const head = new Uint8Array(8);
          head.set(new TextEncoder().encode(kind));
          head.set(u32(payload.length), 4);
          controller.enqueue(head);
          controller.enqueue(payload);
        }
      },
    },
    { highWaterMark: 0 },
  );
  const head = new Uint8Array(HEAD_BYTES);
  head.set(MAGIC);
  head.set(u32(FORM), MAGIC.length);
  let sum = crc32(head);
  let blob = new Blob([head]);
  let held: Uint8Array<ArrayBuffer>[] = [];
  let bytes = 0;
  await eachChunk(source.pipeThrough(new CompressionStream('gzip')), (chunk) => {
    sum = crc32(chunk, sum);
    held.push(chunk);
    bytes += chunk.length;
    if (bytes < HELD_BYTES) return;
    blob = new Blob([blob, ...held]);
    held = [];
    bytes = 0;
  });
  return new Blob([blob, ...held, u32(sum)], { type: 'application/octet-stream' });
}

/**
 * Checks that a file is a whole backup in a form that can be read, without a look into it.
 *
 * @throws {Fault} of type `BAD_BACKUP` where it is not.
 */
export async function checkFile(file: Blob): Promise<void> {
  const head = new Uint8Array(await file.slice(0, HEAD_BYTES).arrayBuffer());
  if (head.length < HEAD_BYTES || MAGIC.some((byte, i) => head[i] !== byte)) {
    throw badBackup('It is no backup of Groundswell: its first bytes are other ones.');
  }
  const end = Math.max(HEAD_BYTES, file.size - SUM_BYTES);
  let got = 0;
  await eachChunk(file.slice(0, end).stream(), (chunk) => (got = crc32(chunk, got)));
  const tail = new Uint8Array(await file.slice(end).arrayBuffer());
  const expected = tail.length === SUM_BYTES ? readU32(tail) : null;
  if (got !== expected) {
    const said = expected === null ? 'no checksum' : `checksum ${hex(expected)}`;
    throw badBackup(
      `It is damaged or was cut off: it ends with ${said}, and its bytes come to ${hex(got)}.`,
    );
  }
  const form = readU32(head, MAGIC.length);
  if (form !== FORM) {
    throw badBackup(
      `A newer version of Groundswell wrote it, in form ${form}; this one reads form ${FORM}.`,
    );
  }
}

/** Gives so many bytes of a stream at a time. */
class Bytes {
  readonly #reader: ReadableStreamDefaultReader<Uint8Array<ArrayBuffer>>;
  #chunk = new Uint8Array(0);

  constructor(stream: ReadableStream<Uint8Array<ArrayBuffer>>) {
    this.#reader = stream.getReader();
  }

  /** The next `n` bytes in a buffer of their own; null where none is left. */
  async take(n: number): Promise<Uint8Array<ArrayBuffer> | null> {
    const out: Uint8Array[] = [];
    let left = n;
    while (left > 0) {
      if (this.#chunk.length === 0 && !(await this.#more())) break;
      const part = this.#chunk.subarray(0, left);
      out.push(part);
      left -= part.length;
      this.#chunk = this.#chunk.subarray(part.length);
    }
    if (left === n && n > 0) return null;
    if (left > 0) throw badBackup(`It breaks off: ${left} of ${n} bytes of a part are missing.`);
    const bytes = new Uint8Array(n);
    let at = 0;
    for (const part of out) {
      bytes.set(part, at);
      at += part.length;
    }
    return bytes;
  }

  async #more(): Promise<boolean> {
    try {
      const { done, value } = await this.#reader.read();
      if (!done) this.#chunk = value;
      return !done;
    } catch (error) {
      const why = error instanceof Error ? error.message : String(error);
      throw badBackup(`It cannot be unpacked: ${why}.`);
    }
  }

  async close(): Promise<void> {
    await this.#reader.cancel().catch(() => undefined);
  }
}

/**
 * The sections of a file, one at a time.
 *
 * @throws {Fault} of type `BAD_BACKUP` where what was packed is no list of sections.
 */
export async function* sectionsOf(file: Blob): AsyncGenerator<Section, void> {
  const packedPart = file.slice(HEAD_BYTES, file.size - SUM_BYTES);
  const bytes = new Bytes(packedPart.stream().pipeThrough(new DecompressionStream('gzip')));
  try {
    for (;;) {
      const head = await bytes.take(8);
      if (!head) return;
      const kind = String.fromCharCode(...head.subarray(0, 4));
      const length = readU32(head, 4);
      if (length > MAX_SECTION) {
        throw badBackup(
          `A part of it says to have ${length} bytes; none has more than ${MAX_SECTION}.`,
        );
      }
      const payload = await bytes.take(length);
      if (!payload) throw badBackup(`It breaks off: ${length} bytes of a part are missing.`);
      yield { kind, payload };
    }
  } finally {
    await bytes.close();
  }
}
