import { nounFor } from '#core/format/plural.ts';
import { MICRO } from '#core/format/number-text.ts';
import type { AppBill, BillRow } from './usage.ts';

/** The names of callers that are no single account. */
const CALLERS: Readonly<Record<string, string>> = {
  none: 'no account',
  others: 'other accounts',
  unknown: 'not known',
};

/** The caller of a row: `@alice`, the id of a removed account, or words. @param sign - Before a username. */
export function callerText({ account, username }: BillRow, sign = '@'): string {
  return username === null ? (CALLERS[account] ?? account) : `${sign}${username}`;
}

/** A row of a bill, with its day. */
export interface DatedRow extends BillRow {
  readonly day: string;
}

/** The rows of a bill: the newest day first, of a day by operation and account. */
export function billRows({ days }: Pick<AppBill, 'days'>): DatedRow[] {
  return days.flatMap(({ day, operations }) => operations.map((row) => ({ day, ...row })));
}

/** True if the prices of a bill differ from what was charged, as they do where an app does not pay per use. */
export function isPriced({ charged, price }: Pick<AppBill, 'charged' | 'price'>): boolean {
  return charged !== price;
}

/** An amount in dollars with all of its decimals, so that sums of a file are exact. */
function decimals(micro: number): string {
  return (micro / MICRO).toFixed(6);
}

const COLUMNS = [
  'day',
  'operation',
  'account',
  'account_id',
  'requests',
  'resources',
  'charged_usd',
  'price_usd',
];

/** The rows of a bill as CSV, in dollars. No cell has a comma, a quote or the beginning of a formula. */
export function billCsv(bill: Pick<AppBill, 'days'>): string {
  const lines = billRows(bill).map((row) => {
    const { day, operation, account, requests, resources, charged, price } = row;
    const id = account in CALLERS ? '' : account;
    const amounts = [requests, resources, decimals(charged), decimals(price)];
    return [day, operation, callerText(row, ''), id, ...amounts];
  });
  return [COLUMNS, ...lines].map((cells) => `${cells.join(',')}\n`).join('');
}

/** The texts of numbers, of amounts in micro-dollars, and of days such as `2026-11-21`. */
export interface BillWords {
  readonly count: (n: number) => string;
  readonly money: (micro: number) => string;
  readonly day: (day: string) => string;
}

/**
 * The sentences under a bill: its total, the remaining credits, when they end, and the rest of the month's limit.
 *
 * Nothing is said about a limit that is not set, nor about the end of credits that nothing is spent of.
 */
export function billSentences(bill: AppBill, { count, money, day }: BillWords): string[] {
  const { charged, price, credits, credits_remaining: left, limit_remaining: limit, pace } = bill;
  const requests = billRows(bill).reduce((sum, row) => sum + row.requests, 0);
  const paid = `${money(charged)} for ${count(requests)} ${nounFor(requests, 'request')}.`;
  const free = `Pay per use would have cost ${money(price)}.`;
  const sentences = [isPriced(bill) ? `${paid} ${free}` : paid];
  if (credits !== null && left !== null) {
    const rest = left > 0 ? `${money(left)} of ${money(credits)} in credits is left.` : '';
    const over =
      left === 0 ? 'The credits are used up.' : `The credits are overdrawn by ${money(-left)}.`;
    const mean = pace && (pace.days === 1 ? 'as today' : `the mean of the last ${pace.days} days`);
    const end =
      pace && pace.credits_end !== null
        ? ` At ${money(pace.per_day)} a day, ${mean}, it runs out on ${day(pace.credits_end)}.`
        : '';
    sentences.push((rest || over) + end);
  }
  if (limit !== null) {
    sentences.push(
      limit > 0
        ? `${money(limit)} of this month’s limit is left.`
        : 'This month’s limit is used up.',
    );
  }
  return sentences;
}
