import { reasonWords, type InsightSeries } from '#app/insight/insight.ts';
import { pendingWords, sentence } from './pending.ts';
import { type RowsOf, type RowCell, NOT_IN_FILE, emptyCell } from './row-cell.ts';
import { type FigureColumn, type SummaryRow, summaryColumns } from './summary-columns.ts';
import { type VoiceShares, sharingOf, shareCell } from './share-cell.ts';
import { totalCell, changeCell } from './counted-cells.ts';

function cellsOf(rows: RowsOf, cellIn: (column: FigureColumn) => RowCell): SummaryRow['cells'] {
  return Object.fromEntries(
    summaryColumns(rows).map((column) => [column.id, cellIn(column)]),
  ) as SummaryRow['cells'];
}

function rowOf(series: InsightSeries, all: VoiceShares, rows: RowsOf): SummaryRow {
  const { per } = rows;
  const { id, name, style, hidden, summary, curve } = series;
  const mark = series.kind === 'formula' ? 'computed' : series.kind === 'file' ? 'from a file' : '';
  const head = { id, name, style, hidden, mark } as const;
  if (!summary || !curve || summary.known === 0) {
    const uncovered = summary !== null && Number.isNaN(summary.share);
    const why =
      series.kind === 'file'
        ? NOT_IN_FILE
        : uncovered
          ? reasonWords('uncovered', per)
          : series.pending
            ? `${sentence(pendingWords(series.pending))}…`
            : 'Not counted yet.';
    const empty = emptyCell(summary && summary.of.undefined > 0 ? 'The divisor is zero.' : why);
    const parts = { known: Number.NaN, covered: uncovered ? 0 : Number.NaN };
    return { ...head, ...parts, cells: cellsOf(rows, () => empty) };
  }
  if (series.pending) {
    const waits = emptyCell(`Not final: ${pendingWords(series.pending)}.`);
    return { ...head, known: Number.NaN, covered: Number.NaN, cells: cellsOf(rows, () => waits) };
  }
  const counted = { series, curve, summary, all, rows };
  const { share: known, covered } = summary;
  return { ...head, known, covered, cells: cellsOf(rows, (column) => column.cell(counted)) };
}

/** The rows of the summary, in the order of the series. */
export function summaryRows(rows: RowsOf): SummaryRow[] {
  const all = sharingOf(rows);
  return rows.series.map((series) => rowOf(series, all, rows));
}

/** Three cells of each row of the summary, in the order of the series; null without final counts. */
export function mainCells(
  rows: RowsOf,
): (Pick<SummaryRow['cells'], 'total' | 'change' | 'share'> | null)[] {
  const all = sharingOf(rows);
  return rows.series.map((series) => {
    const { summary, curve, pending } = series;
    if (!summary || !curve || pending || summary.known === 0) return null;
    return {
      total: totalCell({ series, curve, summary, all, rows }),
      change: changeCell(series, rows),
      share: shareCell(series, all, rows),
    };
  });
}

/** The id of the element of a row of the summary. */
export const rowElement = (series: number): string => `summary-row-${series}`;
