import type { SeriesStyle } from '#app/ui/series-style.ts';
import { medianPerBucket } from '#core/series/bucket-median.ts';
import { EARLIER_WORDS, type Earlier } from '#core/series/comparison.ts';
import { isoLocal, type ZoneTable } from '#core/time/zone.ts';
import { type RowCell, type Headed, emptyCell } from './row-cell.ts';
import {
  type CountedSeries,
  totalCell,
  middleCell,
  peakCell,
  peakStartCell,
  changeCell,
  completeCell,
  earlierCell,
} from './counted-cells.ts';
import { shareCell } from './share-cell.ts';

/** A series as a row. */
export interface SummaryRow {
  readonly id: number;
  readonly name: string;
  /** The kind of the series, if not a query. */
  readonly mark: '' | 'computed' | 'from a file';
  readonly style: SeriesStyle;
  readonly hidden: boolean;
  /** Known part of the time the source covers, 0 to 1; NaN if nothing is counted yet. */
  readonly known: number;
  /** Part of the time the source covers, 0 to 1; NaN if nothing is counted yet. */
  readonly covered: number;
  readonly cells: Readonly<Record<FigureId, RowCell>>;
}

const EARLIER_HEADS: Readonly<Record<Earlier, string>> = {
  previous: 'previous',
  weekdays: 'weekdays',
  year: EARLIER_WORDS.year,
};

/** The id of the totals of an earlier period, by its position. */
type EarlierId = `earlier-${number}`;
export type FigureId = ColumnId | EarlierId;

/** A column of figures: in the table, in its copy, and in the summary that the Export menu copies. */
export interface FigureColumn {
  readonly id: string;
  /** Shown on hover over the heading. */
  readonly title?: string;
  readonly heading: (of: Headed) => string;
  readonly cell: (counted: CountedSeries) => RowCell;
  /** The content of the copy, if not just the value; `band` adds columns `from` and `to`. */
  readonly copied?: 'text' | 'band';
  /** The Export menu's copy: a heading that is clear on its own, and the value if it is not a number. */
  readonly exported: {
    readonly heading: (of: Headed) => string;
    readonly value?: (cell: RowCell, zone: ZoneTable) => string;
  };
  /** True if a phone shows it at first. */
  readonly phone?: true;
}

/** The columns of figures, after that of the names. */
export const COLUMNS = [
  {
    id: 'total',
    heading: () => 'Total',
    cell: totalCell,
    exported: { heading: () => 'total' },
    phone: true,
  },
  {
    id: 'mean',
    heading: ({ per }) => `Mean per ${per}`,
    cell: (counted) => middleCell(counted, () => counted.summary.of.mean, true),
    exported: { heading: ({ per }) => `mean per ${per}` },
  },
  {
    id: 'median',
    heading: () => 'Median',
    cell: (counted) => {
      const { curve, summary, rows } = counted;
      const median = () => medianPerBucket(curve, summary.of, rows.now, rows.window);
      return middleCell(counted, median, false);
    },
    exported: { heading: ({ per }) => `median per ${per}` },
  },
  {
    id: 'peak',
    heading: () => 'Highest',
    cell: peakCell,
    exported: { heading: () => 'peak' },
    phone: true,
  },
  {
    id: 'on',
    heading: ({ per }) => `Highest ${per}`,
    cell: peakStartCell,
    copied: 'text',
    exported: {
      heading: () => 'peak start',
      value: ({ value }, zone) => (Number.isFinite(value) ? isoLocal(zone, value) : ''),
    },
  },
  {
    id: 'change',
    heading: ({ earlier, period }) => `vs. ${period ?? EARLIER_HEADS[earlier ?? 'previous']}`,
    cell: ({ series, rows }) => changeCell(series, rows),
    copied: 'band',
    exported: {
      heading: ({ earlier, period = 'before' }) =>
        `change since ${earlier ? EARLIER_WORDS[earlier] : period}`,
    },
    phone: true,
  },
  {
    id: 'share',
    heading: () => 'Share of voice',
    cell: ({ series, all, rows }) => shareCell(series, all, rows),
    copied: 'band',
    exported: { heading: () => 'share' },
  },
  {
    id: 'complete',
    heading: () => 'Complete',
    cell: completeCell,
    exported: { heading: () => 'complete' },
  },
] as const satisfies readonly FigureColumn[];
export type ColumnId = (typeof COLUMNS)[number]['id'];

type Figures = FigureColumn & { readonly id: FigureId };

/** The columns of figures: with the totals of several earlier periods after that of the time in view. */
export function summaryColumns({ periods = [] }: Pick<Headed, 'periods'>): readonly Figures[] {
  const earlier = periods.map(({ name, dates }, at): Figures => ({
    id: `earlier-${at}`,
    title: dates,
    heading: () => name,
    cell: (counted) => earlierCell(counted, at),
    exported: { heading: () => `total ${name}` },
  }));
  const [total, ...others] = COLUMNS;
  return [total, ...earlier, ...others];
}

/** Heading of the column of names. */
export const NAME_HEADING = 'Series';

/** Heading of a column of the table. */
export function headingOf(id: ColumnId, of: Headed): string {
  return (
    summaryColumns(of)
      .find((column) => column.id === id)
      ?.heading(of) ?? ''
  );
}

/** The cell of a row in a column; without a value if the row has no such column. */
export function summaryCell({ cells }: SummaryRow, id: FigureId): RowCell {
  return cells[id] ?? emptyCell('');
}
