import { END_LAG_MS } from '#contract/counts.ts';
import { RECENT_DAYS } from '#contract/reach.ts';
import { formatInstant } from '#contract/instant.ts';
import type { Fault } from '#contract/fault.ts';
import { ASK_HEADER, UNCERTAIN_HEADER } from '#contract/platform.ts';
import { PAGE_POSTS, SEARCH, SearchAnswer } from '#contract/search.ts';
import type { AnswerPost, SearchEndpoint } from '#contract/search.ts';
import { ofSource } from '#contract/source.ts';
import type { SourceId } from '#contract/source.ts';
import { DAY_MS, MINUTE_MS } from '#core/time/span.ts';
import type { Span } from '#core/time/span.ts';
import type { Client } from './client.ts';

/** A Post that was found. */
export interface FoundPost {
  readonly id: string;
  /** Epoch ms. */
  readonly at: number;
  readonly text: string;
  readonly lang: string | null;
  /** Null where it is not known or was not asked for. */
  readonly author: { readonly name: string; readonly username: string } | null;
  readonly reposts: number | null;
  readonly likes: number | null;
}

export interface FoundPage {
  /** Newest first. May be empty before a further page: what may not be shown is left out. */
  readonly posts: readonly FoundPost[];
  /** What to ask the next page with; null after the last. */
  readonly next: string | null;
}

export interface SearchAsk {
  readonly query: string;
  /** Half-open; the same for all pages of a listing. */
  readonly span: Span;
  /** Of the page before, to the same question; the first page unless given. */
  readonly next?: string | null;
  /** Posts of a page, 10 at least; 10 unless given. On the platform each is paid for. */
  readonly most?: number;
  /** Whether authors are asked for; unless given, of own posts alone: the platform may bill each as a user. */
  readonly authors?: boolean;
}

export type PostSearch = (
  source: SourceId,
  endpoint: SearchEndpoint,
  ask: SearchAsk,
  signal: AbortSignal,
) => Promise<FoundPage>;

/** How far clocks may differ where a bound is near the edge of what may be asked. */
const SLACK_MS = MINUTE_MS;

/** Texts of the interface escape these three signs, and no others. */
const ESCAPED: Readonly<Record<string, string>> = { '&amp;': '&', '&lt;': '<', '&gt;': '>' };

function plain(text: string): string {
  return text.replaceAll(/&(?:amp|lt|gt);/g, (sign) => ESCAPED[sign] ?? sign);
}

function readPost(post: AnswerPost, authors: ReadonlyMap<string, FoundPost['author']>): FoundPost {
  const { id, text, created_at, author_id, lang, public_metrics: metrics } = post;
  return {
    id,
    at: Date.parse(created_at),
    text: plain(text),
    lang: lang ?? null,
    author: (author_id === undefined ? null : authors.get(author_id)) ?? null,
    reposts: metrics?.retweet_count ?? null,
    likes: metrics?.like_count ?? null,
  };
}

/** The bounds that may be named; one that lies at the edge of what may be asked is left to the source. */
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
 * A way to ask a source for the Posts of a query in a span, newest first, a page at a time. The platform's
 * pages bear an ask's id, so that one whose answer was lost is not bought twice.
 *
 * What the way gives rejects with a {@link Fault} as `Client.json` does, also where a cap of the budget is
 * reached; with the signal's reason when aborted; with {@link RangeError} for a number of Posts that no page has.
 *
 * @param random - In `[0, 1)`.
 */
export function postSearch(client: Client, random: () => number): PostSearch {
  return async (source, endpoint, ask, signal) => {
    const { query, span, next = null, authors = source !== 'platform' } = ask;
    const { least, most: limit, default: few } = PAGE_POSTS[endpoint];
    const { most = few } = ask;
    if (!Number.isInteger(most) || most < least || most > limit) {
      throw new RangeError(`expected ${least} to ${limit} Posts, got ${most}`);
    }
    const now = client.now(source);
    // Nothing that is newer can be asked for.
    if (span.start >= Math.min(span.end, now - END_LAG_MS)) return { posts: [], next: null };
    // A token is good for the bounds that its first page named, however long ago that was.
    const { next_token, ...bounds } = Object.fromEntries(
      new URLSearchParams(next ?? boundsOf(span, endpoint, now)),
    );
    const parameters = new URLSearchParams({
      query,
      ...bounds,
      max_results: String(most),
      'tweet.fields': 'created_at,lang,public_metrics,author_id',
      ...(authors && { expansions: 'author_id' }),
      ...(next_token !== undefined && { next_token }),
    });
    const id = `${now.toString(36)}-${Math.floor(random() * 2 ** 48).toString(36)}`;
    const answer = await client.json(
      `${ofSource(SEARCH[endpoint], source).path}?${parameters}`,
      SearchAnswer,
      {
        signal,
        unpaid: true,
        ...(source === 'platform' && {
          headers: { [ASK_HEADER]: id, [UNCERTAIN_HEADER]: '0' },
          // It may have been billed: sending it again is another purchase, for the user to decide on.
          onUncertain: (fault: Fault) => Promise.reject(fault),
        }),
      },
    );
    const users = new Map(
      answer.includes?.users?.map(({ id, name, username }) => [id, { name, username }]),
    );
    const { next_token: token } = answer.meta;
    const posts = (answer.data ?? []).map((post) => readPost(post, users));
    return {
      // A bound that was left to the source may lie a little beyond.
      posts: posts.filter(({ at }) => at >= span.start && at < span.end),
      next:
        token === undefined ? null : String(new URLSearchParams({ ...bounds, next_token: token })),
    };
  };
}
