import type { Spent } from '#contract/counts/platform.ts';
import type { SpendingAnswer } from '#contract/counts/spending.ts';
import { add, startOf } from '#core/time/calendar.ts';
import { textCell } from '#core/export/csv-text.ts';

/** The ways in which spending can be grouped. */
export const GROUPINGS = ['query', 'day', 'month'] as const;
export type Grouping = (typeof GROUPINGS)[number];

/** One line of the table of spending. */
export interface SpentRow extends Spent {
  /** The query, `2026-11-20` or `2026-11`: in UTC, because the platform bills by UTC. */
  readonly name: string;
  /** The time at which it was last bought, ISO text; only for queries. */
  readonly last: string | null;
}

/** Columns of the table of spending. */
export type SpentColumn = 'name' | 'requests' | 'money' | 'last';

/** The rows of a grouping, in the service's order. */
export function spentRows(answer: SpendingAnswer, grouping: Grouping): SpentRow[] {
  if (grouping === 'query')
    return answer.queries.map(({ query, ...rest }) => ({ name: query, ...rest }));
  if (grouping === 'day')
    return answer.days.map(({ day, ...rest }) => ({ name: day, last: null, ...rest }));
  return answer.months.map(({ month, ...rest }) => ({ name: month, last: null, ...rest }));
}

/** Sorts rows by a column; equal rows keep their order. */
export function sortRows(
  rows: readonly SpentRow[],
  by: SpentColumn,
  descending: boolean,
): SpentRow[] {
  const sign = descending ? -1 : 1;
  return rows.toSorted((a, b) => {
    const [x, y] = [a[by] ?? '', b[by] ?? ''];
    return sign * (typeof x === 'number' ? x - Number(y) : x < String(y) ? -1 : x > y ? 1 : 0);
  });
}

/** The rows for a spreadsheet: plain numbers separated by tabs, with formulas defused. */
export function tabSeparated(rows: readonly SpentRow[], grouping: Grouping): string {
  const queries = grouping === 'query';
  const head = [queries ? 'query' : `${grouping}_utc`, 'requests', 'usd'];
  if (queries) head.push('last_utc');
  const lines = rows.map(({ name, requests, money, last }) => [
    queries ? textCell(name.replaceAll(/[\t\r\n]+/g, ' ')) : name,
    String(requests),
    String(Number(money.toFixed(9))),
    ...(queries ? [last ?? ''] : []),
  ]);
  return [head, ...lines].map((cells) => cells.join('\t')).join('\n');
}

/** The ends of the UTC day and month of an instant, epoch ms. */
export function resets(now: number): { day: number; month: number } {
  return { day: add('day', startOf('day', now), 1), month: add('month', startOf('month', now), 1) };
}
