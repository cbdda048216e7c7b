import { invalidRequest } from '#contract/fault.ts';
import { MUTES, type MuteAnswer } from '#contract/relations/mutes.ts';
import type { Route } from '#server/http/serve.ts';
import { readId } from '#core/import/id.ts';
import { change, knownUser, ownId, type RelationDeps } from '#server/users/acting.ts';
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
      const { c, caller, params, body, charges } = call;
      const source = ownId(caller, params.id);
      const { target_user_id: value } = body;
      if (value === params.id) {
        throw invalidRequest('target_user_id', value, "You can't mute yourself.");
      }
      const target = await read(call, (reading) => knownUser(reading, value, 'target_user_id'));
      if (target instanceof Response) return target;
      await change(deps, { c, charges }, ...target.learn, {
        what: 'relate',
        of: ['mute', source, target.id],
      });
      return { data: { muting: true } };
    }),
    http.serve(MUTES.unmute, async ({ c, caller, params, charges }): Promise<MuteAnswer> => {
      const source = ownId(caller, params.source_user_id, 'source_user_id');
      const target = readId(params.target_user_id);
      if (target !== null) {
        await change(deps, { c, charges }, { what: 'unrelate', of: ['mute', source, target] });
      }
      return { data: { muting: false } };
    }),
  ];
}
