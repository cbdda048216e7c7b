import type { Fault } from '#contract/fault.ts';
import {
  type ArchiveKind,
  badArchive,
  ARCHIVE_KINDS,
  MAX_ENTRY,
  shownEntry,
} from './archive-kind.ts';

const LOCAL_HEADER = 0x0403_4b50;
const DIRECTORY_ENTRY = 0x0201_4b50;
const DIRECTORY_END = 0x0605_4b50;
export const LOCAL_BYTES = 30;
const ENTRY_BYTES = 46;
const END_BYTES = 22;
/** Length of the checksum and sizes after an entry. */
const DESCRIPTOR_BYTES = 16;

/** DEFLATE expands 2 bits to at most 258 bytes, so a larger size is false. https://zlib.net/zlib_tech.html */
const MAX_RATIO = 1032;

/** An entry of the directory. */
export interface ArchiveEntry {
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

/** Reads the bytes `[from, to)` of a file. */
export async function spanOfFile(
  file: Blob,
  from: number,
  to: number,
): Promise<Uint8Array<ArrayBuffer>> {
  return new Uint8Array(await file.slice(from, to).arrayBuffer());
}

/** Reads the directory of a file, and refuses files that could be read in another way. */
export async function archiveEntries(
  file: Blob,
  kind: ArchiveKind,
): Promise<Map<string, ArchiveEntry>> {
  const bad = (detail: string): Fault => badArchive(kind, detail);
  const cutOff = 'It is damaged or was cut off';
  const { maxFile, maxInflated, name } = ARCHIVE_KINDS[kind];
  if (file.size > maxFile) throw bad(`It has ${file.size} bytes; ${name} has at most ${maxFile}.`);
  const head = await spanOfFile(file, 0, 4);
  if (head.length < 4 || viewOf(head).getUint32(0, true) !== LOCAL_HEADER) {
    throw bad('It is not a Groundswell file: it begins with other bytes.');
  }
  const endAt = Math.max(0, file.size - END_BYTES);
  const end = viewOf(await spanOfFile(file, endAt, file.size));
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
  const directory = await spanOfFile(file, at, endAt);
  const view = viewOf(directory);
  const entries = new Map<string, ArchiveEntry>();
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
      throw bad(`It unpacks to more than ${name} may have, at ${shownEntry(entryName)}.`);
    }
    const to = from + packed;
    entries.set(entryName, { method, crc, size, start: free, from, to });
    free = to + DESCRIPTOR_BYTES;
    place = next;
  }
  if (place !== length || free !== at) throw bad(`${cutOff}: its parts do not follow one another.`);
  return entries;
}
