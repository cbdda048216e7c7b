import type { AppBill } from '#contract/accounts/usage.ts';
import { formatInstant } from '#contract/instant.ts';
import { DAY_MS } from '#core/time/span.ts';
import type { StoredApp } from '#server/auth/app-table.ts';
import type { Service } from '#server/auth/store.ts';
import type { ChargesOf } from '#server/posts/editor/charges.ts';
import { DASHBOARD_APP } from './billing.ts';
import { cycleOf, type Credits } from './credits.ts';
import { dayOf } from '#core/counts/day-windows.ts';

/** Days whose spending says when the credits end, today included. */
const PACE_DAYS = 7;

/** Days after which the end of credits is no longer said. */
const FARTHEST = 36_500;

/** The day number of the first of so many days that end today. */
export function firstOf(days: number, now: number): number {
  return dayOf(now) - days + 1;
}

/** The day number on which the cycle of an instant begins. */
export function cycleStart(now: number): number {
  return dayOf(cycleOf(now).start);
}

/** The dashboard as what is billed. */
export const DASHBOARD = { id: DASHBOARD_APP, name: 'Dashboard' } as const;

interface Amounts {
  readonly charged: number;
  readonly price: number;
}

function total(parts: readonly Amounts[]): Amounts {
  return {
    charged: parts.reduce((sum, { charged }) => sum + charged, 0),
    price: parts.reduce((sum, { price }) => sum + price, 0),
  };
}

/** A UTC day, such as `2026-11-21`. */
function dayText(day: number): string {
  return formatInstant(day * DAY_MS).slice(0, 10);
}

/**
 * The mean spending per day since the start of the first of the last days, and the day on which what is left ends at it.
 *
 * The part of today that is over counts, but at least a whole day, so that an app's first minutes foretell nothing.
 */
function paceOf(charged: number, credits: number, days: number, now: number): AppBill['pace'] {
  if (charged === 0) return null;
  const perMs = charged / Math.max(DAY_MS, now - firstOf(days, now) * DAY_MS);
  const end = dayOf(now + credits / perMs);
  return {
    days,
    per_day: Math.round(perMs * DAY_MS),
    credits_end: credits > 0 && end - dayOf(now) < FARTHEST ? dayText(end) : null,
  };
}

/** Makes the bills of apps and of the dashboard. */
export function appBills({
  service,
  charges,
  credits,
}: {
  service: Pick<Service, 'bills' | 'accountOf'>;
  charges: ChargesOf;
  credits: Credits;
}) {
  /**
   * The use and the payments of an app.
   *
   * @param days - The number of UTC days that it lists, today included.
   * @param now - Epoch ms.
   */
  return (app: StoredApp | typeof DASHBOARD, days: number, now: number): AppBill => {
    const { id, name } = app;
    const month = cycleOf(now);
    const remaining =
      'settings' in app ? credits.remaining(app, month) : { credits: null, limit: null };
    const pace =
      'settings' in app
        ? Math.min(PACE_DAYS, Math.max(1, dayOf(now) - dayOf(app.createdAt) + 1))
        : PACE_DAYS;
    const first = Math.min(firstOf(Math.max(days, pace), now), dayOf(month.start));
    const writes = charges(id, first).map((sum) => ({ ...sum, resources: 0 }));
    const all = [...service.bills.of(id, first), ...writes];
    const since = (day: number): Amounts => total(all.filter((sum) => sum.day >= day));
    const shown = Array.from({ length: days }, (_, i) => dayOf(now) - i).flatMap((day) => {
      const sums = all.filter((sum) => sum.day === day);
      if (sums.length === 0) return [];
      const operations = sums.map(({ operation, account, requests, resources, charged, price }) => {
        const username = service.accountOf(account)?.username ?? null;
        return { operation, account, username, requests, resources, charged, price };
      });
      return { day: dayText(day), ...total(operations), operations };
    });
    const { credits: left, limit } = remaining;
    return {
      id,
      name,
      access: 'settings' in app ? app.settings.access : 'enterprise',
      ...total(shown),
      month: since(dayOf(month.start)),
      credits: 'settings' in app ? app.settings.credits : null,
      credits_remaining: left,
      limit_remaining: limit,
      pace: left === null ? null : paceOf(since(firstOf(pace, now)).charged, left, pace, now),
      days: shown,
    };
  };
}
