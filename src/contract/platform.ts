import * as v from 'valibot';
import { GRANULARITIES } from '#core/time/bucket.ts';
import { ACCESS_LEVELS } from './counts.ts';
import { endpoint } from './endpoint.ts';
import { NO_PARAMETERS } from './parameters.ts';

/**
 * Idempotency key of a purchase: the relay answers a repeated key without buying again. In the relay's answers, it is
 * the key under which the page was bought, which may be that of an earlier client.
 *
 * The dashboard's session cannot buy without it. No other site's page, link or form can set this header, because
 * browsers send a CORS preflight first and this service never allows it. Bearer tokens may buy without it.
 */
export const ASK_HEADER = 'x-ask';
export const ASK_FORM = /^[\w.-]{8,64}$/;

/**
 * How a request may be bought. `no`: answered only from the relay's store or a running request, else with 204.
 * `again`: bought even if a settled page is stored, which other clients still get. `instead`: bought to replace the
 * stored page, which is wrong. Absent: bought unless it is stored.
 */
export const BUY_HEADER = 'x-buy';
export const BUYS = ['no', 'again', 'instead'] as const;
export type Buy = (typeof BUYS)[number];

/** In the relay's answers: `bought` for this request, or `held`, that is, stored and free. */
export const VAULT_HEADER = 'x-vault';
/**
 * In the relay's answers: when the page was fetched, as ISO text. This is the earlier of the platform's Date and the
 * service's clock, so that one fast clock does not make counts settle too soon.
 */
export const FETCHED_HEADER = 'x-fetched-at';
/** In the relay's answers: what the page cost for this request, USD; 0 if it was stored. */
export const PRICE_HEADER = 'x-price';

/**
 * How many requests under an {@link ASK_HEADER} were sent without getting a complete answer, so that each may have
 * been billed: in the relay's answers, and in faults with {@link UNCERTAIN}. In requests, how many the client knows
 * of: if there are more, the relay sends nothing and answers with such a fault. Absent: no such check.
 */
export const UNCERTAIN_HEADER = 'x-uncertain';

/** Type of the fault 429 for a request that would pass a cap; its body is a {@link BudgetReached}. */
export const BUDGET_REACHED = 'groundswell:budget-reached';
/** Types of the 502 and 504 faults for a platform that sent neither a complete page nor a refusal. */
export const PLATFORM_UNREACHABLE = 'groundswell:platform-unreachable';
export const PLATFORM_SLOW = 'groundswell:platform-slow';
/**
 * Extra member in the body of those faults: `true` if the request was sent, so that it may have been billed and a
 * repetition may be billed twice; absent if nothing was sent or the platform refused.
 */
export const UNCERTAIN = 'uncertain';

const amount = v.pipe(v.number(), v.finite(), v.minValue(0), v.maxValue(1_000_000));
const whole = v.pipe(v.number(), v.integer(), v.minValue(0), v.maxValue(100_000_000));
const pool = v.strictObject({
  requests: v.pipe(v.number(), v.integer(), v.minValue(1), v.maxValue(100_000)),
  windowSeconds: v.pipe(v.number(), v.integer(), v.minValue(1), v.maxValue(86_400)),
});
/** Null: no cap. Money in USD. */
const cap = v.strictObject({ requests: v.nullable(whole), money: v.nullable(amount) });

/** The platform's terms as the user entered them, and the user's caps. */
export const PlatformSettings = v.strictObject({
  /** Access level of the token. `self-service` reads recent counts only. */
  access: v.picklist(ACCESS_LEVELS),
  /** USD: counts per request; search per Post, and per user included by an expansion. */
  prices: v.strictObject({ recent: amount, all: amount, post: amount, user: amount }),
  limits: v.strictObject({ recent: pool, all: pool }),
  /** Minimum time between two archive requests, ms. */
  archiveSpacingMs: v.pipe(v.number(), v.integer(), v.minValue(0), v.maxValue(60_000)),
  /** Hours after the end of a day until its counts are settled. */
  settleHours: v.pipe(v.number(), v.integer(), v.minValue(1), v.maxValue(24 * 14)),
  /** Per UTC day and per UTC month, across all tabs, browsers and programs. */
  caps: v.strictObject({ day: cap, month: cap }),
});
export type PlatformSettings = v.InferOutput<typeof PlatformSettings>;

const spent = v.object({ requests: whole, money: v.number() });
export type Spent = v.InferOutput<typeof spent>;

/** Extra members in the body of a fault of type {@link BUDGET_REACHED}. */
export const BudgetReached = v.looseObject({
  scope: v.picklist(['day', 'month']),
  unit: v.picklist(['requests', 'money']),
  cap: v.number(),
  spent: v.number(),
  /** End of the day or month, as ISO text. */
  reset: v.string(),
});
export type BudgetReached = v.InferOutput<typeof BudgetReached>;

/** `GET /platform/settings`; `PUT` takes {@link PlatformSettings} and has the same answer. */
export const PlatformAnswer = v.object({
  /** Host that requests go to. */
  host: v.string(),
  settings: PlatformSettings,
  today: spent,
  month: spent,
  /** Platform's Date minus the service's clock at the last answer, ms; null before the first answer. */
  clockAheadMs: v.nullable(v.number()),
  /** Rate limits as the platform last reported them; null if it has not. */
  pools: v.object({
    recent: v.nullable(v.object({ remaining: whole, reset: v.number() })),
    all: v.nullable(v.object({ remaining: whole, reset: v.number() })),
  }),
});
export type PlatformAnswer = v.InferOutput<typeof PlatformAnswer>;

/** `GET /platform/spending`: by UTC day (newest first, at most 62), month (newest first) and query (most expensive first). */
export const SpendingAnswer = v.object({
  today: spent,
  month: spent,
  days: v.array(v.object({ day: v.string(), ...spent.entries })),
  months: v.array(v.object({ month: v.string(), ...spent.entries })),
  queries: v.array(v.object({ query: v.string(), ...spent.entries, last: v.string() })),
  /** Requests without a complete page or a refusal: perhaps billed; included in the sums above. */
  uncertain: spent,
});
export type SpendingAnswer = v.InferOutput<typeof SpendingAnswer>;

/** Parameters of `GET /platform/held`. */
export const HeldRequest = v.strictObject({
  query: v.pipe(v.string(), v.nonEmpty()),
  granularity: v.picklist(GRANULARITIES),
});

/** Maximum number of pages in a {@link HeldAnswer}. */
export const MAX_HELD_PAGES = 2_000;

/**
 * `GET /platform/held`: settled stored pages of a query, which are free for a request with exactly their bounds;
 * newest windows first, at most {@link MAX_HELD_PAGES}.
 */
export const HeldAnswer = v.object({
  pages: v.array(
    v.object({
      endpoint: v.picklist(['recent', 'all']),
      /** Instants as ISO text. */
      start: v.string(),
      end: v.string(),
      /** When it was bought, as in {@link FETCHED_HEADER}. */
      at: v.string(),
    }),
  ),
});
export type HeldAnswer = v.InferOutput<typeof HeldAnswer>;

/** Only the dashboard's session may read and change what the platform costs. */
export const PLATFORM = {
  settings: endpoint('GET', '/platform/settings', {
    authentication: ['session'],
    query: NO_PARAMETERS,
    answer: PlatformAnswer,
  }),
  /** Replaces all settings. */
  change: endpoint('PUT', '/platform/settings', {
    authentication: ['session'],
    query: NO_PARAMETERS,
    body: PlatformSettings,
    answer: PlatformAnswer,
  }),
  spending: endpoint('GET', '/platform/spending', {
    authentication: ['session'],
    query: NO_PARAMETERS,
    answer: SpendingAnswer,
  }),
  held: endpoint('GET', '/platform/held', {
    authentication: ['session'],
    query: HeldRequest,
    answer: HeldAnswer,
  }),
};
