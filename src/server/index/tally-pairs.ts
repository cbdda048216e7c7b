import { GAP } from './inverted.ts';
import { listed, type Ordinals } from './ordinals.ts';
import type { Due, Steps } from './steps.ts';
import { KeyFilter, TermCounts } from './term-counts.ts';
import type { ChunkPosts } from './chunk-posts.ts';
import { WIDE, wideOf, type TermTable } from './term-table.ts';

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
