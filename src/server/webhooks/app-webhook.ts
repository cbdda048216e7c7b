import { invalidWith, type Fault } from '#contract/fault.ts';
import type { WebhookReason } from '#contract/streams/webhooks.ts';
import type { StoredWebhook, WebhookTable } from './webhook-table.ts';

/** 400 with the reason in its message (platform-facts-additions, section 6). */
export function webhookFault(reason: WebhookReason, details: string): Fault {
  return invalidWith({ message: `${reason}: ${details}` });
}

/** The webhook of an app by its id. @throws {@link Fault} 400 WebhookIdInvalid if the app has none of that id. */
export function webhookOf(
  table: Pick<WebhookTable, 'find'>,
  app: string,
  id: string,
): StoredWebhook {
  const webhook = table.find(id);
  if (webhook?.app === app) return webhook;
  throw webhookFault('WebhookIdInvalid', `This app has no webhook with the id [${id}].`);
}
