import { deflateSync, inflateSync, Zip, type ZipInputFile } from 'fflate';
import type * as v from 'valibot';
import { Fault } from '#contract/fault.ts';
import { parseJson } from '#core/text/bounded-json.ts';
import { BAD_BACKUP } from '#app/counts/cache/records.ts';
import { BAD_BOARD } from '#app/counts/cache/saved-board.ts';
import { crcOf } from '#core/export/crc.ts';
import { errorMessage } from '#core/thrown.ts';
import { check, Manifest, type ManifestOf } from './archive-schema.ts';

/*
 * The container of all files of this program: a zip whose first entry, `manifest.json`, says what the file is.
 *
 * The manifest is not compressed and begins with its kind, so that the first bytes identify a file. Entries follow each
 * other without gaps, the directory follows the last one, and nothing follows the directory: every byte that matters is
 * either covered by a CRC-32 or has only one possible value.
 * https://pkware.cachefly.net/webdocs/casestudies/APPNOTE.TXT
 */

/** The kinds of files. */
export type ArchiveKind = Manifest['groundswell'];

/** Type of the fault for a file that is not a bundle, or a damaged one. */
export const BAD_BUNDLE = 'groundswell:bad-bundle';

const VERSION = 1;
const MANIFEST = 'manifest.json';
/** All names that an entry may have, so that no path leads elsewhere and nothing unknown is skipped. */
const NAMES =
  /^(?:manifest\.json|series\/\d{1,5}\.json|cells\/\d{1,5}-(?:minute|hour|day)\.bin|fixed\/\d{1,5}\.bin)$/u;

const LOCAL_HEADER = 0x0403_4b50;
const DIRECTORY_ENTRY = 0x0201_4b50;
const DIRECTORY_END = 0x0605_4b50;
const LOCAL_BYTES = 30;
const ENTRY_BYTES = 46;
const END_BYTES = 22;
/** Length of the checksum and sizes after an entry. */
const DESCRIPTOR_BYTES = 16;
const STORED = 0;
const DEFLATED = 8;
/** Maximum number of entries in a zip without the zip64 extension. */
const MAX_ENTRIES = 65_535;
/** Maximum size of an entry, which is read into memory whole: minutes of twenty years take 42 MB. */
const MAX_ENTRY = 2 ** 28;
/** DEFLATE expands 2 bits to at most 258 bytes, so a larger size is false. https://zlib.net/zlib_tech.html */
const MAX_RATIO = 1032;
/** Compressed bytes to collect before they move to a Blob, which the browser may keep on disk. */
const BLOCK_BYTES = 2 ** 23;
/** Constant, so that the same data gives the same bytes. Zip has no zones: local noon is the same text everywhere. */
const WRITTEN_AT = new Date(1980, 0, 1, 12);

interface Kind {
  /** Type of the fault. */
  readonly type: string;
  /** With its article. */
  readonly name: string;
  /** Maximum size of the file in bytes, and of its unpacked content. */
  readonly maxFile: number;
  readonly maxInflated: number;
}

/** Bundles and boards are in memory as a whole, backups one series at a time. */
const KINDS: Readonly<Record<ArchiveKind, Kind>> = {
  backup: { type: BAD_BACKUP, name: 'a backup', maxFile: 2 ** 32 - 1, maxInflated: 2 ** 34 },
  board: { type: BAD_BOARD, name: 'a board', maxFile: 2 ** 25, maxInflated: 2 ** 27 },
  bundle: { type: BAD_BUNDLE, name: 'a bundle', maxFile: 2 ** 29, maxInflated: 2 ** 30 },
};

/** The fault for a file that cannot be read. @param detail - The problem, as a sentence. */
export function badArchive(kind: ArchiveKind, detail: string): Fault {
  const { type, name } = KINDS[kind];
  return new Fault(0, { title: `This file cannot be read as ${name}`, detail, type });
}

/** Formats a value from a file for a message. Not with `String`, which could call a `toString` from the file. */
const shown = (value: unknown): string => (JSON.stringify(value) ?? 'nothing').slice(0, 40);

function joined(pieces: readonly Uint8Array[], size: number): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(size);
  let at = 0;
  for (const piece of pieces) {
    bytes.set(piece, at);
    at += piece.length;
  }
  return bytes;
}

/** An entry to write, in pieces. */
export interface Part {
  readonly name: string;
  readonly pieces: readonly Uint8Array[];
}

/** JSON as the content of an entry. */
export function jsonPart(name: string, value: unknown): Part {
  return { name, pieces: [new TextEncoder().encode(JSON.stringify(value))] };
}

/**
 * Writes a file. The same manifest and parts give the same bytes. Only one part and some compressed bytes are in memory
 * at a time.
 *
 * @throws {RangeError} if the file would be larger than {@link openArchive} reads.
 */
export async function writeArchive(
  manifest: Manifest,
  parts: AsyncIterable<Part> | Iterable<Part>,
): Promise<Blob> {
  const { name, maxFile, maxInflated } = KINDS[manifest.groundswell];
  let blob = new Blob([]);
  let block: Uint8Array<ArrayBuffer>[] = [];
  let blockBytes = 0;
  let inflated = 0;
  let entries = 0;
  const zip = new Zip((error, chunk) => {
    if (error) throw error;
    block.push(chunk);
    blockBytes += chunk.length;
  });
  const refuseBeyond = (limit: number, got: number, what: string): void => {
    if (got <= limit) return;
    throw new RangeError(
      `The file would be ${name} of more than ${limit} ${what}, too large to open again. Choose fewer series or a shorter range.`,
    );
  };
  const add = ({ name: filename, pieces }: Part): void => {
    const size = pieces.reduce((sum, piece) => sum + piece.length, 0);
    entries += 1;
    inflated += size;
    refuseBeyond(MAX_ENTRY, size, 'bytes in one part');
    refuseBeyond(maxInflated, inflated, 'bytes unpacked');
    refuseBeyond(MAX_ENTRIES, entries, 'parts');
    const content = joined(pieces, size);
    const compression = filename === MANIFEST ? STORED : DEFLATED;
    const crc = crcOf(content);
    const entry: ZipInputFile = { filename, size, crc, compression, mtime: WRITTEN_AT };
    zip.add(entry);
    // Deflated in one call, because fflate's streaming `Deflate` can write invalid distances.
    // https://github.com/101arrowz/fflate/issues/260
    entry.ondata?.(null, compression === STORED ? content : deflateSync(content), true);
    refuseBeyond(maxFile, blob.size + blockBytes, 'bytes');
    if (blockBytes < BLOCK_BYTES) return;
    blob = new Blob([blob, ...block]);
    block = [];
    blockBytes = 0;
  };
  add(jsonPart(MANIFEST, manifest));
  for await (const part of parts) add(part);
  zip.end();
  refuseBeyond(maxFile, blob.size + blockBytes, 'bytes');
  // Not the zip type, because some browsers would append `.zip` to the name.
  return new Blob([blob, ...block], { type: 'application/octet-stream' });
}

interface Entry {
  readonly method: number;
  readonly crc: number;
  readonly size: number;
  /** Offsets of its header, of its compressed bytes, and of their end. */
  readonly start: number;
  readonly from: number;
  readonly to: number;
}

const viewOf = (bytes: Uint8Array<ArrayBuffer>): DataView =>
  new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);

async function bytesIn(file: Blob, from: number, to: number): Promise<Uint8Array<ArrayBuffer>> {
  return new Uint8Array(await file.slice(from, to).arrayBuffer());
}

/** Reads the directory of a file, and refuses files that could be read in another way. */
async function entriesOf(file: Blob, kind: ArchiveKind): Promise<Map<string, Entry>> {
  const bad = (detail: string): Fault => badArchive(kind, detail);
  const cutOff = 'It is damaged or was cut off';
  const { maxFile, maxInflated, name } = KINDS[kind];
  if (file.size > maxFile) throw bad(`It has ${file.size} bytes; ${name} has at most ${maxFile}.`);
  const head = await bytesIn(file, 0, 4);
  if (head.length < 4 || viewOf(head).getUint32(0, true) !== LOCAL_HEADER) {
    throw bad('It is not a Groundswell file: it begins with other bytes.');
  }
  const endAt = Math.max(0, file.size - END_BYTES);
  const end = viewOf(await bytesIn(file, endAt, file.size));
  if (end.byteLength < END_BYTES || end.getUint32(0, true) !== DIRECTORY_END) {
    throw bad(`${cutOff}: the directory at its end is missing.`);
  }
  const [count, length, at] = [
    end.getUint16(10, true),
    end.getUint32(12, true),
    end.getUint32(16, true),
  ];
  const alone = [4, 6, 20].every((field) => end.getUint16(field, true) === 0);
  if (!alone || end.getUint16(8, true) !== count || at + length !== endAt) {
    throw bad(`${cutOff}: its directory is not where it says.`);
  }
  const directory = await bytesIn(file, at, endAt);
  const view = viewOf(directory);
  const entries = new Map<string, Entry>();
  let free = 0;
  let inflated = 0;
  let place = 0;
  for (let i = 0; i < count; i += 1) {
    const whole = place + ENTRY_BYTES <= length && view.getUint32(place, true) === DIRECTORY_ENTRY;
    const nameBytes = whole ? view.getUint16(place + 28, true) : 0;
    const next = place + ENTRY_BYTES + nameBytes;
    if (!whole || next > length) throw bad(`${cutOff}: its directory breaks off.`);
    const entryName = new TextDecoder().decode(directory.subarray(place + ENTRY_BYTES, next));
    const [method, crc, packed, size] = [
      view.getUint16(place + 10, true),
      view.getUint32(place + 16, true),
      view.getUint32(place + 20, true),
      view.getUint32(place + 24, true),
    ];
    const plain = view.getUint16(place + 30, true) === 0 && view.getUint16(place + 32, true) === 0;
    const from = free + LOCAL_BYTES + nameBytes;
    if (!plain || view.getUint32(place + 42, true) !== free || entries.has(entryName)) {
      throw bad(`${cutOff}: its parts do not follow one another.`);
    }
    inflated += size;
    if (size > MAX_ENTRY || size > packed * MAX_RATIO || inflated > maxInflated) {
      throw bad(`It unpacks to more than ${name} may have, at ${shown(entryName)}.`);
    }
    const to = from + packed;
    entries.set(entryName, { method, crc, size, start: free, from, to });
    free = to + DESCRIPTOR_BYTES;
    place = next;
  }
  if (place !== length || free !== at) throw bad(`${cutOff}: its parts do not follow one another.`);
  return entries;
}

/** An opened file, whose parts are checked as they are read. */
export class Archive<K extends ArchiveKind> {
  readonly #file: Blob;
  readonly #kind: K;
  readonly #entries: ReadonlyMap<string, Entry>;
  readonly #unread: Set<string>;

  constructor(file: Blob, kind: K, entries: ReadonlyMap<string, Entry>) {
    this.#file = file;
    this.#kind = kind;
    this.#entries = entries;
    this.#unread = new Set(entries.keys());
  }

  get names(): Iterable<string> {
    return this.#entries.keys();
  }

  has(name: string): boolean {
    return this.#entries.has(name);
  }

  /** The fault for a problem in this file. */
  bad(detail: string): Fault {
    return badArchive(this.#kind, detail);
  }

  /** The content of an entry, possibly in a longer buffer. @throws {Fault} if it is missing or damaged. */
  async bytes(name: string): Promise<Uint8Array<ArrayBuffer>> {
    const entry = this.#entries.get(name);
    if (!entry) throw this.bad(`Its part ${shown(name)} is missing.`);
    this.#unread.delete(name);
    const { method, crc, size, start, from, to } = entry;
    const bytes = await bytesIn(this.#file, start, to);
    const header = new TextDecoder().decode(bytes.subarray(LOCAL_BYTES, from - start));
    const content = this.#unpacked(bytes.subarray(from - start), method, size);
    if (header !== name || content?.length !== size || crcOf(content) !== crc) {
      throw this.bad(`It is damaged: its part ${shown(name)} is not as it was written.`);
    }
    return content;
  }

  #unpacked(
    raw: Uint8Array<ArrayBuffer>,
    method: number,
    size: number,
  ): Uint8Array<ArrayBuffer> | null {
    if (method === STORED) return raw;
    if (method !== DEFLATED) return null;
    try {
      // One more byte than declared, to detect longer content.
      return inflateSync(raw, { out: new Uint8Array(size + 1) });
    } catch {
      return null;
    }
  }

  /** The unchecked JSON of an entry. @param where - Its description, to begin a sentence with. */
  async value(name: string, where: string): Promise<unknown> {
    const bytes = await this.bytes(name);
    try {
      return parseJson(new TextDecoder('utf-8', { fatal: true }).decode(bytes));
    } catch (error) {
      const why = errorMessage(error);
      throw this.bad(`${where} is not JSON that can be read: ${why}.`);
    }
  }

  /** The checked JSON of an entry. */
  async json<S extends v.GenericSchema>(
    name: string,
    schema: S,
    where: string,
  ): Promise<v.InferOutput<S>> {
    return this.checked(schema, await this.value(name, where), where);
  }

  checked<S extends v.GenericSchema>(schema: S, value: unknown, where: string): v.InferOutput<S> {
    const result = check(schema, value);
    if ('wrong' in result) throw this.bad(`${where} is not valid: ${result.wrong}.`);
    return result.output;
  }

  /** @throws {Fault} if a part was not read, because nothing refers to it. */
  finish(): void {
    const [name] = this.#unread;
    if (name !== undefined) throw this.bad(`Nothing in it refers to its part ${shown(name)}.`);
  }
}

/**
 * Opens a file of this program.
 *
 * @returns Its checked manifest, and its other parts, which have not been read yet.
 * @throws {Fault} of the kind's type that says what is wrong, if the file is of another kind, damaged, truncated, of a
 *   newer version, or beyond a limit.
 */
export async function openArchive<K extends ArchiveKind>(
  file: Blob,
  kind: K,
): Promise<{ readonly archive: Archive<K>; readonly manifest: ManifestOf<K> }> {
  const archive = new Archive(file, kind, await entriesOf(file, kind));
  if (!archive.has(MANIFEST)) {
    throw archive.bad(`It is not a Groundswell file: it has no ${MANIFEST}.`);
  }
  const value = await archive.value(MANIFEST, 'Its manifest');
  const { groundswell, version } = (value instanceof Object ? value : {}) as Record<
    string,
    unknown
  >;
  if (!(typeof groundswell === 'string' && Object.hasOwn(KINDS, groundswell))) {
    throw archive.bad('It is not a Groundswell file: its manifest does not say what it is.');
  }
  if (groundswell !== kind) {
    const is = KINDS[groundswell as ArchiveKind].name;
    throw archive.bad(`It is ${is}, not ${KINDS[kind].name}.`);
  }
  if (version !== VERSION) {
    throw archive.bad(
      `A newer version of Groundswell wrote it: its format has version ${shown(version)}, and this one reads version ${VERSION}.`,
    );
  }
  for (const name of archive.names) {
    if (!NAMES.test(name)) throw archive.bad(`It has an unknown part ${shown(name)}.`);
  }
  const manifest = archive.checked(Manifest, value, 'Its manifest') as ManifestOf<K>;
  return { archive, manifest };
}
