import { accountsIn, payloadFault, type EmitOrder } from '#contract/streams/emitted-events.ts';
import type { PostChange } from '#server/posts/editor/changes.ts';

/**
 * The change that adds a given event to the log.
 *
 * @param accountOf - Finds an account by its username.
 * @throws {Error} if there is no such account, or the event does not have the payload.
 */
export function emittedEvent(
  { event, username, payload }: EmitOrder,
  accountOf: (username: string) => { readonly id: string } | undefined,
): Extract<PostChange, { what: 'append' }> {
  const account = accountOf(username);
  const fault = payloadFault(event, payload);
  if (!account) throw new Error(`There is no account @${username}.`);
  if (fault !== null) throw new Error(`${event}: ${fault}`);
  const users = [...new Set([account.id, ...accountsIn(payload)])];
  // As the log has mutes; the other events name no account that acts.
  const body = event.startsWith('block.') ? { source_id: account.id, ...payload } : payload;
  return { what: 'append', of: [[{ type: event, users, post: null, body }]] };
}
