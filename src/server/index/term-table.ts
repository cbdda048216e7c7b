/**
 * The contents of a chunk's Posts, Post by Post: the index the other way round, for counting all terms of many Posts at
 * once. It holds the words in order, with {@link GAP} for slight ones (`isSlight`), and the flags of {@link GROUPS}. Terms have numbers within their chunk; the same term
 * of two chunks has the same {@link TermNames.hashes}.
 */
export interface Forward {
  readonly words: TermTable;
  readonly flags: TermTable;
}

/**
 * Kinds of flags, in the order of their numbers. A Post has one author: its username, or the id where it has none.
 */
export const GROUPS = [
  'language',
  'country',
  'cashtag',
  'emoji',
  'place',
  'author',
  'hashtag',
  'domain',
  'address',
] as const;
export type TermGroup = (typeof GROUPS)[number];

/** The terms of each ordinal. */
export interface TermTable {
  /** Numbers of terms are 1 to this, inclusive; {@link GAP} is none. */
  readonly size: number;
  /** Two numbers of 32 bits per term that identify it in other chunks: those of term t at 2t and 2t + 1. */
  readonly hashes: Uint32Array;
  /** The positions at which the units of each ordinal begin; one more than there are Posts. */
  readonly at: Uint32Array;
  /** The terms of all ordinals: a number below {@link WIDE}, or the two units of {@link wideOf}. */
  readonly units: Uint16Array;
  /** The first number of each group, and one more than the last of the last; words are one group. */
  readonly groups: Uint32Array;
  /** The number of terms of each group, from its first on, that are not rare. */
  readonly frequent: Uint32Array;
  /** The text of a term; undefined if it is not the one that was hashed, since half a surrogate pair cannot be stored. */
  name(term: number): string | undefined;
}

/** Units from here on are the upper part of a number that takes two. */
export const WIDE = 0xff00;

/** The number of a term in two units. */
export function wideOf(unit: number, next: number): number {
  return ((unit & 0xff) << 16) | next;
}

/** A second hash of a term, independent of `termHash`: 32 bits of FNV-1 with its finalizer from MurmurHash3. */
export function secondHash(term: string): number {
  let h = 0x2a29_6f4d ^ term.length;
  for (let i = 0; i < term.length; i++) {
    h = Math.imul(h, 0x85eb_ca6b) ^ term.charCodeAt(i);
    h = (h << 13) | (h >>> 19);
  }
  h = Math.imul(h ^ (h >>> 16), 0xc2b2_ae35);
  return (h ^ (h >>> 15)) >>> 0;
}

/** A {@link TermTable} before it is stored: names are those of the inverted terms. */
export interface BuiltTable extends TermTable {
  /** For each term its number among the inverted ones. */
  readonly terms: Uint32Array;
}

export interface BuiltForward extends Forward {
  readonly words: BuiltTable;
  readonly flags: BuiltTable;
}
