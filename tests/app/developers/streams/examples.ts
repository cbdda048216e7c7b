import type { ConnectionInfo, SubscriptionInfo } from '#contract/streams/streams.ts';

const AT = '2026-11-20T10:00:00.000Z';

/** An open connection of the app Radar. */
export function connection(number: number, over: Partial<ConnectionInfo> = {}): ConnectionInfo {
  return {
    id: `00000000-0000-4000-8000-${String(number).padStart(12, '0')}`,
    app: 'Radar',
    source: 'posts',
    stream: 'filtered_stream',
    client_ip: '127.0.0.1',
    connected_at: AT,
    disconnected_at: null,
    reason: null,
    ...over,
  };
}

/** A subscription to the Posts of the account `@annN`. */
export function subscription(
  number: number,
  over: Partial<SubscriptionInfo> = {},
): SubscriptionInfo {
  return {
    id: String(number),
    type: 'post.create',
    event_type: 'post.create',
    account: { id: String(number), username: `ann${number}` },
    keyword: null,
    direction: null,
    tag: null,
    webhook_id: null,
    created_at: AT,
    ...over,
  };
}
