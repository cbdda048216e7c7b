import { isLoopback } from '#contract/links/loopback.ts';

/** The reason for which the page has no service, by who can help: `own` if the service runs on this machine. */
type AwayReason = 'offline' | 'signed-out' | 'own' | 'shared';

/** @param online - Whether the browser has a network, which a service on this machine does not need. */
export function awayReason(
  { protocol, hostname }: Pick<Location, 'protocol' | 'hostname'>,
  online: boolean,
  signedOut: boolean,
): AwayReason {
  const isOwn = protocol !== 'https:' && isLoopback(hostname);
  if (!online && !isOwn) return 'offline';
  if (signedOut) return 'signed-out';
  return isOwn ? 'own' : 'shared';
}
