import { USERS } from '#contract/relations/users.ts';
import { currentSource } from '#server/http/current-source.ts';
import { clientGone } from '#server/http/errors.ts';
import type { Call, Route } from '#server/http/serve.ts';
import { evaluated } from '#server/posts/index/evaluation.ts';
import { emailOf } from '#server/users/people.ts';
import type { ServiceContext } from '#server/context.ts';
import { findUsers, type FoundUsers, type UserQuestion } from './users.ts';
import type { Caller } from '#server/auth/caller.ts';

/** An answer about many users, which has no data if there is none. */
function many({ data, ...others }: FoundUsers): object {
  return { ...(data.length > 0 && { data }), ...others };
}

/** An answer about one user. */
function one({ data: [user], ...others }: FoundUsers): object {
  return { ...(user && { data: user }), ...others };
}

/** `GET /2/users…`: the accounts of this service, and the users that Your posts knows. */
export function users({ http, source, service, slices }: ServiceContext): Route[] {
  const answer = async (
    { c, caller }: Pick<Call<Caller>, 'c' | 'caller'>,
    asked: Omit<UserQuestion, 'viewer'>,
    form: (found: FoundUsers) => object,
  ): Promise<object> => {
    const question = { ...asked, viewer: caller.user };
    const found = await evaluated(
      () => currentSource(c, source, 'posts'),
      (state, due) => findUsers(state, service, question, due),
      slices,
      c.req.raw.signal,
    );
    return found ? form(found.result) : clientGone();
  };

  return [
    http.serve(USERS.many, (call) => {
      const { ids: values, selection } = call.query;
      return answer(call, { values, parameter: 'ids', selection }, many);
    }),
    http.serve(USERS.named, (call) => {
      const { usernames: values, selection } = call.query;
      return answer(call, { values, parameter: 'usernames', selection }, many);
    }),
    http.serve(USERS.byUsername, (call) => {
      const { selection } = call.query;
      return answer(
        call,
        { values: [call.params.username], parameter: 'username', selection },
        one,
      );
    }),
    http.serve(USERS.me, (call) => {
      const { selection } = call.query;
      const { user, scopes } = call.caller;
      const isAsked = selection.users.includes('confirmed_email');
      const own = isAsked && scopes.includes('users.email') ? emailOf(service, user.id) : {};
      return answer(call, { values: [user.id], parameter: 'id', selection, own }, one);
    }),
    http.serve(USERS.one, (call) => {
      const { selection } = call.query;
      return answer(call, { values: [call.params.id], parameter: 'id', selection }, one);
    }),
  ];
}
