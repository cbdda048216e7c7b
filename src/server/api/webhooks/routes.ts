import { plainProblem } from '#contract/fault.ts';
import { DELIVERIES } from '#contract/deliveries.ts';
import { WEBHOOKS } from '#contract/webhooks.ts';
import type { CallingApp, Caller } from '#server/auth/tokens.ts';
import type { Http, Route } from '#server/http/serve.ts';
import { webhookOf } from '#server/webhooks/app-webhook.ts';
import { beginReplay, createWebhook, deliveriesOf, webhookObject } from './webhooks.ts';
import type { WebhookRules } from './webhooks.ts';

export interface WebhooksRoutesDeps extends WebhookRules {
  readonly http: Http;
}

/** The caller's app. Every token has one. */
function appOf({ app }: Caller): CallingApp {
  if (app) return app;
  throw plainProblem(403, 'Forbidden');
}

/** `/2/webhooks`: the receivers of an app, and replays. `GET /webhooks`: what arrives at those of all apps. */
export function webhooks({ http, ...rules }: WebhooksRoutesDeps): Route[] {
  const { table, checks, deliverer } = rules.webhooks;
  return [
    http.serve(WEBHOOKS.create, async ({ caller, body: { url } }) => {
      const { id } = appOf(caller);
      const made = await createWebhook(rules, { id, access: caller.access }, url);
      const webhook = webhookObject(made);
      return { data: webhook, ...webhook };
    }),
    http.serve(WEBHOOKS.list, ({ caller, query: { 'webhook_config.fields': fields } }) => {
      const found = table.of(appOf(caller).id).map((webhook) => {
        const members = Object.entries(webhookObject(webhook));
        return Object.fromEntries(
          members.filter(([name]) => !fields || fields.some((field) => field === name)),
        );
      });
      return {
        ...(found.length > 0 && { data: found }),
        meta: { result_count: found.length },
      };
    }),
    http.serve(WEBHOOKS.replay, ({ caller, body }) => {
      const job = beginReplay(rules, appOf(caller).id, body);
      return { data: job, ...job };
    }),
    http.serve(WEBHOOKS.validate, async ({ caller, params: { webhook_id: id } }) => {
      const { valid } = await checks.again(webhookOf(table, appOf(caller).id, id));
      return { data: { attempted: true, valid } };
    }),
    http.serve(WEBHOOKS.remove, ({ caller, params: { webhook_id: id } }) => {
      webhookOf(table, appOf(caller).id, id);
      table.remove(id);
      deliverer.wake([id]);
      return { data: { deleted: true } };
    }),
    http.serve(DELIVERIES, () => deliveriesOf(rules)),
  ];
}
