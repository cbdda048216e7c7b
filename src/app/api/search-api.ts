import { END_LAG_MS, UNTIL_NOW_HEADER } from '#contract/counts/counts.ts';
import { RECENT_DAYS } from '#contract/counts/reach.ts';
import { formatInstant } from '#contract/instant.ts';
import type { Fault } from '#contract/fault.ts';
import { ASK_HEADER, UNCERTAIN_HEADER } from '#contract/counts/platform.ts';
import {
  PAGE_POSTS,
  SEARCH_PATH,
  SearchAnswer,
  type AnswerPost,
  type PostOrigin,
  type SearchEndpoint,
} from '#contract/posts/search.ts';
import { SOURCE_PREFIX, type SourceId } from '#contract/counts/source.ts';
import { readId } from '#core/import/id.ts';
import { isUsername, postUrl } from '#core/import/post-url.ts';
import { DAY_MS, MINUTE_MS, type Span } from '#core/time/span.ts';
import type { Client } from './client.ts';

/** A Post that was found. */
export interface SearchedPost {
  readonly id: string;
  /** Epoch ms. */
  readonly at: number;
  readonly text: string;
  readonly lang: string | null;
  /** Null if unknown or not requested; the name is null where only the username is known, or the other way round. */
  readonly author: { readonly name: string | null; readonly username: string | null } | null;
  /** Its address on the platform, or elsewhere; null if it has none that is known. */
  readonly url: string | null;
  readonly reposts: number | null;
  readonly likes: number | null;
  readonly replies: number | null;
  /** As the source sent it. */
  readonly raw: AnswerPost;
}

export interface SearchedPage {
  /** Newest first. May be empty even if there is a next page: withheld Posts are omitted. */
  readonly posts: readonly SearchedPost[];
  /** Token of the next page; null after the last. */
  readonly next: string | null;
}

export interface SearchAsk {
  readonly query: string;
  /** Half-open; the same for all pages of a listing. */
  readonly span: Span;
  /** Token from the previous page of the same search; by default the first page. */
  readonly next?: string | null;
  /** Posts per page, at least 10; 10 by default. The platform charges for each. */
  readonly max?: number;
  /** True to request authors; by default only for the user's own posts, because the platform may bill each author. */
  readonly authors?: boolean;
  /** `tweet.fields` apart from {@link SHOWN_FIELDS}. */
  readonly fields?: string;
}

export type PostSearch = (
  source: SourceId,
  endpoint: SearchEndpoint,
  ask: SearchAsk,
  signal: AbortSignal,
) => Promise<SearchedPage>;

/** The difference that clocks may have when a bound is near the edge of the allowed range. */
const SLACK_MS = MINUTE_MS;

/** The API escapes these three characters in texts, and no others. */
const ESCAPED: Readonly<Record<string, string>> = { '&amp;': '&', '&lt;': '<', '&gt;': '>' };

function plain(text: string): string {
  return text.replaceAll(/&(?:amp|lt|gt);/g, (sign) => ESCAPED[sign] ?? sign);
}

/** The fields that {@link readPosts} reads. */
export const SHOWN_FIELDS =
  'created_at,lang,public_metrics,author_id,entities,referenced_tweets,attachments';

/** The author of a Post, of an answer and its import. A name that is the username says nothing. */
function authorOf(
  user: { readonly name: string; readonly username: string } | undefined,
  origin: PostOrigin | undefined,
): SearchedPost['author'] {
  const username = user?.username ?? origin?.username;
  if (username === undefined) return null;
  const name = origin?.name ?? user?.name ?? username;
  if (!isUsername(username)) return { name, username: null };
  return { name: name === username ? null : name, username };
}

/** The address of a Post that the platform itself answered with. */
function platformUrl(id: string, at: number, author: SearchedPost['author']): string | null {
  const number = readId(id);
  return number === null ? null : postUrl(number, at, author?.username ?? null);
}

function readPost(
  post: AnswerPost,
  authors: ReadonlyMap<string, { readonly name: string; readonly username: string }>,
  isPlatform: boolean,
): SearchedPost {
  const { id, text, created_at, author_id, lang, public_metrics: metrics, origin } = post;
  const at = Date.parse(created_at);
  const author = authorOf(authors.get(author_id ?? ''), origin);
  return {
    id,
    at,
    text: plain(text),
    lang: lang ?? null,
    author,
    url: isPlatform ? platformUrl(id, at, author) : (origin?.url ?? null),
    reposts: metrics?.retweet_count ?? null,
    likes: metrics?.like_count ?? null,
    replies: metrics?.reply_count ?? null,
    raw: post,
  };
}

/** The Posts of an answer of search, in its order. */
export function readPosts(
  { data = [], includes }: SearchAnswer,
  isPlatform = false,
): SearchedPost[] {
  const users = new Map(includes?.users?.map(({ id, name, username }) => [id, { name, username }]));
  return data.map((post) => readPost(post, users, isPlatform));
}

/** The bounds to send; one at the edge of the allowed range is omitted, so that the source applies its own. */
function boundsOf(
  { start, end }: Span,
  endpoint: SearchEndpoint,
  now: number,
): Record<string, string> {
  const oldest = now - RECENT_DAYS * DAY_MS + SLACK_MS;
  return {
    ...(endpoint === 'all' || start > oldest ? { start_time: formatInstant(start) } : {}),
    ...(end < now - END_LAG_MS - SLACK_MS ? { end_time: formatInstant(end) } : {}),
  };
}

/**
 * Makes a function that searches a source for the Posts of a query in a span, newest first, page by page. Requests to
 * the platform carry an id, so that a page whose answer was lost is not bought twice.
 *
 * The function rejects with a {@link Fault} as `Client.json` does, also if a cap is reached; with the signal's reason
 * when aborted; with {@link RangeError} for an invalid number of Posts.
 *
 * @param random - In `[0, 1)`.
 */
export function postSearch(client: Client, random: () => number): PostSearch {
  return async (source, endpoint, ask, signal) => {
    const { query, span, next = null, authors = source !== 'platform', fields } = ask;
    const { min, max: limit, default: few } = PAGE_POSTS[endpoint];
    const { max = few } = ask;
    if (!Number.isInteger(max) || max < min || max > limit) {
      throw new RangeError(`expected ${min} to ${limit} Posts, got ${max}`);
    }
    const isOwn = source !== 'platform';
    // The service finds own Posts at once.
    const now = client.now(source) + (isOwn ? END_LAG_MS : 0);
    // Nothing newer can be requested.
    if (span.start >= Math.min(span.end, now - END_LAG_MS)) return { posts: [], next: null };
    // A token is valid for the bounds of its first page, however old.
    const { next_token, ...bounds } = Object.fromEntries(
      new URLSearchParams(next ?? boundsOf(span, endpoint, now)),
    );
    const parameters = new URLSearchParams({
      query,
      ...bounds,
      max_results: String(max),
      'tweet.fields': [SHOWN_FIELDS, fields].filter(Boolean).join(),
      ...(authors && { expansions: 'author_id' }),
      ...(next_token !== undefined && { next_token }),
    });
    const id = `${now.toString(36)}-${Math.floor(random() * 2 ** 48).toString(36)}`;
    const answer = await client.json(
      `${SOURCE_PREFIX[source]}${SEARCH_PATH[endpoint]}?${parameters}`,
      SearchAnswer,
      {
        signal,
        unpaid: true,
        ...(isOwn
          ? { headers: { [UNTIL_NOW_HEADER]: '1' } }
          : {
              headers: { [ASK_HEADER]: id, [UNCERTAIN_HEADER]: '0' },
              // It may have been billed: sending it again is another purchase, which the user decides on.
              onUncertain: (fault: Fault) => Promise.reject(fault),
            }),
      },
    );
    const { next_token: token } = answer.meta;
    return {
      // The source's own bound may be a little wider.
      posts: readPosts(answer, source === 'platform').filter(
        ({ at }) => at >= span.start && at < span.end,
      ),
      next:
        token === undefined ? null : String(new URLSearchParams({ ...bounds, next_token: token })),
    };
  };
}
