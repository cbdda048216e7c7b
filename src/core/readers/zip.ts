import { FeedError, shown } from '#core/readers/error.ts';

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
/** Bytes of the header of an entry before its name. */
export const LOCAL_LENGTH = 30;
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

/** A file of which any part can be read: on a disk, or chosen in a browser. */
export interface RandomAccess {
  /** As the user named it. */
  readonly file: string;
  readonly size: number;
  /** Bytes from a position on; fewer at the end of the file. */
  read(from: number, length: number): Uint8Array | Promise<Uint8Array>;
}

/** The part of a zip that unpacks to the content of an entry. */
export interface ZipPart {
  /** Name for messages. */
  readonly file: string;
  readonly packing: 'plain' | 'deflate';
  /** First byte and length in the zip. */
  readonly start: number;
  readonly length: number;
  /** Size and checksum of the unpacked bytes, as the zip states them. */
  readonly whole: { readonly length: number; readonly crc: number };
}

function viewOf(bytes: Uint8Array): DataView {
  return new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}

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
function widened(extra: DataView, short: Wide): Wide | null {
  const names = (['length', 'packed', 'at'] as const).filter((name) => short[name] === FULL_32);
  if (names.length === 0) return short;
  for (let at = 0; at + 4 <= extra.byteLength; at += 4 + extra.getUint16(at + 2, true)) {
    if (extra.getUint16(at, true) !== 1) continue;
    const length = Math.min(extra.getUint16(at + 2, true), extra.byteLength - at - 4);
    if (length < 8 * names.length) return null;
    const read = names.map(
      (name, i) => [name, Number(extra.getBigUint64(at + 4 + 8 * i, true))] as const,
    );
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
async function directoryPlace({ file, size, read }: RandomAccess): Promise<Place> {
  const tailAt = Math.max(0, size - END_LENGTH - MAX_COMMENT);
  const tail = viewOf(await read(tailAt, size - tailAt));
  let at = tail.byteLength - END_LENGTH;
  while (at >= 0 && tail.getUint32(at, true) !== END) at -= 1;
  if (at < 0) throw cut(file, size);
  const endAt = tailAt + at;
  const disk = tail.getUint16(at + 4, true);
  if (disk !== 0 && disk !== 0xffff) {
    throw new FeedError('unreadable', file, 'is one part of a split zip; join its parts first.');
  }
  let place: Place = {
    count: tail.getUint16(at + 10, true),
    length: tail.getUint32(at + 12, true),
    start: tail.getUint32(at + 16, true),
  };
  if (at >= 20 && tail.getUint32(at - 20, true) === END_64_PLACE) {
    const recordAt = Number(tail.getBigUint64(at - 12, true));
    const record = viewOf(recordAt < size ? await read(recordAt, 56) : new Uint8Array());
    if (record.byteLength < 56 || record.getUint32(0, true) !== END_64)
      throw damaged(file, endAt - 20);
    place = {
      count: Number(record.getBigUint64(32, true)),
      length: Number(record.getBigUint64(40, true)),
      start: Number(record.getBigUint64(48, true)),
    };
  }
  if (place.start + place.length > endAt) throw damaged(file, endAt);
  if (place.length > MAX_DIRECTORY) {
    const why = `the zip's directory has ${place.length} bytes; the maximum is ${MAX_DIRECTORY}.`;
    throw new FeedError('unreadable', file, why);
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
export async function zipEntries(zip: RandomAccess): Promise<ZipEntry[]> {
  const { count, length, start } = await directoryPlace(zip);
  const bytes = await zip.read(start, length);
  const directory = viewOf(bytes);
  const names = new TextDecoder();
  const entries: ZipEntry[] = [];
  let from = 0;
  for (let i = 0; i < count; i++) {
    if (from + 46 > bytes.length || directory.getUint32(from, true) !== ENTRY) {
      throw damaged(zip.file, start + from);
    }
    const nameEnd = from + 46 + directory.getUint16(from + 28, true);
    const extraEnd = nameEnd + directory.getUint16(from + 30, true);
    const end = extraEnd + directory.getUint16(from + 32, true);
    if (end > bytes.length) throw damaged(zip.file, start + from);
    const numbers = widened(viewOf(bytes.subarray(nameEnd, extraEnd)), {
      length: directory.getUint32(from + 24, true),
      packed: directory.getUint32(from + 20, true),
      at: directory.getUint32(from + 42, true),
    });
    if (numbers === null) throw damaged(zip.file, start + from);
    entries.push({
      name: names.decode(bytes.subarray(from + 46, nameEnd)),
      encrypted: (directory.getUint16(from + 8, true) & ENCRYPTED) !== 0,
      method: directory.getUint16(from + 10, true),
      packedLength: numbers.packed,
      length: numbers.length,
      crc: directory.getUint32(from + 16, true),
      headerAt: numbers.at,
    });
    from = end;
  }
  refuseOverlaps(zip.file, entries, start);
  return entries;
}

/**
 * The position of the compressed bytes of an entry.
 *
 * @throws {@link FeedError} `damaged` if there is no entry there or its lengths cannot be true,
 *   `unreadable` if it is encrypted or compressed by a method other than deflate.
 */
export async function zipPart(zip: RandomAccess, entry: ZipEntry): Promise<ZipPart> {
  const file = `${zip.file}/${shown(entry.name)}`;
  const header = viewOf(await zip.read(entry.headerAt, LOCAL_LENGTH));
  if (header.byteLength < LOCAL_LENGTH || header.getUint32(0, true) !== LOCAL) {
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
  const start =
    entry.headerAt + LOCAL_LENGTH + header.getUint16(26, true) + header.getUint16(28, true);
  const packing = method === STORED ? 'plain' : 'deflate';
  return { file, packing, start, length: packedLength, whole: { length, crc } };
}

/** Entries of an archive with Posts: tweets.js, its parts, and tweet.js of archives from before 2022. */
const ARCHIVE_POSTS = /^(.*\/)?(tweets?)(-part\d+)?\.js$/;
/** Entries of an archive about whom and what its account follows, likes, blocks and mutes, and its lists. */
const ARCHIVE_RELATIONS =
  /^(.*\/)?(follower|following|like|block|mute|lists-created|lists-member|lists-subscribed)(-part\d+)?\.js$/;
const ACCOUNT = /^(.*\/)?account\.js$/;
const PLAIN_POSTS = /\.(csv|tsv|txt|json|jsonl|ndjson)$/i;
/** Files about the others, and what the Finder of macOS adds. */
const BESIDES =
  /(^|\/)(__MACOSX\/|\.)|(^|\/)(readme|licen[cs]e|copying|notice|manifest)[^/]*\.(txt|json)$/i;
const WORKBOOK = 'xl/workbook.xml';

/** The content of a zip for an import. */
export type ZipContent =
  | { readonly kind: 'workbook' }
  /** A user's archive: its entries with Posts or relations, those of them with Posts, and its account.js. */
  | {
      readonly kind: 'archive';
      readonly entries: readonly ZipEntry[];
      readonly posts: readonly ZipEntry[];
      readonly account: ZipEntry | null;
    }
  | { readonly kind: 'files'; readonly files: readonly ZipEntry[] };

/** Describes the first entries of a zip. */
function listOf(entries: readonly ZipEntry[]): string {
  if (entries.length === 0) return 'it is empty';
  const names = entries.slice(0, 3).map(({ name }) => `"${shown(name)}"`);
  const more = entries.length - names.length;
  return `it contains ${names.join(', ')}${more > 0 ? ` and ${more} more` : ''}`;
}

/**
 * The content of a zip that is to be read.
 *
 * @throws {@link FeedError} `unknown-kind` if there is nothing to import.
 */
export function zipContent(file: string, entries: readonly ZipEntry[]): ZipContent {
  if (entries.some(({ name }) => name === WORKBOOK)) return { kind: 'workbook' };
  const account = entries.find(({ name }) => ACCOUNT.test(name)) ?? null;
  const posts = entries.filter(({ name }) => ARCHIVE_POSTS.test(name));
  const all = entries.filter(
    ({ name }) => ARCHIVE_POSTS.test(name) || ARCHIVE_RELATIONS.test(name),
  );
  if (all.length > 0) return { kind: 'archive', entries: all, posts, account };
  const files = entries.filter(({ name }) => PLAIN_POSTS.test(name) && !BESIDES.test(name));
  if (files.length > 0) return { kind: 'files', files };
  const why = `contains neither data/tweets.js of a user archive nor CSV or JSON files; ${listOf(entries)}.`;
  throw new FeedError('unknown-kind', file, why);
}
