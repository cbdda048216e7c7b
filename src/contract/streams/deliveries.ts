import * as v from 'valibot';
import { DecimalId, Time, Whole } from '#contract/members.ts';
import { sessionEndpoint } from '#contract/endpoint.ts';

/** The webhooks of all apps, what waits for them, and what did not arrive, also of alerts: newest first. */
export const DeliveriesAnswer = v.object({
  webhooks: v.array(
    v.object({
      id: DecimalId,
      url: v.string(),
      /** True if its receiver gets deliveries. */
      valid: v.boolean(),
      created_at: Time,
      /** Name of its app. */
      app: v.string(),
      checked_at: Time,
      validated_at: Time,
      /** The reason the last check failed, in words; null if it succeeded. */
      fault: v.nullable(v.string()),
      /** The source whose filtered stream it receives, and since when; null if none. */
      filtered_stream: v.nullable(
        v.object({ source: v.picklist(['posts', 'sample']), since: Time }),
      ),
      /** Deliveries that wait, up to 100,000, and when the oldest was added. */
      pending: Whole,
      pending_since: v.nullable(Time),
      /** The reason the last attempt of those failed, in words. */
      delivery_fault: v.nullable(v.string()),
    }),
  ),
  dead_letters: v.array(
    v.object({
      /** Null for a message of an alert of the caller. */
      webhook_id: v.nullable(DecimalId),
      /** The address; of a channel of an alert, the part that is not secret. */
      to: v.string(),
      /** Of an alert, its id. */
      subscription: v.string(),
      /** Of an alert, its sentence. */
      event: v.string(),
      created_at: Time,
      given_up_at: Time,
      /** In words. */
      fault: v.string(),
    }),
  ),
  replays: v.array(
    v.object({
      job_id: DecimalId,
      webhook_id: DecimalId,
      from: Time,
      /** The instant after the last one. */
      to: Time,
      state: v.picklist(['running', 'complete', 'incomplete']),
      created_at: Time,
      ended_at: v.nullable(Time),
    }),
  ),
});
export type DeliveriesAnswer = v.InferOutput<typeof DeliveriesAnswer>;

/** The deliveries that arrive at webhooks and those that do not, for the settings page. */
export const DELIVERIES = sessionEndpoint('GET', '/webhooks', { answer: DeliveriesAnswer });
