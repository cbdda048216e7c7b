import { invalidRequest } from '#contract/fault.ts';
import { MUTES, type MuteAnswer } from '#contract/relations/mutes.ts';
import type { Route } from '#server/http/serve.ts';
import { change, knownUser, ownId, unrelate, type RelationDeps } from '#server/users/acting.ts';
import { reader } from '#server/users/reading.ts';
import { userPageOf } from '#server/users/user-pages.ts';

/** Reads whom an account mutes and blocks; mutes and unmutes. */
export function mutes(deps: RelationDeps): Route[] {
  const { http } = deps;
  const read = reader(deps);
  const list = (endpoint: typeof MUTES.muting | typeof MUTES.blocking, kind: 'mute' | 'block') =>
    http.serve(endpoint, (call) => {
      const of = ownId(call.caller, call.params.id);
      return read(call, (reading) => userPageOf(reading, { kind, side: 'source', of }, call.query));
    });

  return [
    list(MUTES.muting, 'mute'),
    list(MUTES.blocking, 'block'),
    http.serve(MUTES.mute, async (call): Promise<MuteAnswer | Response> => {
      const source = ownId(call.caller, call.params.id);
      const { target_user_id: value } = call.body;
      if (value === call.params.id) {
        throw invalidRequest('target_user_id', value, "You can't mute yourself.");
      }
      const target = await read(call, (reading) => knownUser(reading, value, 'target_user_id'));
      if (target instanceof Response) return target;
      await change(deps, call, ...target.learn, {
        what: 'relate',
        of: ['mute', source, target.id],
      });
      return { data: { muting: true } };
    }),
    http.serve(MUTES.unmute, async (call): Promise<MuteAnswer> => {
      const source = ownId(call.caller, call.params.source_user_id, 'source_user_id');
      await unrelate(deps, call, ['mute'], source, call.params.target_user_id);
      return { data: { muting: false } };
    }),
  ];
}
