import * as v from 'valibot';
import type { HeldPage } from '#core/counts/requests.ts';
import { GRANULARITIES } from '#core/time/bucket.ts';
import { ACCESS_LEVELS } from '#contract/accounts/access.ts';
import { sessionEndpoint } from '#contract/endpoint.ts';

/**
 * Id of the ask that a request belongs to: the same ask gets its answer again without buying. On answers of the
 * relay the ask that bought the page, which may be another one.
 *
 * Without it the dashboard's session buys nothing. No other site's page, link or form can set it, because browsers
 * ask this service first (CORS) and it never agrees. Bearer tokens buy without it.
 */
export const ASK_HEADER = 'x-ask';
export const ASK_FORM = /^[\w.-]{8,64}$/;

/**
 * The way in which a request of an ask may be bought. `no`: only what the relay holds or is buying, else the answer is
 * 204. `again`: although a settled page is held, which other asks still get. `instead`: in place of the held page,
 * which is not trustworthy. Absent: unless it is held.
 */
export const BUY_HEADER = 'x-buy';
export const BUYS = ['no', 'again', 'instead'] as const;
export type Buy = (typeof BUYS)[number];

/** On answers of the relay: `bought` for this request, or `held` and free. */
export const VAULT_HEADER = 'x-vault';
/**
 * On answers of the relay: when the page was fetched, an instant as ISO text. It is the earlier of the platform's
 * Date and the service's clock, so that one fast clock does not make counts settle too soon.
 */
export const FETCHED_HEADER = 'x-fetched-at';
/** In the relay's answers: what the page cost for this request, USD; 0 if it was stored. */
export const PRICE_HEADER = 'x-price';

/**
 * The number of requests of an ask that were sent without a whole answer, so that each may have been billed: on answers
 * of the relay to an ask, and on faults with {@link UNCERTAIN}. On requests, the number of them that the client knows:
 * where there are more, the relay sends nothing and answers with such a fault. Absent: it sends in any case.
 */
export const UNCERTAIN_HEADER = 'x-uncertain';

/** Type of the fault 429 for a request that would pass a cap; its body is a {@link BudgetReached}. */
export const BUDGET_REACHED = 'groundswell:budget-reached';
/** Types of the 502 and 504 faults for a platform that sent neither a complete page nor a refusal. */
export const PLATFORM_UNREACHABLE = 'groundswell:platform-unreachable';
export const PLATFORM_SLOW = 'groundswell:platform-slow';
/**
 * Member of the body of those faults, next to title, detail, type and status: `true` where the request was
 * sent, so that it may have been billed and a repetition may be paid twice; absent where nothing was sent or
 * the platform refused.
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

/** The platform's terms as the service knows them, and the user's caps. */
export const PlatformSettings = v.strictObject({
  /** Access level of the token. `self-service` has recent counts only. */
  access: v.picklist(ACCESS_LEVELS),
  /** USD: counts per request; search per Post, and per user that an expansion adds. */
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

/** Requests, and what they cost in USD. */
export const Spent = v.object({ requests: whole, money: v.number() });
export type Spent = v.InferOutput<typeof Spent>;

/** Body of a fault of type {@link BUDGET_REACHED}, next to title, detail, type and status. */
export const BudgetReached = v.looseObject({
  scope: v.picklist(['day', 'month']),
  unit: v.picklist(['requests', 'money']),
  cap: v.number(),
  spent: v.number(),
  /** End of the day or month, as ISO text. */
  reset: v.string(),
});
export type BudgetReached = v.InferOutput<typeof BudgetReached>;

export const PlatformAnswer = v.object({
  /** Host that requests go to. */
  host: v.string(),
  settings: PlatformSettings,
  today: Spent,
  month: Spent,
  /** The spending of the session's login in this UTC month, and its own budget for that; absent without logins. */
  own: v.exactOptional(v.object({ month: Spent, budget: v.nullable(v.number()) })),
  /** Platform's Date minus the service's clock at the last answer, ms; null before the first answer. */
  clockAheadMs: v.nullable(v.number()),
  /** The rate limits as the platform last stated them; null where it has stated nothing. */
  pools: v.object({
    recent: v.nullable(v.object({ remaining: whole, reset: v.number() })),
    all: v.nullable(v.object({ remaining: whole, reset: v.number() })),
  }),
});
export type PlatformAnswer = v.InferOutput<typeof PlatformAnswer>;

export const HeldRequest = v.strictObject({
  query: v.pipe(v.string(), v.nonEmpty()),
  granularity: v.picklist(GRANULARITIES),
});

/** Most pages that are listed as held. */
export const MAX_HELD_PAGES = 2_000;

/**
 * Settled pages of a query that cost nothing when a request names exactly their bounds; newest windows first,
 * {@link MAX_HELD_PAGES} at most.
 */
export const HeldAnswer = v.object({
  pages: v.array(
    v.object({
      endpoint: v.picklist(['recent', 'all']),
      /** Instants as ISO text. */
      start: v.string(),
      end: v.string(),
      /** The time at which it was bought, as in {@link FETCHED_HEADER}. */
      at: v.string(),
    }),
  ),
});
export type HeldAnswer = v.InferOutput<typeof HeldAnswer>;

/** The pages of an answer, their instants in epoch ms. */
export function heldPagesOf({ pages }: HeldAnswer): HeldPage[] {
  return pages.map(({ endpoint, start, end, at }) => ({
    endpoint,
    start: Date.parse(start),
    end: Date.parse(end),
    at: Date.parse(at),
  }));
}

/** Only the dashboard's session sees and sets what the platform costs. */
export const PLATFORM = {
  settings: sessionEndpoint('GET', '/platform/settings', { answer: PlatformAnswer }),
  /** Replaces all settings. */
  change: sessionEndpoint('PUT', '/platform/settings', {
    body: PlatformSettings,
    answer: PlatformAnswer,
  }),
  held: sessionEndpoint('GET', '/platform/held', { query: HeldRequest, answer: HeldAnswer }),
};
