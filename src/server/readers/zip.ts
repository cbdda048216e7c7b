import { FeedError, shown } from '#core/readers/error.ts';
import { peek } from './bytes.ts';
import type { Stretch } from './bytes.ts';

/*
 * The directory at the end of a zip locates each entry (APPNOTE.TXT 6.3.10, sections 4.3 and 4.4). Reading it
 * instead of the entries in sequence avoids tens of gigabytes of media, of which only the few entries with
 * Posts matter; and the local headers of streamed archives contain no lengths.
 */
const END = 0x06054b50;
const END_64 = 0x06064b50;
const END_64_PLACE = 0x07064b50;
const ENTRY = 0x02014b50;
const LOCAL = 0x04034b50;
const END_LENGTH = 22;
const LOCAL_LENGTH = 30;
const MAX_COMMENT = 0xffff;
const FULL_32 = 0xffffffff;
const ENCRYPTED = 1;
const STORED = 0;
const DEFLATED = 8;
/** Maximum size of the directory: half a million entries with names of 400 characters. */
const MAX_DIRECTORY = 256 * 1024 * 1024;
/**
 * Maximum number of bytes that one byte of deflate can unpack to, according to zlib's notes, and what
 * the end of the stream may add.
 */
const DEFLATE_RATIO = 1032;
const DEFLATE_END = 1024;

/** An entry as the directory describes it. */
export interface ZipEntry {
  readonly name: string;
  readonly encrypted: boolean;
  readonly method: number;
  readonly packedLength: number;
  /** Bytes of its content, and their CRC-32. */
  readonly length: number;
  readonly crc: number;
  readonly headerAt: number;
}

function cut(file: string, size: number): FeedError {
  return new FeedError(
    'truncated',
    file,
    `is cut off: the zip ends at byte ${size} without its directory.`,
  );
}

function damaged(file: string, place: number): FeedError {
  return new FeedError('damaged', file, `the zip's directory is damaged at byte ${place}.`);
}

/** The numbers of an entry; those that do not fit 32 bits are in its extra field, in this order. */
interface Wide {
  readonly length: number;
  readonly packed: number;
  readonly at: number;
}

/** @returns The numbers with those of the extra field, or null if it lacks one. */
function widened(extra: Buffer, short: Wide): Wide | null {
  const names = (['length', 'packed', 'at'] as const).filter((name) => short[name] === FULL_32);
  if (names.length === 0) return short;
  for (let at = 0; at + 4 <= extra.length; at += 4 + extra.readUInt16LE(at + 2)) {
    if (extra.readUInt16LE(at) !== 1) continue;
    const field = extra.subarray(at + 4, at + 4 + extra.readUInt16LE(at + 2));
    if (field.length < 8 * names.length) return null;
    const read = names.map((name, i) => [name, Number(field.readBigUInt64LE(8 * i))] as const);
    return { ...short, ...Object.fromEntries(read) };
  }
  return null;
}

/** Position and length of the directory, and the number of its entries. */
interface Place {
  readonly count: number;
  readonly length: number;
  readonly start: number;
}

/** @throws {@link FeedError} `truncated` if there is no end record, `damaged` if it contradicts the file. */
function directoryPlace(path: string, size: number): Place {
  const tailAt = Math.max(0, size - END_LENGTH - MAX_COMMENT);
  const tail = peek(path, size - tailAt, tailAt).head;
  let at = tail.length - END_LENGTH;
  while (at >= 0 && tail.readUInt32LE(at) !== END) at -= 1;
  if (at < 0) throw cut(path, size);
  const endAt = tailAt + at;
  if (tail.readUInt16LE(at + 4) !== 0 && tail.readUInt16LE(at + 4) !== 0xffff) {
    throw new FeedError('unreadable', path, 'is one part of a split zip; join its parts first.');
  }
  let place: Place = {
    count: tail.readUInt16LE(at + 10),
    length: tail.readUInt32LE(at + 12),
    start: tail.readUInt32LE(at + 16),
  };
  if (at >= 20 && tail.readUInt32LE(at - 20) === END_64_PLACE) {
    const recordAt = Number(tail.readBigUInt64LE(at - 12));
    const record = recordAt < size ? peek(path, 56, recordAt).head : Buffer.alloc(0);
    if (record.length < 56 || record.readUInt32LE(0) !== END_64) throw damaged(path, endAt - 20);
    place = {
      count: Number(record.readBigUInt64LE(32)),
      length: Number(record.readBigUInt64LE(40)),
      start: Number(record.readBigUInt64LE(48)),
    };
  }
  if (place.start + place.length > endAt) throw damaged(path, endAt);
  if (place.length > MAX_DIRECTORY) {
    const why = `the zip's directory has ${place.length} bytes; the maximum is ${MAX_DIRECTORY}.`;
    throw new FeedError('unreadable', path, why);
  }
  return place;
}

/** Refuses a zip bomb, whose entries share bytes; those of a proper zip follow one another. */
function refuseOverlaps(path: string, entries: readonly ZipEntry[], directoryAt: number): void {
  const inPlace = [...entries].sort((a, b) => a.headerAt - b.headerAt);
  for (const [i, { headerAt, packedLength, name }] of inPlace.entries()) {
    const next = inPlace[i + 1]?.headerAt ?? directoryAt;
    if (headerAt + LOCAL_LENGTH + packedLength <= next) continue;
    const why = `the zip is damaged: its entry "${shown(name)}" overlaps what follows it.`;
    throw new FeedError('damaged', path, why);
  }
}

/**
 * The entries of a zip, in the order of its directory.
 *
 * @throws {@link FeedError} `truncated` if the directory at the end is missing, `damaged` if it is
 *   malformed or its entries overlap, `unreadable` for a part of a split zip or an oversized directory.
 */
export function zipEntries(path: string): ZipEntry[] {
  const { size } = peek(path, 0);
  const { count, length, start } = directoryPlace(path, size);
  const directory = peek(path, length, start).head;
  const entries: ZipEntry[] = [];
  let from = 0;
  for (let i = 0; i < count; i++) {
    if (from + 46 > directory.length || directory.readUInt32LE(from) !== ENTRY) {
      throw damaged(path, start + from);
    }
    const nameEnd = from + 46 + directory.readUInt16LE(from + 28);
    const extraEnd = nameEnd + directory.readUInt16LE(from + 30);
    const end = extraEnd + directory.readUInt16LE(from + 32);
    const numbers = widened(directory.subarray(nameEnd, extraEnd), {
      length: directory.readUInt32LE(from + 24),
      packed: directory.readUInt32LE(from + 20),
      at: directory.readUInt32LE(from + 42),
    });
    if (end > directory.length || numbers === null) throw damaged(path, start + from);
    entries.push({
      name: directory.toString('utf8', from + 46, nameEnd),
      encrypted: (directory.readUInt16LE(from + 8) & ENCRYPTED) !== 0,
      method: directory.readUInt16LE(from + 10),
      packedLength: numbers.packed,
      length: numbers.length,
      crc: directory.readUInt32LE(from + 16),
      headerAt: numbers.at,
    });
    from = end;
  }
  refuseOverlaps(path, entries, start);
  return entries;
}

/**
 * The compressed bytes of an entry.
 *
 * @throws {@link FeedError} `damaged` if there is no entry there or its lengths cannot be true,
 *   `unreadable` if it is encrypted or compressed by a method other than deflate.
 */
export function zipStretch(path: string, entry: ZipEntry): Stretch {
  const file = `${path}/${shown(entry.name)}`;
  const header = peek(path, LOCAL_LENGTH, entry.headerAt).head;
  if (header.length < LOCAL_LENGTH || header.readUInt32LE(0) !== LOCAL) {
    throw new FeedError('damaged', file, `there is no zip entry at byte ${entry.headerAt}.`);
  }
  if (entry.encrypted)
    throw new FeedError('unreadable', file, 'is encrypted; unpack the zip first.');
  const { method, packedLength, length, crc } = entry;
  if (method !== STORED && method !== DEFLATED) {
    const how = `is compressed by zip method ${method}, which is not supported; unpack the zip first.`;
    throw new FeedError('unreadable', file, how);
  }
  const limit = method === STORED ? packedLength : DEFLATE_RATIO * packedLength + DEFLATE_END;
  if (length > limit) {
    const why = `is damaged: ${packedLength} compressed bytes cannot contain the ${length} that the zip states.`;
    throw new FeedError('damaged', file, why);
  }
  const start = entry.headerAt + LOCAL_LENGTH + header.readUInt16LE(26) + header.readUInt16LE(28);
  return {
    path,
    file,
    packing: method === STORED ? 'plain' : 'deflate',
    start,
    length: packedLength,
    whole: { length, crc },
  };
}
