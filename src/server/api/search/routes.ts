import { BREAKDOWN, type RankedRequest } from '#contract/counts/breakdown.ts';
import { invalidRequest } from '#contract/fault.ts';
import { SEARCH, type SearchEndpoint, type SearchRequest } from '#contract/posts/search.ts';
import { ofSource, type SourceId } from '#contract/counts/source.ts';
import type { Caller } from '#server/auth/tokens.ts';
import { spanBetween } from '#server/http/span-between.ts';
import { currentSource } from '#server/http/current-source.ts';
import { clientGone } from '#server/http/errors.ts';
import { setStore } from '#server/http/headers.ts';
import { windowTime } from '#server/http/request-window.ts';
import type { Call, Route } from '#server/http/serve.ts';
import { evaluated } from '#server/posts/index/evaluation.ts';
import { readableBy } from '#server/users/hidden.ts';
import { peopleOf } from '#server/users/people.ts';
import type { ServiceContext } from '#server/context.ts';
import { rankedPosts } from './ranked.ts';
import { searchPage } from './search.ts';

/** `GET /2/tweets/search/{recent,all}` and `GET /ranked` of Your posts and of the sample. */
export function search(deps: ServiceContext): Route[] {
  const { http, source, evaluate, service, slices, pageKey: key, now } = deps;
  const page =
    (id: SourceId, endpoint: SearchEndpoint) =>
    async ({ c, query: request, texts, caller }: Call<Caller, SearchRequest>) => {
      const { access, kind, user } = caller;
      const own = id === 'posts' && kind === 'session';
      const people = peopleOf(id, service, user);
      const question = {
        endpoint,
        request,
        texts,
        access,
        own,
        now: windowTime(c, caller, now()),
        key,
        people,
      };
      const found = await evaluate(c, id, user, (state, due) => searchPage(state, question, due));
      return found ? found.result : clientGone();
    };
  const ranked =
    (id: SourceId) =>
    async ({ c, query: request, texts, caller }: Call<Caller, RankedRequest>) => {
      const { access, kind, user } = caller;
      const own = id === 'posts' && kind === 'session';
      const span = spanBetween(request, texts);
      if (request.order === 'nearest' && request.at === undefined) {
        throw invalidRequest('at', '', "The order 'nearest' needs 'at', an instant");
      }
      const people = peopleOf(id, service, user);
      const question = { request, span, access, own, now: now(), people };
      const found = await evaluated(
        () => currentSource(c, source, id),
        readableBy(user, id, service)((state, due) => rankedPosts(state, question, due)),
        slices,
        c.req.raw.signal,
      );
      if (!found) return clientGone();
      setStore(c, found);
      return found.result;
    };

  return (['posts', 'sample'] as const).flatMap((id) => [
    http.serve(ofSource(SEARCH.recent, id), page(id, 'recent')),
    http.serve(ofSource(SEARCH.all, id), page(id, 'all')),
    http.serve(ofSource(BREAKDOWN.ranked, id), ranked(id)),
  ]);
}
