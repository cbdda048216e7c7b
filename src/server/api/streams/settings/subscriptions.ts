import { mostSubscriptions } from '#contract/streams/activity.ts';
import { eventRule } from '#contract/streams/events.ts';
import { plainProblem } from '#contract/fault.ts';
import { formatInstant } from '#contract/instant.ts';
import {
  STREAMS,
  SUBSCRIPTIONS_ON_PAGE,
  type SubscriptionInfo,
} from '#contract/streams/streams.ts';
import type { ServiceContext } from '#server/context.ts';
import type { Route } from '#server/http/serve.ts';
import { readId } from '#core/import/id.ts';
import { string } from '#core/import/json.ts';
import { readJson } from '#server/posts/json/post-json.ts';
import type { PostFinder } from '#server/posts/index/source.ts';
import type { Subscription } from '#server/streams/subscription-reader.ts';
import type { NotRestored } from '#server/streams/subscription-table.ts';

const NOT_RESTORED: Readonly<Record<NotRestored, string>> = {
  unknown: 'The subscription can no longer be restored.',
  repeated: 'The app has a new subscription with the same event type and filter.',
  'too-many': 'The app has as many subscriptions as it may have.',
};

/** The username of an account, or of an author whom only Posts name; null if it is not known. */
function usernameOf(id: string, finder: PostFinder | null): string | null {
  const stored = string(readJson(finder?.object('users', id) ?? null)?.username);
  if (stored !== undefined) return stored;
  const author = readId(id);
  const newest = author === null ? null : (finder?.newestOf?.(author) ?? null);
  return (newest !== null && finder?.rows([newest])[0]?.username) || null;
}

function infoOf(subscription: Subscription, finder: PostFinder | null): SubscriptionInfo {
  const { filter } = eventRule(subscription.type);
  const { subject } = subscription;
  return {
    id: subscription.id,
    type: subscription.type,
    event_type: subscription.name,
    account: filter === 'keyword' ? null : { id: subject, username: usernameOf(subject, finder) },
    keyword: filter === 'keyword' ? subject : null,
    direction: filter === 'user-direction' ? (subscription.direction ?? 'both') : null,
    tag: subscription.tag,
    webhook_id: subscription.webhook,
    created_at: formatInstant(subscription.createdAt),
  };
}

/** `/streams/subscriptions`: lists subscriptions of apps to events, deletes them, and undoes that. */
export function subscriptionRoutes({
  http,
  service,
  streams: { finder },
}: ServiceContext): Route[] {
  const { apps, subscriptions: table } = service;
  const most = (app: string): number => {
    const settings = apps.byId(app)?.settings;
    return settings ? mostSubscriptions(settings.access) : 0;
  };
  return [
    http.serve(STREAMS.subscriptions, ({ query: { app, source, type, after = '-1' } }) => {
      const of = { stream: source, app };
      const found = table.page(of, BigInt(after), SUBSCRIPTIONS_ON_PAGE + 1, type);
      const page = found.slice(0, SUBSCRIPTIONS_ON_PAGE);
      const people = finder(source);
      return {
        subscriptions: page.map((subscription) => infoOf(subscription, people)),
        types: table.types(of),
        next: found.length > page.length ? (page.at(-1)?.id ?? null) : null,
      };
    }),
    http.serve(STREAMS.unsubscribe, ({ params: { id } }) => {
      if (table.take(id)) return { deleted: true };
      throw plainProblem(404, 'Not Found', `There is no subscription with the id [${id}].`);
    }),
    http.serve(STREAMS.resubscribe, ({ params: { id } }) => {
      const restored = table.restore(id, most);
      if (typeof restored === 'object') return { restored: true };
      const [status, title] =
        restored === 'unknown' ? ([404, 'Not Found'] as const) : ([409, 'Conflict'] as const);
      throw plainProblem(status, title, NOT_RESTORED[restored]);
    }),
  ];
}
