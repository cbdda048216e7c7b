import type { Condition } from '#core/query/ast.ts';
import type { Span } from '#core/time/span.ts';
import type { Chunk } from './chunk.ts';
import { evaluateSteps } from './evaluate.ts';
import { GROUPS, WIDE, wideOf, type TermGroup, type TermTable } from './forward.ts';
import { partsIn } from './frequent-terms.ts';
import { GAP } from './inverted.ts';
import type { WholeChunk } from './merge.ts';
import { and, below, listed, lowerBound, size, type Ordinals } from './ordinals.ts';
import { simplify } from './simplify.ts';
import type { Due, Steps } from './steps.ts';
import { CountBounds, KeyFilter, TermCounts } from './term-counts.ts';

/** Posts of one chunk, at least one. */
export interface ChunkPosts<C extends Chunk = WholeChunk> {
  readonly chunk: C;
  readonly posts: Ordinals;
  /** Their number. */
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

/** The number of Posts in all. */
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
export interface CountedTerms {
  readonly counts: TermCounts;
  readonly tables: readonly TermTable[];
}

/** The name of an entry; undefined if it cannot be stored, see {@link TermTable.name}. */
export function nameOf({ counts, tables }: CountedTerms, entry: number): string | undefined {
  return tables[counts.tables[entry]!]?.name(counts.numbers[entry]!);
}

/**
 * Counted terms, and the entry of each chunk's terms, -1 for those without. Groups share the list of a chunk: a term has
 * an entry of its own group.
 */
export interface CountedEntries extends CountedTerms {
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
 * The entries of a chunk's terms of one group alone.
 *
 * @param i - The place of the chunk among those counted.
 */
export function groupEntries(
  { now }: CountedEntries,
  i: number,
  { size, groups }: TermTable,
  group: TermGroup,
): Int32Array {
  const g = GROUPS.indexOf(group);
  const [from, to] = [groups[g]!, groups[g + 1]!];
  const own = new Int32Array(size + 1).fill(-1);
  own.set(now[i]!.subarray(from, to), from);
  return own;
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

/** Adds the counts of the other set to the terms `[from, to)` that have an entry. */
function addBefore(
  counts: TermCounts,
  { hashes }: TermTable,
  found: Uint32Array,
  [from, to]: readonly [number, number],
): void {
  for (let t = from; t < to; t++) {
    if (found[t] === 0) continue;
    const entry = counts.find(hashes[t * 2]!, hashes[t * 2 + 1]!);
    if (entry !== -1) counts.before[entry]! += found[t]!;
  }
}

/** The fewest Posts with a flag that is counted, by its group; 1 if absent. */
export type LeastOf = Readonly<Partial<Record<TermGroup, number>>>;

/** Groups whose flags are counted in the other set too. */
export const COMPARED = ['hashtag', 'cashtag', 'emoji'] as const;

/**
 * Counts the flags of Posts by group, and those of {@link COMPARED} groups in another set, in steps.
 *
 * @param leastOf - Flags in fewer Posts may be missing.
 */
export function* tallyFlags(
  now: readonly ChunkPosts[],
  before: readonly ChunkPosts[],
  leastOf: LeastOf,
  due: Due,
): Steps<Record<TermGroup, CountedEntries>> {
  const found: Uint32Array[] = [];
  for (const { chunk, posts } of now) {
    if (due()) yield;
    found.push(countFlags(chunk.forward().flags, posts));
  }
  const bounds = new CountBounds(distinct(found));
  const groups = Object.fromEntries(GROUPS.map((group) => [group, collected()])) as Record<
    TermGroup,
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
    for (const group of COMPARED) {
      const g = GROUPS.indexOf(group);
      const range = [table.groups[g]!, table.groups[g + 1]!] as const;
      addBefore(groups[group].counts, table, counts, range);
    }
  }
  return groups;
}

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
  const words = collected();
  const bounds = new CountBounds(distinct(found.now));
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

/** Roles of a word in phrases: none may contain it, it may be in one, and makes one with any other. */
export const ROLE = { none: 0, any: 1, lead: 2 } as const;

/** The role of each word of a chunk. @param roles - By the entries of `special`; all other words may be in a phrase. */
function rolesIn(
  { hashes, size: terms }: TermTable,
  special: TermCounts,
  sought: KeyFilter,
  roles: Uint8Array,
): Uint8Array {
  const own = new Uint8Array(terms + 1).fill(ROLE.any);
  own[GAP] = ROLE.none;
  for (let t = 1; t <= terms; t++) {
    if (!sought.mayHold(hashes[t * 2]!)) continue;
    const entry = special.find(hashes[t * 2]!, hashes[t * 2 + 1]!);
    if (entry !== -1) own[t] = roles[entry]!;
  }
  return own;
}

/** Phrases with their counts. */
export interface CountedPairs {
  readonly counts: TermCounts;
  /** Tables of words; for each entry, `counts.tables` is where its two words are. */
  readonly tables: readonly TermTable[];
  readonly first: readonly number[];
  readonly second: readonly number[];
}

/** The two hashes of two words in sequence. */
function pairHash(a: number, b: number): number {
  return (Math.imul(a, 0x9e37_79b1) ^ Math.imul(b ^ (b >>> 15), 0x85eb_ca6b)) >>> 0;
}

/** {@link CountedPairs} while they are collected. */
interface Pairs extends CountedPairs {
  readonly tables: TermTable[];
  readonly first: number[];
  readonly second: number[];
}

/**
 * Counts the phrases of one chunk's Posts. Not part of the steps: loops in generators run several times slower.
 *
 * @param i - Number of the chunk, different for each.
 * @param adds - Whether new phrases are added; else Posts of the other set are counted.
 */
function countPairs(
  { counts, first, second }: Pairs,
  { at, units, hashes }: TermTable,
  posts: Ordinals,
  roles: Uint8Array,
  i: number,
  adds: boolean,
): void {
  const list = listed(posts);
  for (let p = 0; p < list.length; p++) {
    const o = list[p]!;
    const end = at[o + 1]!;
    let earlier = 0;
    let earlierRole: number = ROLE.none;
    for (let u = at[o]!; u < end; u++) {
      const unit = units[u]!;
      const word = unit < WIDE ? unit : wideOf(unit, units[++u]!);
      const role = roles[word]!;
      // Two roles, one of them to lead.
      if (earlierRole * role >= ROLE.lead) {
        const a = pairHash(hashes[earlier * 2]!, hashes[word * 2]!);
        const b = pairHash(hashes[earlier * 2 + 1]!, hashes[word * 2 + 1]!);
        const known = counts.size;
        const pair = adds ? counts.add(a, b) : counts.find(a, b);
        if (pair === known) {
          counts.tables[pair] = i;
          first.push(earlier);
          second.push(word);
        }
        if (pair !== -1) {
          counts.count(pair, i * 65_536 + o + 1, adds ? counts.posts : counts.before);
        }
      }
      earlier = word;
      earlierRole = role;
    }
  }
}

/**
 * Counts the phrases of two words of Posts, and of another set for the same phrases, in steps.
 *
 * @param special - Words with a role of their own.
 * @param roles - The {@link ROLE} of each of its entries. Only phrases with a leading word are counted.
 */
export function* tallyPairs(
  now: readonly ChunkPosts[],
  before: readonly ChunkPosts[],
  special: TermCounts,
  roles: Uint8Array,
  due: Due,
): Steps<CountedPairs> {
  const pairs: Pairs = { counts: new TermCounts(), tables: [], first: [], second: [] };
  const sought = new KeyFilter(special);
  for (const [i, { chunk, posts }] of [...now, ...before].entries()) {
    if (due()) yield;
    const table = chunk.forward().words;
    const own = rolesIn(table, special, sought, roles);
    const adds = i < now.length;
    if (adds) pairs.tables.push(table);
    if (due()) yield;
    countPairs(pairs, table, posts, own, i, adds);
  }
  return pairs;
}
