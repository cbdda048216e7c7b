import * as v from 'valibot';
import { idAt, objectAt, textIn } from '#contract/body.ts';
import {
  EVENT_NAMES,
  eventRule,
  eventType,
  RETIRED_EVENT_NAMES,
  type EventType,
} from './events.ts';

/**
 * The meaning of a direction for the user of the filter: the first three are the specification's names, then the public
 * ones.
 */
const DIRECTIONS = {
  sent: 'outbound',
  received: 'inbound',
  both: null,
  outbound: 'outbound',
  inbound: 'inbound',
} as const;
export type ActivityDirection = 'inbound' | 'outbound';
/** The names of directions. */
export const DIRECTION_NAMES = Object.keys(DIRECTIONS) as (keyof typeof DIRECTIONS)[];

/** The direction that a name means; null if events of both match. */
export function directionOf(name: keyof typeof DIRECTIONS | undefined): ActivityDirection | null {
  return name === undefined ? null : DIRECTIONS[name];
}

/** A type of event in either spelling, read as its canonical name and the spelling. */
export const EventName = v.pipe(
  v.string(({ received }) => `$.event_type: must be a string, got ${received}`),
  v.rawTransform(({ dataset, addIssue, NEVER }) => {
    const name = dataset.value;
    const type = eventType(name);
    if (type !== null && eventRule(type).filter !== 'none') return { type, name };
    const newer = RETIRED_EVENT_NAMES.get(name);
    const rule =
      newer !== undefined
        ? `was replaced by [${newer}] on 18 March 2026`
        : type !== null
          ? 'is delivered without a subscription'
          : `is not one of [${EVENT_NAMES.filter((name) => name !== 'oauth.revoke').join(',')}]`;
    addIssue({ message: `$.event_type: [${name.slice(0, 100)}] ${rule}` });
    return NEVER;
  }),
);

/** The filter of a subscription. */
export const FilterSchema = objectAt('filter', {
  user_id: v.optional(idAt('filter.user_id')),
  keyword: v.optional(textIn('filter.keyword', 1, 150)),
  direction: v.optional(
    v.picklist(
      DIRECTION_NAMES,
      ({ received }) =>
        `$.filter.direction: ${received} is not one of [${DIRECTION_NAMES.join(',')}]`,
    ),
  ),
});
export type ActivityFilter = v.InferOutput<typeof FilterSchema>;

/** The reason a filter does not fit a type of event; null if it does. */
export function filterFault(type: EventType, filter: ActivityFilter): string | null {
  const { filter: by } = eventRule(type);
  const needed = by === 'keyword' ? 'keyword' : 'user_id';
  const allowed: readonly string[] = by === 'user-direction' ? [needed, 'direction'] : [needed];
  if (filter[needed] === undefined) return `$.filter.${needed}: is required for ${type}`;
  const odd = Object.keys(filter).find((name) => !allowed.includes(name));
  if (odd === undefined) return null;
  return `$.filter.${odd}: is not a filter of ${type}, which has [${allowed.join(',')}]`;
}
