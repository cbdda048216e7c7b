import { STATE } from '#core/series/series.ts';
import { isoLocal, type ZoneTable } from '#core/time/zone.ts';
import { decimal } from '#core/export/bytes.ts';
import { escaped } from './markup.ts';
import { DATE, INCOMPLETE, TIME, uniqueLabels, type ExportSeries } from '#core/export/csv.ts';
import { safeText } from '#core/export/csv-text.ts';

/** Maximum number of copied rows, because every program that reads the clipboard holds it in memory. */
export const MOST_COPIED_ROWS = 20_000;

/** A table to copy. The first row names the columns; null and numbers that are not finite are empty cells. */
export type Cells = readonly (readonly (string | number | null)[])[];

/** A table in the two formats that go to the clipboard. */
export interface CopiedTable {
  readonly html: string;
  /** Separated by tabs. */
  readonly text: string;
}

const written = (cell: string | number | null): string =>
  typeof cell === 'number' ? (Number.isFinite(cell) ? decimal(cell) : '') : safeText(cell ?? '');

/** Formats a cell between tabs, where spreadsheets read quotes as in a CSV. */
const tabbed = (cell: string): string =>
  /["\t\r\n\v\f\u0085\u2028\u2029]/.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell;

/**
 * Formats a table for spreadsheets and text editors. No text can be taken for a formula; numbers are digits with a
 * decimal point.
 */
export function copiedTable(cells: Cells): CopiedTable {
  const rows = cells.map((row) => row.map(written));
  const html = rows.map((row, i) => {
    const tag = i === 0 ? 'th' : 'td';
    return `<tr>${row.map((cell) => `<${tag}>${escaped(cell)}</${tag}>`).join('')}</tr>`;
  });
  return {
    html: `<meta charset="utf-8"><table>${html.join('')}</table>`,
    text: rows.map((row) => row.map(tabbed).join('\t')).join('\n'),
  };
}

/** The buckets of a table to copy. */
export interface CopiedBuckets {
  /** Epoch ms, one more than buckets. */
  readonly bounds: Float64Array;
  readonly series: readonly (ExportSeries & {
    /** Rounds a value as the page shows it. */
    readonly rounded: (value: number) => number;
  })[];
  /** True if buckets are shorter than a day. */
  readonly timed: boolean;
}

/**
 * Makes a table of buckets: the local date of their start, its time of day if they are shorter than a day, a column per
 * label, and the labels whose counts are not settled.
 *
 * @returns The column names and the first {@link MOST_COPIED_ROWS} rows.
 */
export function bucketTable({ bounds, series, timed }: CopiedBuckets, table: ZoneTable): Cells {
  const rows = Math.min(MOST_COPIED_ROWS, Math.max(0, bounds.length - 1));
  const labels = uniqueLabels(series.map(({ label }) => label));
  const localOf = (at: number): string[] => {
    const local = isoLocal(table, at);
    return timed ? [local.slice(0, 10), local.slice(11, 16)] : [local.slice(0, 10)];
  };
  return [
    [...(timed ? [DATE, TIME] : [DATE]), ...labels, INCOMPLETE],
    ...Array.from({ length: rows }, (_, i) => [
      ...localOf(bounds[i] ?? Number.NaN),
      ...series.map(({ counts, rounded }) => rounded(counts[i] ?? Number.NaN)),
      labels.filter((_, k) => series[k]?.states[i] !== STATE.settled).join('; '),
    ]),
  ];
}
