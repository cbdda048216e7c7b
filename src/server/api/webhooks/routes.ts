import { DELIVERIES } from '#contract/streams/deliveries.ts';
import { WEBHOOKS } from '#contract/streams/webhooks.ts';
import { callingApp } from '#server/auth/calling-app.ts';
import type { Route } from '#server/http/serve.ts';
import { webhookOf } from '#server/webhooks/app-webhook.ts';
import type { ServiceContext } from '#server/context.ts';
import { beginReplay, createWebhook, deliveriesOf, webhookObject } from './webhooks.ts';

/** `/2/webhooks`: the receivers of an app, and replays. `GET /webhooks`: what arrives at those of all apps. */
export function webhooks(rules: ServiceContext): Route[] {
  const { http } = rules;
  const { table, checks, deliverer } = rules.webhooks;
  return [
    http.serve(WEBHOOKS.create, async ({ caller, body: { url } }) => {
      const { id } = callingApp(caller);
      const made = await createWebhook(rules, { id, access: caller.access }, url);
      const webhook = webhookObject(made);
      return { data: webhook, ...webhook };
    }),
    http.serve(WEBHOOKS.list, ({ caller, query: { 'webhook_config.fields': fields } }) => {
      const found = table.of(callingApp(caller).id).map((webhook) => {
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
    http.serve(WEBHOOKS.replay, ({ caller, body }) =>
      beginReplay(rules, callingApp(caller).id, body),
    ),
    http.serve(WEBHOOKS.validate, async ({ caller, params: { webhook_id: id } }) => {
      const { valid } = await checks.again(webhookOf(table, callingApp(caller).id, id));
      return { data: { attempted: true, valid } };
    }),
    http.serve(WEBHOOKS.remove, ({ caller, params: { webhook_id: id } }) => {
      webhookOf(table, callingApp(caller).id, id);
      table.remove(id);
      deliverer.wake([id]);
      return { data: { deleted: true } };
    }),
    http.serve(DELIVERIES, ({ caller: { login } }) => deliveriesOf(rules, login?.id ?? '')),
  ];
}
