import { CERTAIN, LEAST_POSTS, type Burst } from './burst.ts';
import { hasSign, isSpacelessLetter, isInflection } from './news-term.ts';

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
  /** The leading one first, which is the strongest that is not general. */
  readonly terms: readonly [CountedTerm, ...CountedTerm[]];
  readonly posts: number;
  /** The minutes of its first and its last Post. */
  readonly first: number;
  readonly last: number;
}

/** Terms that many of the same Posts contain at the same time. */
export interface Group {
  /** The leading one first, which is the strongest that is not general. */
  readonly terms: readonly [BurstingTerm, ...BurstingTerm[]];
  /** Posts with two of the terms, or with the leading hashtag or cashtag; ascending. */
  readonly posts: Uint32Array;
}

/** Part of a term's Posts that have the leading term of its group. */
const SHARED = 0.5;
/** Part of the Posts of two groups that they share if they are one. */
const ONE = 0.4;
/** Minutes between two bursts of a word in one story, at most. */
const PAUSE = 120;
/** Part of a term's Posts that another one must have, so that both say the same. */
const SAME = 2 / 3;
/** Part of the Posts of a term of one story that are also of another one, at most. */
const STRAY = 0.2;
/** Part of a general term's Posts that would be usual. */
const USUAL = 0.1;

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

/** True if two bursts have a minute in common, or little time between them. */
function near(a: Burst, b: Burst): boolean {
  return a.first <= b.last + PAUSE && b.first <= a.last + PAUSE;
}

/** True if two bursts have a minute in common. */
function overlap(a: Burst, b: Burst): boolean {
  return a.first <= b.last && b.first <= a.last;
}

/**
 * True if a term is in many stories: as many Posts as a story needs would be usual in the time of its burst. It leads no
 * group.
 */
function isGeneral({ burst: { usual, posts } }: BurstingTerm): boolean {
  return usual >= LEAST_POSTS && usual >= USUAL * posts;
}

/**
 * True if most Posts of a term are of several stories, each with a term of its own: other terms that share almost no
 * Posts have half of them together. It leads no group either.
 */
function isDivided(lead: BurstingTerm, terms: readonly BurstingTerm[]): boolean {
  const size = lead.posts.length;
  if (size < 2 * LEAST_POSTS) return false;
  const parts: { term: string; posts: Uint32Array }[] = [];
  for (const { term, burst, posts } of terms) {
    if (posts.length < LEAST_POSTS || !overlap(lead.burst, burst)) continue;
    if (isInflection(lead.term, term)) continue;
    const shared = intersection(lead.posts, posts);
    if (shared.length < LEAST_POSTS || shared.length < SHARED * posts.length) continue;
    if (shared.length >= SAME * size) return false;
    parts.push({ term, posts: shared });
  }
  parts.sort((a, b) => b.posts.length - a.posts.length || (a.term < b.term ? -1 : 1));
  let covered = new Uint32Array();
  let count = 0;
  for (const { posts } of parts) {
    if (common(covered, posts) > STRAY * posts.length) continue;
    covered = union(covered, posts);
    count++;
  }
  return count > 1 && covered.length >= SHARED * size;
}

/**
 * Posts with at least two of the terms, not both of many stories; or with a leading hashtag or cashtag, or with the only
 * term.
 */
function postsOf(terms: readonly BurstingTerm[], general: ReadonlySet<BurstingTerm>): Uint32Array {
  const [lead, ...others] = terms;
  if (!lead) return new Uint32Array();
  if (others.length === 0) return lead.posts;
  // Forms of one word are one term, and one letter is half of a word.
  const found = new Map<number, { first: string; weight: number }>();
  const all: number[] = [];
  for (const each of terms.toSorted((a, b) => Number(general.has(a)) - Number(general.has(b)))) {
    const { term, posts } = each;
    const weight = isSpacelessLetter(term) ? 1 : 2;
    const isName = term === lead.term && hasSign(term);
    for (const post of posts) {
      const before = found.get(post);
      if (!before) {
        if (general.has(each)) continue;
        found.set(post, { first: term, weight: isName ? 4 : weight });
        if (isName) all.push(post);
      } else if (before.weight < 4 && !isInflection(before.first, term)) {
        before.weight += weight;
        if (before.weight >= 4) all.push(post);
      }
    }
  }
  return Uint32Array.from(all).sort();
}

/** True if two lists share a part of the shorter one. */
function shares(a: Uint32Array, b: Uint32Array, part: number): boolean {
  return common(a, b) >= part * Math.min(a.length, b.length);
}

/** The Posts of both of two ascending lists. */
function intersection(a: Uint32Array, b: Uint32Array): Uint32Array<ArrayBuffer> {
  const both = new Set(b);
  return a.length === 0 ? new Uint32Array() : new Uint32Array(a.filter((post) => both.has(post)));
}

/** The Posts of any of two ascending lists. */
function union(a: Uint32Array, b: Uint32Array): Uint32Array<ArrayBuffer> {
  return Uint32Array.from(new Set([...a, ...b])).sort();
}

/** Terms of a group that is being made, and the Posts with any form of the leading one. */
interface OpenGroup {
  readonly terms: [BurstingTerm, ...BurstingTerm[]];
  posts: Uint32Array;
}

/** Puts a term into the group with which it shares most. @returns False if there is none. */
function joins(open: readonly OpenGroup[], each: BurstingTerm): boolean {
  let best: OpenGroup | undefined;
  let most = 0;
  for (const group of open) {
    const [lead] = group.terms;
    if (isInflection(lead.term, each.term) && near(lead.burst, each.burst)) {
      group.terms.push(each);
      group.posts = union(group.posts, each.posts);
      return true;
    }
    if (!overlap(lead.burst, each.burst)) continue;
    const shared = common(group.posts, each.posts);
    if (shared > most && shared >= SHARED * Math.min(each.posts.length, group.posts.length)) {
      [best, most] = [group, shared];
    }
  }
  best?.terms.push(each);
  return best !== undefined;
}

/**
 * Groups bursting terms that share Posts: from the strongest to the weakest, a term joins the group with whose leading
 * term it shares half of its Posts at the same time, or of whose leading term it is another form; else it begins a group
 * if its burst is certain. A general or divided term begins none, and joins each group of which it has half of the Posts. Then
 * groups that share many of their Posts become one.
 *
 * @returns Groups by the strength of their leading term.
 */
export function groupsOf(terms: readonly BurstingTerm[]): Group[] {
  const open: OpenGroup[] = [];
  const general = new Set<BurstingTerm>();
  for (const each of terms.toSorted(byStrength)) {
    if (isGeneral(each) || isDivided(each, terms)) general.add(each);
    else if (!joins(open, each) && each.burst.score >= CERTAIN) {
      open.push({ terms: [each], posts: each.posts });
    }
  }
  for (const each of general) {
    for (const { terms: members, posts } of open) {
      if (!overlap(members[0].burst, each.burst)) continue;
      if (common(posts, each.posts) >= SHARED * posts.length) members.push(each);
    }
  }
  const groups: (Group & { readonly led: Uint32Array })[] = [];
  for (const { terms: members, posts: led } of open) {
    const posts = postsOf(members, general);
    const at = groups.findIndex(
      (group) =>
        overlap(group.terms[0].burst, members[0].burst) &&
        (shares(group.posts, posts, ONE) || shares(group.led, led, SHARED)),
    );
    if (at < 0) {
      groups.push({ terms: members, posts, led });
      continue;
    }
    const { terms: known, led: before } = groups[at]!;
    const all: Group['terms'] = [
      ...known,
      ...members.filter((each) => !known.includes(each)).sort(byStrength),
    ];
    groups[at] = { terms: all, posts: postsOf(all, general), led: union(before, led) };
  }
  return groups;
}

/** A group without its Posts. @param minutes - By the number of a Post. */
export function counted(
  { terms: [lead, ...others], posts }: Group,
  minutes: Uint16Array,
): CountedGroup {
  const termOf = ({ term, burst, posts: of }: BurstingTerm): CountedTerm => {
    return { term, burst, posts: of.length };
  };
  let [first, last] = [lead.burst.last, lead.burst.first];
  for (const post of posts) {
    const minute = minutes[post]!;
    first = Math.min(first, minute);
    last = Math.max(last, minute);
  }
  return { terms: [termOf(lead), ...others.map(termOf)], posts: posts.length, first, last };
}
