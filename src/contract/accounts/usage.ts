import * as v from 'valibot';
import { ACCESS_LEVELS } from './access.ts';
import { endpoint } from '#contract/endpoint.ts';
import { unknownParameter, wholeBetween } from '#contract/parameters.ts';
import { listOf } from '#contract/posts/selection.ts';

/** Fields that `usage.fields` may name (platform-openapi, UsageFieldsParameter). */
const USAGE_FIELDS = [
  'cap_reset_day',
  'daily_client_app_usage',
  'daily_project_usage',
  'project_cap',
  'project_id',
  'project_usage',
] as const;

/** Days of usage that a request may ask for, today included (platform-openapi, getUsage). */
const MOST_DAYS = 90;

const POSTS_PARAMETERS = {
  days: v.optional(wholeBetween('days', 1, MOST_DAYS), '7'),
  'usage.fields': listOf('usage.fields', USAGE_FIELDS),
};

const BILLS_PARAMETERS = { days: v.optional(wholeBetween('days', 1, MOST_DAYS), '30') };

const whole = v.pipe(v.number(), v.integer(), v.minValue(0));
const id = v.pipe(v.string(), v.regex(/^[0-9]{1,19}$/));
const daily = v.array(v.object({ date: v.pipe(v.string(), v.isoTimestamp()), usage: whole }));

/** Answer of `GET /2/usage/tweets` (platform-openapi, Usage). Days are ascending and include today. */
export const UsageAnswer = v.object({
  data: v.object({
    /** Days until the cycle ends. */
    cap_reset_day: whole,
    project_cap: whole,
    project_id: id,
    /** Posts read in this cycle. */
    project_usage: whole,
    daily_project_usage: v.optional(v.object({ project_id: whole, usage: daily })),
    daily_client_app_usage: v.optional(
      v.array(v.object({ client_app_id: id, usage: daily, usage_result_count: whole })),
    ),
  }),
});
export type UsageAnswer = v.InferOutput<typeof UsageAnswer>;

const micros = v.pipe(v.number(), v.integer());

/** Amounts of a bill, in micro-dollars. */
const amounts = {
  /** Paid by the app; 0 for one that does not pay per use. */
  charged: micros,
  /** The cost of the same under pay-per-use. */
  price: micros,
};

/**
 * The use and the costs of each app: of its days the newest first. The dashboard comes last, with the id `dashboard`.
 */
export const BillsAnswer = v.object({
  data: v.array(
    v.object({
      id: v.string(),
      name: v.string(),
      access: v.picklist(ACCESS_LEVELS),
      ...amounts,
      /** In this calendar month (UTC), after which the spending limit applies again. */
      month: v.object(amounts),
      /** Micro-dollars of the credits that remain, possibly below 0; null without credits. */
      credits_remaining: v.nullable(micros),
      /** The same of this month's spending limit. */
      limit_remaining: v.nullable(micros),
      days: v.array(
        v.object({
          /** UTC, such as `2026-11-21`. */
          day: v.string(),
          ...amounts,
          operations: v.array(
            v.object({
              /** Method and path. */
              operation: v.string(),
              requests: whole,
              /** Billed resources of reads. */
              resources: whole,
              ...amounts,
            }),
          ),
        }),
      ),
    }),
  ),
});
export type BillsAnswer = v.InferOutput<typeof BillsAnswer>;

export const USAGE = {
  /** Posts that the caller's app read (platform-facts-additions, section 9). */
  posts: endpoint('GET', '/2/usage/tweets', {
    source: 'platform-facts-additions, section 9',
    authentication: ['app'],
    level: 'read',
    limits: { app: { requests: 50, windowSeconds: 900 } },
    response: UsageAnswer,
    query: v.strictObject(POSTS_PARAMETERS, (issue) => unknownParameter(issue, POSTS_PARAMETERS)),
  }),
  /** The payments of all apps in the last days, for the settings page. */
  bills: endpoint('GET', '/usage', {
    authentication: ['session'],
    query: v.strictObject(BILLS_PARAMETERS, (issue) => unknownParameter(issue, BILLS_PARAMETERS)),
    answer: BillsAnswer,
  }),
};
