import { bytesOf, countOf, leastTime, moneyOf } from '#core/counts/price.ts';
import { ownedDays, planRequests } from '#core/counts/requests.ts';
import type { RequestNeed } from '#core/counts/requests.ts';
import type { RunRow } from './cache-port.ts';
import type { Plan } from './gate.svelte.ts';
import type { Terms } from './policy.ts';

/**
 * What a need of a priced source comes to.
 *
 * @param held - Pages that the service gave for nothing.
 */
export function planOf(need: RequestNeed, held: number, { prices, pace, pools }: Terms): Plan {
  const requests = planRequests(need);
  const { recent, all } = countOf(requests);
  const { granularity, look } = need;
  return {
    granularity,
    span: look.view,
    recent,
    all,
    money: moneyOf(requests, prices),
    leastMs: leastTime({ recent, all }, pace, look.now, pools),
    bytes: bytesOf(requests, granularity),
    ...ownedDays(need),
    held,
    minuteBytes: granularity === 'minute' ? null : bytesOf(requests, 'minute'),
  };
}

/** How many pages a plan buys. */
export function pagesOf({ recent, all }: Pick<Plan, 'recent' | 'all'>): number {
  return recent + all;
}

/** What was agreed to before, where that covers a plan: then it goes on without asking again. */
export function agreedTo(run: RunRow | null, plan: Plan): RunRow | null {
  if (!run || run.plan.granularity !== plan.granularity) return null;
  const { span } = run.plan;
  if (plan.span.start < span.start || plan.span.end > span.end) return null;
  return pagesOf(plan) <= pagesOf(run.plan) - run.made.requests ? run : null;
}
