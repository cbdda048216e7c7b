import * as v from 'valibot';
import { DecimalId, Time, Whole } from '#contract/members.ts';
import type { Access } from '#contract/accounts/access.ts';
import { bodyOf, idAt, textIn } from '#contract/body.ts';
import { endpoint } from '#contract/endpoint.ts';
import { EVENT_NAMES } from './events.ts';
import { STREAM_PARAMETERS } from './filtered-stream.ts';
import { quarterHour, quarterHours } from '#contract/paging.ts';
import {
  NO_PARAMETERS,
  onlyParameters,
  token,
  values,
  wholeBetween,
} from '#contract/parameters.ts';
import { EventName, FilterSchema, filterFault, DIRECTION_NAMES } from './activity-filter.ts';

/** Most subscriptions of an app, and of one with enterprise access (platform-facts, section 6.1). */
export function mostSubscriptions(access: Access): number {
  return access === 'enterprise' ? 75_000 : 1500;
}

const tag = textIn('tag', 1, 200);

const CreateRequest = v.pipe(
  bodyOf({
    event_type: EventName,
    filter: FilterSchema,
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
