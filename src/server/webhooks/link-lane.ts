import type { LinkTable } from './link-table.ts';

const PREFIX = 'filtered_stream ';

/** The subscription under which the deliveries of a link are queued. */
export function laneOf(link: string): string {
  return PREFIX + link;
}

/** True if deliveries of a subscription may be sent: not those of a link that was removed. */
export function isLinked(
  links: Pick<LinkTable, 'find'>,
  webhook: string,
  subscription: string,
): boolean {
  if (!subscription.startsWith(PREFIX)) return true;
  return links.find(webhook)?.id === subscription.slice(PREFIX.length);
}
