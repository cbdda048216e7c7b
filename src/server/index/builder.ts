import type { PostTerms } from '#core/text/post.ts';
import { CHUNK_POSTS, MAX_TOKENS, urlTerm } from './chunk.ts';
import type { Chunk } from './chunk.ts';
import { NONE, pack } from './ordinals.ts';
import type { Ordinals } from './ordinals.ts';

const URL = urlTerm('');
/** Number of the empty token, which separates addresses and is not indexed. */
const GAP = 0;

/** Terms, repeats included, from which on a chunk takes no more Posts: bounds memory where Posts are long. */
const FULL_TERMS = 3_900_000;

/** One term of a built chunk. */
export interface Entry {
  readonly term: string;
  /** Ascending, without repeats. */
  readonly ordinals: Uint16Array;
  readonly spots: Uint32Array;
}

/** A chunk in memory, with all its terms. */
export interface BuiltChunk extends Chunk {
  /** For each ordinal the place at which its Post was added. */
  readonly order: Uint32Array;
  entries(): Generator<Entry>;
}

function grown(array: Uint32Array<ArrayBuffer>, least: number): Uint32Array<ArrayBuffer> {
  const larger = new Uint32Array(Math.max(least, array.length * 2));
  larger.set(array);
  return larger;
}

/**
 * Gathers Posts in any order and turns them into a chunk. Terms are numbered as they come and kept as
 * numbers, so that a full chunk's worth of Posts is a few flat arrays and not a million strings.
 */
export class ChunkBuilder {
  readonly #ids: bigint[] = [];
  readonly #instants: number[] = [];
  /** Three ends per Post in `#numbers`: of its words, its url tokens, its flags. */
  #ends = new Uint32Array(3 * 1024);
  #numbers = new Uint32Array(32 * 1024);
  #used = 0;
  readonly #terms: string[] = [''];
  readonly #numberOf = new Map<string, number>();
  readonly #numberOfUrl = new Map<string, number>([['', GAP]]);

  get size(): number {
    return this.#ids.length;
  }

  /** Whether it holds as much as a chunk should. */
  get full(): boolean {
    return this.size >= CHUNK_POSTS || this.#used >= FULL_TERMS;
  }

  /**
   * @param createdAt - epoch ms.
   * @throws {@link RangeError} if the Post has more than {@link MAX_TOKENS} words, url tokens or flags, was made
   *   before 1970 or after 2106 or not at a whole millisecond, or its id is beyond 63 bits.
   */
  add(id: bigint, createdAt: number, terms: PostTerms): void {
    const { words, urlWords, flags } = terms;
    const longest = Math.max(words.length, urlWords.length, flags.length);
    if (longest > MAX_TOKENS) {
      throw new RangeError(
        `expected at most ${MAX_TOKENS} terms of a kind in a Post, got ${longest}`,
      );
    }
    if (!(Number.isInteger(createdAt) && createdAt >= 0 && createdAt < 0xffffffff * 1000)) {
      throw new RangeError(`expected epoch ms between 1970 and 2106, got ${createdAt}`);
    }
    if (id < 0n || id >= 2n ** 63n) throw new RangeError(`expected an id of 63 bits, got ${id}`);
    const most = this.#used + words.length + urlWords.length + flags.length;
    if (most > this.#numbers.length) this.#numbers = grown(this.#numbers, most);
    const at = this.size * 3;
    if (at + 3 > this.#ends.length) this.#ends = grown(this.#ends, at + 3);
    for (const word of words) this.#numbers[this.#used++] = this.#number(word);
    this.#ends[at] = this.#used;
    for (const token of urlWords) this.#numbers[this.#used++] = this.#urlNumber(token);
    this.#ends[at + 1] = this.#used;
    for (const flag of flags) {
      this.#numbers[this.#used++] = flag.startsWith(URL)
        ? this.#urlNumber(flag.slice(URL.length))
        : this.#number(flag);
    }
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
   * The chunk of all Posts added. The builder may be dropped or added to afterwards; the chunk stays.
   *
   * @param without - ids of Posts that are left out.
   * @throws {@link RangeError} if no Post is left, or more than 65,536.
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
    const lists = this.#invert(order);
    const terms = this.#terms;
    const known = terms.length;
    const find = (term: string): number => {
      const number = term.startsWith(URL)
        ? this.#numberOfUrl.get(term.slice(URL.length))
        : this.#numberOf.get(term);
      return number === undefined || number >= known ? GAP : number;
    };
    return {
      n,
      first: this.#instants[order[0]!]!,
      last: this.#instants[order[n - 1]!]!,
      lowestId,
      highestId,
      dead: NONE,
      order,
      times: () => times,
      ids: () => ids,
      list: (term) => packed(lists.ordinals(find(term))),
      spots: (term) => lists.spots(find(term)),
      *entries() {
        for (let number = 1; number < known; number++) {
          const ordinals = lists.ordinals(number);
          if (ordinals.length === 0) continue;
          yield { term: terms[number]!, ordinals, spots: lists.spots(number) };
        }
      },
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
    const apart = this.#instants[a]! - this.#instants[b]!;
    if (apart !== 0) return apart;
    return this.#ids[a]! < this.#ids[b]! ? -1 : 1;
  }

  /** Sorts occurrences by term by counting: since Posts are visited in order, each term's come out ascending. */
  #invert(order: Uint32Array) {
    const numbers = this.#numbers;
    const ends = this.#ends;
    const terms = this.#terms.length;
    const spotEnds = new Uint32Array(terms + 1);
    const flagEnds = new Uint32Array(terms + 1);
    for (const i of order) {
      const start = i === 0 ? 0 : ends[i * 3 - 1]!;
      const tokensEnd = ends[i * 3 + 1]!;
      const flagsEnd = ends[i * 3 + 2]!;
      for (let k = start; k < tokensEnd; k++) spotEnds[numbers[k]! + 1]!++;
      for (let k = tokensEnd; k < flagsEnd; k++) flagEnds[numbers[k]! + 1]!++;
    }
    for (let t = 0; t < terms; t++) {
      spotEnds[t + 1]! += spotEnds[t]!;
      flagEnds[t + 1]! += flagEnds[t]!;
    }
    const spots = new Uint32Array(spotEnds[terms]!);
    const flagged = new Uint16Array(flagEnds[terms]!);
    const nextSpot = spotEnds.slice();
    const nextFlag = flagEnds.slice();
    for (let o = 0; o < order.length; o++) {
      const i = order[o]!;
      const start = i === 0 ? 0 : ends[i * 3 - 1]!;
      const wordsEnd = ends[i * 3]!;
      const tokensEnd = ends[i * 3 + 1]!;
      const flagsEnd = ends[i * 3 + 2]!;
      const high = o << 16;
      for (let k = start; k < wordsEnd; k++) spots[nextSpot[numbers[k]!]!++] = high | (k - start);
      for (let k = wordsEnd; k < tokensEnd; k++) {
        spots[nextSpot[numbers[k]!]!++] = high | (k - wordsEnd);
      }
      for (let k = tokensEnd; k < flagsEnd; k++) flagged[nextFlag[numbers[k]!]!++] = o;
    }
    const spotsOf = (t: number): Uint32Array =>
      t === GAP ? spots.subarray(0, 0) : spots.subarray(spotEnds[t], spotEnds[t + 1]);
    return {
      spots: spotsOf,
      ordinals: (t: number): Uint16Array =>
        merged(spotsOf(t), flagged.subarray(flagEnds[t], flagEnds[t + 1])),
    };
  }
}

function packed(ordinals: Uint16Array): Ordinals {
  return ordinals.length === 0 ? NONE : pack(ordinals);
}

/** The distinct ordinals of spots and flags, both ascending and with repeats. */
function merged(spots: Uint32Array, flags: Uint16Array): Uint16Array {
  const out = new Uint16Array(spots.length + flags.length);
  let n = 0;
  let i = 0;
  let j = 0;
  while (i < spots.length || j < flags.length) {
    const a = i < spots.length ? spots[i]! >>> 16 : 65_536;
    const b = j < flags.length ? flags[j]! : 65_536;
    const o = a < b ? a : b;
    if (a <= b) i++;
    if (b <= a) j++;
    if (n === 0 || out[n - 1] !== o) out[n++] = o;
  }
  return out.subarray(0, n);
}
