import { bundleView } from '#app/board/files/open-file.ts';
import { Board } from '#app/board/state/board.svelte.ts';
import * as comparing from '#app/board/state/compare-with.ts';
import type { BoardSeries } from '#app/board/state/series.svelte.ts';
import { lostFiles } from '#app/board/state/workspace.svelte.ts';
import { weekStartOf } from '#app/format/week-start.ts';
import { BoardError, type ReportCounts, type ReportSurroundings } from '#contract/counts/report.ts';
import type { SourceId } from '#contract/counts/source.ts';
import { Semaphore } from '#core/semaphore.ts';
import { chosenSpan } from '#core/series/chosen-span.ts';
import { countedRun } from './counted-run.svelte.ts';
import type { ReportContent } from './given-board.ts';

const NO_SOURCE: Readonly<Record<SourceId, string>> = {
  posts: 'The board counts Your posts, but none are imported.',
  sample: 'The board counts the sample, but there is none.',
  platform: 'The board counts the platform, but it is not connected.',
};

/** Loads that are under way, and the first of them that failed. */
class Loads {
  readonly #open = new Set<Promise<void>>();
  #failed: { readonly error: unknown } | null = null;

  follow(load: Promise<void>): void {
    const ended = load.then(
      () => void this.#open.delete(ended),
      (error: unknown) => {
        this.#failed ??= { error };
        this.#open.delete(ended);
      },
    );
    this.#open.add(ended);
  }

  /** Resolves when no load is under way and the last one has led to no other. @throws The error of the load that failed. */
  async end(): Promise<void> {
    do {
      await Promise.all(this.#open);
      // A series asks for its next counts some turns after the last ones.
      await new Promise((done) => setImmediate(done));
    } while (this.#open.size > 0);
    if (this.#failed) throw this.#failed.error;
  }
}

/** The reason a series of the view is not shown; null if it is. */
function lackOf(board: Board, series: BoardSeries): string | null {
  const name = `“${series.name}”`;
  if (series.kind === 'query') {
    if (series.blank || series.shown !== '') return null;
    const why = series.parsed.ok
      ? `it is longer than ${series.limit} characters`
      : series.parsed.diagnostics[0]?.message;
    return `${name} cannot be counted: ${why}.`;
  }
  if (series.curveOf(board.time.edges.all)) return null;
  return series.kind === 'formula'
    ? `${name} cannot be computed, because a series in it has no counts.`
    : `${name} has no counts for these buckets.`;
}

/**
 * Shows a board without a page, with all counts of its view.
 *
 * @param check - Called before each load; may refuse it by throwing.
 * @param plain - Whether only the buckets shown are counted, not what other figures need.
 * @throws {@link BoardError} for every part of the view that would be left out; the error of the counts; the reason of
 *   their signal when aborted.
 */
export async function countedBoard(
  content: ReportContent,
  { now, zone, locale }: ReportSurroundings,
  counts: ReportCounts,
  check: (board: Board) => void = () => undefined,
  plain = false,
): Promise<Board> {
  const loads = new Loads();
  const later: (() => void)[] = [];
  const turns = new Semaphore(1);
  const board: Board = new Board({
    run: () =>
      countedRun({
        // One after the other: a long range by minutes takes hundreds of megabytes for a moment.
        count: (question) => turns.take(() => counts.count(question, counts.stop)),
        before: () => check(board),
        plain,
        now: () => now,
        follow: (load) => loads.follow(load),
      }),
    sources: () => Promise.resolve({ sources: counts.sources, offline: false }),
    platform: () =>
      counts.platform
        ? Promise.resolve(counts.platform)
        : Promise.reject(new BoardError(NO_SOURCE.platform)),
    now: () => now,
    zone,
    weekStart: weekStartOf(locale),
    later: (act) => later.push(act),
  });
  if (!plain) [board.comparing, board.chosenSpan] = [comparing, chosenSpan];
  const { view, problems, fixed, bundle } = content;
  // Finer buckets of a zoom are shown, too.
  if (plain && !view.zoom) board.runs.at = () => undefined;
  board.series.fixed = fixed;
  board.apply(
    view,
    [...problems, ...lostFiles(view, fixed)],
    bundle && bundleView(board, bundle).carried,
  );
  await board.loadSources();
  for (const act of later.splice(0)) act();
  await loads.end();
  counts.stop.throwIfAborted();
  const { source, series } = board;
  const asks = series.all.some((each) => each.kind === 'query' && !each.blank);
  if (asks && (!source.info || source.info.posts === 0)) {
    throw new BoardError(NO_SOURCE[source.id]);
  }
  const lacks = [...board.problems, ...series.visible.flatMap((each) => lackOf(board, each) ?? [])];
  if (lacks.length > 0) throw new BoardError(lacks.join(' '));
  return board;
}
