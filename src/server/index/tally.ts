import type { Condition } from '#core/query/ast.ts';
import type { Span } from '#core/time/span.ts';
import type { Chunk } from './chunk.ts';
import { evaluateSteps } from './evaluate.ts';
import { GROUPS, WIDE, wideOf } from './forward.ts';
import type { Group, TermTable } from './forward.ts';
import { partsIn } from './frequent-terms.ts';
import { GAP } from './inverted.ts';
import type { WholeChunk } from './merge.ts';
import { and, below, listed, lowerBound, size } from './ordinals.ts';
import type { Ordinals } from './ordinals.ts';
import { simplify } from './simplify.ts';
import type { Due, Steps } from './steps.ts';
import { CountBounds, TermCounts } from './term-counts.ts';

/** Posts of one chunk, at least one. */
export interface ChunkPosts<C extends Chunk = WholeChunk> {
  readonly chunk: C;
  readonly posts: Ordinals;
  /** How many. */
  readonly n: number;
}

/** The ordinals of a set in `[from, to)`. */
function within(set: Ordinals, from: number, to: number, n: number): Ordinals {
  if (from === 0 && to === n) return set;
  if (set instanceof Uint16Array) return set.subarray(lowerBound(set, from), lowerBound(set, to));
  const range = below(to) as Uint32Array;
  const first = from >>> 5;
  range.fill(0, 0, first);
  range[first]! &= -1 << (from & 31);
  return and(set, range);
}

/** The living Posts in `[span.start, span.end)`, to the second, that meet a condition, in steps. */
export function* postsIn(
  chunks: readonly WholeChunk[],
  condition: Condition,
  span: Span,
  due: Due,
): Steps<ChunkPosts[]> {
  const wanted = simplify(condition);
  const found: ChunkPosts[] = [];
  for (const { chunk, from, to } of partsIn(chunks, span)) {
    if (due()) yield;
    const posts = within(yield* evaluateSteps(wanted, chunk, due), from, to, chunk.n);
    const n = size(posts);
    if (n > 0) found.push({ chunk, posts, n });
  }
  return found;
}

/** How many Posts there are in all. */
export function total(parts: readonly ChunkPosts[]): number {
  return parts.reduce((sum, { n }) => sum + n, 0);
}

/** Counts the Posts with each flag. @returns For each number of a term, how many. */
export function countFlags({ at, units, size: terms }: TermTable, posts: Ordinals): Uint32Array {
  const counts = new Uint32Array(terms + 1);
  const list = listed(posts);
  for (let i = 0; i < list.length; i++) {
    const end = at[list[i]! + 1]!;
    for (let u = at[list[i]!]!; u < end; u++) {
      const unit = units[u]!;
      counts[unit < WIDE ? unit : wideOf(unit, units[++u]!)]!++;
    }
  }
  return counts;
}

/** Counts the Posts with each word, each once. @returns For each number of a term, how many. */
export function countWords({ at, units, size: terms }: TermTable, posts: Ordinals): Uint32Array {
  const counts = new Uint32Array(terms + 1);
  // One more than the ordinal in which a word was seen last.
  const last = new Uint32Array(terms + 1);
  const list = listed(posts);
  for (let i = 0; i < list.length; i++) {
    const o = list[i]!;
    const end = at[o + 1]!;
    for (let u = at[o]!; u < end; u++) {
      const unit = units[u]!;
      const word = unit < WIDE ? unit : wideOf(unit, units[++u]!);
      if (last[word] === o + 1) continue;
      last[word] = o + 1;
      counts[word]!++;
    }
  }
  counts[GAP] = 0;
  return counts;
}

/** Terms with their counts, and the tables that know their names. */
export interface Counted {
  readonly counts: TermCounts;
  readonly tables: readonly TermTable[];
}

/** The name of an entry; undefined if it cannot be stored, see {@link TermTable.name}. */
export function nameOf({ counts, tables }: Counted, entry: number): string | undefined {
  return tables[counts.tables[entry]!]?.name(counts.numbers[entry]!);
}

/**
 * Counted terms, and the entry of each chunk's terms, -1 for those without. Groups share the list of a chunk: a term has
 * an entry of its own group.
 */
export interface CountedEntries extends Counted {
  readonly now: readonly Int32Array[];
}

/** {@link CountedEntries} while they are collected. */
interface Collected extends CountedEntries {
  readonly tables: TermTable[];
  readonly now: Int32Array[];
}

function collected(): Collected {
  return { counts: new TermCounts(), tables: [], now: [] };
}

/** Adds a chunk's counts of the terms `[from, to)` that are at least `least` by their bounds. */
function addCounts(
  { counts, tables, now }: Collected,
  table: TermTable,
  found: Uint32Array,
  [from, to]: readonly [number, number],
  bounds: CountBounds | null,
  least: number,
  entries: Int32Array,
): void {
  const { hashes } = table;
  for (let t = from; t < to; t++) {
    if (found[t] === 0) continue;
    const [a, b] = [hashes[t * 2]!, hashes[t * 2 + 1]!];
    if (bounds && bounds.of(a, b) < least) continue;
    const before = counts.size;
    const entry = counts.add(a, b);
    counts.posts[entry]! += found[t]!;
    entries[t] = entry;
    if (entry !== before) continue;
    counts.tables[entry] = tables.length;
    counts.numbers[entry] = t;
  }
  tables.push(table);
  now.push(entries);
}

/**
 * Calls `visit` with the entry of each term of some Posts, once per Post.
 *
 * @param from - The first ordinal, and `to` the one after the last.
 */
export function countEach(
  { at, units }: TermTable,
  posts: Ordinals,
  from: number,
  to: number,
  entries: Int32Array,
  visit: (entry: number) => void,
): void {
  const list = listed(posts);
  const seen: number[] = [];
  for (let i = lowerBound(list, from); i < list.length && list[i]! < to; i++) {
    const end = at[list[i]! + 1]!;
    seen.length = 0;
    for (let u = at[list[i]!]!; u < end; u++) {
      const unit = units[u]!;
      const entry = entries[unit < WIDE ? unit : wideOf(unit, units[++u]!)]!;
      if (entry === -1 || seen.includes(entry)) continue;
      seen.push(entry);
      visit(entry);
    }
  }
}

function addBounds(bounds: CountBounds, { hashes }: TermTable, found: Uint32Array): void {
  for (let t = 1; t < found.length; t++) {
    if (found[t]! > 0) bounds.add(hashes[t * 2]!, hashes[t * 2 + 1]!, found[t]!);
  }
}

/** About how many different terms counts have. */
function distinct(all: readonly Uint32Array[]): number {
  return all.reduce((sum, found) => sum + found.length, 0);
}

/** Adds the counts of the other set to the terms that have an entry. @returns The entry of each term. */
function addBefore(counts: TermCounts, { hashes }: TermTable, found: Uint32Array): Int32Array {
  const entries = new Int32Array(found.length).fill(-1);
  for (let t = 1; t < found.length; t++) {
    if (found[t] === 0) continue;
    const entry = counts.find(hashes[t * 2]!, hashes[t * 2 + 1]!);
    entries[t] = entry;
    if (entry !== -1) counts.before[entry]! += found[t]!;
  }
  return entries;
}

/** The fewest Posts with a flag that is counted, by its group; 1 if absent. */
export type LeastOf = Readonly<Partial<Record<Group, number>>>;

/**
 * Counts the flags of Posts by group, and those of another set for the same flags, in steps.
 *
 * @param leastOf - Flags in fewer Posts may be missing.
 */
export function* tallyFlags(
  now: readonly ChunkPosts[],
  before: readonly ChunkPosts[],
  leastOf: LeastOf,
  due: Due,
): Steps<Record<Group, CountedEntries>> {
  const found: Uint32Array[] = [];
  for (const { chunk, posts } of now) {
    if (due()) yield;
    found.push(countFlags(chunk.forward().flags, posts));
  }
  const bounds = new CountBounds(distinct(found));
  const groups = Object.fromEntries(GROUPS.map((group) => [group, collected()])) as Record<
    Group,
    Collected
  >;
  for (const [i, { chunk }] of now.entries()) {
    if (due()) yield;
    addBounds(bounds, chunk.forward().flags, found[i]!);
  }
  for (const [i, { chunk }] of now.entries()) {
    if (due()) yield;
    const table = chunk.forward().flags;
    const entries = new Int32Array(table.size + 1).fill(-1);
    for (const [g, group] of GROUPS.entries()) {
      const least = leastOf[group] ?? 1;
      const range = [table.groups[g]!, table.groups[g + 1]!] as const;
      addCounts(groups[group], table, found[i]!, range, least > 1 ? bounds : null, least, entries);
    }
  }
  for (const { chunk, posts } of before) {
    if (due()) yield;
    const table = chunk.forward().flags;
    const counts = countFlags(table, posts);
    for (const group of GROUPS) addBefore(groups[group].counts, table, counts);
  }
  return groups;
}

/** Counted words, also with the entries of the chunks of the other set. */
export interface CountedWords extends CountedEntries {
  readonly before: readonly Int32Array[];
}

/**
 * Counts the words of Posts, and of another set for the same words, in steps.
 *
 * @param least - Words in fewer Posts may be missing.
 */
export function* tallyWords(
  now: readonly ChunkPosts[],
  before: readonly ChunkPosts[],
  least: number,
  due: Due,
): Steps<CountedWords> {
  const words = { ...collected(), before: [] as Int32Array[] };
  const { counts } = words;
  const found: Uint32Array[] = [];
  for (const { chunk, posts } of now) {
    if (due()) yield;
    found.push(countWords(chunk.forward().words, posts));
  }
  const bounds = new CountBounds(distinct(found));
  for (const [i, { chunk }] of now.entries()) {
    if (due()) yield;
    addBounds(bounds, chunk.forward().words, found[i]!);
  }
  for (const [i, { chunk }] of now.entries()) {
    if (due()) yield;
    const table = chunk.forward().words;
    addCounts(
      words,
      table,
      found[i]!,
      [1, table.size + 1],
      bounds,
      least,
      new Int32Array(table.size + 1).fill(-1),
    );
  }
  for (const { chunk, posts } of before) {
    if (due()) yield;
    const table = chunk.forward().words;
    words.before.push(addBefore(counts, table, countWords(table, posts)));
  }
  return words;
}

/** Roles of a word in phrases: none may contain it, it may be in one, and makes one with any other. */
export const ROLE = { none: 0, any: 1, lead: 2 } as const;

/**
 * Counts the phrases of two words of some Posts.
 *
 * @param into - Phrases without an entry are added if `adds` is set.
 * @param first - Number of the chunk's first Post, different for each chunk, and not 0.
 */
function countPairs(
  { chunk, posts }: ChunkPosts,
  entries: Int32Array,
  roles: Uint8Array,
  pairs: TermCounts,
  adds: boolean,
  first: number,
): void {
  const { at, units } = chunk.forward().words;
  const list = listed(posts);
  for (let i = 0; i < list.length; i++) {
    const o = list[i]!;
    const end = at[o + 1]!;
    let left = -1;
    let leftRole = 0;
    for (let u = at[o]!; u < end; u++) {
      const unit = units[u]!;
      const right = entries[unit < WIDE ? unit : wideOf(unit, units[++u]!)]!;
      const role = right === -1 ? ROLE.none : roles[right]!;
      // Two roles, one of them to lead.
      if (leftRole * role >= ROLE.lead) {
        const pair = adds ? pairs.add(left, right) : pairs.find(left, right);
        if (pair !== -1) pairs.count(pair, first + o, adds ? pairs.posts : pairs.before);
      }
      left = right;
      leftRole = role;
    }
  }
}

/**
 * Counts the phrases of two words of Posts, and of another set for the same phrases, in steps.
 *
 * @param words - From {@link tallyWords} of the same Posts.
 * @param roles - The {@link ROLE} of each of its entries. Only phrases with a leading word are counted.
 * @returns Keys are the entries of the two words.
 */
export function* tallyPairs(
  now: readonly ChunkPosts[],
  before: readonly ChunkPosts[],
  words: CountedWords,
  roles: Uint8Array,
  due: Due,
): Steps<TermCounts> {
  const pairs = new TermCounts();
  for (const [i, part] of now.entries()) {
    if (due()) yield;
    countPairs(part, words.now[i]!, roles, pairs, true, i * 65_536 + 1);
  }
  for (const [i, part] of before.entries()) {
    if (due()) yield;
    countPairs(part, words.before[i]!, roles, pairs, false, (now.length + i) * 65_536 + 1);
  }
  return pairs;
}
