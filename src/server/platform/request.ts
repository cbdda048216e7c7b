import { CountsRequest } from '#contract/counts/count-operations.ts';
import { invalidParameters } from '#contract/fault.ts';
import { parseInstant } from '#contract/instant.ts';
import { COUNTS_PATH } from '#contract/counts/counts.ts';
import { PAGE_POSTS, SEARCH_PATH, SearchRequest } from '#contract/posts/search.ts';
import { splitList } from '#contract/parameters.ts';
import type { CountsEndpoint } from '#core/counts/endpoint.ts';
import { format, RULES_VERSION } from '#core/query/format.ts';
import { parse } from '#core/query/parse.ts';
import { DAY_MS, HOUR_MS } from '#core/time/span.ts';
import type { StoredParts } from './page-table.ts';
import { relayedFields, type Resources, type RelayCall, callKey } from './relay-call.ts';

const COUNTS_NAMES = Object.keys(CountsRequest.entries);
const SEARCH_NAMES = Object.keys(SearchRequest.all.entries);

/**
 * The meaning of a query, however it is written: its canonical text under the current rules; the text
 * itself if it cannot be parsed.
 */
export function meaningOf(query: string): string {
  for (const product of ['all', 'recent'] as const) {
    const parsed = parse(query, { product });
    if (parsed.ok) return `${RULES_VERSION} ${format(parsed.ast)}`;
  }
  return query;
}

/** The default members of a bucket. */
export const ALL_FIELDS = relayedFields(null);

/** @throws {@link Fault} 400 that names every unknown or repeated parameter. */
export function readNames(url: string, known: readonly string[]): URL {
  const read = new URL(url);
  const given = read.searchParams;
  const wrong = [...new Set(given.keys())].flatMap((parameter) => {
    const values = given.getAll(parameter);
    const value = values.join(',');
    if (!known.includes(parameter)) {
      const message = `The query parameter [${parameter}] is not one of [${known.join(',')}]`;
      return [{ parameter, value, message }];
    }
    if (values.length === 1) return [];
    const message = `The \`${parameter}\` query parameter may be given only once`;
    return [{ parameter, value, message }];
  });
  if (wrong.length > 0) throw invalidParameters(wrong);
  return read;
}

/** Expansions that return users or Posts, with their usual maximum per Post. */
const BRINGS: Readonly<Record<string, Partial<Resources>>> = {
  author_id: { users: 1 },
  in_reply_to_user_id: { users: 1 },
  'entities.mentions.username': { users: 1 },
  'entities.note.mentions.username': { users: 1 },
  'referenced_tweets.id': { posts: 1 },
  'referenced_tweets.id.author_id': { posts: 1, users: 1 },
};

/** The most that a page may return; a request that the platform will refuse counts as the longest page. */
function bringsOf(endpoint: CountsEndpoint, given: URLSearchParams): Resources {
  const { min, max, default: few } = PAGE_POSTS[endpoint];
  const asked = Number(given.get('max_results') ?? few);
  const page = Number.isInteger(asked) && asked >= min && asked <= max ? asked : max;
  let [posts, users] = [1, 0];
  for (const name of new Set(splitList(given.get('expansions') ?? ''))) {
    posts += BRINGS[name]?.posts ?? 0;
    users += BRINGS[name]?.users ?? 0;
  }
  return { posts: page * posts, users: page * users };
}

/**
 * Reads a search request as far as the relay needs. Its page is stored for its ask alone, since another
 * ask wants current results.
 *
 * @throws {@link Fault} 400 that names every parameter which search does not have, or which is
 *   repeated.
 */
export function readSearch(endpoint: CountsEndpoint, url: string): RelayCall {
  const { search, searchParams: given } = readNames(url, SEARCH_NAMES);
  const query = given.get('query') ?? '';
  const none = { granularity: null, fields: null, start: null, end: null };
  return {
    product: 'search',
    endpoint,
    path: SEARCH_PATH[endpoint],
    search,
    query,
    parts: { meaning: meaningOf(query), ...none, token: given.get('next_token') },
    key: callKey(`search/${endpoint}`, given),
    window: null,
    brings: bringsOf(endpoint, given),
  };
}

/**
 * Reads a counts request as far as the relay needs.
 *
 * @throws {@link Fault} 400 that names every parameter which counts do not have, or which is repeated.
 */
export function readCall(endpoint: CountsEndpoint, url: string): RelayCall {
  const { search, searchParams: given } = readNames(url, COUNTS_NAMES);
  const instant = (name: string): number | null => parseInstant(given.get(name) ?? '');
  const query = given.get('query') ?? '';
  const meaning = meaningOf(query);
  const parts: StoredParts = {
    meaning,
    granularity: given.get('granularity') ?? 'hour',
    fields: relayedFields(given.get('search_count.fields')),
    start: instant('start_time'),
    end: instant('end_time'),
    token: given.get('next_token') ?? given.get('pagination_token'),
  };
  const { granularity, fields, start, end, token } = parts;
  const bounded = !given.has('since_id') && !given.has('until_id') && token === null;
  return {
    product: 'counts',
    endpoint,
    path: COUNTS_PATH[endpoint],
    search,
    query,
    parts: bounded || token !== null ? parts : { ...parts, start: null, end: null },
    key: callKey(endpoint, given),
    window:
      bounded && start !== null && end !== null
        ? { meaning, granularity: granularity ?? 'hour', fields: fields ?? ALL_FIELDS, start, end }
        : null,
    brings: { posts: 0, users: 0 },
  };
}

/**
 * The earliest fetch time at which the counts of a window with this end are settled: its last UTC day
 * has been over for the settling time.
 */
export function settledFrom(end: number, settleHours: number): number {
  return Math.ceil(end / DAY_MS) * DAY_MS + settleHours * HOUR_MS;
}
