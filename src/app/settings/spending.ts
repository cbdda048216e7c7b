import type { SpendingAnswer, Spent } from '#contract/platform.ts';
import { textCell } from '#app/export/csv.ts';
import { add, startOf } from '#core/time/calendar.ts';

/** By what spending is summed up. */
export const GROUPINGS = ['query', 'day', 'month'] as const;
export type Grouping = (typeof GROUPINGS)[number];

/** One line of the table of spending. */
export interface SpentRow extends Spent {
  /** The query, `2026-11-20` or `2026-11`: of UTC, as the platform bills. */
  readonly name: string;
  /** When it was last bought for, ISO text; only of queries. */
  readonly last: string | null;
}

/** Columns of the table of spending. */
export type SpentColumn = 'name' | 'requests' | 'money' | 'last';

/** The lines of a grouping, as the service orders them. */
export function spentRows(answer: SpendingAnswer, grouping: Grouping): SpentRow[] {
  if (grouping === 'query')
    return answer.queries.map(({ query, ...rest }) => ({ name: query, ...rest }));
  if (grouping === 'day')
    return answer.days.map(({ day, ...rest }) => ({ name: day, last: null, ...rest }));
  return answer.months.map(({ month, ...rest }) => ({ name: month, last: null, ...rest }));
}

/** The lines by a column; lines that are the same in it keep their order. */
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

/** Lines as a spreadsheet takes them from the clipboard: numbers bare, tabs between, no formula among them. */
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

/** When the UTC day and the UTC month of an instant are over. */
export function resets(now: number): { day: number; month: number } {
  return { day: add('day', startOf('day', now), 1), month: add('month', startOf('month', now), 1) };
}
