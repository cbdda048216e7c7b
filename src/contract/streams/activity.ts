import * as v from 'valibot';
import { DecimalId, Time, Whole } from '#contract/members.ts';
import type { Access } from '#contract/accounts/access.ts';
import { bodyOf, idAt, objectAt, textIn } from '#contract/body.ts';
import { endpoint } from '#contract/endpoint.ts';
import {
  EVENT_NAMES,
  eventRule,
  eventType,
  RETIRED_EVENT_NAMES,
  type EventType,
} from './events.ts';
import { STREAM_PARAMETERS } from './filtered-stream.ts';
import { quarterHour, quarterHours } from '#contract/paging.ts';
import {
  NO_PARAMETERS,
  onlyParameters,
  token,
  values,
  wholeBetween,
} from '#contract/parameters.ts';

/** Most subscriptions of an app, and of one with enterprise access (platform-facts, section 6.1). */
export function mostSubscriptions(access: Access): number {
  return access === 'enterprise' ? 75_000 : 1500;
}

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
const DIRECTION_NAMES = Object.keys(DIRECTIONS) as (keyof typeof DIRECTIONS)[];

/** The direction that a name means; null if events of both match. */
export function directionOf(name: keyof typeof DIRECTIONS | undefined): ActivityDirection | null {
  return name === undefined ? null : DIRECTIONS[name];
}

/** A type of event in either spelling, read as its canonical name and the spelling. */
const EventName = v.pipe(
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

const Filter = objectAt('filter', {
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
export type ActivityFilter = v.InferOutput<typeof Filter>;

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

const tag = textIn('tag', 1, 200);

const CreateRequest = v.pipe(
  bodyOf({
    event_type: EventName,
    filter: Filter,
    tag: v.optional(tag),
    webhook_id: v.optional(idAt('webhook_id')),
  }),
  v.rawCheck(({ dataset, addIssue }) => {
    if (!dataset.typed) return;
    const { event_type: event, filter } = dataset.value;
    const message = filterFault(event.type, filter);
    if (message === null) return;
    const input = dataset.value;
    addIssue({
      message,
      path: [{ type: 'object', origin: 'value', input, key: 'filter', value: filter }],
    });
  }),
);
export type SubscriptionRequest = v.InferOutput<typeof CreateRequest>;

const UpdateRequest = bodyOf({
  tag: v.optional(tag),
  webhook_id: v.optional(idAt('webhook_id')),
});

const StreamRequest = onlyParameters(STREAM_PARAMETERS);

const FilterObject = v.object({
  user_id: v.optional(DecimalId),
  keyword: v.optional(v.string()),
  direction: v.optional(v.picklist(DIRECTION_NAMES)),
});

/** A subscription (platform-openapi, ActivitySubscription). */
const SubscriptionObject = v.object({
  subscription_id: DecimalId,
  event_type: v.picklist(EVENT_NAMES),
  filter: FilterObject,
  tag: v.optional(v.string()),
  webhook_id: v.optional(DecimalId),
  created_at: Time,
  updated_at: Time,
});
export type SubscriptionObject = v.InferOutput<typeof SubscriptionObject>;

const Total = v.object({ total_subscriptions: Whole });

/** One line of the stream and one delivery to a webhook. */
const ActivityLine = v.object({
  data: v.object({
    event_uuid: DecimalId,
    filter: FilterObject,
    event_type: v.picklist(EVENT_NAMES),
    tag: v.optional(v.string()),
    payload: v.looseObject({}),
    includes: v.optional(v.looseObject({})),
  }),
});

const SUBSCRIPTIONS = '/2/activity/subscriptions';
const source = 'platform-facts, section 6.1; platform-facts-additions, section 6';
/** The operations on subscriptions share their limit (platform-facts 1.5). */
const LIMITED = {
  limits: quarterHours(500),
  budget: 'subscriptions',
} as const;

/**
 * Subscriptions to events and their stream, of Your posts; `ofSource` gives those of the sample. Sources: platform-facts
 * 1.5 and section 6; platform-facts-additions, section 6. Answers that the documents describe in two forms have the
 * members of both.
 */
export const ACTIVITY = {
  create: endpoint('POST', SUBSCRIPTIONS, {
    source: 'POST /2/activity/subscriptions',
    authentication: ['app', 'oauth1', 'oauth2'],
    // The type of event decides which scope or permission is needed: for many, reading.
    level: 'read',
    ...LIMITED,
    query: NO_PARAMETERS,
    body: CreateRequest,
    response: v.object({
      data: v.object({
        ...SubscriptionObject.entries,
        subscription: SubscriptionObject,
        total_subscriptions_for_instance_id: Whole,
      }),
      meta: Total,
    }),
  }),
  list: endpoint('GET', SUBSCRIPTIONS, {
    source,
    authentication: ['app', 'oauth1', 'oauth2'],
    scopes: ['tweet.read'],
    level: 'read',
    ...LIMITED,
    query: onlyParameters({
      max_results: v.optional(wholeBetween('max_results', 1, 1000), '1000'),
      pagination_token: token('pagination_token'),
    }),
    response: v.object({
      data: v.optional(v.array(SubscriptionObject)),
      meta: v.object({
        ...Total.entries,
        result_count: Whole,
        next_token: v.optional(v.string()),
      }),
    }),
  }),
  removeMany: endpoint('DELETE', SUBSCRIPTIONS, {
    source,
    authentication: ['app'],
    level: 'read-write',
    ...LIMITED,
    query: onlyParameters({ ids: values('ids') }),
    response: v.object({
      data: v.optional(v.array(v.object({ deleted: v.boolean(), subscription_id: DecimalId }))),
      errors: v.optional(
        v.array(
          v.looseObject({ subscription_id: DecimalId, reason: v.string(), message: v.string() }),
        ),
      ),
      meta: Total,
    }),
  }),
  update: endpoint('PUT', `${SUBSCRIPTIONS}/:subscription_id`, {
    source,
    authentication: ['app'],
    level: 'read-write',
    ...LIMITED,
    query: NO_PARAMETERS,
    body: UpdateRequest,
    response: v.object({
      data: v.object({
        ...SubscriptionObject.entries,
        subscription: SubscriptionObject,
        total_subscriptions: Whole,
      }),
      meta: Total,
    }),
  }),
  remove: endpoint('DELETE', `${SUBSCRIPTIONS}/:subscription_id`, {
    source,
    authentication: ['app'],
    level: 'read-write',
    ...LIMITED,
    query: NO_PARAMETERS,
    response: v.object({ data: v.object({ deleted: v.boolean() }), meta: Total }),
  }),
  stream: endpoint('GET', '/2/activity/stream', {
    source: 'GET /2/activity/stream',
    authentication: ['app'],
    level: 'read',
    limits: { app: quarterHour(450) },
    query: StreamRequest,
    response: ActivityLine,
    streams: true,
  }),
};
