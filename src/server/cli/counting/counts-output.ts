import { csvBlocks, type ExportSeries } from '#core/export/csv.ts';
import { jsonBlocks, type JsonJob } from '#core/export/json.ts';
import { grouped } from '#core/format/number-text.ts';
import { groupedPlural } from '#core/format/plural.ts';
import { STATE } from '#core/series/series.ts';
import { isTimed } from '#core/time/resolution.ts';
import { isoLocal, type ZoneTable } from '#core/time/zone.ts';
import type { CommandDeps } from '#server/cli/command-deps.ts';
import { type CountsLayout, type CountsOrder } from './counts-layout.ts';
import type { OutputForm } from './series-options.ts';

/** Series over the same buckets. */
export interface CountsOutput extends Pick<JsonJob, 'bounds' | 'series' | 'resolution'> {
  readonly table: ZoneTable;
}

/** Column names in a table are cut to this length. */
const MOST_HEADING = 40;

/** A count in a table: a dash if it is not known, with a star if it may still change. */
function cellOf(count: number, state: number): string {
  if (Number.isNaN(count)) return '–';
  return state < STATE.settled ? `${grouped(count)}*` : grouped(count);
}

/** Sums of the known counts; with a star if some may still change or are missing. */
function totalOf({ counts, states }: ExportSeries): string {
  let [sum, known] = [0, 0];
  for (const count of counts) {
    if (Number.isNaN(count)) continue;
    sum += count;
    known += 1;
  }
  if (known === 0) return '–';
  const open = states.some((state) => state < STATE.settled && state !== STATE.uncovered);
  return open ? `${grouped(sum)}*` : grouped(sum);
}

/** Aligns stars and digits: a cell without a star has a space there. */
const padded = (text: string): string => (text.endsWith('*') ? text : `${text} `);

/** The lines of a table, one by one: a row per bucket, with the local time of its start. */
function* tableLines({ bounds, series, resolution, table }: CountsOutput): Generator<string> {
  const timed = isTimed(resolution);
  const totals = series.map(totalOf);
  const heads = series.map(({ label }) => {
    const letters = [...label];
    return letters.length > MOST_HEADING
      ? `${letters.slice(0, MOST_HEADING - 1).join('')}…`
      : label;
  });
  const widths = series.map(({ counts }, s) => {
    let most = 0;
    for (const count of counts) if (count > most) most = count;
    return Math.max(
      [...padded(heads[s] ?? '')].length,
      padded(totals[s] ?? '').length,
      grouped(most).length + 1,
    );
  });
  const line = (first: string, cells: readonly string[]): string => {
    const parts = cells.map(
      (cell, s) => ' '.repeat(Math.max(0, (widths[s] ?? 0) - [...cell].length)) + cell,
    );
    return `${[first.padEnd(timed ? 16 : 10), ...parts].join('  ').trimEnd()}\n`;
  };
  yield line(timed ? 'time' : 'date', heads.map(padded));
  for (let i = 0; i + 1 < bounds.length; i += 1) {
    const local = isoLocal(table, bounds[i] ?? NaN);
    const start = timed ? `${local.slice(0, 10)} ${local.slice(11, 16)}` : local.slice(0, 10);
    const cells = series.map(({ counts, states }) =>
      padded(cellOf(counts[i] ?? NaN, states[i] ?? 0)),
    );
    yield line(start, cells);
  }
  yield line('total', totals.map(padded));
  const open = series.some(({ states }) => states.some((state) => state < STATE.settled));
  if (open)
    yield '* may still change, or a part is missing; – not known. --csv --long has the state of each count.\n';
}

/** The pieces of an answer in its form. */
function* piecesOf(
  output: CountsOutput,
  form: OutputForm,
  shape: 'long' | 'wide',
): Generator<string> {
  if (form === 'table') return yield* tableLines(output);
  const { bounds, series, resolution, table } = output;
  const decoder = new TextDecoder();
  const blocks =
    form === 'json'
      ? jsonBlocks({ form, zone: table.zone, resolution, bounds, series }, table)
      : csvBlocks(
          { form: shape, separator: ',', mark: false, timed: isTimed(resolution), bounds, series },
          table,
        );
  for (const { bytes } of blocks) yield decoder.decode(bytes, { stream: true });
}

/**
 * Writes an answer: the dashboard's CSV with commas and without a byte-order mark, its JSON file, or a table.
 *
 * @param stop - Ends the writing between two pieces.
 */
export function writeCounts(
  out: (text: string) => void,
  output: CountsOutput,
  form: OutputForm,
  shape: 'long' | 'wide',
  stop: AbortSignal,
): void {
  for (const piece of piecesOf(output, form, shape)) {
    if (stop.aborted) return;
    out(piece);
  }
}

/** The exit code of a command whose answer lacks some count. */
export const INCOMPLETE_CODE = 3;

const countsWords = (n: number): string => groupedPlural(n, 'count is', 'counts are');

/** Says which buckets have no count. @returns Whether a count is missing that the source should have. */
function reportMissing(series: readonly ExportSeries[], err: CommandDeps['err']): boolean {
  let [unknown, uncovered] = [0, 0];
  for (const { counts, states } of series) {
    for (const [i, count] of counts.entries()) {
      if (!Number.isNaN(count)) continue;
      if (states[i] === STATE.uncovered) uncovered += 1;
      else unknown += 1;
    }
  }
  if (uncovered > 0) {
    err(`${countsWords(uncovered)} empty: the source has no data for that time.\n`);
  }
  if (unknown > 0) err(`${countsWords(unknown)} missing, and left empty.\n`);
  return unknown > 0;
}

/** Writes counted series in the order's form. @returns The exit code. */
export function printCounts(
  deps: CommandDeps,
  { form, shape }: CountsOrder,
  { edges, rows: { from, to }, resolution, table }: CountsLayout,
  series: readonly ExportSeries[],
): number {
  const output = { bounds: edges.all.slice(from, to + 1), series, resolution, table };
  const chosen = form ?? (deps.terminal ? 'table' : 'csv');
  writeCounts(deps.out, output, chosen, shape, deps.stopping);
  if (deps.stopping.aborted) return 130;
  return reportMissing(series, deps.err) ? INCOMPLETE_CODE : 0;
}
