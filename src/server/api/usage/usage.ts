import { accountNumber } from '#server/billing/account-number.ts';
import { formatInstant } from '#contract/instant.ts';
import { POST_CAP } from '#contract/counts/prices.ts';
import type { UsageAnswer } from '#contract/accounts/usage.ts';
import { DAY_MS } from '#core/time/span.ts';
import type { BillSum } from '#server/auth/bill-table.ts';
import { cycleStart, firstOf } from '#server/billing/app-bill.ts';
import { cycleOf } from '#server/billing/credits.ts';
import { dayOf } from '#core/counts/day-windows.ts';

/**
 * The usage of an app.
 *
 * @param sums - Its bills, of the days and of the cycle.
 * @param fields - Requested fields; undefined for all. Those without days are always there.
 * @param now - Epoch ms.
 */
export function usageOf(
  app: string,
  sums: readonly BillSum[],
  days: number,
  fields: readonly string[] | undefined,
  now: number,
): UsageAnswer {
  const posts = new Map<number, number>();
  for (const { day, posts: n } of sums) posts.set(day, (posts.get(day) ?? 0) + n);
  const first = firstOf(days, now);
  const usage = Array.from({ length: days }, (_, i) => ({
    date: formatInstant((first + i) * DAY_MS),
    usage: posts.get(first + i) ?? 0,
  }));
  const from = cycleStart(now);
  const inCycle = sums.filter(({ day }) => day >= from);
  const isWanted = (field: string): boolean => fields?.includes(field) ?? true;
  const project = accountNumber(app);
  return {
    data: {
      cap_reset_day: dayOf(cycleOf(now).end) - dayOf(now),
      project_cap: POST_CAP,
      project_id: String(project),
      project_usage: inCycle.reduce((sum, { posts: n }) => sum + n, 0),
      ...(isWanted('daily_project_usage') && {
        daily_project_usage: { project_id: project, usage },
      }),
      ...(isWanted('daily_client_app_usage') && {
        daily_client_app_usage: [{ client_app_id: app, usage, usage_result_count: days }],
      }),
    },
  };
}
