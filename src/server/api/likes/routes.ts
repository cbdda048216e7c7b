import { LIKES, type LikeAnswer } from '#contract/relations/likes.ts';
import type { Route } from '#server/http/serve.ts';
import { readId } from '#core/import/id.ts';
import { change, finderOf, knownPost, ownId, type RelationDeps } from '#server/users/acting.ts';
import { relatedPosts } from '#server/users/post-pages.ts';
import { nothing, reader, whyHidden, whyPostHidden } from '#server/users/reading.ts';
import { userPageOf } from '#server/users/user-pages.ts';

/** Reads likes from both ends; likes and unlikes. */
export function likes(deps: RelationDeps): Route[] {
  const { http } = deps;
  const read = reader(deps);
  return [
    http.serve(LIKES.liked, (call) =>
      read(call, function* (reading) {
        const { id } = call.params;
        const hidden = whyHidden(reading, id);
        if (hidden) return nothing(hidden);
        const of = readId(id) ?? 0n;
        return yield* relatedPosts(reading, { kind: 'like', side: 'source', of }, call.query);
      }),
    ),
    http.serve(LIKES.likingUsers, (call) =>
      read(call, function* (reading) {
        const { id } = call.params;
        const hidden = whyPostHidden(reading, id);
        if (hidden) return nothing(hidden);
        const of = readId(id) ?? 0n;
        return yield* userPageOf(reading, { kind: 'like', side: 'target', of }, call.query);
      }),
    ),
    http.serve(LIKES.like, async (call): Promise<LikeAnswer> => {
      const source = ownId(call.caller, call.params.id);
      const { row } = knownPost(finderOf(deps, call), call.body.tweet_id, 'tweet_id');
      await change(deps, call, { what: 'relate', of: ['like', source, row.id] });
      return { data: { liked: true } };
    }),
    http.serve(LIKES.unlike, async ({ c, caller, params, charges }): Promise<LikeAnswer> => {
      const source = ownId(caller, params.id);
      const post = readId(params.tweet_id);
      if (post !== null)
        await change(deps, { c, charges }, { what: 'unrelate', of: ['like', source, post] });
      return { data: { liked: false } };
    }),
  ];
}
