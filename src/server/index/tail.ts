import type { Entry } from './builder.ts';

/**
 * Rare terms of a chunk share blocks. A block is entries one after another, numbers little-endian:
 * hash of the term (u32), bytes of the term (u16), spots (u8), ordinals (u8), the term in UTF-8,
 * the spots (u32 each), the ordinals (u16 each). Blocks and their entries ascend by hash; terms of one
 * hash stand in one block.
 */
export interface TailBlock {
  /** Hash of its first term. */
  readonly hash: number;
  readonly bytes: Uint8Array;
}

/** A block keeps below this many bytes, so that its row needs no overflow page of an 8 KiB page file. */
const BLOCK_BYTES = 1900;

/** Terms of fewer Posts than this, and at most so many spots, are rare. */
const RARE_POSTS = 8;
const RARE_SPOTS = 32;
const HEAD_BYTES = 8;

export function isRare(entry: Entry): boolean {
  return (
    entry.ordinals.length < RARE_POSTS &&
    entry.spots.length <= RARE_SPOTS &&
    // 400 units of UTF-16 are at most 1,200 bytes, which leaves room for the rest.
    entry.term.length <= 400
  );
}

/** 31 bits of FNV-1a over UTF-16 units, mixed once more (isthe.com/chongo/tech/comp/fnv). */
export function hashOf(term: string): number {
  let h = 0x811c9dc5;
  for (let i = 0; i < term.length; i++) h = Math.imul(h ^ term.charCodeAt(i), 0x01000193);
  h ^= h >>> 15;
  return Math.imul(h, 0x2c1b3c6d) >>> 1;
}

const encoder = new TextEncoder();

/** Writes a term in UTF-8; most are ASCII, for which the encoder's call costs more than the copying. */
function writeTerm(term: string, room: Uint8Array, at: number): number {
  for (let i = 0; i < term.length; i++) {
    const unit = term.charCodeAt(i);
    if (unit >= 0x80) return encoder.encodeInto(term, room.subarray(at)).written;
    room[at + i] = unit;
  }
  return term.length;
}

/** More than a chunk has entries; with the hash's 31 bits it makes a whole number of a double. */
const PLACES = 2 ** 22;

/** Packs rare entries into blocks, ascending by hash. */
export function* packTail(entries: readonly Entry[]): Generator<TailBlock> {
  const keys = new Float64Array(entries.length);
  for (let i = 0; i < keys.length; i++) keys[i] = hashOf(entries[i]!.term) * PLACES + i;
  keys.sort();
  let room = new Uint8Array(BLOCK_BYTES * 2);
  let view = new DataView(room.buffer);
  let used = 0;
  let first = 0;
  let before = -1;
  for (const key of keys) {
    const hash = Math.floor(key / PLACES);
    const { term, ordinals, spots } = entries[key - hash * PLACES]!;
    const most = HEAD_BYTES + term.length * 3 + spots.length * 4 + ordinals.length * 2;
    if (used + most > room.length) {
      const larger = new Uint8Array((used + most) * 2);
      larger.set(room);
      room = larger;
      view = new DataView(room.buffer);
    }
    const written = writeTerm(term, room, used + HEAD_BYTES);
    view.setUint32(used, hash, true);
    view.setUint16(used + 4, written, true);
    view.setUint8(used + 6, spots.length);
    view.setUint8(used + 7, ordinals.length);
    let at = used + HEAD_BYTES + written;
    for (let i = 0; i < spots.length; i++, at += 4) view.setUint32(at, spots[i]!, true);
    for (let i = 0; i < ordinals.length; i++, at += 2) view.setUint16(at, ordinals[i]!, true);
    if (used > 0 && at > BLOCK_BYTES && hash !== before) {
      yield { hash: first, bytes: room.slice(0, used) };
      room.copyWithin(0, used, at);
      at -= used;
      used = 0;
    }
    if (used === 0) first = hash;
    before = hash;
    used = at;
  }
  if (used > 0) yield { hash: first, bytes: room.slice(0, used) };
}

function equal(a: Uint8Array, b: Uint8Array): boolean {
  if (a.length !== b.length) return false;
  for (let i = 0; i < a.length; i++) if (a[i] !== b[i]) return false;
  return true;
}

/** The entry of a term in a block, or undefined. */
export function findInTail(
  bytes: Uint8Array,
  term: string,
): { ordinals: Uint16Array; spots: Uint32Array } | undefined {
  const hash = hashOf(term);
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  let wanted: Uint8Array | undefined;
  for (let at = 0; at < bytes.length;) {
    const length = view.getUint16(at + 4, true);
    const spotCount = view.getUint8(at + 6);
    const ordinalCount = view.getUint8(at + 7);
    const body = at + HEAD_BYTES + length;
    const here = view.getUint32(at, true);
    if (here > hash) return undefined;
    if (here === hash) {
      wanted ??= encoder.encode(term);
      if (equal(wanted, bytes.subarray(at + HEAD_BYTES, body))) {
        const list = body + spotCount * 4;
        return {
          spots: Uint32Array.from({ length: spotCount }, (_, i) =>
            view.getUint32(body + i * 4, true),
          ),
          ordinals: Uint16Array.from({ length: ordinalCount }, (_, i) =>
            view.getUint16(list + i * 2, true),
          ),
        };
      }
    }
    at = body + spotCount * 4 + ordinalCount * 2;
  }
  return undefined;
}
