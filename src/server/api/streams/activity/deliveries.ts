import { ACTIVITY } from '#contract/streams/activity.ts';
import { Fault } from '#contract/fault.ts';
import { ofSource } from '#contract/counts/source.ts';
import type { Service } from '#server/auth/store.ts';
import type { Bill, Billing } from '#server/billing/billing.ts';
import { payerOf } from '#server/billing/payer.ts';
import { SPENT, type NewDelivery } from '#server/streams/delivery-queue.ts';
import type { EventLog, LogEntry } from '#server/streams/log.ts';
import type { RuleStream } from '#server/streams/rules/rule-table.ts';
import type { DeliveryPart, ReadLog } from '#server/webhooks/log-reader.ts';
import type { ActivityDelivery, ActivityFeed } from './feed.ts';
import type { Subscription } from '#server/streams/subscription-reader.ts';

export interface ActivityDeliveriesDeps {
  readonly service: Service;
  readonly billing: Billing;
  readonly log: EventLog;
  readonly feed: ActivityFeed;
}

/** The webhooks that receive a delivery: that of the subscription; all of the app for what needs no subscription. */
function webhooksOf(
  { app, subscription }: ActivityDelivery,
  at: number,
  { webhooks }: Service,
): string[] {
  if (!subscription) return webhooks.of(app).map(({ id }) => id);
  const { webhook, createdAt } = subscription;
  // Events from before the subscription may be read after it.
  if (webhook === null || at < createdAt) return [];
  return webhooks.find(webhook)?.app === app ? [webhook] : [];
}

/** The events of a source as deliveries to webhooks. An app that has spent its credits gets dead letters. */
export function activityDeliveries(
  id: RuleStream,
  { service, billing, log, feed }: ActivityDeliveriesDeps,
): ReadLog {
  const endpoint = ofSource(ACTIVITY.stream, id);
  const open = ({ app, price }: ActivityDelivery): Bill | 'free' | 'spent' => {
    const payer = price && payerOf(service, app);
    if (!price || !payer) return 'free';
    try {
      return billing.open(payer, endpoint, price, {});
    } catch (error) {
      if (error instanceof Fault && error.status === 402) return 'spent';
      throw error;
    }
  };
  const hasWebhook = (_: string, subscription: Subscription | null): boolean =>
    subscription === null || subscription.webhook !== null;
  const read = (number: number): DeliveryPart => {
    const { last, items } = feed.after(number);
    const deliveries: NewDelivery[] = [];
    const bills: { readonly bill: Bill; readonly billed: string }[] = [];
    const add = (entry: LogEntry, delivery: ActivityDelivery): void => {
      const webhooks = webhooksOf(delivery, entry.at, service);
      if (webhooks.length === 0) return;
      const bill = open(delivery);
      if (typeof bill === 'object') bills.push({ bill, billed: delivery.billed });
      const { event, line, subscription, subject } = delivery;
      const body = Buffer.from(line);
      for (const webhook of webhooks) {
        const lane = subscription?.id ?? entry.type;
        const made = { webhook, subscription: lane, event, body, createdAt: entry.at, subject };
        deliveries.push(bill === 'spent' ? { ...made, fault: SPENT } : made);
      }
    };
    const settled = (isQueued: boolean): void => {
      for (const { bill, billed } of bills) {
        if (isQueued) bill.answered({ data: { id: billed } });
        bill.close();
      }
    };
    try {
      for (const entry of items) {
        for (const delivery of feed.deliveries(entry, hasWebhook)) add(entry, delivery);
      }
    } catch (error) {
      settled(false);
      throw error;
    }
    return { last, deliveries, settled };
  };
  return { name: `activity ${id}`, log, read: async (number) => read(number) };
}
