import { invalidParameters } from '#contract/fault.ts';
import { formatInstant, parseInstant } from '#contract/instant.ts';
import { OWN_FIELDS, OWN_PAGE } from '#contract/counts/own-posts.ts';
import type { VaultWindow } from './page-table.ts';
import { type RelayCall, callKey } from './relay-call.ts';
import { readNames } from './request.ts';

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
    key: callKey(path, new URLSearchParams()),
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
    key: callKey(path, given),
    brings: { posts: OWN_PAGE, users: 0 },
    isOwner: id === owner,
  };
}
