import type { Story } from '#core/news/story.ts';
import { DAY_MS, intersect } from '#core/time/span.ts';
import { evaluated } from '#server/posts/evaluation.ts';
import type { Slices } from '#server/posts/slices.ts';
import type { CountSource, PostFinder } from '#server/posts/source.ts';
import { AFTER_MS, LEARNED_MS } from './bursting-terms.ts';
import type { GroupFinder, NewsSource } from './finder-thread.ts';
import type { FoundGroups } from './groups.ts';
import { storiesOf } from './stories.ts';

/** Finds the stories of a day, and remembers them while they are what the Posts give. All give null if the signal came first. */
export interface StoryStore {
  /**
   * The stories that begin on a UTC day, the strongest first.
   *
   * @param day - Its start, epoch ms.
   * @param asOf - Posts from then on are ignored, epoch ms.
   * @param hidden - Ids of all protected users, ascending.
   */
  of(
    id: NewsSource,
    day: number,
    asOf: number,
    hidden: readonly string[],
    signal: AbortSignal,
  ): Promise<readonly Story[] | null>;
  /** As {@link StoryStore.of}, but makes only the stories of chosen groups, and remembers none. */
  some(
    id: NewsSource,
    day: number,
    asOf: number,
    hidden: readonly string[],
    choose: (found: FoundGroups) => FoundGroups['groups'],
    signal: AbortSignal,
  ): Promise<readonly Story[] | null>;
}

export interface StoryStoreDeps {
  /** Returns the current source, refreshed. @throws {@link Fault} 404 if it is not open. */
  readonly open: (id: NewsSource) => CountSource;
  /** Adds what this service knows of users to what imports brought, for a caller without an account. */
  readonly people: (id: NewsSource) => (finder: PostFinder) => PostFinder;
  readonly finder: GroupFinder;
  readonly slices: Slices;
}

interface Known {
  readonly store: string;
  readonly revision: number;
  readonly mark: string;
  readonly asOf: number;
  /** Users whose Posts are in no story. */
  readonly hidden: string;
  readonly stories: readonly Story[];
  readonly weight: number;
}

/** Most characters of all remembered stories: some 60 MB. */
const MOST_WEIGHT = 30_000_000;
/** Characters of a story and of a day apart from the texts of Posts, approximately. */
const STORY_WEIGHT = 4000;
const DAY_WEIGHT = 200;

function weightOf(stories: readonly Story[]): number {
  const texts = stories.flatMap(({ cluster }) => cluster.map(({ post }) => post.text.length));
  return texts.reduce((sum, length) => sum + length, DAY_WEIGHT + STORY_WEIGHT * stories.length);
}

/** Whether stories that were found at a revision are still what the Posts of the day give. */
function isCurrent(known: Known, { index }: CountSource, day: number): boolean {
  if (known.store !== index.store) return false;
  if (known.revision === index.revision && known.mark === index.mark) return true;
  const changes = index.changesSince(known.revision, known.mark);
  const read = { start: day - LEARNED_MS, end: known.asOf };
  return changes !== null && changes.every((span) => intersect(span, read) === null);
}

export function storyStore({ open, people, finder, slices }: StoryStoreDeps): StoryStore {
  const remembered = new Map<string, Known>();
  let weight = 0;
  const forget = (key: string): void => {
    weight -= remembered.get(key)?.weight ?? 0;
    remembered.delete(key);
  };
  const remember = (key: string, known: Known): void => {
    forget(key);
    remembered.set(key, known);
    weight += known.weight;
    for (const oldest of remembered.keys()) {
      if (weight <= MOST_WEIGHT) break;
      forget(oldest);
    }
  };
  const made = async (
    id: NewsSource,
    groups: FoundGroups,
    signal: AbortSignal,
  ): Promise<readonly Story[] | null> => {
    if (groups.groups.length === 0) return signal.aborted ? null : [];
    const finderOf = people(id);
    const found = await evaluated(
      () => open(id),
      (state, due) => storiesOf(state, finderOf(state), groups, due),
      slices,
      signal,
    );
    return found && found.result;
  };
  return {
    of: async (id, day, now, users, signal) => {
      const key = `${id} ${day}`;
      const asOf = Math.min(now, day + DAY_MS + AFTER_MS);
      const source = open(id);
      const hidden = users.join(' ');
      const known = remembered.get(key);
      if (known?.asOf === asOf && known.hidden === hidden && isCurrent(known, source, day)) {
        const { revision, mark } = source.index;
        remember(key, { ...known, revision, mark });
        return known.stories;
      }
      const found = await finder.groups(id, day, asOf, users);
      const stories = await made(id, found, signal);
      if (!stories) return null;
      const { store, revision, mark } = found;
      remember(key, { store, revision, mark, asOf, hidden, stories, weight: weightOf(stories) });
      return stories;
    },
    some: async (id, day, now, hidden, choose, signal) => {
      const asOf = Math.min(now, day + DAY_MS + AFTER_MS);
      open(id);
      const found = await finder.groups(id, day, asOf, hidden);
      return made(id, { ...found, groups: choose(found) }, signal);
    },
  };
}
