import type { CountsEndpoint } from '#core/counts/endpoint.ts';
import { answerBytes, requestCount, leastTime, moneyOf, pagesOf, usd } from '#core/counts/price.ts';
import { fetchedDays, planRequests, type RequestNeed } from '#core/counts/requests.ts';
import { DAY_MS } from '#core/time/span.ts';
import type { Plan, RunRow, RequestSum, Tally } from '#app/counts/cache/records.ts';
import type { Terms } from '#app/counts/source-policy.ts';

/** The time for which an approval is valid for a run that resumes by itself. */
const HOLDS_MS = DAY_MS;

/** The time by which the end of a range that moves with the clock may have moved since the approval. */
const MOVED_MS = DAY_MS;

/**
 * The plan of a need of a priced source.
 *
 * @param held - Number of pages that the service already had.
 * @param repeats - Pages to request once more.
 */
export function planOf(
  need: RequestNeed,
  held: number,
  { prices, pace, pools }: Terms,
  repeats: readonly { readonly endpoint: CountsEndpoint }[],
): Plan {
  const requests = planRequests(need);
  const bought = [...requests, ...repeats];
  const { recent, all } = requestCount(bought);
  const { granularity, look } = need;
  const { days, fetched } = fetchedDays(need);
  return {
    granularity,
    span: look.view,
    recent,
    all,
    money: moneyOf(bought, prices),
    leastMs: leastTime({ recent, all }, pace, look.now, pools),
    bytes: answerBytes(requests, granularity),
    days,
    owned: fetched,
    held,
    minuteBytes: granularity === 'minute' ? null : answerBytes(requests, 'minute'),
  };
}

const NONE: RequestSum = { requests: 0, money: 0 };

/** Adds two tallies; with a sign of -1, subtracts the second. */
export function addTallies(a: Tally, b: Tally, sign: 1 | -1 = 1): Tally {
  const uncertain = addSums(a.uncertain, b.uncertain, sign);
  return {
    requests: a.requests + sign * b.requests,
    money: usd(a.money + sign * b.money),
    bytes: a.bytes + sign * b.bytes,
    ...(uncertain.requests > 0 && { uncertain }),
  };
}

/** Adds two sums; with a sign of -1, subtracts the second. */
export function addSums(a: RequestSum = NONE, b: RequestSum = NONE, sign: 1 | -1 = 1): RequestSum {
  return { requests: a.requests + sign * b.requests, money: usd(a.money + sign * b.money) };
}

/** The unused part of an approval: requests that were not sent, and their price. */
export function unspent({
  plan,
  made,
  unnoted,
}: Pick<RunRow, 'plan' | 'made' | 'unnoted'>): RequestSum {
  const approved = addSums({ requests: pagesOf(plan), money: plan.money }, unnoted);
  return addSums(addSums(approved, made, -1), made.uncertain, -1);
}

/**
 * Returns the earlier approval if it is recent and covers the range, pages and cost of a plan. Then no new one is
 * needed.
 *
 * @param now - By the source's clock, epoch ms.
 * @param unnoted - Paid pages that the run does not include yet.
 */
export function validApproval(
  run: RunRow | null,
  plan: Plan,
  now: number,
  unnoted: RequestSum,
): RunRow | null {
  if (!run || run.plan.granularity !== plan.granularity) return null;
  if (now - run.at >= HOLDS_MS) return null;
  const { span } = run.plan;
  if (plan.span.start < span.start || plan.span.end > span.end + MOVED_MS) return null;
  const remaining = addSums(unspent(run), unnoted, -1);
  return pagesOf(plan) <= remaining.requests && plan.money <= remaining.money ? run : null;
}
