import * as v from 'valibot';
import { DecimalId, Time, Whole } from '#contract/members.ts';
import { ACCESS_LEVELS } from './access.ts';
import { AppName } from './apps.ts';
import { endpoint, sessionEndpoint } from '#contract/endpoint.ts';
import { onlyParameters, wholeBetween } from '#contract/parameters.ts';
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

/** Days of bills that may be asked for, today included, and as many as are listed by default. */
export const MOST_BILL_DAYS = 90;
export const BILL_DAYS = 30;

const BILLS_PARAMETERS = {
  days: v.optional(wholeBetween('days', 1, MOST_BILL_DAYS), String(BILL_DAYS)),
  /** The id of an app, or `dashboard`; all by default. */
  app: v.exactOptional(v.pipe(v.string(), v.regex(/^(?:\d{1,19}|dashboard)$/))),
};

const daily = v.array(v.object({ date: Time, usage: Whole }));

/** Answer of `GET /2/usage/tweets` (platform-openapi, Usage). Days are ascending and include today. */
export const UsageAnswer = v.object({
  data: v.object({
    /** Days until the cycle ends. */
    cap_reset_day: Whole,
    project_cap: Whole,
    project_id: DecimalId,
    /** Posts read in this cycle. */
    project_usage: Whole,
    daily_project_usage: v.optional(v.object({ project_id: Whole, usage: daily })),
    daily_client_app_usage: v.optional(
      v.array(v.object({ client_app_id: DecimalId, usage: daily, usage_result_count: Whole })),
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

const day = v.pipe(v.string(), v.isoDate());

/** The requests of an operation by a caller on a day. */
const BillRow = v.object({
  /** Method and path. */
  operation: v.string(),
  /**
   * The id of the account that the app acted as; `none` without one, `others` for accounts beyond those that a day
   * names, `unknown` for a day before accounts were recorded.
   */
  account: v.string(),
  /** Null if `account` is no account, or a removed one. */
  username: v.nullable(v.string()),
  requests: Whole,
  /** Billed resources of reads. */
  resources: Whole,
  ...amounts,
});
export type BillRow = v.InferOutput<typeof BillRow>;

/** The use and the costs of an app, or of the dashboard, which has the id `dashboard`. */
export const AppBill = v.object({
  id: v.string(),
  name: v.string(),
  access: v.picklist(ACCESS_LEVELS),
  /** The sums of {@link BillRow} over all days that are listed. */
  ...amounts,
  /** In this calendar month (UTC), after which the spending limit applies again. */
  month: v.object(amounts),
  /** Micro-dollars that were last set; null without credits. */
  credits: v.nullable(micros),
  /** The rest of them, possibly below 0; null without credits. */
  credits_remaining: v.nullable(micros),
  /** The same of this month's spending limit. */
  limit_remaining: v.nullable(micros),
  /** The mean spending; null without credits or spending. */
  pace: v.nullable(
    v.object({
      /** UTC days that it is the mean of, at most seven, today included. */
      days: Whole,
      per_day: micros,
      /** The UTC day on which the credits run out at it; null if they have, or after a hundred years. */
      credits_end: v.nullable(day),
    }),
  ),
  /** UTC days with requests, the newest first. */
  days: v.array(v.object({ day, ...amounts, operations: v.array(BillRow) })),
});
export type AppBill = v.InferOutput<typeof AppBill>;

/** The bills of apps; that of the dashboard comes last. */
export const BillsAnswer = v.object({ data: v.array(AppBill) });
export type BillsAnswer = v.InferOutput<typeof BillsAnswer>;

/** An order for the bill of an app by its name. */
export const BillOrder = v.strictObject({
  name: AppName,
  days: v.pipe(v.number(), v.integer(), v.minValue(1), v.maxValue(MOST_BILL_DAYS)),
});
export type BillOrder = v.InferOutput<typeof BillOrder>;

export const USAGE = {
  /** Posts that the caller's app read (platform-facts-additions, section 9). */
  posts: endpoint('GET', '/2/usage/tweets', {
    source: 'platform-facts-additions, section 9',
    authentication: ['app'],
    level: 'read',
    limits: { app: { requests: 50, windowSeconds: 900 } },
    response: UsageAnswer,
    query: onlyParameters({
      days: v.optional(wholeBetween('days', 1, MOST_DAYS), '7'),
      'usage.fields': listOf('usage.fields', USAGE_FIELDS),
    }),
  }),
  /** The payments of all apps, or of one, in the last days. */
  bills: sessionEndpoint('GET', '/usage', {
    query: onlyParameters(BILLS_PARAMETERS),
    answer: BillsAnswer,
  }),
};
