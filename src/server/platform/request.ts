import { CountsRequest } from '#contract/counts/count-operations.ts';
import { invalidParameters } from '#contract/fault.ts';
import { formatInstant, parseInstant } from '#contract/instant.ts';
import { COUNTS_PATH } from '#contract/counts/counts.ts';
import { OWN_FIELDS, OWN_PAGE } from '#contract/counts/own-posts.ts';
import { PAGE_POSTS, SEARCH_PATH, SearchRequest } from '#contract/posts/search.ts';
import { splitList } from '#contract/parameters.ts';
import type { CountsEndpoint } from '#core/counts/endpoint.ts';
import { format, RULES_VERSION } from '#core/query/format.ts';
import { parse } from '#core/query/parse.ts';
import { DAY_MS, HOUR_MS } from '#core/time/span.ts';
import type { StoredParts, VaultWindow } from './page-table.ts';

/** A request in the form sent to the platform, which validates its values. */
export interface RelayCall {
  readonly product: 'counts' | 'search' | 'own';
  readonly endpoint: CountsEndpoint;
  /** The path of the platform. */
  readonly path: string;
  /** The parameters as received, with a leading `?` if there are any. */
  readonly search: string;
  readonly query: string;
  readonly parts: StoredParts;
  /** The whole request as text, equal for equal ones. */
  readonly key: string;
  /**
   * The key under which others may reuse its page; null for search, and without closed bounds or with
   * other parameters.
   */
  readonly window: VaultWindow | null;
  /** The most that a page of search may return; zero for counts. */
  readonly brings: Resources;
  /** True if its Posts are of the account that the token is for, and cost less. */
  readonly isOwner?: boolean;
}

/** Posts and users of an answer, by which search is billed. */
export interface Resources {
  readonly posts: number;
  readonly users: number;
}

const COUNTS_NAMES = Object.keys(CountsRequest.entries);
const SEARCH_NAMES = Object.keys(SearchRequest.all.entries);
const FIELDS = CountsRequest.entries['search_count.fields'].default as string;

/** The members of a bucket in sorted order. */
function fieldsOf(text: string | null): string {
  if (text === null) return FIELDS;
  return [...new Set(splitList(text))].sort().join(',');
}

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
export const ALL_FIELDS = fieldsOf(null);

/** @throws {@link Fault} 400 that names every unknown or repeated parameter. */
function readNames(url: string, known: readonly string[]): URL {
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

/** The whole request as text, equal for equal ones. */
function keyOf(path: string, given: URLSearchParams): string {
  return JSON.stringify([path, ...[...given].sort(([a], [b]) => (a < b ? -1 : 1))]);
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
    key: keyOf(`search/${endpoint}`, given),
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
    fields: fieldsOf(given.get('search_count.fields')),
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
    key: keyOf(endpoint, given),
    window:
      bounded && start !== null && end !== null
        ? { meaning, granularity: granularity ?? 'hour', fields: fields ?? ALL_FIELDS, start, end }
        : null,
    brings: { posts: 0, users: 0 },
  };
}

/** The window under which the account of the token is stored: for good. */
export const ME: VaultWindow = {
  meaning: 'users/me',
  granularity: 'user',
  fields: '',
  start: 0,
  end: 0,
};

/** The window of an account by its name, in lower case. */
export const userWindow = (username: string): VaultWindow => ({
  ...ME,
  meaning: `users/by/username/${username.toLowerCase()}`,
});

/** Of the pages with an account's Posts. */
export const TIMELINE = 'timeline';

/** The text under which the pages of an account's Posts are stored. */
export const timelineOf = (id: string): string => `users/${id}/tweets`;

/** A request without a query, whose page is stored for good. */
function ownCall(path: string, query: string, window: VaultWindow): RelayCall {
  return {
    product: 'own',
    endpoint: 'recent',
    path,
    search: '',
    query,
    parts: { ...window, token: null },
    key: keyOf(path, new URLSearchParams()),
    window,
    brings: { posts: 0, users: 1 },
  };
}

/** Reads a request for the account of the token. @throws {@link Fault} 400 for any parameter. */
export function readMe(url: string): RelayCall {
  readNames(url, []);
  return ownCall('/2/users/me', 'users/me', ME);
}

const USER_PATH = /\/2\/users\/by\/username\/(\w{1,20})$/;
const POSTS_PATH = /\/2\/users\/(\d{1,19})\/tweets$/;

/** @throws {@link Fault} 400 if the path has no such part. */
function partOf(url: URL, path: RegExp, parameter: string): string {
  const [, part] = path.exec(url.pathname) ?? [];
  if (part !== undefined) return part;
  const value = url.pathname.split('/').at(parameter === 'id' ? -2 : -1) ?? '';
  const message = `The \`${parameter}\` of the path has the value [${value}], which is none`;
  throw invalidParameters([{ parameter, value, message }]);
}

/** Reads a request for an account by its name. @throws {@link Fault} 400 for another name, or any parameter. */
export function readUser(url: string): RelayCall {
  const username = partOf(readNames(url, []), USER_PATH, 'username');
  return ownCall(`/2/users/by/username/${username}`, `@${username}`, userWindow(username));
}

/**
 * Reads a request for the newest Posts of an account in a time, all with the same fields.
 *
 * @param owner - Id of the account that the token is for; null if that is not known.
 * @throws {@link Fault} 400 unless it names both bounds, and nothing else.
 */
export function readOwnPosts(url: string, owner: string | null): RelayCall {
  const read = readNames(url, ['start_time', 'end_time']);
  const id = partOf(read, POSTS_PATH, 'id');
  const bound = (parameter: string): number => {
    const value = read.searchParams.get(parameter) ?? '';
    const at = parseInstant(value);
    if (at !== null) return at;
    const message = `The \`${parameter}\` query parameter value [${value}] is not an instant`;
    throw invalidParameters([{ parameter, value, message }]);
  };
  const [start, end] = [bound('start_time'), bound('end_time')];
  const given = new URLSearchParams({
    start_time: formatInstant(start),
    end_time: formatInstant(end),
    max_results: String(OWN_PAGE),
    'tweet.fields': OWN_FIELDS,
  });
  const path = `/2/${timelineOf(id)}`;
  const window = {
    meaning: timelineOf(id),
    granularity: TIMELINE,
    fields: OWN_FIELDS,
    start,
    end,
  };
  return {
    ...ownCall(path, `from:${id}`, window),
    search: `?${given}`,
    key: keyOf(path, given),
    brings: { posts: OWN_PAGE, users: 0 },
    isOwner: id === owner,
  };
}

/**
 * The earliest fetch time at which the counts of a window with this end are settled: its last UTC day
 * has been over for the settling time.
 */
export function settledFrom(end: number, settleHours: number): number {
  return Math.ceil(end / DAY_MS) * DAY_MS + settleHours * HOUR_MS;
}
