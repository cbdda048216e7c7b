import type { ExportSeries } from '#core/export/csv.ts';
import { openCounter, type Counted, type Counter } from '#server/counting/counter.ts';
import { WrongQueryError } from '#server/counting/wrong-query.ts';
import type { CommandDeps } from '#server/cli/command-deps.ts';
import { layoutOf, USUAL, type CountsLayout, type CountsOrder } from './counts-layout.ts';
import { printCounts } from './counts-output.ts';
import { namedEnds, tableOf } from './range-span.ts';
import { DataFolder } from '#server/data-folder.ts';
import { UsageError } from '#server/cli/options.ts';
import { queryMistake } from '#server/cli/query-mistake.ts';
import { noPosts, readingSource } from '#server/cli/readable-source.ts';

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

/**
 * `groundswell counts`: counts queries per bucket, also while a service runs, and prints them in the dashboard's files.
 *
 * @returns The exit code: `INCOMPLETE_CODE` if some count is missing, 130 if it was interrupted.
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
  namedEnds(order.range, tableOf(order.range.zone, deps.now()));
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
