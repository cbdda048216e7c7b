import type { CountsEndpoint } from './counts.ts';
import type { SearchEndpoint } from './search.ts';
import { SOURCE_PREFIX } from './source.ts';
import type { SourceId } from './source.ts';

/** Paths of the service, read by both programs. */
export const ROUTES = {
  /** `SessionRequest` to `SessionAnswer`: signs the dashboard in by a one-time secret, or renews its session. */
  session: { method: 'POST', path: '/session' },
  /** What the service can answer from: `SourcesAnswer`. */
  sources: { method: 'GET', path: '/sources' },
  /** `?name=` and the bytes of a file, to a `ControlEvent` per line; the dashboard's session alone. */
  import: { method: 'POST', path: '/import' },
  /** Ends the import whose name the request bears; no body either way; the dashboard's session alone. */
  importStop: { method: 'POST', path: '/import/stop' },
  /** `PlatformAnswer`; the dashboard's session alone. */
  platform: { method: 'GET', path: '/platform/settings' },
  /** `PlatformSettings` to `PlatformAnswer`; the dashboard's session alone. */
  platformChange: { method: 'PUT', path: '/platform/settings' },
  /** `SpendingAnswer`. */
  spending: { method: 'GET', path: '/platform/spending' },
  /** `HeldRequest` to `HeldAnswer`. */
  held: { method: 'GET', path: '/platform/held' },
} as const;

/** Paths that every source has, after its prefix. */
const SOURCE_ROUTES = {
  /** `CountsRequest` to `CountsAnswer`. */
  recent: '/2/tweets/counts/recent',
  all: '/2/tweets/counts/all',
  /** `SearchRequest` to `SearchAnswer`. */
  searchRecent: '/2/tweets/search/recent',
  searchAll: '/2/tweets/search/all',
  /** `?since=REVISION` to `ChangesAnswer`, or 410. */
  changes: '/changes',
} as const;

/**
 * `POST` makes a Post of Your posts, `CreateRequest` to `CreateAnswer`; `DELETE` of its id after it takes it
 * out again, to `DeleteAnswer`. It has two names (platform-facts section 0).
 */
export const POSTS_PATHS = ['/2/tweets', '/2/posts'] as const;

/** Path of counts of a source. */
export function countsPath(source: SourceId, endpoint: CountsEndpoint): string {
  return SOURCE_PREFIX[source] + SOURCE_ROUTES[endpoint];
}

/** Path of a source's search. */
export function searchPath(source: SourceId, endpoint: SearchEndpoint): string {
  const { searchRecent, searchAll } = SOURCE_ROUTES;
  return SOURCE_PREFIX[source] + (endpoint === 'recent' ? searchRecent : searchAll);
}

/** Path of what changed in a source. */
export function changesPath(source: SourceId): string {
  return SOURCE_PREFIX[source] + SOURCE_ROUTES.changes;
}
