import { LEAST_POSTS } from '#core/news/burst.ts';
import { counted, groupsOf, type CountedGroup, type Group } from '#core/news/group.ts';
import type { PostWindow } from '#server/index/post-window.ts';
import type { Due, Steps } from '#server/index/steps.ts';
import type { SourceState } from '#server/posts/index/source.ts';
import { burstingTerms } from './bursting-terms.ts';

/** Most stories of a day; a day with more has those with the strongest terms. */
const MOST_STORIES = 60;
/** The number of Posts of a story that are read. */
const READ = 100;

/** A group of which a story can be made. */
export interface FoundGroup extends CountedGroup {
  /** Ids of some of its Posts, of which the story is made. */
  readonly some: readonly bigint[];
}

/** The groups of a day. */
export interface FoundGroups {
  /** The strongest first. */
  readonly groups: readonly FoundGroup[];
  /** Start of the minutes of bursts, epoch ms. */
  readonly start: number;
}

/** Ids of at most {@link READ} Posts of a group, spread evenly over its time: originals first. */
function someOf({ posts }: Group, window: PostWindow, reposts: ReadonlySet<number>): bigint[] {
  const inOrder = (numbers: readonly number[]): bigint[] =>
    numbers
      .map((number) => ({ second: window.seconds[number]!, id: window.id(number) }))
      .sort((a, b) => a.second - b.second || (a.id < b.id ? -1 : 1))
      .map(({ id }) => id);
  const evenly = (ids: readonly bigint[], most: number): bigint[] =>
    ids.length <= most
      ? [...ids]
      : Array.from({ length: most }, (_, i) => ids[Math.floor((i * ids.length) / most)]!);
  const originals = evenly(inOrder([...posts].filter((number) => !reposts.has(number))), READ);
  const others = inOrder([...posts].filter((number) => reposts.has(number)));
  return [...originals, ...evenly(others, READ - originals.length)];
}

/**
 * Finds the groups that begin on a UTC day. They depend on the Posts alone, not on the order in which they came. In
 * steps, over one state of the source.
 *
 * @param day - Its start, epoch ms.
 * @param asOf - Posts from then on are ignored, epoch ms.
 * @param hidden - Ids of users whose Posts are left out.
 */
export function* groupsOn(
  state: SourceState,
  day: number,
  asOf: number,
  hidden: readonly string[],
  due: Due,
): Steps<FoundGroups> {
  const found = yield* burstingTerms(state, day, asOf, hidden, due);
  if (!found || found.terms.length === 0) return { groups: [], start: day };
  const { terms, window, minutes, start } = found;
  const reposts = new Set(window.of(['is:retweet'])[0]);
  const groups: FoundGroup[] = [];
  for (const group of groupsOf(terms)) {
    if (groups.length === MOST_STORIES) break;
    if (due()) yield;
    const numbers = counted(group, minutes);
    if (group.posts.length >= LEAST_POSTS)
      groups.push({ ...numbers, some: someOf(group, window, reposts) });
  }
  return { groups, start };
}
