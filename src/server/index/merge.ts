import type { Chunk } from './chunk.ts';
import { extent } from './counting.ts';
import type { ChunkContent, Inverted, TermList, TermPlaces } from './inverted.ts';
import { andNot, below, listed, type Ordinals } from './ordinals.ts';
import type { Forward } from './term-table.ts';
import type { ChunkVocabulary } from './vocabulary.ts';

/** A chunk with all its content. */
export interface WholeChunk extends Chunk {
  /** Every term once, in any order; not those of pairs. */
  terms(): Iterable<TermPlaces>;
  /** The accepted terms in at least so many of its Posts, deleted ones included, without their positions; in any order. */
  lists(least: number, accepts: (term: string) => boolean): Iterable<TermList>;
  /** As {@link Chunk.list} for each of some terms: much faster than one after another. */
  listsOf(terms: readonly string[]): Ordinals[];
  /** The contents of each of its Posts, deleted ones included. */
  forward(): Forward;
  vocabulary(): ChunkVocabulary;
}

/** The content of several chunks, without deleted Posts. */
export interface MergedChunk extends ChunkContent {
  /**
   * The new ordinal of a Post.
   *
   * @param part - The index of its chunk among the merged ones.
   * @returns -1 for one that was deleted already.
   */
  ordinalOf(part: number, ordinal: number): number;
}

/**
 * Merges several chunks into one. Posts are ordered by second, then id; a query counts the same in the
 * new chunk as in the old ones.
 *
 * @param parts - With at most 65,536 living Posts together.
 * @returns Null if no Post remains.
 * @throws {@link RangeError} if there are more.
 */
export function mergeChunks(parts: readonly WholeChunk[]): MergedChunk | null {
  const { first, last, posts } = extent(parts);
  if (posts > 65_536) throw new RangeError(`expected at most 65536 Posts, got ${posts}`);
  if (first === null || last === null) return null;
  const { moved, times, ids } = placed(parts, posts);
  const pieces = new Pieces();
  for (const [p, part] of parts.entries()) {
    for (const places of part.terms()) pieces.add(places, moved[p]!);
  }
  return {
    n: posts,
    first,
    last,
    lowestId: ids.reduce((low, id) => (id < low ? id : low)),
    highestId: ids.reduce((high, id) => (id > high ? id : high)),
    times: () => times,
    ids: () => ids,
    inverted: pieces.inverted(),
    ordinalOf: (part, ordinal) => moved[part]![ordinal]!,
  };
}

/** Orders the living Posts of all parts; `moved` gives for each part and ordinal the new one, or -1. */
function placed(
  parts: readonly WholeChunk[],
  posts: number,
): { moved: Int32Array[]; times: Uint32Array; ids: BigInt64Array } {
  const times = new Uint32Array(posts);
  const ids = new BigInt64Array(posts);
  const from = new Uint32Array(posts);
  let n = 0;
  for (const [p, part] of parts.entries()) {
    const seconds = part.times();
    const names = part.ids();
    for (const o of listed(andNot(below(part.n), part.dead))) {
      times[n] = seconds[o]!;
      ids[n] = names[o]!;
      from[n++] = p * 65_536 + o;
    }
  }
  const order = Uint32Array.from({ length: posts }, (_, i) => i);
  order.sort((a, b) => times[a]! - times[b]! || (ids[a]! < ids[b]! ? -1 : 1));
  const moved = parts.map((part) => new Int32Array(part.n).fill(-1));
  for (let o = 0; o < posts; o++) {
    const source = from[order[o]!]!;
    moved[Math.floor(source / 65_536)]![source % 65_536] = o;
  }
  return {
    moved,
    times: Uint32Array.from(order, (i) => times[i]!),
    ids: BigInt64Array.from(order, (i) => ids[i]!),
  };
}

/** A growing list of 32-bit numbers. */
class Numbers {
  #buffer = new Uint32Array(1 << 10);
  length = 0;

  push(value: number): void {
    if (this.length === this.#buffer.length) {
      const larger = new Uint32Array(this.length * 2);
      larger.set(this.#buffer);
      this.#buffer = larger;
    }
    this.#buffer[this.length++] = value;
  }

  get values(): Uint32Array {
    return this.#buffer.subarray(0, this.length);
  }
}

/** The occurrences of the terms, collected part by part. */
class Pieces {
  readonly #terms: string[] = [''];
  readonly #numberOf = new Map<string, number>();
  /** Three per piece: its term, and how many spots and flags it has. */
  readonly #heads = new Numbers();
  readonly #spots = new Numbers();
  readonly #flags = new Numbers();

  /** Adds the occurrences of a term in a part, by the new ordinals. */
  add({ term, ordinals, spots }: TermPlaces, moved: Int32Array): void {
    const [spotsBefore, flagsBefore] = [this.#spots.length, this.#flags.length];
    let s = 0;
    for (const old of ordinals) {
      const o = moved[old]!;
      const isFlag = s === spots.length || spots[s]! >>> 16 !== old;
      for (; s < spots.length && spots[s]! >>> 16 === old; s++) {
        if (o !== -1) this.#spots.push(((o << 16) | (spots[s]! & 0xffff)) >>> 0);
      }
      if (isFlag && o !== -1) this.#flags.push(o);
    }
    const [spotCount, flagCount] = [
      this.#spots.length - spotsBefore,
      this.#flags.length - flagsBefore,
    ];
    if (spotCount + flagCount === 0) return;
    let number = this.#numberOf.get(term);
    if (number === undefined) {
      number = this.#terms.push(term) - 1;
      this.#numberOf.set(term, number);
    }
    this.#heads.push(number);
    this.#heads.push(spotCount);
    this.#heads.push(flagCount);
  }

  inverted(): Inverted {
    const heads = this.#heads.values;
    const spotsAt = new Uint32Array(this.#terms.length + 1);
    const flagsAt = new Uint32Array(this.#terms.length + 1);
    for (let h = 0; h < heads.length; h += 3) {
      spotsAt[heads[h]! + 1]! += heads[h + 1]!;
      flagsAt[heads[h]! + 1]! += heads[h + 2]!;
    }
    for (let t = 0; t < this.#terms.length; t++) {
      spotsAt[t + 1]! += spotsAt[t]!;
      flagsAt[t + 1]! += flagsAt[t]!;
    }
    const spots = gathered(new Uint32Array(this.#spots.length), spotsAt, heads, 1, this.#spots);
    const flags = gathered(new Uint16Array(this.#flags.length), flagsAt, heads, 2, this.#flags);
    return { terms: this.#terms, spots, spotsAt, flags, flagsAt };
  }
}

/** Concatenates the pieces of each term, ascending. */
function gathered<T extends Uint16Array | Uint32Array>(
  out: T,
  at: Uint32Array,
  heads: Uint32Array,
  countAt: 1 | 2,
  pieces: Numbers,
): T {
  const next = at.slice();
  const { values } = pieces;
  let from = 0;
  for (let h = 0; h < heads.length; h += 3) {
    const [term, n] = [heads[h]!, heads[h + countAt]!];
    out.set(values.subarray(from, from + n), next[term]!);
    next[term]! += n;
    from += n;
  }
  for (let t = 0; t + 1 < at.length; t++) sortPart(out, at[t]!, at[t + 1]!);
  return out;
}

/** Sorts a part of an array; usually it is sorted, since parts rarely overlap in time. */
function sortPart(array: Uint16Array | Uint32Array, from: number, to: number): void {
  for (let i = from + 1; i < to; i++) {
    if (array[i - 1]! <= array[i]!) continue;
    array.subarray(from, to).sort();
    return;
  }
}
