import type { Ordinals } from './ordinals.ts';
import type { Positions } from './positions.ts';

/** Posts of a full chunk; an ordinal is a Post's position in its chunk, by time, then id. */
export const CHUNK_POSTS = 65_536;

/** Maximum number of Posts in the open set before it is sealed into a chunk. */
export const OPEN_POSTS = 8_192;

/** Words of a stored chunk, which may be damaged: those that a count depends on are verified first. */
export interface VerifiedWords {
  readonly words: Uint32Array;
  /** @throws If the word at an index differs from what was written. */
  verify(index: number): void;
  /** {@link VerifiedWords.verify} for all words; cheap if they are verified already. */
  verifyAll(): void;
}

/** Words in memory, which need no check. */
export function verifiedWords(words: Uint32Array): VerifiedWords {
  return { words, verify: () => undefined, verifyAll: () => undefined };
}

/** The parts of a chunk that evaluation reads, whether stored or in memory. All results are read-only. */
export interface Chunk {
  /** Number of Posts, including deleted ones. */
  readonly n: number;
  /** Instants of the oldest and newest Post, epoch ms. */
  readonly first: number;
  readonly last: number;
  readonly lowestId: bigint;
  readonly highestId: bigint;
  /** Ordinals of deleted Posts. */
  readonly dead: Ordinals;
  /** Whole seconds since 1970 of each ordinal, ascending. */
  seconds(): VerifiedWords;
  /** {@link Chunk.seconds}, all verified. */
  times(): Uint32Array;
  ids(): BigInt64Array;
  /** Creation time of the Post of an ordinal, epoch ms. */
  instant(ordinal: number): number;
  /** The Posts that contain a term. */
  list(term: string): Ordinals;
  /** The terms with a prefix, which must begin with `geo:`: only such terms are stored in order. */
  termsFrom(prefix: string): readonly string[];
  /** Positions of a word, or `url:` token; null if it has none. @param posts - Its list. */
  positions(term: string, posts: Ordinals): Positions | null;
  /**
   * True if it has a list of each two words in sequence that are common in it, as {@link Chunk.list} of their
   * `pairTerm`: those whose own lists are bitmaps.
   */
  readonly hasPairs: boolean;
}

export const NO_SPOTS = new Uint32Array(0);

export function urlTerm(token: string): string {
  return `url:${token}`;
}
