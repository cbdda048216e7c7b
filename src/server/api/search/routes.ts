import type { Context } from 'hono';
import { SearchRequest } from '#contract/search.ts';
import type { SearchEndpoint } from '#contract/search.ts';
import type { SourceId } from '#contract/source.ts';
import { evaluated } from '#server/posts/evaluation.ts';
import { searchPage } from './search.ts';
import {
  callerOf,
  CLIENT_GONE,
  notEnrolled,
  openedSource,
  takeRate,
} from '#server/http/context.ts';
import type { RouteDeps } from '#server/api/route-deps.ts';
import { tellAccess, tellStore, UNCACHED } from '#server/http/context.ts';
import { readParameters } from '#server/http/params.ts';

/** `GET /2/tweets/search/{recent,all}` of a source: one page of Posts, newest first. */
export function search(deps: RouteDeps, id: SourceId, endpoint: SearchEndpoint) {
  return async (c: Context): Promise<Response> => {
    const caller = callerOf(c, deps.gate);
    tellAccess(c, 'read');
    const { searchAll, searchRecent, searchRecentOfUser } = deps.limiters;
    const ofApp = caller.user === null;
    const recent = ofApp ? searchRecent : searchRecentOfUser;
    takeRate(c, caller, endpoint, endpoint === 'all' ? searchAll : recent);
    if (endpoint === 'all' && caller.access === 'self-service') {
      throw notEnrolled('Search of the whole archive needs', caller.client);
    }
    const { request, texts } = readParameters(c.req.url, SearchRequest[endpoint]);
    const { access } = caller;
    const now = deps.now();
    const question = { endpoint, request, texts, access, now, key: deps.pageKey };
    const page = await evaluated(
      () => openedSource(c, deps, id),
      (state, due) => searchPage(state, question, due),
      deps.slices,
      c.req.raw.signal,
    );
    if (!page) return new Response(null, { status: CLIENT_GONE });
    tellStore(c, page);
    c.header('content-type', 'application/json; charset=utf-8');
    c.header('cache-control', UNCACHED);
    return c.body(JSON.stringify(page.result));
  };
}
