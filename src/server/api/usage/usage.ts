import { accountNumber } from '#server/billing/account-number.ts';
import type { Access } from '#contract/accounts/access.ts';
import { formatInstant } from '#contract/instant.ts';
import { POST_CAP } from '#contract/counts/prices.ts';
import type { BillsAnswer, UsageAnswer } from '#contract/accounts/usage.ts';
import { dayOf } from '#core/counts/plan.ts';
import { DAY_MS } from '#core/time/span.ts';
import type { BillSum } from '#server/auth/bill-table.ts';
import { cycleOf, type Remaining } from '#server/billing/credits.ts';
import type { ChargeSum } from '#server/posts/editor/charges.ts';

/** The day number of the first of so many days that end today. */
export function firstOf(days: number, now: number): number {
  return dayOf(now) - days + 1;
}

/** The day number on which the cycle of an instant begins. */
export function cycleStart(now: number): number {
  return dayOf(cycleOf(now).start);
}

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

/** An app, or the dashboard. */
export interface BilledApp {
  readonly id: string;
  readonly name: string;
  readonly access: Access;
}

type Bills = BillsAnswer['data'][number];

function total(parts: readonly { readonly charged: number; readonly price: number }[]) {
  return {
    charged: parts.reduce((sum, { charged }) => sum + charged, 0),
    price: parts.reduce((sum, { price }) => sum + price, 0),
  };
}

/**
 * The use and the payments of an app.
 *
 * @param reads - Its bills since the first of the days or of the cycle, whichever is earlier.
 * @param writes - Its charges for changes, of the same days.
 * @param now - Epoch ms.
 */
export function billsOf(
  { id, name, access }: BilledApp,
  reads: readonly BillSum[],
  writes: readonly ChargeSum[],
  remaining: Remaining,
  days: number,
  now: number,
): Bills {
  const all = [...reads, ...writes.map((sum) => ({ ...sum, resources: 0 }))];
  const from = cycleStart(now);
  const shown = Array.from({ length: days }, (_, i) => dayOf(now) - i).flatMap((day) => {
    const operations = all.filter((sum) => sum.day === day);
    if (operations.length === 0) return [];
    return {
      day: formatInstant(day * DAY_MS).slice(0, 10),
      ...total(operations),
      operations: operations.map(({ operation, requests, resources, charged, price }) => ({
        operation,
        requests,
        resources,
        charged,
        price,
      })),
    };
  });
  return {
    id,
    name,
    access,
    ...total(shown),
    month: total(all.filter(({ day }) => day >= from)),
    credits_remaining: remaining.credits,
    limit_remaining: remaining.limit,
    days: shown,
  };
}
