import type { Context } from 'hono';
import {
  mostSubscriptions,
  type SubscriptionObject,
  type SubscriptionRequest,
} from '#contract/streams/activity.ts';
import { eventRule } from '#contract/streams/events.ts';
import { Fault, invalidRequest, plainProblem } from '#contract/fault.ts';
import { formatInstant } from '#contract/instant.ts';
import { covers } from '#server/auth/event-grant.ts';
import { permissionOf } from '#server/auth/permission.ts';
import { newSnowflake } from '#core/import/id.ts';
import type { ReadingDeps } from '#server/users/reading.ts';
import type { RuleOwner } from '#server/streams/rules/rule-table.ts';
import type { NewSubscription, Subscription } from '#server/streams/subscription-reader.ts';
import type { Caller } from '#server/auth/caller.ts';
import { directionOf } from '#contract/streams/activity-filter.ts';
import { checkAccess } from '#server/http/access-checks.ts';

export type SubscriptionRules = Pick<ReadingDeps, 'service' | 'now'>;

/** The recorded answer to requests for direct messages without the permission (platform-facts-additions 1.7). */
const NO_MESSAGES = {
  errors: [
    {
      code: 93,
      message: 'This application is not allowed to access or delete your direct messages.',
    },
  ],
};

/**
 * True if a caller may receive a private event of a user: with the user's own token. If the user has allowed the app
 * access by OAuth 1.0a, its permission alone decides; otherwise the scopes of the token (specification, Authentication 3).
 */
function mayReceive(
  { service }: SubscriptionRules,
  { kind, app, user, scopes }: Caller,
  { event_type: { type }, filter }: SubscriptionRequest,
): boolean {
  if (eventRule(type).private === null) return true;
  if (!app || !user || user.id !== filter.user_id) return false;
  // The settings of an OAuth 1.0a caller's app are those of its token.
  const permission =
    kind === 'oauth1' ? app.settings.permission : permissionOf(service, app, user.id);
  return covers({ permission, scopes: new Set(scopes) }, type);
}

/**
 * The reason a caller may not subscribe to a type of event, as its answer; null if it may. @throws {@link Fault} 403.
 */
export function refusal(
  rules: SubscriptionRules,
  caller: Caller,
  request: SubscriptionRequest,
  c: Context,
): Response | null {
  const { type } = request.event_type;
  if (type === 'news.new') {
    checkAccess(caller, {
      access: { levels: ['enterprise'], need: 'Subscriptions to news.new need' },
    });
  }
  if (mayReceive(rules, caller, request)) return null;
  if (type.startsWith('dm.')) return c.json(NO_MESSAGES, 403);
  const { private: need } = eventRule(type);
  throw plainProblem(
    403,
    'Forbidden',
    `Events of the type ${type} are private: the request needs a token of the user ${String(request.filter.user_id)} with the scope ${need?.scope}, or with the OAuth 1.0a permission ${need?.permission} if the user has allowed that.`,
  );
}

/** @throws {@link Fault} 400 if the app has no webhook of that id. */
export function checkWebhook({ service }: SubscriptionRules, app: string, id?: string): void {
  if (id === undefined || service.webhooks.find(id)?.app === app) return;
  throw invalidRequest(
    'webhook_id',
    id,
    `$.webhook_id: [${id}] is not the id of a webhook of this app`,
  );
}

function subscriptionIn({
  event_type: { type, name },
  filter: { user_id, keyword, direction },
  tag,
  webhook_id: webhook,
}: SubscriptionRequest): NewSubscription {
  return {
    type,
    name,
    subject: user_id ?? keyword ?? '',
    direction: directionOf(direction),
    directionName: direction ?? null,
    tag: tag ?? null,
    webhook: webhook ?? null,
  };
}

/**
 * Adds a subscription.
 *
 * @throws {@link Fault} 409 with its id if the app has an identical one; 403 if it has as many as it may.
 */
export function addSubscription(
  { service, now }: SubscriptionRules,
  of: RuleOwner,
  request: SubscriptionRequest,
  { access }: Pick<Caller, 'access'>,
): Subscription {
  const most = mostSubscriptions(access);
  const at = { firstId: newSnowflake(now(), 0), now: now() };
  const result = service.subscriptions.add(of, subscriptionIn(request), most, at);
  if (result === 'too-many') {
    throw plainProblem(403, 'Forbidden', `The app may have ${most} subscriptions.`);
  }
  if ('added' in result) return result.added;
  const { id } = result.same;
  throw new Fault(409, {
    title: 'Conflict',
    detail: `The subscription [${id}] has this event type and filter already.`,
    subscription_id: id,
    type: 'about:blank',
    status: 409,
  });
}

/** @throws {@link Fault} 404 if the app has no subscription of that id. */
export function subscriptionWith(
  { service }: SubscriptionRules,
  of: RuleOwner,
  id: string,
): Subscription {
  const found = service.subscriptions.find(of, id);
  if (found) return found;
  throw plainProblem(404, 'Not Found', `This app has no subscription with the id [${id}].`);
}

/** The filter as the app wrote it. */
export function filterOf({
  type,
  subject,
  directionName,
}: Subscription): SubscriptionObject['filter'] {
  if (type === 'news.new') return { keyword: subject };
  return { user_id: subject, ...(directionName && { direction: directionName }) };
}

/** A subscription as answers have it. */
export function subscriptionObject(subscription: Subscription): SubscriptionObject {
  const { id, name, tag, webhook } = subscription;
  return {
    subscription_id: id,
    event_type: name,
    filter: filterOf(subscription),
    ...(tag !== null && { tag }),
    ...(webhook !== null && { webhook_id: webhook }),
    created_at: formatInstant(subscription.createdAt),
    updated_at: formatInstant(subscription.updatedAt),
  };
}
