import { GEO } from '#core/text/geo.ts';
import type { PostTerms } from '#core/text/post.ts';
import { forwardOf } from './forward.ts';
import { MAX_TOKENS } from '#core/text/terms.ts';
import { CHUNK_POSTS, urlTerm, verifiedWords } from './chunk.ts';
import {
  GAP,
  invert,
  listsIn,
  ordinalsOf,
  spotsOf,
  termsIn,
  type ChunkContent,
} from './inverted.ts';
import type { WholeChunk } from './merge.ts';
import { listed, NONE, pack, type Ordinals } from './ordinals.ts';
import { positionsOf } from './positions.ts';
import { chunkVocabulary } from './vocabulary.ts';
import type { Forward } from './term-table.ts';

const URL = urlTerm('');
const NO_FLAGS: readonly string[] = [];
/**
 * Number of terms, repeats included, at which a chunk takes no more Posts: bounds memory if Posts are
 * long.
 */
const FULL_TERMS = 3_900_000;

/** A chunk in memory, with all its terms. */
export interface BuiltChunk extends WholeChunk, ChunkContent {
  /** For each ordinal the position at which its Post was added. */
  readonly order: Uint32Array;
}

function grown(array: Uint32Array<ArrayBuffer>, min: number): Uint32Array<ArrayBuffer> {
  const larger = new Uint32Array(Math.max(min, array.length * 2));
  larger.set(array);
  return larger;
}

/**
 * Collects Posts in any order and turns them into a chunk. Terms are numbered as they arrive and stored
 * as numbers, so that the Posts of a full chunk are a few flat arrays and not a million strings.
 */
export class ChunkBuilder {
  readonly #ids: bigint[] = [];
  readonly #instants: number[] = [];
  /** Three ends per Post in `#numbers`: of its words, its url tokens, its flags. */
  #ends = new Uint32Array(3 * 16);
  #numbers = new Uint32Array(16 * 32);
  #used = 0;
  readonly #terms: string[] = [''];
  readonly #numberOf = new Map<string, number>();
  readonly #numberOfUrl = new Map<string, number>([['', GAP]]);

  get size(): number {
    return this.#ids.length;
  }

  /** True if it has as many Posts or terms as a chunk should. */
  get full(): boolean {
    return this.size >= CHUNK_POSTS || this.#used >= FULL_TERMS;
  }

  /**
   * @param createdAt - Epoch ms.
   * @param more - Further flags, such as those of all Posts of an import.
   * @throws {@link RangeError} if the Post has more than {@link MAX_TOKENS} words, url tokens or flags,
   *   was created before 1970 or after 2106 or not at a whole millisecond, or its id exceeds 63 bits.
   */
  add(id: bigint, createdAt: number, terms: PostTerms, more: readonly string[] = NO_FLAGS): void {
    const { words, urlWords, flags } = terms;
    const longest = Math.max(words.length, urlWords.length, flags.length + more.length);
    if (longest > MAX_TOKENS) {
      throw new RangeError(
        `expected at most ${MAX_TOKENS} terms of a kind in a Post, got ${longest}`,
      );
    }
    if (!(Number.isInteger(createdAt) && createdAt >= 0 && createdAt < 0xffffffff * 1000)) {
      throw new RangeError(`expected epoch ms between 1970 and 2106, got ${createdAt}`);
    }
    if (id < 0n || id >= 2n ** 63n) throw new RangeError(`expected an id of 63 bits, got ${id}`);
    const needed = this.#used + words.length + urlWords.length + flags.length + more.length;
    if (needed > this.#numbers.length) this.#numbers = grown(this.#numbers, needed);
    const at = this.size * 3;
    if (at + 3 > this.#ends.length) this.#ends = grown(this.#ends, at + 3);
    for (const word of words) this.#numbers[this.#used++] = this.#number(word);
    this.#ends[at] = this.#used;
    for (const token of urlWords) this.#numbers[this.#used++] = this.#urlNumber(token);
    this.#ends[at + 1] = this.#used;
    for (const flag of flags) {
      this.#numbers[this.#used++] =
        flag.startsWith(URL) && flag.length > URL.length
          ? this.#urlNumber(flag.slice(URL.length))
          : this.#number(flag);
    }
    for (const flag of more) this.#numbers[this.#used++] = this.#number(flag);
    this.#ends[at + 2] = this.#used;
    this.#ids.push(id);
    this.#instants.push(createdAt);
  }

  #number(term: string): number {
    let number = this.#numberOf.get(term);
    if (number === undefined) {
      number = this.#terms.push(term) - 1;
      this.#numberOf.set(term, number);
    }
    return number;
  }

  #urlNumber(token: string): number {
    let number = this.#numberOfUrl.get(token);
    if (number === undefined) {
      number = this.#terms.push(urlTerm(token)) - 1;
      this.#numberOfUrl.set(token, number);
    }
    return number;
  }

  /** The terms of the Post that was added as the `i`-th. */
  termsOf(i: number): PostTerms {
    const part = (from: number, to: number): string[] =>
      Array.from(this.#numbers.subarray(from, to), (number) => this.#terms[number]!);
    const start = i === 0 ? 0 : this.#ends[i * 3 - 1]!;
    const [words, urls, flags] = this.#ends.subarray(i * 3, i * 3 + 3);
    return {
      words: part(start, words!),
      urlWords: part(words!, urls!).map((term) => term.slice(URL.length)),
      flags: part(urls!, flags!),
    };
  }

  /**
   * Builds the chunk of all added Posts. The chunk does not depend on the builder afterwards.
   *
   * @param without - Ids of Posts to leave out.
   * @throws {@link RangeError} if no Post remains, or more than 65,536.
   */
  build(without: ReadonlySet<bigint> = new Set()): BuiltChunk {
    const order = this.#order(without);
    const n = order.length;
    if (n === 0 || n > 65_536) throw new RangeError(`expected 1 to 65536 Posts, got ${n}`);
    const times = new Uint32Array(n);
    const ids = new BigInt64Array(n);
    let lowestId = this.#ids[order[0]!]!;
    let highestId = lowestId;
    for (let o = 0; o < n; o++) {
      const id = this.#ids[order[o]!]!;
      ids[o] = id;
      times[o] = Math.floor(this.#instants[order[o]!]! / 1000);
      if (id < lowestId) lowestId = id;
      if (id > highestId) highestId = id;
    }
    const instants = this.#instants;
    const known = this.#terms.length;
    const inverted = invert(this.#terms.slice(), order, this.#numbers, this.#ends);
    const find = (term: string): number => {
      const number = term.startsWith(URL)
        ? this.#numberOfUrl.get(term.slice(URL.length))
        : this.#numberOf.get(term);
      return number === undefined || number >= known ? GAP : number;
    };
    let geo: string[] | undefined;
    let forward: Forward | undefined;
    const list = (term: string): Ordinals => pack(ordinalsOf(inverted, find(term)));
    return {
      n,
      first: this.#instants[order[0]!]!,
      last: this.#instants[order[n - 1]!]!,
      lowestId,
      highestId,
      dead: NONE,
      order,
      seconds: () => verifiedWords(times),
      times: () => times,
      ids: () => ids,
      instant: (o) => instants[order[o]!]!,
      list,
      termsFrom: (prefix) => {
        geo ??= inverted.terms.filter((term) => term.startsWith(GEO));
        return geo.filter((term) => term.startsWith(prefix));
      },
      positions: (term, posts) => {
        const spots = spotsOf(inverted, find(term));
        return spots.length === 0 ? null : positionsOf(listed(posts), spots);
      },
      hasPairs: false,
      terms: () => termsIn(inverted),
      lists: (least, accepts) => listsIn(inverted, least, accepts),
      listsOf: (terms) => terms.map(list),
      forward: () => (forward ??= forwardOf(inverted, n)),
      vocabulary: () => chunkVocabulary((forward ??= forwardOf(inverted, n))),
      inverted,
    };
  }

  #order(without: ReadonlySet<bigint>): Uint32Array {
    const places: number[] = [];
    let sorted = true;
    for (let i = 0; i < this.size; i++) {
      if (without.size > 0 && without.has(this.#ids[i]!)) continue;
      const before = places.at(-1);
      if (before !== undefined && this.#compare(before, i) > 0) sorted = false;
      places.push(i);
    }
    if (!sorted) places.sort((a, b) => this.#compare(a, b));
    return Uint32Array.from(places);
  }

  #compare(a: number, b: number): number {
    const distance = this.#instants[a]! - this.#instants[b]!;
    if (distance !== 0) return distance;
    return this.#ids[a]! < this.#ids[b]! ? -1 : 1;
  }
}
