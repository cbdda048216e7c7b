import type { AccountInfo } from '#contract/accounts/accounts.ts';
import type { EventType } from '#contract/streams/events.ts';
import type { CausedEvent } from '#server/streams/outbox.ts';

/** Types of events by the member of a profile that changes. The others have none. */
const TYPES = {
  username: 'profile.update.screenname',
  description: 'profile.update.bio',
  location: 'profile.update.geo',
  url: 'profile.update.url',
  verified_type: 'profile.update.verified',
} as const satisfies Partial<Record<keyof AccountInfo, EventType>>;

/** The members of an affiliation. The first that changes is what its one event tells. */
const AFFILIATION = [
  'affiliation_description',
  'affiliation',
  'affiliation_url',
  'affiliation_badge_url',
] as const satisfies readonly (keyof AccountInfo)[];

/** The events of a changed profile. Each body is the payload: `before` and `after` (platform-facts-additions, section 6). */
export function profileEvents(before: AccountInfo, after: AccountInfo): CausedEvent[] {
  const isChanged = (field: keyof AccountInfo): boolean => before[field] !== after[field];
  const event = (type: EventType, field: keyof AccountInfo): CausedEvent => ({
    type,
    users: [after.id],
    body: { before: before[field], after: after[field] },
  });
  const badge = AFFILIATION.find(isChanged);
  return [
    ...(Object.keys(TYPES) as (keyof typeof TYPES)[])
      .filter(isChanged)
      .map((field) => event(TYPES[field], field)),
    ...(badge === undefined ? [] : [event('profile.update.affiliate', badge)]),
  ];
}
