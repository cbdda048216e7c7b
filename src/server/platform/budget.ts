import { Fault } from '#contract/fault.ts';
import {
  BUDGET_REACHED,
  type BudgetReached,
  type PlatformSettings,
  type Spent,
} from '#contract/counts/platform.ts';
import { add, startOf } from '#core/time/calendar.ts';
import { DAY_MS } from '#core/time/span.ts';
import type { SpentSum } from './spending-table.ts';
import type { PlatformStore } from './store.ts';

const MILLIONTHS = 1_000_000;

/** USD in the unit of the store. */
export function millionths(money: number): number {
  return Math.round(money * MILLIONTHS);
}

export function dollarsOf(price: number): number {
  return price / MILLIONTHS;
}

export function spentOf({ requests, price }: SpentSum): Spent {
  return { requests, money: dollarsOf(price) };
}

/** The UTC day or month that contains an instant, in day numbers `[from, to)`. */
function daysOf(scope: BudgetReached['scope'], at: number): { from: number; to: number } {
  const start = startOf(scope, at);
  return { from: start / DAY_MS, to: add(scope, start, 1) / DAY_MS };
}

/**
 * The sum reserved, billed or possibly billed in the UTC day or month that contains an instant.
 *
 * @param login - Only for the login with this id.
 */
export function sumSpent(
  store: PlatformStore,
  scope: BudgetReached['scope'],
  at: number,
  login?: string,
): SpentSum {
  const { from, to } = daysOf(scope, at);
  return store.sum(from, to, login);
}

/** The spending of each login in the UTC month that contains an instant; null for what was for none. */
export function sumsByLogin(
  store: PlatformStore,
  at: number,
): readonly (SpentSum & { login: string | null })[] {
  const { from, to } = daysOf('month', at);
  return store.logins(from, to);
}

/** A login with its own budget for a UTC month, in millionths of a dollar; null for no own one. */
export interface Spender {
  readonly id: string;
  readonly budget: number | null;
}

function reached(body: BudgetReached, at: number, whose = 'cap'): Fault {
  const { scope, unit, cap, spent, reset } = body;
  const format = (n: number): string => (unit === 'money' ? `$${n}` : `${n} requests`);
  const seconds = Math.max(1, Math.ceil((Date.parse(reset) - at) / 1000));
  return new Fault(
    429,
    {
      ...body,
      title: 'Budget reached',
      detail: `Your ${whose} of ${format(cap)} per ${scope} does not allow this request: ${format(spent)} are spent.`,
      type: BUDGET_REACHED,
      status: 429,
    },
    { 'retry-after': String(seconds) },
  );
}

/**
 * Checks whether every cap allows one more request.
 *
 * @param price - Of the request, in millionths of a dollar.
 * @param at - Epoch ms of the service's clock.
 * @param spender - Whose own budget must allow it too; null for none.
 * @throws {@link Fault} 429 of type {@link BUDGET_REACHED} for the cap that is reached; if there are
 *   several, the one that lasts longest.
 */
export function refuseBeyond(
  store: PlatformStore,
  caps: PlatformSettings['caps'],
  price: number,
  at: number,
  spender: Spender | null = null,
): void {
  const budget = spender?.budget ?? null;
  if (spender && budget !== null) {
    const { price: spent } = sumSpent(store, 'month', at, spender.id);
    if (spent + price > budget) {
      const reset = new Date(daysOf('month', at).to * DAY_MS).toISOString();
      const [cap, used] = [dollarsOf(budget), dollarsOf(spent)];
      throw reached({ scope: 'month', unit: 'money', cap, spent: used, reset }, at, 'own budget');
    }
  }
  for (const scope of ['month', 'day'] as const) {
    const { requests, money } = caps[scope];
    if (requests === null && money === null) continue;
    const sum = sumSpent(store, scope, at);
    const reset = new Date(daysOf(scope, at).to * DAY_MS).toISOString();
    if (money !== null && sum.price + price > millionths(money)) {
      const spent = dollarsOf(sum.price);
      throw reached({ scope, unit: 'money', cap: money, spent, reset }, at);
    }
    if (requests !== null && sum.requests + 1 > requests) {
      throw reached({ scope, unit: 'requests', cap: requests, spent: sum.requests, reset }, at);
    }
  }
}
