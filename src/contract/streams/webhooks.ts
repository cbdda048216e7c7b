import * as v from 'valibot';
import { DecimalId, Time, Whole } from '#contract/members.ts';
import { bodyOf, idAt, textIn } from '#contract/body.ts';
import { endpoint } from '#contract/endpoint.ts';
import { quarterHour, quarterHours } from '#contract/paging.ts';
import { NO_PARAMETERS, onlyParameters } from '#contract/parameters.ts';
import { listOf } from '#contract/posts/selection.ts';

/** The reason an operation on webhooks failed (platform-facts, 6.4). Messages are `REASON: details` (additions, 6). */
export const WEBHOOK_REASONS = [
  'CrcValidationFailed',
  'UrlValidationFailed',
  'DuplicateUrlFailed',
  'WebhookLimitExceeded',
  'WebhookIdInvalid',
] as const;
export type WebhookReason = (typeof WEBHOOK_REASONS)[number];

/** Fields of a webhook (platform-openapi, WebhookConfigFieldsParameter). */
const WEBHOOK_FIELDS = ['created_at', 'id', 'url', 'valid'] as const;

const LISTING = { 'webhook_config.fields': listOf('webhook_config.fields', WEBHOOK_FIELDS) };

/** A webhook (platform-openapi, WebhookConfig). */
export const WebhookObject = v.object({
  id: DecimalId,
  url: v.string(),
  valid: v.boolean(),
  created_at: Time,
});
export type WebhookObject = v.InferOutput<typeof WebhookObject>;

const Deleted = v.object({ data: v.object({ deleted: v.boolean() }) });
const Job = v.object({ job_id: v.string(), created_at: Time });

/** A bound of a replay, read as epoch ms of the beginning of its minute. */
function minuteAt(path: string) {
  return v.pipe(
    v.string(({ received }) => `$.${path}: must be a string, got ${received}`),
    v.regex(/^[0-9]{12}$/, ({ input }) => `$.${path}: [${input}] does not match ^[0-9]{12}$`),
    v.rawTransform(({ dataset, addIssue, NEVER }) => {
      const text = dataset.value;
      const iso = text.replace(/^(....)(..)(..)(..)(..)$/, '$1-$2-$3T$4:$5:00.000Z');
      const at = Date.parse(iso);
      // Date.parse accepts February 31st.
      if (!Number.isNaN(at) && new Date(at).toISOString() === iso) return at;
      addIssue({ message: `$.${path}: [${text}] is not a minute of the form yyyymmddhhmm (UTC)` });
      return NEVER;
    }),
  );
}

/** `POST /2/webhooks/replay`. Both bounds are minutes in UTC, and included. */
const ReplayRequest = bodyOf({
  webhook_id: idAt('webhook_id'),
  from_date: minuteAt('from_date'),
  to_date: minuteAt('to_date'),
});
export type ReplayRequest = v.InferOutput<typeof ReplayRequest>;

/** A replay that began. `omitted` has the deliveries of subscriptions and links that were deleted since. */
const ReplayAnswer = v.object({
  data: Job,
  ...Job.entries,
  meta: v.exactOptional(
    v.object({
      omitted: v.array(v.object({ subscription: v.string(), deliveries: v.number() })),
    }),
  ),
});
export type ReplayAnswer = v.InferOutput<typeof ReplayAnswer>;

const WRITING = {
  authentication: ['oauth1', 'app'],
  level: 'read-write',
  source: 'platform-facts, section 6.4',
  query: NO_PARAMETERS,
} as const;

/**
 * External receivers of events. Sources: platform-facts 1.5, 6.4 and section 12; platform-facts-additions, section 6.
 * Answers that the documents describe with and without `data` have their members in both places.
 */
export const WEBHOOKS = {
  create: endpoint('POST', '/2/webhooks', {
    ...WRITING,
    limits: quarterHours(450),
    body: bodyOf({ url: textIn('url', 1, 200) }),
    response: v.object({ data: WebhookObject, ...WebhookObject.entries }),
  }),
  list: endpoint('GET', '/2/webhooks', {
    authentication: ['app'],
    level: 'read',
    limits: { app: quarterHour(450) },
    source: 'platform-facts, section 6.4',
    query: onlyParameters(LISTING),
    response: v.object({
      data: v.optional(v.array(v.partial(WebhookObject))),
      meta: v.object({ result_count: Whole }),
    }),
  }),
  validate: endpoint('PUT', '/2/webhooks/:webhook_id', {
    ...WRITING,
    limits: quarterHours(450),
    response: v.object({ data: v.object({ attempted: v.boolean(), valid: v.boolean() }) }),
  }),
  remove: endpoint('DELETE', '/2/webhooks/:webhook_id', {
    ...WRITING,
    limits: quarterHours(450),
    response: Deleted,
  }),
  replay: endpoint('POST', '/2/webhooks/replay', {
    authentication: ['app'],
    level: 'read-write',
    limits: { app: quarterHour(100) },
    source: 'POST /2/webhooks/replay',
    query: NO_PARAMETERS,
    body: ReplayRequest,
    response: ReplayAnswer,
  }),
};
