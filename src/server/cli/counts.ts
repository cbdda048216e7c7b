import type { ExportSeries } from '#core/export/csv.ts';
import { grouped } from '#core/format/number-text.ts';
import { STATE } from '#core/series/series.ts';
import { openCounter } from '#server/counting/counter.ts';
import type { Counted, Counter } from '#server/counting/counter.ts';
import { WrongQueryError } from '#server/counting/wrong-query.ts';
import type { CommandDeps } from './command-deps.ts';
import { layoutOf, USUAL, type CountsLayout } from './counts-layout.ts';
import type { CountsOrder } from './counts-options.ts';
import { writeCounts } from './counts-output.ts';
import { DataFolder } from './data-folder.ts';
import { UsageError } from './options.ts';
import { queryMistake } from './query-mistake.ts';
import { noPosts, readingSource } from './readable-source.ts';

/** The exit code of a command whose answer lacks some count. */
export const INCOMPLETE_CODE = 3;

/** Counts the queries of an order, one after the other. @returns Null if it was interrupted. */
export async function countedSeries(
  counter: Pick<Counter, 'count'>,
  { source, queries }: CountsOrder,
  { edges, granularity, cut, rows: { from, to } }: CountsLayout,
  stop: AbortSignal,
): Promise<ExportSeries[] | null> {
  const series: ExportSeries[] = [];
  for (const query of queries) {
    const question = { source, query, bounds: edges.all, granularity, cut };
    const counted = await counter.count(question, stop).catch((error: unknown) => {
      if (!(error instanceof WrongQueryError)) throw error;
      throw new UsageError(queryMistake(query, error.diagnostics));
    });
    if (!counted) return null;
    series.push({ query, label: query, source, ...inRows(counted, from, to) });
  }
  return series;
}

function inRows({ counts, states, fetchedAt }: Counted, from: number, to: number): Counted {
  return {
    counts: counts.slice(from, to),
    states: states.slice(from, to),
    fetchedAt: fetchedAt.slice(from, to),
  };
}

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

/**
 * `groundswell counts`: counts queries per bucket, also while a service runs, and prints them in the dashboard's files.
 *
 * @returns The exit code: {@link INCOMPLETE_CODE} if some count is missing, 130 if it was interrupted.
 * @throws {@link UsageError} for a range or a query that cannot be counted; {@link CommandError} if the source does not
 *   exist; {@link StoreError} if its file cannot be used, {@link ClusterError} if its cluster does not answer.
 */
export async function runCounts(
  deps: CommandDeps,
  { data, counts: order }: { readonly data: string; readonly counts: CountsOrder },
): Promise<number> {
  const folder = new DataFolder(data);
  const { source } = order;
  if (source === 'platform') {
    return await (await import('./platform-counts.ts')).runPlatformCounts(deps, folder, order);
  }
  const code = await readingSource(deps, folder, source, async (cluster) => {
    const counter = openCounter(folder, deps, cluster);
    try {
      const coverage = await counter.coverage(source);
      if (!coverage) throw noPosts(folder, source, cluster);
      const layout = layoutOf(order, USUAL[source], coverage, deps.now());
      const series = await countedSeries(counter, order, layout, deps.stopping);
      return series ? printCounts(deps, order, layout, series) : 130;
    } finally {
      counter.close();
    }
  });
  return code ?? 130;
}
