import type { OwnSource } from '#app/api/breakdown-api.ts';
import { MOST_NEWS_MS, type NewsStory, type StoryAsk } from '#app/api/news-api.ts';
import { plural } from '#core/format/plural.ts';
import { Fault } from '#contract/fault.ts';
import { HOUR_MS, type Span } from '#core/time/span.ts';
import type { BoardEvent } from './event.ts';
import { LastSearch } from './last-search.ts';

/** Reads the stories of a time that share a term with a query. */
export type FindStories = (
  source: OwnSource,
  ask: StoryAsk,
  signal: AbortSignal,
) => Promise<readonly NewsStory[]>;

/** A search for the stories about the charted topics. */
export interface StorySearch {
  /** Null for one whose Posts the service does not have, or while the kind is off. */
  readonly source: OwnSource | null;
  readonly queries: readonly string[];
  readonly window: Span;
  /** Epoch ms. */
  readonly now: number;
  /** Changes with the Posts of the source. */
  readonly revision: unknown;
  /** True if the service is away: what was found stays, and nothing is searched until it is back. */
  readonly offline: boolean;
}

/** A story as an event. */
export function storyEvent({ id, name, keywords, start, end, posts }: NewsStory): BoardEvent {
  return {
    kind: 'story',
    id,
    start,
    end,
    title: name,
    detail: [plural(posts, 'Post'), ...keywords].join(', '),
    source: '',
    keywords,
  };
}

/** The sentence about searches that failed. */
function lackOf(faults: readonly unknown[], searches: number): string {
  const some = faults.length < searches ? 'Not all stories could be' : 'Stories could not be';
  const isRefused = faults.every((fault) => fault instanceof Fault && fault.status === 400);
  const why = isRefused ? 'a topic’s query is refused' : 'the service doesn’t answer';
  return `${some} searched because ${why}.`;
}

/** Extends a time to whole hours, which is what answers cover, so that a step of minutes asks nothing new. */
function wholeHours({ start, end }: Span): Span {
  const last = Math.ceil(end / HOUR_MS) * HOUR_MS;
  return { start: Math.max(Math.floor(start / HOUR_MS) * HOUR_MS, last - MOST_NEWS_MS), end: last };
}

/** The stories that share a term with a charted topic, as events. */
export class Stories {
  readonly #find: FindStories;
  events = $state.raw<readonly BoardEvent[]>([]);
  /** The reason there are none; empty if nothing is wrong. */
  lack = $state('');
  readonly #last = new LastSearch();

  constructor(find: FindStories) {
    this.#find = find;
  }

  /** Searches unless the same was searched last, also if that failed. */
  async load({ source, queries, window, now, revision, offline }: StorySearch): Promise<void> {
    const span = wholeHours(window);
    const signal = this.#last.begin([source, queries, span, revision], offline);
    if (!signal) return;
    if (source === null || queries.length === 0) {
      [this.events, this.lack] = [[], ''];
      return;
    }
    if (window.end - window.start > MOST_NEWS_MS) {
      [this.events, this.lack] = [[], 'Zoom in to 30 days or less to see stories.'];
      return;
    }
    this.lack = 'Searching stories…';
    const answers = await Promise.allSettled(
      queries.map((query) => this.#find(source, { query, span, now }, signal)),
    );
    if (signal.aborted) return;
    const found = answers.flatMap((answer) => (answer.status === 'fulfilled' ? answer.value : []));
    const faults = answers.flatMap((answer) =>
      answer.status === 'rejected' ? [answer.reason as unknown] : [],
    );
    const stories = new Map(found.map((story) => [story.id, storyEvent(story)]));
    this.events = [...stories.values()];
    if (faults.length > 0) this.lack = lackOf(faults, queries.length);
    else this.lack = stories.size > 0 ? '' : 'No story of this time shares a word with a topic.';
  }
}
