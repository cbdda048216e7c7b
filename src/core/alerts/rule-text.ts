import { usdText } from '#core/format/number-text.ts';
import { plural } from '#core/format/plural.ts';
import { BUDGET_WEEKS, type AlertBudget } from './budget.ts';
import type { WatchUnit } from './local-day.ts';
import { LEAST_RISE } from './rises.ts';

/** The parts of an alert that its rule is said by. */
export interface SaidRule {
  readonly unit: WatchUnit;
  /** Times the usual from which it rings; null if it rings for silence. */
  readonly factor: number | null;
  readonly budget: AlertBudget;
  /** True if the user chose the factor instead of the budget. */
  readonly byHand: boolean;
  /** Weeks that the factor was chosen from. */
  readonly weeks: number;
  /** The most that it may cost in 30 days, USD; absent where it costs nothing. */
  readonly agreed?: number;
}

/** `3.25 times the usual of an hour and at least 10 Posts` */
export function barText(factor: number, unit: WatchUnit): string {
  return `${factor} times the usual of ${unit === 'day' ? 'a day' : 'an hour'} and at least ${LEAST_RISE} Posts`;
}

/** `rings from 3.25 times the usual of an hour and at least 10 Posts, at most about once a week`. */
export function ringRuleText({ unit, factor, budget, byHand, weeks, agreed }: SaidRule): string {
  const price = agreed === undefined ? '' : `, for up to ${usdText(agreed)} a month`;
  if (factor === null) return `rings for silence and low days${price}`;
  const bar = `rings from ${barText(factor, unit)}`;
  if (byHand) return `${bar}${price}`;
  const seen = weeks < BUDGET_WEEKS ? ` (${plural(weeks, 'week')} of history)` : '';
  return `${bar}, at most about once a ${budget}${seen}${price}`;
}
