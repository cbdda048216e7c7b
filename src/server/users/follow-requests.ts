import type { AccountInfo, UserOrder } from '#contract/accounts/accounts.ts';
import type { RequestInfo, RequestOrder } from '#contract/relations/follow-requests.ts';
import { readId } from '#core/import/id.ts';
import type { PostEditor } from '#server/posts/editor/editor.ts';
import type { RelationReader } from '#server/posts/store/relations.ts';
import { AccountError } from './accounts.ts';

export interface RequestsDeps {
  /** Accounts of this service. */
  readonly accounts: readonly AccountInfo[];
  readonly editor: PostEditor;
}

/**
 * Carries out an order about the pending follows of an account. A change is durable when the promise resolves.
 *
 * @returns The accounts that ask to follow it, newest first; after an approval or refusal, the one that asked. Rejects
 *   with {@link AccountError} for an account that does not exist, or that did not ask.
 */
export async function orderRequests(
  { accounts, editor }: RequestsDeps,
  order: RequestOrder,
): Promise<RequestInfo[]> {
  const folded = order.username.toLowerCase();
  const account = accounts.find(({ username }) => username.toLowerCase() === folded);
  const target = readId(account?.id ?? '');
  if (target === null) throw new AccountError(`There is no account @${order.username}.`);
  const names = new Map(accounts.map(({ id, username }) => [id, username]));
  const [ids] = await editor.write({ what: 'followRequests', of: [target] });
  const requests = ids.map((id) => {
    const requester = String(id);
    return { id: requester, username: names.get(requester) ?? requester };
  });
  if (order.action === 'list') return requests;
  const name = order.requester.toLowerCase();
  const found = requests.find(({ username }) => username.toLowerCase() === name);
  const approved = order.action === 'approve';
  if (found) {
    const of = [BigInt(found.id), target, approved] as const;
    const [answered] = await editor.write({ what: 'answerRequest', of: [...of] });
    if (answered) return [found];
  }
  throw new AccountError(`@${order.requester} does not ask to follow @${order.username}.`);
}

/**
 * Carries out an order about accounts. Once an account is no longer protected, the follows that wait for its approval
 * become follows. The Posts of an account that has another username are found by it.
 *
 * @param accounts - Carries out the order itself.
 * @param handles - As `handlesText`, after it.
 */
export async function orderAndApprove(
  accounts: (order: UserOrder) => AccountInfo[],
  handles: () => string,
  editor: PostEditor,
  order: UserOrder,
): Promise<AccountInfo[]> {
  const found = accounts(order);
  const keepsName = order.action === 'set' && order.rename === undefined;
  if (order.action !== 'list' && !keepsName) {
    await editor.write({ what: 'noteHandles', of: [handles()] });
  }
  if (order.action !== 'set' || order.profile.protected !== false) return found;
  for (const { id } of found) {
    const target = readId(id);
    if (target !== null) await editor.write({ what: 'approveRequests', of: [target] });
  }
  return found;
}

/** Approves what a process that ended in {@link orderAndApprove} left pending. */
export async function approveRest(
  { accounts, editor }: RequestsDeps,
  relations: Pick<RelationReader, 'count'>,
): Promise<void> {
  for (const account of accounts) {
    const target = account.protected ? null : readId(account.id);
    if (target === null || relations.count('request', 'target', target).total === 0) continue;
    await editor.write({ what: 'approveRequests', of: [target] });
  }
}
