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

/** What was agreed to before, where that covers a plan: then it goes on without asking again. */
export function agreedTo(run: RunRow | null, plan: Plan): RunRow | null {
  if (!run || run.granularity !== plan.granularity) return null;
  if (plan.span.start < run.span.start || plan.span.end > run.span.end) return null;
  return plan.recent + plan.all <= run.agreed.requests - run.made.requests ? run : null;
}
