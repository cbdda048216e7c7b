import { STATE } from '#core/series/series.ts';
import { isoLocal, type ZoneTable } from '#core/time/zone.ts';
import { decimal } from './bytes.ts';
import { safeText, uniqueLabels, type ExportSeries } from './csv.ts';

/** Rows that are copied at most: a clipboard is held in memory by every program that looks at it. */
export const MOST_ROWS = 20_000;

/** A table on its way to the clipboard: the first row names the columns; null, and a number that is not finite, is an empty cell. */
export type Cells = readonly (readonly (string | number | null)[])[];

/** The two forms in which a clipboard takes a table. */
export interface CopiedTable {
  readonly html: string;
  /** Separated by tabs. */
  readonly text: string;
}

const escaped = (text: string): string =>
  text
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;');

const written = (cell: string | number | null): string =>
  typeof cell === 'number' ? (Number.isFinite(cell) ? decimal(cell) : '') : safeText(cell ?? '');

/** A cell between tabs; spreadsheets read quotes there as in a CSV. */
const tabbed = (cell: string): string =>
  /["\t\r\n\v\f\u0085\u2028\u2029]/.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell;

/**
 * A table as a spreadsheet or a text takes it: no text is taken for a formula, numbers are plain digits with
 * a decimal point.
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

/**
 * Buckets as a table: their beginning in the zone, a column per label, and whose counts are not settled.
 *
 * @returns At most {@link MOST_ROWS} rows below the names, the first ones.
 */
export function bucketTable(
  bounds: Float64Array,
  series: readonly ExportSeries[],
  table: ZoneTable,
): Cells {
  const rows = Math.min(MOST_ROWS, Math.max(0, bounds.length - 1));
  const labels = uniqueLabels(series.map(({ label }) => label));
  return [
    ['start', ...labels, 'incomplete'],
    ...Array.from({ length: rows }, (_, i) => [
      isoLocal(table, bounds[i] ?? Number.NaN),
      ...series.map(({ counts }) => counts[i] ?? null),
      labels.filter((_, k) => series[k]?.states[i] !== STATE.settled).join('; '),
    ]),
  ];
}
