import type { ZoneTable } from '#core/time/zone.ts';
import { roundedShare } from '#app/format/rounded.ts';
import { type SummaryRow, summaryColumns, NAME_HEADING, summaryCell } from './summary-columns.ts';
import type { Headed } from './row-cell.ts';

/**
 * The table for the clipboard: a header, then a row per series, with figures as numbers, rounded as on the page; NaN if
 * there is no value.
 */
export function summaryTable(rows: readonly SummaryRow[], of: Headed): (string | number)[][] {
  const columns = summaryColumns(of);
  return [
    [
      NAME_HEADING,
      ...columns.flatMap(({ heading, copied }) =>
        copied === 'band' ? [heading(of), 'from', 'to'] : [heading(of)],
      ),
      'Covered',
    ],
    ...rows.map((row) => [
      row.name,
      ...columns.flatMap(({ id, copied }) => {
        const { text, rounded, band } = summaryCell(row, id);
        const shown = copied === 'text' || rounded === Infinity ? text : rounded;
        return copied === 'band' ? [shown, ...band] : [shown];
      }),
      roundedShare(row.covered),
    ]),
  ];
}

/**
 * The summary for the Export menu: plain numbers, the start of the peak's bucket in the zone, shares as parts of 1;
 * null if there is no value.
 */
export function exportedSummary(
  rows: readonly SummaryRow[],
  of: Headed,
  zone: ZoneTable,
): (string | number | null)[][] {
  const columns = summaryColumns(of);
  const known = (value: number): number | null => (Number.isFinite(value) ? value : null);
  return [
    ['series', ...columns.map(({ exported }) => exported.heading(of)), 'covered'],
    ...rows.map((row) => [
      row.name,
      ...columns.map(({ id, exported: { value } }) => {
        const cell = summaryCell(row, id);
        return (value && value(cell, zone)) || known(cell.rounded);
      }),
      known(roundedShare(row.covered)),
    ]),
  ];
}
