import { jsonJob } from '#app/board/files/export-input.ts';
import { againstPeriod } from '#app/board/state/against.ts';
import { boardFinding } from '#app/board/state/board-finding.ts';
import { boardPeaks } from '#app/board/state/board-peaks.ts';
import type { Board } from '#app/board/state/board.svelte.ts';
import { PeakCauses } from '#app/board/state/peak-causes.svelte.ts';
import type { BoardSeries } from '#app/board/state/series.svelte.ts';
import { Formatter } from '#app/format/formatter.ts';
import { causesLine } from '#app/insight/breakdown/causes-text.ts';
import { knownPart } from '#app/insight/summary/summary.ts';
import type { ReportCounts, ReportSurroundings, WrittenReport } from '#contract/counts/report.ts';
import { jsonBlocks } from '#core/export/json.ts';
import { findingText } from '#core/finding/finding.ts';
import { countedBoard } from './counted-board.ts';
import { joined, knownCounts } from './figures.ts';
import type { ReportContent } from './given-board.ts';
import type { BoardReading, SeriesReading } from '#contract/counts/board-reading.ts';
import { readCauses } from '#app/board/files/slide-context.ts';

/** A series with its total, as the summary shows it. */
export function postsOf({ name, unit, summary }: BoardSeries): WrittenReport['series'][number] {
  const total = unit === 'count' && summary && summary.known > 0 ? summary.total : Number.NaN;
  return { name, posts: Number.isNaN(total) ? null : total };
}

/** Gives a board the causes of its peaks, as far as the source has them. */
export async function takeCauses(
  board: Board,
  { causes, stop }: ReportCounts,
  format: Formatter,
): Promise<void> {
  if (!causes) return;
  board.causes = new PeakCauses(board, {
    causes: (_, about, signal) => causes(about, signal),
    acting: { id: null },
    later: () => undefined,
  });
  await readCauses(board, format, stop);
}

const known = (value: number): number | null => (Number.isFinite(value) ? value : null);

function seriesReading(series: BoardSeries): SeriesReading {
  const { summary, before } = series;
  const figures = before?.change.ok ? before.change.value : null;
  return {
    ...postsOf(series),
    known: summary ? knownPart(summary) : 0,
    change:
      figures && !Number.isNaN(figures.change)
        ? {
            before: figures.before,
            value: known(figures.change),
            low: known(figures.low),
            high: known(figures.high),
            clear: figures.clear,
          }
        : null,
  };
}

/** Counts a board and says what its page would. @throws As `ReportBoard.read`. */
export async function boardReading(
  content: ReportContent,
  surroundings: ReportSurroundings,
  counts: ReportCounts,
): Promise<BoardReading> {
  const board = await countedBoard(content, surroundings, counts);
  const format = new Formatter(surroundings.locale).in(board.time.zone);
  // The finding takes the peaks that are found.
  boardPeaks(board);
  await takeCauses(board, counts, format);
  const finding = boardFinding(board, format);
  const found = boardPeaks(board);
  const json = jsonJob(board);
  return {
    sentence: findingText(finding?.sentence ?? []),
    evidence: findingText(finding?.evidence ?? []),
    json: joined(jsonBlocks(json, board.time.table)),
    known: knownCounts(json.series),
    against: againstPeriod(board, format),
    series: board.series.loaded.map(seriesReading),
    peaks: found.peaks
      .toSorted((a, b) => b.peak.excess - a.peak.excess)
      .map(({ series, span, peak: { count, expected }, causes }) => ({
        series: series.name,
        span,
        posts: count,
        expected,
        causes: causes ? causesLine(causes, count, format) : '',
      })),
    morePeaks: found.more,
    withoutPeaks: found.unknown,
  };
}
