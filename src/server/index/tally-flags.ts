import type { Due, Steps } from './steps.ts';
import { CountBounds } from './term-counts.ts';
import type { ChunkPosts } from './chunk-posts.ts';
import {
  type CountedEntries,
  countFlags,
  distinctTerms,
  noTerms,
  type CollectedTerms,
  addBounds,
  addCounts,
  addBefore,
} from './counted-terms.ts';
import { GROUPS, type TermGroup } from './term-table.ts';

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
  const bounds = new CountBounds(distinctTerms(found));
  const groups = Object.fromEntries(GROUPS.map((group) => [group, noTerms()])) as Record<
    TermGroup,
    CollectedTerms
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
