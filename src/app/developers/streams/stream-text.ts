import type { ConnectionInfo, StreamSource, SubscriptionInfo } from '#contract/streams/streams.ts';
import type { DeliveriesAnswer } from '#contract/streams/deliveries.ts';
import type { ListKind } from './streams.svelte.ts';

export const SOURCE_NAMES: Readonly<Record<StreamSource, string>> = {
  posts: 'Your posts',
  sample: 'Sample',
};

export const LIST_NAMES: Readonly<Record<ListKind, string>> = {
  filtered_stream: 'Rules',
  powerstream: 'Powerstream rules',
  subscriptions: 'Subscriptions',
};

export const STREAM_TITLES: Readonly<Record<ConnectionInfo['stream'], string>> = {
  filtered_stream: 'Filtered stream',
  activity_stream: 'Activity stream',
  powerstream: 'Powerstream',
};

/** The reasons a connection ended. */
export const END_REASONS: Readonly<Record<NonNullable<ConnectionInfo['reason']>, string>> = {
  client_disconnect: 'The client disconnected',
  operator_disconnect: 'Ended on request',
  slow_reader: 'The client read too slowly',
  operational_disconnect: 'The service stopped',
  usage_capped: 'The app has no credits left',
  access_revoked: 'The app or its token was revoked',
  recovery_complete: 'The requested period was delivered',
  internal_error: 'An error in the service',
  service_interrupted: 'The service was interrupted',
};

/** True if a client would not expect a reason, so that it deserves attention. */
export function isFailure(reason: ConnectionInfo['reason']): boolean {
  return reason === 'slow_reader' || reason === 'usage_capped' || reason === 'internal_error';
}

const DIRECTIONS: Readonly<Record<NonNullable<SubscriptionInfo['direction']>, string>> = {
  inbound: 'to',
  outbound: 'by',
  both: 'by or to',
};

/** The subject of a subscription: `follow.follow by @ann`, `news.new with “tea”`. */
export function subscriptionText(subscription: SubscriptionInfo): string {
  const { event_type, account, keyword, direction } = subscription;
  if (!account) return `${event_type} with “${keyword ?? ''}”`;
  const name = account.username === null ? `account ${account.id}` : `@${account.username}`;
  return `${event_type} ${direction === null ? 'of' : DIRECTIONS[direction]} ${name}`;
}

export const REPLAY_STATES: Readonly<Record<DeliveriesAnswer['replays'][number]['state'], string>> =
  {
    running: 'Running',
    complete: 'Complete',
    incomplete: 'Incomplete',
  };

/** Commands for a terminal, each for a service at an address. `$TOKEN` is an app's bearer token. */
export function commands(origin: string) {
  const signed = `-H "Authorization: Bearer $TOKEN"`;
  const post = (path: string, body: object): string =>
    `curl ${origin}${path} ${signed} -H "Content-Type: application/json" -d '${JSON.stringify(body)}'`;
  return {
    rule: post('/2/tweets/search/stream/rules', { add: [{ value: 'coffee', tag: 'drinks' }] }),
    stream: `curl -N ${origin}/2/tweets/search/stream ${signed}`,
    subscription: post('/2/activity/subscriptions', {
      event_type: 'post.create',
      filter: { user_id: '123' },
    }),
    webhook: post('/2/webhooks', { url: 'https://example.com/hook' }),
  };
}
