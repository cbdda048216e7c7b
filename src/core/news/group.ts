import { CERTAIN, type Burst } from './burst.ts';

/** A term with one of its bursts, and the Posts of the burst that contain it. */
export interface BurstingTerm {
  readonly term: string;
  readonly burst: Burst;
  /** Numbers of Posts, ascending. */
  readonly posts: Uint32Array;
}

/** A term of a group with one of its bursts, and how many Posts of the burst contain it. */
export interface CountedTerm {
  readonly term: string;
  readonly burst: Burst;
  readonly posts: number;
}

/** A group, with the numbers of its Posts alone. */
export interface CountedGroup {
  /** The strongest first. */
  readonly terms: readonly [CountedTerm, ...CountedTerm[]];
  readonly posts: number;
}

/** Terms that many of the same Posts contain at the same time. */
export interface Group {
  /** The strongest first. */
  readonly terms: readonly [BurstingTerm, ...BurstingTerm[]];
  /** Posts with the strongest term, or with two others. */
  readonly posts: Uint32Array;
}

/** Part of a term's Posts that have the strongest term of its group. */
const SHARED = 0.5;

/** The number of Posts that two ascending lists share. */
export function common(a: Uint32Array, b: Uint32Array): number {
  let [i, j, n] = [0, 0, 0];
  while (i < a.length && j < b.length) {
    const [x, y] = [a[i]!, b[j]!];
    if (x === y) n++;
    if (x <= y) i++;
    if (y <= x) j++;
  }
  return n;
}

function byStrength(a: BurstingTerm, b: BurstingTerm): number {
  const [x, y] = [a.burst, b.burst];
  return y.score - x.score || x.first - y.first || (a.term < b.term ? -1 : 1);
}

/** True if two bursts have a minute in common. */
function overlap(a: Burst, b: Burst): boolean {
  return a.first <= b.last && b.first <= a.last;
}

/** Posts with the first term, or with at least two of the others. */
function postsOf([lead, ...others]: readonly BurstingTerm[]): Uint32Array {
  const times = new Map<number, number>();
  for (const { posts } of others) {
    for (const post of posts) times.set(post, (times.get(post) ?? 0) + 1);
  }
  const all = new Set(lead?.posts ?? []);
  for (const [post, n] of times) if (n > 1) all.add(post);
  return Uint32Array.from(all).sort();
}

/**
 * Groups bursting terms that share Posts: from the strongest to the weakest, a term joins the group with which it shares
 * most if half of its Posts have that group's strongest term at the same time, else it begins a group if its burst is
 * certain. Then groups that
 * share half of their Posts become one.
 *
 * @returns Groups by the strength of their first term.
 */
export function groupsOf(terms: readonly BurstingTerm[]): Group[] {
  const open: [BurstingTerm, ...BurstingTerm[]][] = [];
  for (const each of terms.toSorted(byStrength)) {
    let [best, most] = [-1, 0];
    for (const [i, [lead]] of open.entries()) {
      if (!overlap(lead.burst, each.burst)) continue;
      const shared = common(lead.posts, each.posts);
      if (shared > most && shared >= SHARED * Math.min(each.posts.length, lead.posts.length)) {
        [best, most] = [i, shared];
      }
    }
    if (best >= 0) open[best]!.push(each);
    else if (each.burst.score >= CERTAIN) open.push([each]);
  }
  const groups: Group[] = [];
  for (const members of open) {
    const posts = postsOf(members);
    const at = groups.findIndex(
      (group) =>
        overlap(group.terms[0].burst, members[0].burst) &&
        common(group.posts, posts) >= SHARED * Math.min(group.posts.length, posts.length),
    );
    if (at < 0) {
      groups.push({ terms: members, posts });
      continue;
    }
    const [lead, ...rest] = [...groups[at]!.terms, ...members.toSorted(byStrength)];
    const all: Group['terms'] = [lead!, ...rest];
    groups[at] = { terms: all, posts: postsOf(all) };
  }
  return groups;
}

/** A group without its Posts. */
export function counted({ terms: [lead, ...others], posts }: Group): CountedGroup {
  const termOf = ({ term, burst, posts: of }: BurstingTerm): CountedTerm => {
    return { term, burst, posts: of.length };
  };
  return { terms: [termOf(lead), ...others.map(termOf)], posts: posts.length };
}
