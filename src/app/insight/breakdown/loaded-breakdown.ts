import * as v from 'valibot';
import type { Breakdown } from '#app/api/breakdown-api.ts';
import { formatInstant } from '#contract/instant.ts';
import { parse } from '#core/query/parse.ts';
import { candidatesOfPosts } from '#core/causes/candidates.ts';
import { causesOf } from '#core/causes/causes.ts';
import type { Subject } from '#app/insight/drawer/inspected.ts';
import { breakdownOfPosts } from '#core/query/posts-breakdown.ts';
import { queryWords } from '#core/query/words.ts';
import type { IndexablePost, PostTerms } from '#core/text/post.ts';
import { termsOf } from '#core/text/terms.ts';
import type { Span } from '#core/time/span.ts';
import type { ShownCauses } from './causes-text.ts';
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
    ...(author?.username != null && { username: author.username }),
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

/** The words of a query, which say nothing about its Posts. */
function askedWords(query: string): ReadonlySet<string> {
  const parsed = parse(query, { own: true });
  return parsed.ok ? queryWords(parsed.ast) : new Set<string>();
}

const termsOfAll = (posts: readonly SearchedPost[]): PostTerms[] =>
  posts.map((post) => termsOf(indexable(post)));

/** The causes of the Posts of a time that were read, by their sample; null if there is no Post in it. */
export function loadedCauses(
  { query, span, before, count, countBefore }: Omit<Subject, 'key'>,
  samples: Samples,
): ShownCauses | null {
  const n = samples.now.length;
  if (n === 0) return null;
  const [now, earlier] = [termsOfAll(samples.now), termsOfAll(samples.before)];
  // Posts that a time as long usually has, as far as the sample of this one has those counted.
  const usual = (countBefore * (span.end - span.start) * n) / (before.end - before.start) / count;
  const isKnown = earlier.length > 0 && Number.isFinite(usual);
  return {
    ...causesOf(n, candidatesOfPosts(now, earlier, askedWords(query)), {
      posts: isKnown ? earlier.length : 0,
      weight: isKnown ? usual / earlier.length : 0,
    }),
    missing: [],
  };
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
  const asked = askedWords(query);
  const all = new Map([...posts, ...(samples?.now ?? [])].map((post) => [post.id, post]));
  const own = breakdownOfPosts(termsOfAll([...all.values()]), [], asked, MOST);
  const wording =
    samples && breakdownOfPosts(termsOfAll(samples.now), termsOfAll(samples.before), asked, MOST);
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
