import { Fault } from '#contract/fault.ts';
import { add, startOf } from '#core/time/calendar.ts';
import { DAY_MS } from '#core/time/span.ts';
import type { BillTable } from '#server/auth/bill-table.ts';
import type { ChargesOf } from '#server/posts/editor/charges.ts';
import { accountNumber } from './account-number.ts';
import type { CallingApp } from '#server/auth/caller.ts';

/** A calendar month in UTC: the cycle of spending limits and of usage. */
export interface Cycle {
  /** Epoch ms, `[start, end)`. */
  readonly start: number;
  readonly end: number;
}

/** The cycle of an instant, epoch ms. */
export function cycleOf(now: number): Cycle {
  const start = startOf('month', now);
  return { start, end: add('month', start, 1) };
}

/** The payments of an app, in micro-dollars. */
interface Paid {
  total: number;
  /** By the start of the cycle. */
  readonly cycles: Map<number, number>;
  /** The least price of its requests that are being answered. */
  open: number;
  creditsSet: number;
  /** The total when the credits were last set. */
  before: number;
}

/** The amount that an app may still spend, in micro-dollars, possibly below 0; null without a limit. */
export interface Remaining {
  readonly credits: number | null;
  /** Of the spending limit of this cycle. */
  readonly limit: number | null;
}

/** Knows what apps paid, and what they may still spend. */
export type Credits = ReturnType<typeof openCredits>;

/** Recorded, with the type's host (platform-facts-additions 1.7). Each app is an account of its own here. */
function depleted({ id }: CallingApp): Fault {
  const account = accountNumber(id);
  return new Fault(402, {
    account_id: account,
    title: 'CreditsDepleted',
    detail: `Your enrolled account [${account}] does not have any credits to fulfill this request.`,
    type: 'https://api.twitter.com/2/problems/credits',
  });
}

export function openCredits({ bills, charges }: { bills: BillTable; charges: ChargesOf }) {
  const apps = new Map<string, Paid>();
  const load = (app: string): Paid => {
    const { creditsSet, charged } = bills.balance(app) ?? { creditsSet: 0, charged: 0 };
    const paid = { total: 0, cycles: new Map(), open: 0, creditsSet, before: charged };
    for (const sum of [...bills.of(app, 0), ...charges(app, 0)]) {
      count(paid, sum.charged, cycleOf(sum.day * DAY_MS));
    }
    return paid;
  };
  const count = (paid: Paid, amount: number, { start }: Cycle): void => {
    paid.total += amount;
    paid.cycles.set(start, (paid.cycles.get(start) ?? 0) + amount);
  };
  const paidBy = (app: string): Paid => {
    const paid = apps.get(app) ?? load(app);
    apps.set(app, paid);
    return paid;
  };
  /** The payments of the app since its credits were last set. */
  const paidOf = ({ id, creditsSet }: CallingApp): Paid => {
    const paid = paidBy(id);
    if (paid.creditsSet === creditsSet) return paid;
    bills.putBalance(id, { creditsSet, charged: paid.total });
    paid.creditsSet = creditsSet;
    paid.before = paid.total;
    return paid;
  };
  const remainingOf = ({ settings }: CallingApp, paid: Paid, { start }: Cycle): Remaining => {
    const { credits, spending_limit: limit } = settings;
    return {
      credits: credits === null ? null : credits - (paid.total - paid.before),
      limit: limit === null ? null : limit - (paid.cycles.get(start) ?? 0),
    };
  };
  return {
    /**
     * Reserves the least price of a request, so that requests at the same time do not all spend the same credits.
     *
     * @returns Ends the reservation.
     * @throws {@link Fault} 402 if nothing is left.
     */
    reserve: (app: CallingApp, least: number, cycle: Cycle): (() => void) => {
      const paid = paidOf(app);
      const { credits, limit } = remainingOf(app, paid, cycle);
      if (Math.min(credits ?? Infinity, limit ?? Infinity) <= paid.open) throw depleted(app);
      paid.open += least;
      return () => {
        paid.open -= least;
      };
    },
    /** Counts what an app paid, after it was recorded. */
    pay: (app: string, amount: number, cycle: Cycle): void => count(paidBy(app), amount, cycle),
    remaining: (app: CallingApp, cycle: Cycle): Remaining => remainingOf(app, paidOf(app), cycle),
  };
}
