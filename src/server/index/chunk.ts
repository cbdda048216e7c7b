import type { Ordinals } from './ordinals.ts';

/** Posts of a full chunk; an ordinal is a Post's place in its chunk, by time, then id. */
export const CHUNK_POSTS = 65_536;

/** Posts that the open set holds at most before it is sealed into a chunk. */
export const OPEN_POSTS = 8_192;

/** Tokens of one Post at most: positions are 16 bits wide, and the last one stays free (see `phrase`). */
export const MAX_TOKENS = 65_535;

/** Words of a stored chunk, which may be damaged: those that a count rests on are verified first. */
export interface VerifiedWords {
  readonly words: Uint32Array;
  /** @throws Where the word at an index is not as it was written. */
  verify(index: number): void;
  /** {@link VerifiedWords.verify} for all words; costs little where they are verified already. */
  verifyAll(): void;
}

/** Words in memory, of which there is no doubt. */
export function verifiedWords(words: Uint32Array): VerifiedWords {
  return { words, verify: () => undefined, verifyAll: () => undefined };
}

/** What evaluation asks of a chunk, be it stored or in memory. Nothing that it hands out may be written to. */
export interface Chunk {
  /** Posts, the dead ones included. */
  readonly n: number;
  /** Instants of the oldest and newest Post, epoch ms. */
  readonly first: number;
  readonly last: number;
  readonly lowestId: bigint;
  readonly highestId: bigint;
  /** Ordinals of Posts that are no longer there. */
  readonly dead: Ordinals;
  /** Whole seconds since 1970 of each ordinal, ascending. */
  seconds(): VerifiedWords;
  /** {@link Chunk.seconds}, all verified. */
  times(): Uint32Array;
  ids(): BigInt64Array;
  /** When the Post of an ordinal was made, epoch ms. */
  instant(ordinal: number): number;
  /** The Posts that bear a term. */
  list(term: string): Ordinals;
  /** The terms that begin with a prefix, which begins with `geo:`: such terms alone are kept in order. */
  termsFrom(prefix: string): readonly string[];
  /** Where a word (or `url:` token) stands: `ordinal << 16 | position`, ascending. */
  spots(term: string): Uint32Array;
}

export const NO_SPOTS = new Uint32Array(0);

/** The name under which a token of an address is indexed. */
export function urlTerm(token: string): string {
  return `url:${token}`;
}
