import type { Due, Steps } from './steps.ts';
import { CountBounds, KeyFilter, TermCounts } from './term-counts.ts';
import type { ChunkPosts } from './chunk-posts.ts';
import {
  countWords,
  type CountedTerms,
  type CountedEntries,
  noTerms,
  distinctTerms,
  addBounds,
  addCounts,
  addBefore,
} from './counted-terms.ts';
import type { TermTable } from './term-table.ts';

/** The number of occurrences of each word of the chunks, by its number. */
export interface WordCounts {
  readonly now: readonly Uint32Array[];
  readonly before: readonly Uint32Array[];
}

/** Counts the words of Posts, and of another set, in steps. */
export function* countAllWords(
  now: readonly ChunkPosts[],
  before: readonly ChunkPosts[],
  due: Due,
): Steps<WordCounts> {
  const counted: { now: Uint32Array[]; before: Uint32Array[] } = { now: [], before: [] };
  for (const set of ['now', 'before'] as const) {
    for (const { chunk, posts } of set === 'now' ? now : before) {
      if (due()) yield;
      counted[set].push(countWords(chunk.forward().words, posts));
    }
  }
  return counted;
}

/** Adds the words in at least so many Posts of a chunk, without their counts. */
function addFrequent(
  counts: TermCounts,
  { hashes }: TermTable,
  found: Uint32Array,
  least: number,
  table: number,
): void {
  for (let t = 1; t < found.length; t++) {
    if (found[t]! < least) continue;
    const known = counts.size;
    const entry = counts.add(hashes[t * 2]!, hashes[t * 2 + 1]!);
    if (entry !== known) continue;
    counts.tables[entry] = table;
    counts.numbers[entry] = t;
  }
}

/** Adds a chunk's counts to the words that have an entry. */
function addSought(
  counts: TermCounts,
  sought: KeyFilter,
  { hashes }: TermTable,
  found: Uint32Array,
  into: Uint32Array,
): void {
  for (let t = 1; t < found.length; t++) {
    if (found[t] === 0 || !sought.mayHold(hashes[t * 2]!)) continue;
    const entry = counts.find(hashes[t * 2]!, hashes[t * 2 + 1]!);
    if (entry !== -1) into[entry]! += found[t]!;
  }
}

/** Words with their counts; every word in more than `most` Posts is among them. */
export interface FrequentWords extends CountedTerms {
  readonly most: number;
}

/**
 * The words of Posts that some chunk has often, with their counts in all chunks, in steps. It costs much less than
 * {@link tallyWords}, and shows the most distinctive words wherever those are frequent.
 *
 * @param part - Part of a chunk's Posts that contain a word of it; 0 to 1.
 */
export function* tallyFrequent(
  now: readonly ChunkPosts[],
  before: readonly ChunkPosts[],
  found: WordCounts,
  part: number,
  due: Due,
): Steps<FrequentWords> {
  const counts = new TermCounts();
  const words = { counts, tables: now.map(({ chunk }) => chunk.forward().words), most: 0 };
  for (const [i, { chunk, n }] of now.entries()) {
    if (due()) yield;
    const least = Math.max(1, Math.floor(n * part));
    words.most += least - 1;
    addFrequent(counts, chunk.forward().words, found.now[i]!, least, i);
  }
  const sought = new KeyFilter(counts);
  for (const set of ['now', 'before'] as const) {
    const into = set === 'now' ? counts.posts : counts.before;
    for (const [i, { chunk }] of (set === 'now' ? now : before).entries()) {
      if (due()) yield;
      addSought(counts, sought, chunk.forward().words, found[set][i]!, into);
    }
  }
  return words;
}

/**
 * Counts the words of Posts, and of another set for the same words, in steps.
 *
 * @param least - Words in fewer Posts may be missing.
 */
export function* tallyWords(
  now: readonly ChunkPosts[],
  before: readonly ChunkPosts[],
  found: WordCounts,
  least: number,
  due: Due,
): Steps<CountedEntries> {
  const words = noTerms();
  const bounds = new CountBounds(distinctTerms(found.now));
  for (const [i, { chunk }] of now.entries()) {
    if (due()) yield;
    addBounds(bounds, chunk.forward().words, found.now[i]!);
  }
  for (const [i, { chunk }] of now.entries()) {
    if (due()) yield;
    const table = chunk.forward().words;
    const entries = new Int32Array(table.size + 1).fill(-1);
    addCounts(words, table, found.now[i]!, [1, table.size + 1], bounds, least, entries);
  }
  for (const [i, { chunk }] of before.entries()) {
    if (due()) yield;
    const table = chunk.forward().words;
    addBefore(words.counts, table, found.before[i]!, [1, table.size + 1]);
  }
  return words;
}
