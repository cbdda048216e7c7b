import type { CommunityInfo, CommunityOrder } from '#contract/control/community-orders.ts';
import { DataFolder } from './data-folder.ts';
import type { CommandDeps } from './command-deps.ts';
import { perform } from './run-or-delegate.ts';

function line({ id, name, members }: CommunityInfo): string {
  return `${[name, id, ...members.map((member) => `@${member}`)].join('  ')}\n`;
}

/** What an order did. */
function done(order: Exclude<CommunityOrder, { action: 'list' }>, [one]: CommunityInfo[]): string {
  switch (order.action) {
    case 'add':
      return `${order.name} was added with the id ${one?.id ?? ''}.\n`;
    case 'remove':
      return `${order.name} was removed.\n`;
    case 'join':
      return `@${order.username} is a member of ${order.name}.\n`;
    case 'leave':
      return `@${order.username} is not a member of ${order.name}.\n`;
  }
}

/**
 * `groundswell community {add,list,remove,join,leave}`: prints the communities, one per line, or with `json` one object
 * on one line.
 *
 * @returns The exit code.
 * @throws {@link CommandError}, {@link StoreError} as `perform`.
 */
export async function runCommunity(
  deps: CommandDeps,
  { data, community, json }: { data: string; community: CommunityOrder; json: boolean },
): Promise<number> {
  let code = 1;
  const work = { kind: 'community', order: community } as const;
  await perform(deps, new DataFolder(data), work, (event) => {
    if (event.type === 'fault') deps.err(`${event.message}\n`);
    if (event.type !== 'communities') return;
    code = 0;
    const { communities } = event;
    if (json) {
      const shown = community.action === 'list' ? { communities } : communities[0];
      deps.out(`${JSON.stringify(shown)}\n`);
    } else if (community.action !== 'list') deps.out(done(community, communities));
    else if (communities.length === 0) deps.out('There are no communities.\n');
    else deps.out(communities.map(line).join(''));
  });
  return code;
}
