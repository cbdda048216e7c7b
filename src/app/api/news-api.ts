import { formatInstant } from '#contract/instant.ts';
import { ofSource } from '#contract/counts/source.ts';
import { NEWS, type NewsObject } from '#contract/posts/news.ts';
import { HOUR_MS, MINUTE_MS, type Span } from '#core/time/span.ts';
import type { OwnSource } from './breakdown-api.ts';
import type { Client } from './client.ts';

/** The longest time that one request covers (platform-facts, section 8: `max_age_hours`). */
export const MOST_NEWS_MS = 720 * HOUR_MS;
/** The most stories of one request. */
const MOST_STORIES = 100;

/** A story of the Posts of a source. */
export interface NewsStory {
  readonly id: string;
  readonly name: string;
  readonly keywords: readonly string[];
  /** Its first minute, and the end of its last, epoch ms. */
  readonly start: number;
  readonly end: number;
  readonly posts: number;
}

function storyOf(story: NewsObject): NewsStory {
  const { id, name, keywords = [], start_time = '', end_time = '', post_count = 0 } = story;
  return {
    id,
    name,
    keywords,
    start: Date.parse(start_time),
    end: Date.parse(end_time) + MINUTE_MS,
    posts: post_count,
  };
}

/** A question about stories. */
export interface StoryAsk {
  /** In the platform's language. */
  readonly query: string;
  /** At most {@link MOST_NEWS_MS} long. */
  readonly span: Span;
  /** Nothing later is known, epoch ms. */
  readonly now: number;
}

/**
 * The stories of a time that share a term with a query, the strongest first.
 *
 * @throws {Fault} as `Client.json` does; 400 if the query cannot be parsed.
 * @throws The signal's reason when aborted.
 */
export async function storiesAbout(
  client: Pick<Client, 'json'>,
  source: OwnSource,
  { query, span, now }: StoryAsk,
  signal: AbortSignal,
): Promise<NewsStory[]> {
  const end = Math.floor(Math.min(span.end, now) / MINUTE_MS) * MINUTE_MS;
  if (end <= span.start) return [];
  const hours = Math.min(MOST_NEWS_MS / HOUR_MS, Math.ceil((end - span.start) / HOUR_MS));
  const { path, response } = ofSource(NEWS.search, source);
  const parameters = new URLSearchParams({
    query,
    max_age_hours: String(hours),
    max_results: String(MOST_STORIES),
    end_time: formatInstant(end),
    'news.fields': 'keywords,start_time,end_time,post_count',
  });
  const { data = [] } = await client.json(`${path}?${parameters}`, response, {
    signal,
    impatient: true,
  });
  // Whole hours reach back further than the span.
  return data.map(storyOf).filter((story) => story.end > span.start);
}
