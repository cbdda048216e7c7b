import type { ExportSeries } from '#core/export/csv.ts';
import { grouped } from '#core/format/number-text.ts';
import { STATE } from '#core/series/series.ts';
import type { CommandDeps } from './command-deps.ts';
import type { CountsLayout } from './counts-layout.ts';
import type { CountsOrder } from './counts-options.ts';
import { writeCounts } from './counts-output.ts';

/** The exit code of a command whose answer lacks some count. */
export const INCOMPLETE_CODE = 3;

const countsWords = (n: number): string => (n === 1 ? '1 count is' : `${grouped(n)} counts are`);

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
