import { invalidRequest } from '#contract/fault.ts';
import { FOLLOWS, type FollowAnswer, type UnfollowAnswer } from '#contract/relations/follows.ts';
import type { Route } from '#server/http/serve.ts';
import {
  change,
  knownUser,
  notPermitted,
  ownId,
  unrelate,
  type RelationDeps,
} from '#server/users/acting.ts';
import { reader, userReader } from '#server/users/reading.ts';
import { userPageOf } from '#server/users/user-pages.ts';
import type { Side } from '#server/posts/store/relation-kinds.ts';

/** Reads who follows whom; follows and unfollows. */
export function follows(deps: RelationDeps): Route[] {
  const { http } = deps;
  const [read, ofUser] = [reader(deps), userReader(deps)];
  const list = (endpoint: typeof FOLLOWS.followers | typeof FOLLOWS.following, side: Side) =>
    http.serve(endpoint, (call) =>
      ofUser(call, (reading, of) => userPageOf(reading, { kind: 'follow', side, of }, call.query)),
    );

  return [
    list(FOLLOWS.followers, 'target'),
    list(FOLLOWS.following, 'source'),
    http.serve(FOLLOWS.follow, async (call): Promise<FollowAnswer | Response> => {
      const source = ownId(call.caller, call.params.id);
      const { target_user_id: value } = call.body;
      if (value === call.params.id) {
        throw invalidRequest('target_user_id', value, "You can't follow yourself.");
      }
      const found = await read(call, function* (reading) {
        const target = yield* knownUser(reading, value, 'target_user_id');
        const { relations } = reading.state;
        return {
          target,
          isBlocked: relations.has('block', target.id, source),
          isFollower: relations.has('follow', source, target.id),
        };
      });
      if (found instanceof Response) return found;
      const { target, isBlocked, isFollower } = found;
      if (isBlocked) throw notPermitted('you have been blocked by this account.');
      if (target.protected && !isFollower) {
        await change(deps, call, ...target.learn, {
          what: 'relate',
          of: ['request', source, target.id],
        });
        return { data: { following: false, pending_follow: true } };
      }
      await change(
        deps,
        call,
        ...target.learn,
        { what: 'unrelate', of: ['request', source, target.id] },
        { what: 'relate', of: ['follow', source, target.id] },
      );
      return { data: { following: true, pending_follow: false } };
    }),
    http.serve(FOLLOWS.unfollow, async (call): Promise<UnfollowAnswer> => {
      const source = ownId(call.caller, call.params.source_user_id, 'source_user_id');
      await unrelate(deps, call, ['request', 'follow'], source, call.params.target_user_id);
      return { data: { following: false } };
    }),
  ];
}
