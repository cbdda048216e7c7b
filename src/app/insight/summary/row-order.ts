import { type FigureId, type SummaryRow, summaryCell } from './summary-columns.ts';

/** An order of rows. */
export interface RowOrder {
  readonly by: 'name' | FigureId;
  readonly way: 'ascending' | 'descending';
}

/** The order after a click on a heading: names ascending, numbers descending; then reversed; then that of the list. */
export function nextOrder(order: RowOrder | null, by: RowOrder['by']): RowOrder | null {
  const first = by === 'name' ? 'ascending' : 'descending';
  if (order?.by !== by) return { by, way: first };
  return order.way === first
    ? { by, way: first === 'ascending' ? 'descending' : 'ascending' }
    : null;
}

/** Rows in an order; those without a value come last in both directions, and equal ones keep their order. */
export function ordered(
  rows: readonly SummaryRow[],
  order: RowOrder | null,
): readonly SummaryRow[] {
  if (!order) return rows;
  const { by } = order;
  const sign = order.way === 'ascending' ? 1 : -1;
  if (by === 'name') return rows.toSorted((a, b) => sign * a.name.localeCompare(b.name));
  return rows.toSorted((a, b) => {
    const [left, right] = [summaryCell(a, by).value, summaryCell(b, by).value];
    if (Number.isNaN(left) || Number.isNaN(right))
      return Number(Number.isNaN(left)) - Number(Number.isNaN(right));
    return sign * (left - right);
  });
}
