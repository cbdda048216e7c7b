import { formatInstant } from '#contract/instant.ts';
import { EVENT_TYPES, eventRule } from '#contract/streams/events.ts';
import { coveredTypes } from './event-grant.ts';
import type { Service } from './store.ts';

const PRIVATE = EVENT_TYPES.filter((type) => eventRule(type).private !== null);

/**
 * Runs work that removes tokens in one transaction with the events of what ends: `oauth.revoke` for each app that has no
 * access to an account any more, and the end of the subscriptions to private events of that account that need what was
 * removed. The body of an event is the payload (platform-facts, section 6.3).
 *
 * @param account - Id of the account; null if the tokens have none, as those of an app alone.
 * @param now - Epoch ms.
 */
export function revoking(
  service: Service,
  account: string | null,
  now: number,
  work: () => void,
): void {
  if (account === null) return work();
  service.write('revoke', () => {
    const before = service.tokens.appsOf(account, now);
    const covered = before.map((app) => coveredTypes(service, app, account, now));
    work();
    const after = new Set(service.tokens.appsOf(account, now));
    const date_time = formatInstant(now);
    const ended = before.filter((app) => !after.has(app));
    for (const [i, app] of before.entries()) {
      const left = after.has(app) ? coveredTypes(service, app, account, now) : [];
      // The types that an expired token had allowed are not lost by the end of another one.
      const lost = after.has(app) ? covered[i]!.filter((type) => !left.includes(type)) : PRIVATE;
      if (lost.length > 0) service.subscriptions.removePrivate(app, account, lost);
    }
    service.outbox.add(
      ended.map((app_id) => ({
        type: 'oauth.revoke',
        users: [account],
        body: { date_time, user_id: account, app_id },
      })),
      now,
    );
  });
}
