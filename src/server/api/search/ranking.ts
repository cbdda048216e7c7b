import type { Context } from 'hono';
import type { RankedRequest } from '#contract/counts/breakdown.ts';
import type { SourceId } from '#contract/counts/source.ts';
import { invalidRequest } from '#contract/fault.ts';
import { currentSource } from '#server/http/current-source.ts';
import { clientGone } from '#server/http/errors.ts';
import { setStore } from '#server/http/headers.ts';
import { spanBetween, type SpanTexts } from '#server/http/span-between.ts';
import { evaluated } from '#server/posts/index/evaluation.ts';
import { readableBy } from '#server/users/hidden.ts';
import { peopleOf } from '#server/users/people.ts';
import type { ReadingDeps } from '#server/users/reading.ts';
import { rankedPosts } from './ranked.ts';
import type { SearchPage } from './search.ts';
import type { Caller } from '#server/auth/caller.ts';

/** Makes a function that ranks the Posts of a source that a caller may read. */
export function ranking({ source, service, slices, now }: Omit<ReadingDeps, 'pageKey'>) {
  /** @throws {@link Fault} As {@link rankedPosts}; 400 without a time, or the instant that an order needs. */
  return async (
    c: Context,
    id: Exclude<SourceId, 'platform'>,
    request: RankedRequest,
    texts: SpanTexts,
    { access, kind, user }: Pick<Caller, 'access' | 'kind' | 'user'>,
  ): Promise<SearchPage | Response> => {
    const own = id === 'posts' && kind === 'session';
    const span = spanBetween(request, texts);
    if (request.order === 'nearest' && request.at === undefined) {
      throw invalidRequest('at', '', "The order 'nearest' needs 'at', an instant");
    }
    const question = {
      request,
      span,
      access,
      own,
      now: now(),
      people: peopleOf(id, service, user),
    };
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
}
