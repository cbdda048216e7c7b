import type { CommunityInfo, CommunityOrder } from '#contract/control/community-orders.ts';
import { formatInstant } from '#contract/instant.ts';
import type { Account } from '#server/auth/account-table.ts';
import type {
  CommunityWithMembers,
  StoredCommunityOrder,
} from '#server/posts/store/communities.ts';
import type { PostEditor } from '#server/posts/editor/editor.ts';
import { AccountError } from './accounts.ts';

export interface CommunitiesDeps {
  /** Accounts of this service. */
  readonly accounts: readonly Account[];
  readonly editor: PostEditor;
  /** Epoch ms. */
  readonly now: () => number;
}

/** The order with ids of accounts in place of usernames. */
function storedOrder(
  { accounts, now }: CommunitiesDeps,
  order: CommunityOrder,
): StoredCommunityOrder {
  const idOf = (username: string): string => {
    const folded = username.toLowerCase();
    const account = accounts.find((each) => each.username.toLowerCase() === folded);
    if (account) return account.id;
    throw new AccountError(`There is no account @${username}.`);
  };
  switch (order.action) {
    case 'list':
    case 'remove':
      return order;
    case 'add': {
      const { action, name, members } = order;
      return { action, name, createdAt: now(), members: members.map(idOf) };
    }
    case 'join':
    case 'leave':
      return { action: order.action, name: order.name, account: idOf(order.username) };
  }
}

/**
 * Carries out an order about communities. A change is durable when the promise resolves.
 *
 * @returns The communities after it: all of a list, otherwise the one of the order. Rejects with {@link AccountError}
 *   for an account that does not exist, and with an Error for a community that exists already, or that does not exist.
 */
export async function orderCommunities(
  deps: CommunitiesDeps,
  order: CommunityOrder,
): Promise<CommunityInfo[]> {
  const [found] = await deps.editor.write({ what: 'community', of: [storedOrder(deps, order)] });
  const names = new Map(deps.accounts.map(({ id, username }) => [id, username]));
  const info = ({ id, name, createdAt, members }: CommunityWithMembers): CommunityInfo => ({
    id,
    name,
    created_at: formatInstant(createdAt),
    // The account of a member may be gone.
    members: members.flatMap((account) => names.get(account) ?? []),
  });
  return found.map(info);
}
