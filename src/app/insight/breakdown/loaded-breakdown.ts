import * as v from 'valibot';
import type { Breakdown } from '#app/api/breakdown-api.ts';
import { formatInstant } from '#contract/instant.ts';
import { parse } from '#core/query/parse.ts';
import { breakdownOfPosts } from '#core/query/posts-breakdown.ts';
import { queryWords } from '#core/query/words.ts';
import type { IndexablePost, PostTerms } from '#core/text/post.ts';
import { termsOf } from '#core/text/terms.ts';
import type { Span } from '#core/time/span.ts';
import type { SearchedPost } from '#app/api/search-api.ts';

/** Most items of a list, as the service answers. */
const MOST = 10;

/** The parts of an answer's Post that the breakdown reads; anything else in it is ignored. */
const Parts = v.object({
  entities: v.optional(
    v.object({
      urls: v.optional(
        v.array(v.object({ url: v.optional(v.string()), expanded_url: v.optional(v.string()) })),
      ),
    }),
  ),
  referenced_tweets: v.optional(v.array(v.object({ type: v.string() }))),
  attachments: v.optional(v.object({ media_keys: v.optional(v.array(v.string())) })),
});

/** The parts of a Post that queries match, as far as the answer states them. */
function indexable({ text, lang, author, raw }: SearchedPost): IndexablePost {
  const parsed = v.safeParse(Parts, raw);
  const {
    entities,
    referenced_tweets: references = [],
    attachments,
  } = parsed.success ? parsed.output : {};
  const isOf = (type: string): boolean => references.some((reference) => reference.type === type);
  const urls = entities?.urls?.flatMap(({ url, expanded_url: expanded }) =>
    [url, expanded].flatMap((each) => each ?? []),
  );
  return {
    text,
    ...(lang !== null && { lang }),
    ...(author && { username: author.username }),
    ...(raw.author_id !== undefined && { authorId: raw.author_id }),
    ...(urls && urls.length > 0 && { urls }),
    isRetweet: isOf('retweeted'),
    isQuote: isOf('quoted'),
    isReply: isOf('replied_to'),
    ...((attachments?.media_keys?.length ?? 0) > 0 && { hasMedia: true }),
  };
}

/** Posts that were read of a time and of the time before, to compare their words. */
export interface Samples {
  readonly now: readonly SearchedPost[];
  readonly before: readonly SearchedPost[];
}

/**
 * The breakdown of the Posts of a time that were read. Words and phrases are those of the samples, which are spread
 * over both times, where the list of Posts begins at one end.
 *
 * @param samples - Null while they have not been read: then no word is distinctive.
 */
export function loadedBreakdown(
  query: string,
  posts: readonly SearchedPost[],
  samples: Samples | null,
  before: Span,
): Breakdown {
  const parsed = parse(query, { own: true });
  const asked = parsed.ok ? queryWords(parsed.ast) : new Set<string>();
  const terms = (list: readonly SearchedPost[]): PostTerms[] =>
    list.map((post) => termsOf(indexable(post)));
  const all = new Map([...posts, ...(samples?.now ?? [])].map((post) => [post.id, post]));
  const own = breakdownOfPosts(terms([...all.values()]), [], asked, MOST);
  const wording =
    samples && breakdownOfPosts(terms(samples.now), terms(samples.before), asked, MOST);
  const urlOf = (address: string): string => `https://${address}`;
  return {
    posts: all.size,
    compared: {
      start: formatInstant(before.start),
      end: formatInstant(before.end),
      posts: samples?.before.length ?? 0,
    },
    kinds: [...own.kinds],
    authors: {
      distinct: own.authors.distinct,
      items: own.authors.items.map((author) => ({ ...author, followers: null })),
    },
    words: [...(wording?.words ?? [])],
    phrases: [...(wording?.phrases ?? [])],
    hashtags: [...own.hashtags],
    cashtags: [...own.cashtags],
    emoji: [...own.emoji],
    domains: [...own.domains],
    addresses: own.addresses.map((address) => ({ ...address, url: urlOf(address.name) })),
    languages: [...own.languages],
    countries: [],
    places: [],
  };
}
