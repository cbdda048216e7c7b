import { GROUPS, type Forward, type TermTable, secondHash } from './term-table.ts';
import { BEFORE, HEAD } from './stored-forward.ts';

/** The terms of a chunk that are looked up by their spelling. */
export interface ChunkVocabulary {
  /** The words in at least `RARE_POSTS` of its Posts. */
  readonly words: readonly string[];
  /** The terms of its Posts' languages. */
  readonly languages: readonly string[];
}

const LANGUAGE = GROUPS.indexOf('language');

export function chunkVocabulary({ words, flags }: Forward): ChunkVocabulary {
  const named = ({ name }: TermTable, from: number, to: number): string[] =>
    Array.from({ length: to - from }, (_, i) => name(from + i) ?? []).flat();
  const { groups } = flags;
  return {
    words: named(words, 1, words.frequent[0]! + 1),
    languages: named(flags, groups[LANGUAGE]!, groups[LANGUAGE + 1]!),
  };
}

/**
 * Reads the {@link ChunkVocabulary} of a stored {@link Forward} without the terms of its Posts, which are most of it.
 *
 * @param read - Its numbers `[from, to)`.
 * @param names - Names of its frequent terms, as {@link PackedForward} has them.
 * @param rare - Names of the chunk's rare terms with a hash.
 */
export function storedVocabulary(
  read: (from: number, to: number) => Uint32Array,
  names: string,
  rare: (hash: number) => Iterable<string>,
): ChunkVocabulary {
  const [, first = 0] = read(0, BEFORE);
  const [frequentWords = 0] = read(BEFORE + HEAD + 2, BEFORE + HEAD + 3);
  const flags = BEFORE + first + HEAD;
  const hashesAt = flags + 2 * GROUPS.length + 1;
  const head = read(flags, hashesAt);
  const [from, to] = head.subarray(LANGUAGE, LANGUAGE + 2);
  const frequent = head.subarray(GROUPS.length + 1);
  const before = frequent.subarray(0, LANGUAGE).reduce((sum, each) => sum + each, frequentWords);
  const all = JSON.parse(names) as string[];
  const languages = all.slice(before, before + frequent[LANGUAGE]!);
  // Terms count from one.
  const rest = from! + frequent[LANGUAGE]!;
  const hashes = read(hashesAt + 2 * (rest - 1), hashesAt + 2 * (to! - 1));
  for (let i = 0; i < hashes.length; i += 2) {
    for (const found of rare(hashes[i]!))
      if (secondHash(found) === hashes[i + 1]) languages.push(found);
  }
  return { words: all.slice(0, frequentWords), languages };
}
