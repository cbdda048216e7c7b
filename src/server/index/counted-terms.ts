import { GAP } from './inverted.ts';
import { listed, lowerBound, type Ordinals } from './ordinals.ts';
import { type CountBounds, TermCounts } from './term-counts.ts';
import { GROUPS, WIDE, wideOf, type TermGroup, type TermTable } from './term-table.ts';

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
export interface CollectedTerms extends CountedEntries {
  readonly tables: TermTable[];
  readonly now: Int32Array[];
}

/** No terms yet. */
export function noTerms(): CollectedTerms {
  return { counts: new TermCounts(), tables: [], now: [] };
}

/** Adds a chunk's counts of the terms `[from, to)` that are at least `least` by their bounds. */
export function addCounts(
  { counts, tables, now }: CollectedTerms,
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

/** Adds a chunk's counts to the bounds of terms. */
export function addBounds(bounds: CountBounds, { hashes }: TermTable, found: Uint32Array): void {
  for (let t = 1; t < found.length; t++) {
    if (found[t]! > 0) bounds.add(hashes[t * 2]!, hashes[t * 2 + 1]!, found[t]!);
  }
}

/** About how many different terms counts have. */
export function distinctTerms(all: readonly Uint32Array[]): number {
  return all.reduce((sum, found) => sum + found.length, 0);
}

/** Adds the counts of the other set to the terms `[from, to)` that have an entry. */
export function addBefore(
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
