import { GEO } from '#core/text/geo.ts';
import { merged, ordinalsOf, type Inverted, type TermPlaces } from './inverted.ts';

/**
 * Rare terms of a chunk share blocks. A block is a sequence of entries, numbers little-endian: hash of
 * the term (u32), bytes of the term (u16), number of spots (u8), number of flags (u8), the term in
 * UTF-8, the spots (u32 each), the ordinals with the term as a flag (u16 each). Blocks and their
 * entries ascend by hash; terms with equal hashes share a block.
 */
export interface TailBlock {
  /** Hash of its first term. */
  readonly hash: number;
  readonly bytes: Uint8Array;
}

/**
 * A block stays below this many bytes, so that its row needs no overflow page in a file with pages of 8
 * KiB.
 */
const BLOCK_BYTES = 1900;

/** Terms with fewer Posts than this, and at most this many spots, are rare. */
export const RARE_POSTS = 8;
const RARE_SPOTS = 32;
const HEAD_BYTES = 8;

/** True if a term belongs in the tail. Places on the map do not, since they are looked up by prefix. */
export function isRare(inverted: Inverted, term: number): boolean {
  const { terms, spotsAt, flagsAt } = inverted;
  const spots = spotsAt[term + 1]! - spotsAt[term]!;
  const flags = flagsAt[term + 1]! - flagsAt[term]!;
  // 400 units of UTF-16 are at most 1,200 bytes, which leaves enough space for the rest.
  if (terms[term]!.startsWith(GEO)) return false;
  if (spots > RARE_SPOTS || flags >= RARE_POSTS || terms[term]!.length > 400) return false;
  return spots + flags < RARE_POSTS || ordinalsOf(inverted, term).length < RARE_POSTS;
}

/** 31 bits of FNV-1a over UTF-16 units, mixed once more (isthe.com/chongo/tech/comp/fnv). */
export function termHash(term: string): number {
  let h = 0x811c9dc5;
  for (let i = 0; i < term.length; i++) h = Math.imul(h ^ term.charCodeAt(i), 0x01000193);
  h ^= h >>> 15;
  return Math.imul(h, 0x2c1b3c6d) >>> 1;
}

/** The traits of each term of a chunk that are needed several times. */
export interface TermTraits {
  readonly hashes: Uint32Array;
  /** 1 for each rare term. */
  readonly rare: Uint8Array;
}

export function traitsOf(inverted: Inverted): TermTraits {
  const { terms } = inverted;
  return {
    hashes: Uint32Array.from(terms, termHash),
    rare: Uint8Array.from(terms, (_, t) => (isRare(inverted, t) ? 1 : 0)),
  };
}

const encoder = new TextEncoder();

/** Writes a term in UTF-8; most are ASCII, where a call of the encoder costs more than copying. */
function writeTerm(term: string, bytes: Uint8Array, at: number): number {
  for (let i = 0; i < term.length; i++) {
    const unit = term.charCodeAt(i);
    if (unit >= 0x80) return encoder.encodeInto(term, bytes.subarray(at)).written;
    bytes[at + i] = unit;
  }
  return term.length;
}

/** More than a chunk has entries; together with the hash's 31 bits it fits a double exactly. */
const PLACES = 2 ** 22;

/** The bytes of a block under construction. */
class BlockWriter {
  bytes = new Uint8Array(BLOCK_BYTES * 2);
  view = new DataView(this.bytes.buffer);

  reserve(length: number): void {
    if (length <= this.bytes.length) return;
    const larger = new Uint8Array(length * 2);
    larger.set(this.bytes);
    this.bytes = larger;
    this.view = new DataView(larger.buffer);
  }

  /**
   * Writes the entry of a term at an offset and returns its end. A separate function, so that it is
   * compiled early.
   */
  write(at: number, hash: number, t: number, inverted: Inverted): number {
    const { terms, spots, spotsAt, flags, flagsAt } = inverted;
    const term = terms[t]!;
    const spotsTo = spotsAt[t + 1]!;
    const flagsTo = flagsAt[t + 1]!;
    const spotCount = spotsTo - spotsAt[t]!;
    const flagCount = flagsTo - flagsAt[t]!;
    this.reserve(at + HEAD_BYTES + term.length * 3 + spotCount * 4 + flagCount * 2);
    const written = writeTerm(term, this.bytes, at + HEAD_BYTES);
    this.view.setUint32(at, hash, true);
    this.view.setUint16(at + 4, written, true);
    this.view.setUint8(at + 6, spotCount);
    this.view.setUint8(at + 7, flagCount);
    let end = at + HEAD_BYTES + written;
    for (let i = spotsAt[t]!; i < spotsTo; i++, end += 4) this.view.setUint32(end, spots[i]!, true);
    for (let i = flagsAt[t]!; i < flagsTo; i++, end += 2) this.view.setUint16(end, flags[i]!, true);
    return end;
  }
}

/** Packs rare terms into blocks, ascending by hash. */
export function packTail(
  inverted: Inverted,
  rare: readonly number[],
  { hashes } = traitsOf(inverted),
): TailBlock[] {
  const keys = new Float64Array(rare.length);
  for (let i = 0; i < keys.length; i++) keys[i] = hashes[rare[i]!]! * PLACES + i;
  keys.sort();
  const blocks: TailBlock[] = [];
  const writer = new BlockWriter();
  let used = 0;
  let first = 0;
  let before = -1;
  for (let i = 0; i < keys.length; i++) {
    const hash = Math.floor(keys[i]! / PLACES);
    let end = writer.write(used, hash, rare[keys[i]! - hash * PLACES]!, inverted);
    if (used > 0 && end > BLOCK_BYTES && hash !== before) {
      blocks.push({ hash: first, bytes: writer.bytes.slice(0, used) });
      writer.bytes.copyWithin(0, used, end);
      end -= used;
      used = 0;
    }
    if (used === 0) first = hash;
    before = hash;
    used = end;
  }
  if (used > 0) blocks.push({ hash: first, bytes: writer.bytes.slice(0, used) });
  return blocks;
}

/** True if the bytes from `at` on are those of a term. */
function isAt(bytes: Uint8Array, at: number, wanted: Uint8Array): boolean {
  for (let i = 0; i < wanted.length; i++) if (bytes[at + i] !== wanted[i]) return false;
  return true;
}

function readSpots(bytes: Uint8Array, from: number, n: number): Uint32Array {
  const out = new Uint32Array(n);
  for (let i = 0, at = from; i < n; i++, at += 4) {
    out[i] = bytes[at]! | (bytes[at + 1]! << 8) | (bytes[at + 2]! << 16) | (bytes[at + 3]! << 24);
  }
  return out;
}

function readFlags(bytes: Uint8Array, from: number, n: number): Uint16Array {
  const out = new Uint16Array(n);
  for (let i = 0, at = from; i < n; i++, at += 2) out[i] = bytes[at]! | (bytes[at + 1]! << 8);
  return out;
}

/** The entry of a term in a block, or undefined. */
export function findInTail(
  bytes: Uint8Array,
  term: string,
): { ordinals: Uint16Array; spots: Uint32Array } | undefined {
  const hash = termHash(term);
  let wanted: Uint8Array | undefined;
  for (let at = 0; at < bytes.length;) {
    const length = bytes[at + 4]! | (bytes[at + 5]! << 8);
    const spotCount = bytes[at + 6]!;
    const flagCount = bytes[at + 7]!;
    const here =
      bytes[at]! | (bytes[at + 1]! << 8) | (bytes[at + 2]! << 16) | (bytes[at + 3]! << 24);
    const list = at + HEAD_BYTES + length;
    if (here >= hash) {
      if (here > hash) return undefined;
      wanted ??= encoder.encode(term);
      if (wanted.length === length && isAt(bytes, at + HEAD_BYTES, wanted)) {
        const spots = readSpots(bytes, list, spotCount);
        const flags = readFlags(bytes, list + spotCount * 4, flagCount);
        return { ordinals: merged(spots, flags), spots };
      }
    }
    at = list + spotCount * 4 + flagCount * 2;
  }
  return undefined;
}

const decoder = new TextDecoder();

/** An entry of a block, with the hash that precedes its term. */
export interface TailEntry extends TermPlaces {
  readonly hash: number;
}

/** Every entry of a block with at least so many spots and flags. */
export function* entriesOf(bytes: Uint8Array, least = 0): Generator<TailEntry> {
  for (let at = 0; at < bytes.length;) {
    const list = at + HEAD_BYTES + (bytes[at + 4]! | (bytes[at + 5]! << 8));
    const flagsAt = list + bytes[at + 6]! * 4;
    if (bytes[at + 6]! + bytes[at + 7]! < least) {
      at = flagsAt + bytes[at + 7]! * 2;
      continue;
    }
    const spots = readSpots(bytes, list, bytes[at + 6]!);
    const flags = readFlags(bytes, flagsAt, bytes[at + 7]!);
    const term = decoder.decode(bytes.subarray(at + HEAD_BYTES, list));
    const hash =
      bytes[at]! | (bytes[at + 1]! << 8) | (bytes[at + 2]! << 16) | (bytes[at + 3]! << 24);
    yield { term, hash, ordinals: merged(spots, flags), spots };
    at = flagsAt + flags.length * 2;
  }
}
