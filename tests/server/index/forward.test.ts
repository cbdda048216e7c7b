import { describe, expect, it } from 'vitest';
import { isSlight } from '#core/text/keyness.ts';
import type { PostTerms } from '#core/text/post.ts';
import { ChunkBuilder } from '#server/index/builder.ts';
import { forwardOf, groupOf } from '#server/index/forward.ts';
import { termHash } from '#server/index/rare-terms.ts';
import { numbers } from './corpus.ts';
import { packForward, storedForward } from '#server/index/stored-forward.ts';
import {
  secondHash,
  WIDE,
  wideOf,
  type Forward,
  type TermTable,
} from '#server/index/term-table.ts';
import { storedVocabulary, chunkVocabulary } from '#server/index/vocabulary.ts';

function chunkOf(posts: readonly PostTerms[]) {
  const builder = new ChunkBuilder();
  for (const [i, terms] of posts.entries()) builder.add(BigInt(i + 1), i * 1000, terms);
  return builder.build();
}

/** The names of an ordinal's terms; null for a gap. */
function namesIn(table: TermTable, o: number): (string | undefined | null)[] {
  const names = [];
  for (let u = table.at[o]!; u < table.at[o + 1]!; u++) {
    const unit = table.units[u]!;
    const term = unit < WIDE ? unit : wideOf(unit, table.units[++u]!);
    names.push(term === 0 ? null : table.name(term));
  }
  return names;
}

/** Finds names by their hash. */
function byHashOf(all: readonly string[]): (hash: number) => readonly string[] {
  const byHash = new Map<number, string[]>();
  for (const name of all) byHash.set(termHash(name), [...(byHash.get(termHash(name)) ?? []), name]);
  return (hash) => byHash.get(hash) ?? [];
}

/** Reads it as it is stored. @param rare - All rare names of the chunk. */
function stored(built: ReturnType<typeof forwardOf>, rare: readonly string[]): Forward | null {
  const { numbers: packed, names } = packForward(built);
  return storedForward(packed, () => names, byHashOf(rare));
}

const pick = numbers(5);
const posts: PostTerms[] = Array.from({ length: 4000 }, (_, i) => ({
  // More words than one unit numbers.
  words: Array.from({ length: 25 }, (_, w) =>
    w % 5 === 0 ? 'often' : w === 7 ? 'x' : `w${i}-${w}`,
  ),
  urlWords: ['https', 'x'],
  flags: [
    'from:12',
    ...(i % 3 === 0 ? [] : [`from:user${pick(50)}`]),
    ...(i % 2 === 0 ? ['#fox', '#\u20e3', '😀', '$ab'] : ['@cat', 'is:retweet', 'domain:x.org']),
  ],
}));

describe('the forward terms of a chunk', () => {
  const chunk = chunkOf(posts);
  const built = forwardOf(chunk.inverted, chunk.n);
  const back = stored(built, chunk.inverted.terms)!;

  it.each([
    ['as built', built],
    ['as stored', back],
  ])('have the words of each Post in order, without slight ones: %s', (_, { words }) => {
    expect(words.size).toBeGreaterThan(WIDE);
    for (let o = 0; o < posts.length; o += 7) {
      const wanted = posts[o]!.words.map((word) => (isSlight(word) ? null : word));
      expect(namesIn(words, o)).toEqual(wanted);
    }
  });

  it.each([
    ['as built', built],
    ['as stored', back],
  ])('have the flags that are listed, and one author: %s', (_, { flags }) => {
    for (let o = 0; o < posts.length; o += 7) {
      const own = posts[o]!.flags.filter((flag) => groupOf(flag) !== null);
      const named = own.some((flag) => flag.startsWith('from:user'));
      const wanted = own.filter((flag) => flag !== 'from:12' || !named);
      expect(namesIn(flags, o).sort()).toEqual(wanted.sort());
    }
  });

  it('identify terms by two hashes', () => {
    for (let t = 1; t <= built.flags.size; t++) {
      const name = built.flags.name(t)!;
      expect([...built.flags.hashes.subarray(t * 2, t * 2 + 2)]).toEqual([
        termHash(name),
        secondHash(name),
      ]);
    }
  });

  it('have the same vocabulary however it is read: frequent words, and all languages', () => {
    const languages = ['lang:de', ...Array.from({ length: 40 }, (_, i) => `lang:x${i}`)];
    const chunk = chunkOf(
      posts.map((post, i) => {
        const language = languages[i < 3000 ? 0 : i % languages.length] ?? '';
        return { ...post, flags: [...post.flags, ...(i % 10 === 0 ? [language] : [])] };
      }),
    );
    const built = forwardOf(chunk.inverted, chunk.n);
    const { words, languages: spoken } = chunkVocabulary(built);
    expect(words).toEqual(['often']);
    expect(spoken.length).toBeGreaterThan(5);
    expect(spoken.length).toBe(new Set(spoken.filter((text) => languages.includes(text))).size);
    const { numbers: packed, names } = packForward(built);
    const read = (from: number, to: number) => packed.slice(from, to);
    const again = storedVocabulary(read, names, byHashOf(chunk.inverted.terms));
    expect(again).toEqual({ words, languages: spoken });
  });

  it('are not read from fewer numbers than were stored', () => {
    const { numbers: packed, names } = packForward(built);
    expect(
      storedForward(
        packed.subarray(0, -1),
        () => names,
        () => [],
      ),
    ).toBeNull();
  });
});
