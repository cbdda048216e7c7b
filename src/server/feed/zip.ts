import { FeedError } from './error.ts';
import { peek } from './bytes.ts';
import type { Stretch } from './bytes.ts';

/*
 * The directory at the end of a zip says where each entry lies (APPNOTE.TXT 6.3.10, sections 4.3 and 4.4).
 * It is read instead of the entries in passing because an archive with its media has tens of gigabytes
 * of which only the few entries with Posts matter, and because the local headers of streamed archives
 * carry no lengths.
 */
const END = 0x06054b50;
const END_64 = 0x06064b50;
const END_64_PLACE = 0x07064b50;
const ENTRY = 0x02014b50;
const LOCAL = 0x04034b50;
const END_LENGTH = 22;
const LONGEST_COMMENT = 0xffff;
const FULL_32 = 0xffffffff;
const ENCRYPTED = 1;
const STORED = 0;
const DEFLATED = 8;

/** An entry as the directory names it. */
export interface ZipEntry {
  readonly name: string;
  readonly encrypted: boolean;
  readonly method: number;
  readonly packedLength: number;
  readonly headerAt: number;
}

function cut(file: string, size: number): FeedError {
  return new FeedError(
    'truncated',
    file,
    `is cut off: the zip ends at byte ${size} without its directory.`,
  );
}

function wide(
  extra: Buffer,
  name: 'length' | 'packed' | 'at',
  full: Record<string, boolean>,
): number {
  for (let at = 0; at + 4 <= extra.length; at += 4 + extra.readUInt16LE(at + 2)) {
    if (extra.readUInt16LE(at) !== 1) continue;
    let from = at + 4;
    for (const field of ['length', 'packed', 'at'] as const) {
      if (!full[field]) continue;
      if (field === name) return Number(extra.readBigUInt64LE(from));
      from += 8;
    }
  }
  return FULL_32;
}

/**
 * The entries of a zip, in the order of its directory.
 *
 * @throws {@link FeedError} `truncated` if the directory at the end is missing, `damaged` if it is not one.
 */
export function zipEntries(path: string): ZipEntry[] {
  const { size } = peek(path, 0);
  const tailAt = Math.max(0, size - END_LENGTH - LONGEST_COMMENT);
  const tail = peek(path, size - tailAt, tailAt).head;
  let at = tail.length - END_LENGTH;
  while (at >= 0 && tail.readUInt32LE(at) !== END) at -= 1;
  if (at < 0) throw cut(path, size);
  let count = tail.readUInt16LE(at + 10);
  let length = tail.readUInt32LE(at + 12);
  let start = tail.readUInt32LE(at + 16);
  if (at >= 20 && tail.readUInt32LE(at - 20) === END_64_PLACE) {
    const record = peek(path, 56, Number(tail.readBigUInt64LE(at - 12))).head;
    if (record.length < 56 || record.readUInt32LE(0) !== END_64) throw cut(path, size);
    count = Number(record.readBigUInt64LE(32));
    length = Number(record.readBigUInt64LE(40));
    start = Number(record.readBigUInt64LE(48));
  }
  const directory = peek(path, length, start).head;
  const entries: ZipEntry[] = [];
  let from = 0;
  for (let i = 0; i < count; i++) {
    if (from + 46 > directory.length || directory.readUInt32LE(from) !== ENTRY) {
      const place = start + from;
      throw new FeedError('damaged', path, `the zip's directory is damaged at byte ${place}.`);
    }
    const nameEnd = from + 46 + directory.readUInt16LE(from + 28);
    const extraEnd = nameEnd + directory.readUInt16LE(from + 30);
    const extra = directory.subarray(nameEnd, extraEnd);
    const packed = directory.readUInt32LE(from + 20);
    const headerAt = directory.readUInt32LE(from + 42);
    const full = {
      length: directory.readUInt32LE(from + 24) === FULL_32,
      packed: packed === FULL_32,
      at: headerAt === FULL_32,
    };
    entries.push({
      name: directory.toString('utf8', from + 46, nameEnd),
      encrypted: (directory.readUInt16LE(from + 8) & ENCRYPTED) !== 0,
      method: directory.readUInt16LE(from + 10),
      packedLength: full.packed ? wide(extra, 'packed', full) : packed,
      headerAt: full.at ? wide(extra, 'at', full) : headerAt,
    });
    from = extraEnd + directory.readUInt16LE(from + 32);
  }
  return entries;
}

/**
 * Where the packed bytes of an entry lie.
 *
 * @throws {@link FeedError} `damaged` if there is no entry there, `unreadable` if it is encrypted or packed
 *   in a way other than deflate.
 */
export function zipStretch(path: string, entry: ZipEntry): Stretch {
  const file = `${path}/${entry.name}`;
  const header = peek(path, 30, entry.headerAt).head;
  if (header.length < 30 || header.readUInt32LE(0) !== LOCAL) {
    throw new FeedError('damaged', file, `there is no zip entry at byte ${entry.headerAt}.`);
  }
  if (entry.encrypted)
    throw new FeedError('unreadable', file, 'is encrypted; unpack the zip first.');
  if (entry.method !== STORED && entry.method !== DEFLATED) {
    const how = `is packed by zip method ${entry.method}, which is not read; unpack the zip first.`;
    throw new FeedError('unreadable', file, how);
  }
  return {
    path,
    file,
    packing: entry.method === STORED ? 'plain' : 'deflate',
    start: entry.headerAt + 30 + header.readUInt16LE(26) + header.readUInt16LE(28),
    length: entry.packedLength,
  };
}
