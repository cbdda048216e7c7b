import type { AccountInfo } from '#contract/accounts/accounts.ts';
import type { EventType } from '#contract/streams/events.ts';
import type { CausedEvent } from '#server/streams/outbox.ts';

/** Types of events by the member of a profile that changes. The others have none. */
const TYPES = {
  name: 'profile.update.screenname',
  description: 'profile.update.bio',
  location: 'profile.update.geo',
  url: 'profile.update.url',
  verified_type: 'profile.update.verified',
} as const satisfies Partial<Record<keyof AccountInfo, EventType>>;

/** The events of a changed profile. Each body is the payload: `before` and `after` (platform-facts-additions, section 6). */
export function profileEvents(before: AccountInfo, after: AccountInfo): CausedEvent[] {
  return (Object.keys(TYPES) as (keyof typeof TYPES)[])
    .filter((field) => before[field] !== after[field])
    .map((field) => ({
      type: TYPES[field],
      users: [after.id],
      body: { before: before[field], after: after[field] },
    }));
}
