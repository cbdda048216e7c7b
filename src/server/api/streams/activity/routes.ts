import { ACTIVITY } from '#contract/streams/activity.ts';
import { plainProblem } from '#contract/fault.ts';
import { ofSource } from '#contract/counts/source.ts';
import { packCursor } from '#core/cursor.ts';
import { callingApp } from '#server/auth/calling-app.ts';
import type { ServiceContext } from '#server/context.ts';
import { clientAddress, closerOf } from '#server/http/origin.ts';
import { readPageToken, sealBy } from '#server/http/page-token.ts';
import type { Route } from '#server/http/serve.ts';
import { periodOf } from '#server/streams/period.ts';
import type { RuleOwner, RuleStream } from '#server/streams/rules/rule-table.ts';
import {
  addSubscription,
  checkWebhook,
  refusal,
  subscriptionObject,
  subscriptionWith,
} from './activity.ts';
import type { Caller } from '#server/auth/caller.ts';

/** Connections to the stream that an app may have at once, and as many recoveries (platform-facts, section 6.3). */
const MOST_CONNECTIONS = 2;

function subscriptionRoutes(
  { http, service, pageKey, now }: ServiceContext,
  id: RuleStream,
): Route[] {
  const { subscriptions: table } = service;
  const rules = { service, now };
  const seal = sealBy(pageKey);
  const ownerOf = (caller: Caller): RuleOwner => ({ stream: id, app: callingApp(caller).id });
  const totalOf = (of: RuleOwner) => ({ total_subscriptions: table.count(of) });
  return [
    http.serve(ofSource(ACTIVITY.create, id), ({ c, caller, body }) => {
      const of = ownerOf(caller);
      const refused = refusal(rules, caller, body, c);
      if (refused) return refused;
      checkWebhook(rules, of.app, body.webhook_id);
      const subscription = subscriptionObject(addSubscription(rules, of, body, caller));
      const meta = totalOf(of);
      const total_subscriptions_for_instance_id = meta.total_subscriptions;
      return {
        data: { ...subscription, subscription, total_subscriptions_for_instance_id },
        meta,
      };
    }),
    http.serve(ofSource(ACTIVITY.list, id), ({ caller, query }) => {
      const of = ownerOf(caller);
      const { max_results: most, pagination_token } = query;
      const bound = `subscriptions ${id} ${of.app}`;
      const [after = '-1'] = readPageToken({ pagination_token }, bound, seal) ?? [];
      const found = table.page(of, BigInt(after), most + 1);
      const page = found.slice(0, most);
      const last = found.length > most ? page.at(-1) : undefined;
      return {
        ...(page.length > 0 && { data: page.map(subscriptionObject) }),
        meta: {
          ...totalOf(of),
          result_count: page.length,
          ...(last && { next_token: packCursor([last.id], bound, seal) }),
        },
      };
    }),
    http.serve(ofSource(ACTIVITY.update, id), ({ caller, params, body }) => {
      const of = ownerOf(caller);
      const known = subscriptionWith(rules, of, params.subscription_id);
      checkWebhook(rules, of.app, body.webhook_id);
      const { tag = known.tag, webhook_id: webhook = known.webhook } = body;
      const changed = { ...known, tag, webhook, updatedAt: now() };
      table.put(changed);
      const subscription = subscriptionObject(changed);
      const meta = totalOf(of);
      return { data: { ...subscription, subscription, ...meta }, meta };
    }),
    http.serve(ofSource(ACTIVITY.remove, id), ({ caller, params }) => {
      const of = ownerOf(caller);
      table.remove(of, subscriptionWith(rules, of, params.subscription_id).id);
      return { data: { deleted: true }, meta: totalOf(of) };
    }),
    http.serve(ofSource(ACTIVITY.removeMany, id), ({ caller, query }) => {
      const of = ownerOf(caller);
      const results = [...new Set(query.ids)].map((subscription_id) => ({
        deleted: table.remove(of, subscription_id),
        subscription_id,
      }));
      const data = results.filter(({ deleted }) => deleted);
      const errors = results
        .filter(({ deleted }) => !deleted)
        .map(({ subscription_id }) => ({
          subscription_id,
          reason: 'NotFound',
          message: `This app has no subscription with the id [${subscription_id}].`,
        }));
      return {
        ...(data.length > 0 && { data }),
        ...(errors.length > 0 && { errors }),
        meta: totalOf(of),
      };
    }),
  ];
}

/** `GET /2/activity/stream`: the events that an app subscribes to, from when it connects. */
function activityStream(
  { http, billing, streams, feed, now }: ServiceContext,
  id: RuleStream,
): Route {
  const connect = ofSource(ACTIVITY.stream, id);
  return http.serve(connect, ({ c, caller, query: request }) => {
    const { id: app } = callingApp(caller);
    const log = streams.log(id);
    const events = feed(id);
    if (!log || !events) throw plainProblem(404, 'Not Found', `The source ${id} is not open.`);
    const { until, ...period } = periodOf(log, request, caller, now());
    // It would get no lines.
    if (c.req.method === 'HEAD') return c.body(null);
    const recovers = until !== undefined;
    const connection = streams.connections.open({
      app,
      source: id,
      stream: 'activity_stream',
      ip: clientAddress(c),
      most: MOST_CONNECTIONS,
      recovers,
      isAllowed: caller.isValid,
      cut: closerOf(c),
    });
    streams.follow(connection, {
      log,
      after: async (number) => events.after(number, until),
      send: (entry) => {
        for (const { line, price, billed } of events.deliveries(entry, (of) => of === app)) {
          const bill = price && billing.open(caller, connect, price, {});
          try {
            connection.send(line);
            bill?.answered({ data: { id: billed } });
          } finally {
            bill?.close();
          }
        }
      },
      ...period,
      ends: recovers,
    });
    c.header('content-type', 'application/json; charset=utf-8');
    return c.body(connection.body);
  });
}

/** `/2/activity`: subscriptions of apps to events, and their stream; the same of the sample. */
export function activity(deps: ServiceContext): Route[] {
  return (['posts', 'sample'] as const).flatMap((id) => [
    ...subscriptionRoutes(deps, id),
    activityStream(deps, id),
  ]);
}
