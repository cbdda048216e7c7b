import { ones } from '#core/bits.ts';
import { DECISIVE, likelihoodOf, MIN_POSTS } from '#core/text/keyness.ts';

/** The kinds of terms that Posts of a cause have in common; earlier ones say more of Posts that have several. */
export const CAUSE_KINDS = ['repost', 'tag', 'link', 'phrase', 'word', 'account'] as const;
export type CauseKind = (typeof CAUSE_KINDS)[number];

/** A term that may be a cause. */
export interface Candidate {
  readonly kind: CauseKind;
  readonly name: string;
  /** The part of a query that selects its Posts. */
  readonly clause: string;
  readonly alone: boolean;
  /** Its Posts among all of the time, one bit each. */
  readonly posts: Uint32Array;
  /** Its Posts among those of the usual time, likewise. */
  readonly before: Uint32Array;
}

/** A group of Posts, and the number that the usual time would have of them; null if that has none at all. */
interface Part {
  readonly posts: number;
  readonly usual: number | null;
}

export interface Cause extends Part, Pick<Candidate, 'kind' | 'name' | 'clause' | 'alone'> {}

/** Disjoint groups of Posts, the largest excess first, and all other Posts: together exactly all. */
export interface Causes {
  readonly posts: number;
  readonly groups: readonly Cause[];
  readonly rest: Part;
}

/** The Posts of the usual time, and how many of a like time as long as the one in question one of them is. */
export interface Usual {
  readonly posts: number;
  readonly weight: number;
}

/** The most causes. */
const MOST = 5;
/** A smaller part of all Posts explains little. */
const LEAST_PART = 0.01;

/** The fewest Posts of a cause. @param n - All Posts. */
export function leastOf(n: number): number {
  return Math.max(MIN_POSTS, n * LEAST_PART);
}

/** Terms that share this part of all Posts of both are one cause. */
const SAME = 0.8;

/** Number of Posts of a set. */
function count(set: Uint32Array): number {
  let n = 0;
  for (const word of set) n += ones(word);
  return n;
}

/** Adds the Posts of a set to another one. */
function addAll(to: Uint32Array, set: Uint32Array): void {
  for (let i = 0; i < to.length; i++) to[i]! |= set[i]!;
}

/** Number of Posts of a set, without those of a bitmap. */
function without(set: Uint32Array, taken: Uint32Array): number {
  let n = 0;
  for (let i = 0; i < set.length; i++) n += ones(set[i]! & ~taken[i]!);
  return n;
}

/** The part of the Posts of two sets together that both have, 0 to 1, without those of a bitmap. */
function overlap(a: Uint32Array, b: Uint32Array, taken: Uint32Array): number {
  let [both, any] = [0, 0];
  for (let i = 0; i < a.length; i++) {
    both += ones(a[i]! & b[i]! & ~taken[i]!);
    any += ones((a[i]! | b[i]!) & ~taken[i]!);
  }
  return any === 0 ? 0 : both / any;
}

/** An empty set of Posts. @param n - All Posts. */
export function emptyPostSet(n: number): Uint32Array {
  return new Uint32Array(Math.ceil(n / 32));
}

/** Adds a Post to a set by its number, from 0. */
export function addPost(set: Uint32Array, post: number): void {
  set[post >>> 5]! |= 1 << (post & 31);
}

/**
 * The causes of some Posts: disjoint groups with a term in common that exceed what is usual beyond chance, at most five,
 * the largest excess first. Each Post counts in the first group that has it. Terms of nearly the same Posts are one
 * cause: that of their most frequent phrase if they are words and phrases, and of reposts if one of them is.
 *
 * @param n - All Posts.
 * @param usual - Without Posts, nothing is known to be usual.
 */
export function causesOf(n: number, candidates: readonly Candidate[], usual: Usual): Causes {
  const rank = ({ kind }: Candidate): number => CAUSE_KINDS.indexOf(kind);
  const taken = emptyPostSet(n);
  /** The Posts of the usual time that the groups so far would have: both sides are compared without them. */
  const takenBefore = emptyPostSet(usual.posts);
  const groups: Cause[] = [];
  let left = [...candidates];
  while (groups.length < MOST) {
    let best: { of: Candidate; score: number } | null = null;
    for (const of of left) {
      const own = without(of.posts, taken);
      if (own < leastOf(n)) continue;
      const before = without(of.before, takenBefore);
      const expected = before * usual.weight;
      const compared = { posts: before, all: usual.posts };
      if (
        usual.posts > 0 &&
        (own * usual.posts <= before * n ||
          likelihoodOf({ posts: own, all: n }, compared) <= DECISIVE)
      )
        continue;
      // Chance may add this to a usual term, which is no reason to prefer it to a rarer one of the same Posts.
      const score = own - expected - 3 * Math.sqrt(expected);
      const isFirst =
        !best ||
        score > best.score ||
        (score === best.score &&
          (rank(of) - rank(best.of) || (of.name < best.of.name ? -1 : 1)) < 0);
      if (score > 0 && isFirst) best = { of, score };
    }
    if (!best) break;
    const first = best.of;
    const same = left.filter((other) => overlap(other.posts, first.posts, taken) >= SAME);
    const group = same.find(({ kind }) => kind === 'repost') ?? phraseFor(first, same);
    const { kind, name, clause, alone } = group;
    groups.push({
      kind,
      name,
      clause,
      alone,
      posts: without(group.posts, taken),
      usual: usual.posts === 0 ? null : without(group.before, takenBefore) * usual.weight,
    });
    addAll(taken, group.posts);
    addAll(takenBefore, group.before);
    left = left.filter((other) => !same.includes(other));
  }
  return {
    posts: n,
    groups: groups.sort((a, b) => b.posts - (b.usual ?? 0) - (a.posts - (a.usual ?? 0))),
    rest: {
      posts: n - count(taken),
      usual: usual.posts === 0 ? null : (usual.posts - count(takenBefore)) * usual.weight,
    },
  };
}

/** The term of a group: for words and phrases, the most frequent phrase of nearly the same Posts. */
function phraseFor(group: Candidate, same: readonly Candidate[]): Candidate {
  if (group.kind !== 'word' && group.kind !== 'phrase') return group;
  let [found, most] = [group, group.kind === 'phrase' ? count(group.posts) : 0];
  for (const other of same) {
    const n = other.kind === 'phrase' ? count(other.posts) : 0;
    if (n > most) [found, most] = [other, n];
  }
  return found;
}

/**
 * Shares in whole percent that sum to 100, by largest remainder; equal ones in their order.
 *
 * @param parts - Numbers of Posts.
 * @returns All 0 if there is no Post.
 */
export function wholePercents(parts: readonly number[]): number[] {
  const all = parts.reduce((sum, part) => sum + part, 0);
  if (all === 0) return parts.map(() => 0);
  const exact = parts.map((part) => (part * 100) / all);
  const shares = exact.map(Math.floor);
  const missing = 100 - shares.reduce((sum, share) => sum + share, 0);
  const order = exact
    .map((share, i) => ({ i, remainder: share - Math.floor(share) }))
    .sort((a, b) => b.remainder - a.remainder);
  for (const { i } of order.slice(0, missing)) shares[i]! += 1;
  return shares;
}
