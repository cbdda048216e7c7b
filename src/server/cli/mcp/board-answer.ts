import type { ReportCounts, ReportProgram } from '#contract/counts/report.ts';
import type { SourceId } from '#contract/counts/source.ts';
import { grouped } from '#core/format/number-text.ts';
import { fragmentOf } from '#core/format/view-address.ts';
import { localText } from '#core/time/local-text.ts';
import type { Span } from '#core/time/span.ts';
import { openCounter, questionView } from '#server/counting/counter.ts';
import { platformSource } from '#server/counting/counted-source.ts';
import type { PlatformPages } from '#server/counting/platform-pages.ts';
import { PlatformSeries } from '#server/counting/platform-series.ts';
import { platformTerms } from '#server/counting/platform-terms.ts';
import type { CommandDeps } from '#server/cli/command-deps.ts';
import { DEFAULT_PORT } from '#server/cli/commands/serve.ts';
import { layoutOf, USUAL, type CountsLayout } from '#server/cli/counting/counts-layout.ts';
import { quotedSeries } from '#server/cli/counting/plan.ts';
import { planFigures, planText } from '#server/cli/counting/priced-plan.ts';
import { tableOf } from '#server/cli/counting/range-span.ts';
import { boardCounts } from '#server/cli/counting/report.ts';
import type { SeriesOrder } from '#server/cli/counting/series-options.ts';
import type { DataFolder } from '#server/data-folder.ts';
import { folderAnalyst } from '#server/cli/folder-analyst.ts';
import { UNCONNECTED, withPlatform } from '#server/cli/open-platform.ts';
import { noPosts, readingSource } from '#server/cli/readable-source.ts';
import { CommandError } from '#server/command-error.ts';
import type { BoardReading } from '#contract/counts/board-reading.ts';

/** Most counts behind an answer: more take a board longer than an assistant waits. */
const MOST_COUNTS = 50_000;

/** An answer of a board. */
export interface BoardAnswer {
  readonly reading: BoardReading;
  readonly layout: CountsLayout;
  readonly address: string;
  /** The plan for what is not known, which is not carried out; null if nothing could be bought. */
  readonly purchase: ReturnType<typeof purchaseOf> | null;
}

/** The address of a board of the running service; without one, of the port at which it would be. */
export function boardAddress(
  folder: DataFolder,
  parts: {
    readonly source: SourceId;
    readonly queries: readonly string[];
    readonly zone: string;
    readonly span: Span;
    /** Further parts of the address. */
    readonly more?: Readonly<Record<string, string>>;
  },
  now: number,
): string {
  const { source, queries, zone, span, more = {} } = parts;
  const table = tableOf(zone, now);
  const fragment = new URLSearchParams({
    source,
    from: localText(span.start, table),
    to: localText(span.end, table),
    zone,
    week: '1',
    ...more,
  });
  for (const query of queries) fragment.append('q', query);
  const [site = `http://127.0.0.1:${DEFAULT_PORT}`] = folder.readNote()?.addresses ?? [];
  return `${site}/#${fragmentOf(fragment)}`;
}

/** The plan in numbers and words. @param spending - The sums spent so far, a line; empty if not known. */
export function purchaseOf({ plan, spending }: Awaited<ReturnType<typeof quotedSeries>>) {
  return { ...planFigures(plan), text: `${planText(plan)}${spending}`.trim() };
}

/** Counts what was bought before, and nothing else. */
async function boughtCounts(
  { now, random, platform: { sleep }, stopping: stop }: CommandDeps,
  pages: PlatformPages,
): Promise<ReportCounts> {
  const platform = await pages.settings();
  return {
    stop,
    platform,
    sources: [platformSource('platform')],
    count: async (question) => {
      const terms = platformTerms(platform, question.query);
      const given = { pages, terms, now, random, sleep };
      const series = new PlatformSeries(given, question.query, questionView(question));
      await series.takeHeld(stop);
      return series.curve();
    },
  };
}

/**
 * Reads a board of the given series, as its page would show it.
 *
 * @param more - Further parts of its address.
 * @param causes - Whether the causes of peaks are read.
 * @throws {@link CommandError} if the source is not there, or the board has too many counts; {@link UsageError} for a
 *   range that cannot be counted; `BoardError` of the program of reports.
 */
export async function boardAnswer(
  deps: CommandDeps,
  folder: DataFolder,
  order: SeriesOrder,
  more: Readonly<Record<string, string>>,
  causes: boolean,
): Promise<BoardAnswer> {
  const { source, queries } = order;
  const { stopping, now } = deps;
  const read = async (layout: CountsLayout, counts: ReportCounts): Promise<BoardAnswer> => {
    const size = (layout.rows.to - layout.rows.from) * queries.length;
    if (size > MOST_COUNTS) {
      throw new CommandError(
        `By ${layout.resolution} there are ${grouped(size)} counts in that time: expected at most ${grouped(MOST_COUNTS)}. Ask for longer buckets (by) or a shorter time (from, to).`,
      );
    }
    const { zone } = order.range;
    const parts = { source, queries, zone, span: layout.span };
    const address = boardAddress(
      folder,
      { ...parts, more: { by: layout.resolution, ...more } },
      now(),
    );
    const program = (await import(/* @vite-ignore */ deps.reporter.href)) as ReportProgram;
    const board = await program.openBoard({ link: address });
    const { locale } = Intl.DateTimeFormat().resolvedOptions();
    const reading = await board.read({ now: now(), zone, locale }, counts);
    return { reading, layout, address, purchase: null };
  };
  if (source === 'platform') {
    return await withPlatform(deps, folder, async (pages) => {
      if (!pages) throw new CommandError(UNCONNECTED);
      const quoted = await quotedSeries(deps, pages, order);
      const answer = await read(quoted.layout, await boughtCounts(deps, pages));
      return { ...answer, purchase: quoted.plan.requests > 0 ? purchaseOf(quoted) : null };
    });
  }
  const answer = await readingSource(deps, folder, source, async (cluster) => {
    const counter = openCounter(folder, deps, cluster);
    const analyst = cluster || !causes ? null : folderAnalyst(deps, folder);
    try {
      const coverage = await counter.coverage(source);
      if (!coverage) throw noPosts(folder, source, cluster);
      const layout = layoutOf(order, USUAL[source], coverage, now());
      return await read(layout, await boardCounts(counter, analyst, source, stopping));
    } finally {
      counter.close();
      await analyst?.close();
    }
  });
  if (answer) return answer;
  throw stopping.reason;
}
