import { BREAKDOWN } from '#contract/counts/breakdown.ts';
import { SEARCH, type SearchEndpoint, type SearchRequest } from '#contract/posts/search.ts';
import { ofSource, type SourceId } from '#contract/counts/source.ts';
import { clientGone } from '#server/http/errors.ts';
import { windowTime } from '#server/http/request-window.ts';
import type { Call, Route } from '#server/http/serve.ts';
import { peopleOf } from '#server/users/people.ts';
import type { ServiceContext } from '#server/context.ts';
import { searchPage } from './search.ts';
import type { Caller } from '#server/auth/caller.ts';

/** `GET /2/tweets/search/{recent,all}` and `GET /ranked` of Your posts and of the sample. */
export function search(deps: ServiceContext): Route[] {
  const { http, evaluate, rank, service, pageKey: key, now } = deps;
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

  return (['posts', 'sample'] as const).flatMap((id) => [
    http.serve(ofSource(SEARCH.recent, id), page(id, 'recent')),
    http.serve(ofSource(SEARCH.all, id), page(id, 'all')),
    http.serve(ofSource(BREAKDOWN.ranked, id), ({ c, query, texts, caller }) =>
      rank(c, id, query, texts, caller),
    ),
  ]);
}
