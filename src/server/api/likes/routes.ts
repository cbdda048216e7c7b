import { LIKES, type LikeAnswer } from '#contract/relations/likes.ts';
import type { Route } from '#server/http/serve.ts';
import { ownId, relatePost, unrelate, type RelationDeps } from '#server/users/acting.ts';
import { relatedPosts } from '#server/users/post-pages.ts';
import { postReader, userReader } from '#server/users/reading.ts';
import { userPageOf } from '#server/users/user-pages.ts';

/** Reads likes from both ends; likes and unlikes. */
export function likes(deps: RelationDeps): Route[] {
  const { http } = deps;
  const [ofUser, ofPost] = [userReader(deps), postReader(deps)];
  return [
    http.serve(LIKES.liked, (call) =>
      ofUser(call, (reading, of) =>
        relatedPosts(reading, { kind: 'like', side: 'source', of }, call.query),
      ),
    ),
    http.serve(LIKES.likingUsers, (call) =>
      ofPost(call, (reading, of) =>
        userPageOf(reading, { kind: 'like', side: 'target', of }, call.query),
      ),
    ),
    http.serve(LIKES.like, async (call): Promise<LikeAnswer> => {
      await relatePost(deps, call, 'like');
      return { data: { liked: true } };
    }),
    http.serve(LIKES.unlike, async (call): Promise<LikeAnswer> => {
      const source = ownId(call.caller, call.params.id);
      await unrelate(deps, call, ['like'], source, call.params.tweet_id);
      return { data: { liked: false } };
    }),
  ];
}
