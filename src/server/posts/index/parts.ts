import { crc32 } from 'node:zlib';

/** Words per part: with this few, a checksum takes a tenth of a microsecond. */
const PART = 64;
const PART_BITS = 6;

/** Body of MurmurHash3_x86_32 (github.com/aappleby/smhasher): changing one word always changes the sum. */
function sumOfPart(words: Uint32Array, part: number, seed: number): number {
  const end = Math.min(words.length, (part + 1) * PART);
  let sum = (seed + part) | 0;
  for (let i = part * PART; i < end; i++) {
    sum ^= words[i]!;
    sum = (Math.imul((sum << 13) | (sum >>> 19), 5) + 0xe6546b64) | 0;
  }
  return sum >>> 0;
}

function seedOf(words: Uint32Array, place: string): number {
  return crc32(`${place} ${words.length}`);
}

/** Checksums of words in parts, for {@link CheckedParts}. @param place - The address of the words. */
export function sumsOfParts(words: Uint32Array, place: string): Uint32Array {
  const seed = seedOf(words, place);
  return Uint32Array.from({ length: Math.ceil(words.length / PART) }, (_, part) =>
    sumOfPart(words, part, seed),
  );
}

/**
 * Words whose checksums are verified part by part, when each part is first used: a query reads a few
 * places of a blob, and a checksum of the whole would take longer than the query.
 */
export class CheckedParts {
  readonly words: Uint32Array;
  readonly #sums: Uint32Array;
  readonly #seed: number;
  readonly #damaged: () => Error;
  readonly #seen: Uint8Array;
  #isWhole = false;

  /**
   * @param sums - From {@link sumsOfParts}.
   * @param damaged - Makes the error to throw if words differ from what was written.
   */
  constructor(words: Uint32Array, sums: Uint32Array, place: string, damaged: () => Error) {
    this.words = words;
    this.#sums = sums;
    this.#seed = seedOf(words, place);
    this.#damaged = damaged;
    this.#seen = new Uint8Array(Math.ceil(words.length / PART));
    if (sums.length !== this.#seen.length) throw damaged();
  }

  /** Verifies the word at an index, and its part. */
  readonly verify = (index: number): void => {
    const part = index >>> PART_BITS;
    if (this.#seen[part] === 1) return;
    if (sumOfPart(this.words, part, this.#seed) !== this.#sums[part]) throw this.#damaged();
    this.#seen[part] = 1;
  };

  /** Verifies all words. */
  readonly verifyAll = (): void => {
    if (this.#isWhole) return;
    for (let at = 0; at < this.words.length; at += PART) this.verify(at);
    this.#isWhole = true;
  };
}
