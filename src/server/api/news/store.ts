import { identityOf, type Story, type StoryIdentity } from '#core/news/story.ts';
import { DAY_MS, intersect } from '#core/time/span.ts';
import { evaluated } from '#server/posts/index/evaluation.ts';
import type { Slices } from '#server/posts/index/slices.ts';
import type { CountSource, PostFinder, SourceState } from '#server/posts/index/source.ts';
import { AFTER_MS, LEARNED_MS } from './bursting-terms.ts';
import type { GroupFinder, NewsSource } from './finder-thread.ts';
import type { FoundGroup, FoundGroups } from './groups.ts';
import { storiesOf } from './stories.ts';

/** The subject of a search on a day. */
export interface Sought {
  readonly id: NewsSource;
  /** The start of a UTC day, epoch ms. */
  readonly day: number;
  /** Posts from then on are ignored, epoch ms. */
  readonly now: number;
  /** Ids of all protected users, ascending. */
  readonly hidden: readonly string[];
}

export interface StoryStoreDeps {
  /** Returns the current source, refreshed. @throws {@link Fault} 404 if it is not open. */
  readonly open: (id: NewsSource) => CountSource;
  /** Adds what this service knows of users to what imports brought, for a caller without an account. */
  readonly people: (id: NewsSource) => (finder: PostFinder) => PostFinder;
  readonly finder: GroupFinder;
  readonly slices: Slices;
}

interface Known extends Pick<SourceState, 'store' | 'revision' | 'mark'> {
  readonly asOf: number;
  /** Users whose Posts are in no story. */
  readonly hidden: string;
  readonly found: FoundGroups;
  /** The stories that were made so far; null for a group that says too little. */
  readonly made: Map<FoundGroup, Story | null>;
}

/** Most characters of all remembered stories: some 60 MB. */
const MOST_WEIGHT = 30_000_000;
/** Characters of a story, of a term and of a day apart from the texts of Posts, approximately. */
const STORY_WEIGHT = 4000;
const TERM_WEIGHT = 60;
const DAY_WEIGHT = 200;

function weightOf({ found, made }: Known): number {
  const terms = found.groups.reduce((sum, group) => sum + group.terms.length, 0);
  const stories = [...made.values()].filter((story) => story !== null);
  const texts = stories.flatMap(({ cluster }) => cluster.map(({ post }) => post.text.length));
  const rest = DAY_WEIGHT + TERM_WEIGHT * terms + STORY_WEIGHT * stories.length;
  return texts.reduce((sum, length) => sum + length, rest);
}

/** True if stories that were found at a revision are still what the Posts of the day give. */
function isCurrent(known: Known, { index }: CountSource, day: number): boolean {
  if (known.store !== index.store) return false;
  if (known.revision === index.revision && known.mark === index.mark) return true;
  const changes = index.changesSince(known.revision, known.mark);
  const read = { start: day - LEARNED_MS, end: known.asOf };
  return changes !== null && changes.every((span) => intersect(span, read) === null);
}

/** Finds the stories of a day, and remembers them while they are what the Posts give. */
export function storyStore({ open, people, finder, slices }: StoryStoreDeps) {
  const remembered = new Map<string, { readonly known: Known; readonly weight: number }>();
  let weight = 0;
  const forget = (key: string): void => {
    weight -= remembered.get(key)?.weight ?? 0;
    remembered.delete(key);
  };
  const remember = (key: string, known: Known): void => {
    forget(key);
    const entry = { known, weight: weightOf(known) };
    remembered.set(key, entry);
    weight += entry.weight;
    for (const oldest of remembered.keys()) {
      if (weight <= MOST_WEIGHT) break;
      forget(oldest);
    }
  };
  /** The groups of a day as the Posts are now. */
  const current = async ({ id, day, now, hidden: users }: Sought): Promise<Known> => {
    const asOf = Math.min(now, day + DAY_MS + AFTER_MS);
    const source = open(id);
    const hidden = users.join(' ');
    const known = remembered.get(`${id} ${day}`)?.known;
    if (known?.asOf === asOf && known.hidden === hidden && isCurrent(known, source, day)) {
      const { revision, mark } = source.index;
      return { ...known, revision, mark };
    }
    const { store, revision, mark, ...found } = await finder.groups(id, day, asOf, users);
    return { store, revision, mark, asOf, hidden, found, made: new Map() };
  };
  return {
    /**
     * The stories that begin on a day, the strongest first.
     *
     * @param chooses - The choice of those that are wanted: no others are made.
     * @returns null if the signal came first.
     */
    of: async (
      sought: Sought,
      chooses: (story: StoryIdentity) => boolean,
      signal: AbortSignal,
    ): Promise<readonly Story[] | null> => {
      const { id, day } = sought;
      const known = await current(sought);
      if (signal.aborted) return null;
      const { made, found } = known;
      const { start } = found;
      const chosen = found.groups.filter((group) => chooses(identityOf(group, start)));
      const groups = chosen.filter((group) => !made.has(group));
      if (groups.length > 0) {
        const finderOf = people(id);
        const stories = await evaluated(
          () => open(id),
          (state, due) => storiesOf(state, finderOf(state), { groups, start }, due),
          slices,
          signal,
        );
        if (!stories) return null;
        for (const [i, group] of groups.entries()) made.set(group, stories.result[i] ?? null);
      }
      remember(`${id} ${day}`, known);
      return chosen.flatMap((group) => made.get(group) ?? []);
    },
  };
}
