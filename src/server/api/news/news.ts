import type { NewsField, NewsObject } from '#contract/posts/news.ts';
import { formatInstant } from '#contract/instant.ts';
import type { Condition } from '#core/query/ast.ts';
import { match } from '#core/query/match.ts';
import { firstMinuteOf } from '#core/news/story-id.ts';
import type { Story } from '#core/news/story.ts';
import { termsOf } from '#core/text/terms.ts';
import { floorTo } from '#core/time/bucket.ts';
import { ARCHIVE_START, DAY_MS, HOUR_MS, MINUTE_MS, type Span } from '#core/time/span.ts';
import { openedSource } from '#server/http/current-source.ts';
import type { CountSource } from '#server/posts/index/source.ts';
import { peopleOf } from '#server/users/people.ts';
import type { ReadingDeps } from '#server/users/reading.ts';
import { hiddenUsers } from '#server/users/hidden.ts';
import { LATE_MS } from './bursting-terms.ts';
import type { GroupFinder, NewsSource } from './finder-thread.ts';
import { storyStore } from './store.ts';

/** A story is reported if it became one within this time: the log, which says what was reported, reaches back further. */
export const REPORTED_MS = 12 * HOUR_MS;

/** The stories of a source. Each function gives null if the signal came first. */
export type News = ReturnType<typeof openNews>;

export interface NewsDeps extends Pick<ReadingDeps, 'source' | 'service' | 'slices'> {
  readonly finder: GroupFinder;
}

export function openNews({ source, service, finder, slices }: NewsDeps) {
  const open = (id: NewsSource): CountSource => {
    const found = openedSource(source, id);
    found.refresh();
    return found;
  };
  const store = storyStore({
    open,
    people: (id) => peopleOf(id, service, null),
    finder,
    slices,
  });
  const hiddenIn = (id: NewsSource): readonly string[] => hiddenUsers(id, service, open(id).posts);
  const within = async (
    id: NewsSource,
    { start, end }: Span,
    signal: AbortSignal,
  ): Promise<Story[] | null> => {
    // Stories of the last minute would differ from one second to the next.
    const until = floorTo(end, 'minute');
    const hidden = hiddenIn(id);
    const found: Story[] = [];
    // One that began on the day before may last until the span begins.
    for (let day = floorTo(start, 'day') - DAY_MS; day < until; day += DAY_MS) {
      const stories = await store.of(
        { id, day, now: until, hidden },
        ({ first, last }) => first < end && last + MINUTE_MS > start,
        signal,
      );
      if (!stories) return null;
      found.push(...stories);
    }
    return found.sort((a, b) => b.score - a.score || (BigInt(a.id) < BigInt(b.id) ? -1 : 1));
  };
  return {
    /** The stories with a minute in a span, as of its end, the strongest first. */
    within,
    /** The story with an id, or the one that includes it by now; undefined if there is none. */
    one: async (
      id: NewsSource,
      story: string,
      now: number,
      signal: AbortSignal,
    ): Promise<Story | undefined | null> => {
      const first = firstMinuteOf(story);
      if (first < ARCHIVE_START || first >= now) return undefined;
      const day = floorTo(first, 'day');
      const sought = { id, day, now: floorTo(now, 'minute'), hidden: hiddenIn(id) };
      const stories = await store.of(sought, ({ ids }) => ids.includes(story), signal);
      return stories && (stories.find((found) => found.id === story) ?? stories[0]);
    },
    /**
     * The groups that became a story lately, for `news.new`: the stories as of the last whole minute that have none of
     * the ids that are known. A story that is found again with more Posts has the ids under which it was known.
     *
     * @param known - True if a story with that id was reported before.
     * @returns Those that became one within {@link REPORTED_MS}.
     */
    fresh: async (
      id: NewsSource,
      known: (story: string) => boolean,
      now: number,
      signal: AbortSignal,
    ): Promise<Story[] | null> => {
      const [until, today] = [floorTo(now, 'minute'), floorTo(now, 'day')];
      const hidden = hiddenIn(id);
      const fresh: Story[] = [];
      // A burst that began before midnight may still become frequent for some hours.
      for (const day of now < today + LATE_MS ? [today - DAY_MS, today] : [today]) {
        const stories = await store.of(
          { id, day, now: until, hidden },
          ({ ids, certain }) => certain >= now - REPORTED_MS && !ids.some(known),
          signal,
        );
        if (!stories) return null;
        fresh.push(...stories);
      }
      return fresh;
    },
  };
}

/**
 * True if a query finds a story: it matches one of the Posts that represent it, or its name, summary, keywords and
 * contexts as one text.
 */
export function isFoundBy(story: Story, condition: Condition): boolean {
  const { name, summary, keywords, contexts, cluster } = story;
  const text = [name, summary, ...keywords, ...Object.values(contexts).flat()].join('\n');
  const posts = [{ text }, ...cluster.map(({ post }) => post)];
  return posts.some((post) => match(condition, termsOf(post)));
}

const DISCLAIMER =
  'This story is a group of Posts that were more frequent than usual. Its texts are sentences of those Posts, which may be wrong.';

/** The fields of an answer that names none: those of the specification's table of objects. */
const USUAL: readonly NewsField[] = ['summary', 'contexts', 'cluster_posts_results', 'updated_at'];

/** The JSON of a story: `rest_id`, `id`, `name` and the requested fields. */
export function newsJson(story: Story, fields: readonly NewsField[] = USUAL): NewsObject {
  const { id, name, first, last, contexts } = story;
  const { tickers, teams, topics, ...entities } = contexts;
  const has = (field: NewsField): boolean => fields.includes(field);
  const updated = formatInstant(last);
  return {
    rest_id: id,
    id,
    name,
    ...(has('summary') && { summary: story.summary }),
    ...(has('hook') && { hook: story.hook }),
    ...(has('category') && { category: story.category }),
    ...(has('contexts') && {
      contexts: {
        entities: {
          events: [...entities.events],
          organizations: [...entities.organizations],
          people: [...entities.people],
          places: [...entities.places],
          products: [...entities.products],
        },
        finance: { tickers: [...tickers] },
        sports: { teams: [...teams] },
        topics: [...topics],
      },
    }),
    ...(has('cluster_posts_results') && {
      cluster_posts_results: story.cluster.map((post) => ({ post_id: post.id })),
    }),
    ...(has('keywords') && { keywords: [...story.keywords] }),
    ...(has('disclaimer') && { disclaimer: DISCLAIMER }),
    ...(has('updated_at') && { last_updated_at_ms: updated, updated_at: updated }),
    ...(has('start_time') && { start_time: formatInstant(first) }),
    ...(has('end_time') && { end_time: updated }),
    ...(has('post_count') && { post_count: story.posts }),
  };
}
