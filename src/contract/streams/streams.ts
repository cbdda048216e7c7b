import * as v from 'valibot';
import { Time, Whole } from '#contract/members.ts';
import { ACCESS_LEVELS } from '#contract/accounts/access.ts';
import { DISCONNECT_REASONS, STREAM_NAMES } from './connection-names.ts';
import { sessionEndpoint } from '#contract/endpoint.ts';
import { about, choiceIn, onlyParameters, pathOf } from '#contract/parameters.ts';

/** Most entries of each list of the settings page: apps, connections, dead letters and replays. */
export const MOST_LISTED = 100;

/** Rules on a page. */
export const RULES_ON_PAGE = 100;

/** Subscriptions on a page. */
export const SUBSCRIPTIONS_ON_PAGE = 100;

/** Sources whose Posts have streams. */
const SOURCES = ['posts', 'sample'] as const;
export type StreamSource = (typeof SOURCES)[number];

/** Streams that have rules. */
const RULE_STREAMS = ['filtered_stream', 'powerstream'] as const;
export type RuleStreamName = (typeof RULE_STREAMS)[number];

/** A connection to a stream, open or past. */
const ConnectionInfo = v.object({
  /** UUID. */
  id: v.string(),
  /** Name of its app; the app's id once it is removed. */
  app: v.string(),
  source: v.picklist(SOURCES),
  stream: v.picklist(STREAM_NAMES),
  client_ip: v.nullable(v.string()),
  connected_at: Time,
  /** Null while it is open, and if the service ended before it could record the time. */
  disconnected_at: v.nullable(Time),
  /** Null while it is open. */
  reason: v.nullable(v.picklist(DISCONNECT_REASONS)),
});
export type ConnectionInfo = v.InferOutput<typeof ConnectionInfo>;

/** Connections, the newest first, and how many there are in all. */
const Connections = v.object({ count: Whole, newest: v.array(ConnectionInfo) });

/** The number that an app has for each source, and the number it may have. */
const Amounts = v.object({ limit: Whole, posts: Whole, sample: Whole });
type Amounts = v.InferOutput<typeof Amounts>;

/** An app that has rules, subscriptions, webhooks or connections. */
const StreamApp = v.object({
  id: v.string(),
  name: v.string(),
  access: v.picklist(ACCESS_LEVELS),
  /** Its rules for each stream that has rules. */
  filtered_stream: Amounts,
  powerstream: Amounts,
  subscriptions: Amounts,
});
export type StreamApp = v.InferOutput<typeof StreamApp>;

const StreamsAnswer = v.object({
  /** Those with the most rules and subscriptions first. */
  apps: v.object({ count: Whole, most: v.array(StreamApp) }),
  open: Connections,
  past: Connections,
});
export type StreamsAnswer = v.InferOutput<typeof StreamsAnswer>;

const RulesAnswer = v.object({
  rules: v.array(v.object({ id: v.string(), value: v.string(), tag: v.nullable(v.string()) })),
  /** Id after which the next page begins; null on the last page. */
  next: v.nullable(v.string()),
});
export type RulesAnswer = v.InferOutput<typeof RulesAnswer>;

/** A subscription to a type of event. */
const SubscriptionInfo = v.object({
  id: v.string(),
  /** Canonical name of the type of event. */
  type: v.string(),
  /** The same in the app's spelling. */
  event_type: v.string(),
  /** Whose events; null if a keyword filters them. The username is null if only the id is known. */
  account: v.nullable(v.object({ id: v.string(), username: v.nullable(v.string()) })),
  keyword: v.nullable(v.string()),
  /** Null if events of the type have no direction. */
  direction: v.nullable(v.picklist(['inbound', 'outbound', 'both'])),
  tag: v.nullable(v.string()),
  /** Receives the events in addition to the stream; it may have been removed. */
  webhook_id: v.nullable(v.string()),
  created_at: Time,
});
export type SubscriptionInfo = v.InferOutput<typeof SubscriptionInfo>;

const SubscriptionsAnswer = v.object({
  subscriptions: v.array(SubscriptionInfo),
  /** Types of event that the app subscribes to, by name. */
  types: v.array(v.object({ type: v.string(), count: Whole })),
  /** Id after which the next page begins; null on the last page. */
  next: v.nullable(v.string()),
});
export type SubscriptionsAnswer = v.InferOutput<typeof SubscriptionsAnswer>;

function digits(parameter: string) {
  return v.pipe(
    v.string(),
    v.regex(/^[0-9]{1,19}$/, ({ input }) => `${about(parameter, input)} is not a number`),
  );
}

const PAGE_PARAMETERS = {
  /** Id of the app. */
  app: digits('app'),
  source: choiceIn('source', SOURCES),
  /** Id of the last entry of the page before. */
  after: v.optional(digits('after')),
};

const RULES_PARAMETERS = {
  ...PAGE_PARAMETERS,
  stream: v.optional(choiceIn('stream', RULE_STREAMS), 'filtered_stream'),
};

const SUBSCRIPTION_PARAMETERS = {
  ...PAGE_PARAMETERS,
  /** Canonical name of a type of event; all types by default. */
  type: v.optional(
    v.pipe(
      v.string(),
      v.regex(/^[a-z_.]{1,64}$/, ({ input }) => `${about('type', input)} is not a type of event`),
    ),
  ),
};

/** A page of what an app has for a source. */
function pageOf<T extends v.ObjectEntries>(parameters: T) {
  return onlyParameters(parameters, () => 'The query parameters `app` and `source` are required');
}

/** The rules, subscriptions and connections of all apps, for the settings page. */
export const STREAMS = {
  overview: sessionEndpoint('GET', '/streams', { answer: StreamsAnswer }),
  rules: sessionEndpoint('GET', '/streams/rules', {
    query: pageOf(RULES_PARAMETERS),
    answer: RulesAnswer,
  }),
  subscriptions: sessionEndpoint('GET', '/streams/subscriptions', {
    query: pageOf(SUBSCRIPTION_PARAMETERS),
    answer: SubscriptionsAnswer,
  }),
  /** Deletes a subscription. */
  unsubscribe: sessionEndpoint('DELETE', '/streams/subscriptions/:id', {
    answer: v.object({ deleted: v.boolean() }),
  }),
  /** Undoes {@link unsubscribe}, until the service ends. */
  resubscribe: sessionEndpoint('POST', '/streams/subscriptions/:id/restore', {
    answer: v.object({ restored: v.boolean() }),
  }),
  /** Ends an open connection. */
  end: sessionEndpoint('DELETE', '/streams/connections/:id', {
    params: pathOf('id', /^[0-9a-f-]{36}$/),
    answer: v.object({ ended: v.boolean() }),
  }),
};
