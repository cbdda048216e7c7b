import * as v from 'valibot';
import { sessionEndpoint } from '#contract/endpoint.ts';
import { Spent } from './platform.ts';

/** Spending, for members only their own, by UTC day (newest first, 62 days at most), month (newest first) and query (dearest first). */
export const SpendingAnswer = v.object({
  today: Spent,
  month: Spent,
  days: v.array(v.object({ day: v.string(), ...Spent.entries })),
  months: v.array(v.object({ month: v.string(), ...Spent.entries })),
  queries: v.array(v.object({ query: v.string(), ...Spent.entries, last: v.string() })),
  /** Requests without a whole page or a refusal: perhaps billed; included in the sums above. */
  uncertain: Spent,
  /** The spending of each login in this UTC month, for administrators; null for programs. Absent without logins. */
  logins: v.exactOptional(v.array(v.object({ name: v.nullable(v.string()), ...Spent.entries }))),
});
export type SpendingAnswer = v.InferOutput<typeof SpendingAnswer>;

/** Only the dashboard's session sees what the platform has cost. */
export const PLATFORM_SPENDING = sessionEndpoint('GET', '/platform/spending', {
  answer: SpendingAnswer,
});
