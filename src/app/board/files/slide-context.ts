import type { SlideContext } from '#app/export/slide-input.ts';
import { lengthsOf } from '#app/insight/summary/change-words.ts';
import { againstPeriod, periodNames } from '#app/board/state/against.ts';
import { boardFinding } from '#app/board/state/board-finding.ts';
import { boardPeaks } from '#app/board/state/board-peaks.ts';
import type { HeadedCauses } from '#app/insight/breakdown/causes-text.ts';
import { spanName } from '#app/insight/drawer/drawer-text.ts';
import { drawnWords } from '#app/board/state/headings.ts';
import type { Board } from '#app/board/state/board.svelte.ts';
import type { BoardSeries } from '#app/board/state/series.svelte.ts';
import { peaksNamed } from '#core/finding/finding.ts';
import type { Formatter } from '#app/format/formatter.ts';

/** The words for the earlier curves, with both lengths where they differ; empty if none are drawn. */
function comparedText(board: Board, series: readonly BoardSeries[], format: Formatter): string {
  if (board.chart.comparison === 'none') return '';
  const [lengths] = lengthsOf(series);
  const several = board.periods.length > 1;
  const periods = several ? periodNames(board, format).join(', ') : againstPeriod(board, format);
  return [`compared with ${periods}`, lengths].filter(Boolean).join(', ');
}

/** The causes of the picked peak, else of the one that the finding names, else of the largest; null if none are known. */
export function offeredCauses(board: Board, format: Formatter): HeadedCauses | null {
  const { table, weekStart, zone } = board.time;
  const peaks = boardPeaks(board)
    .peaks.filter(({ causes }) => (causes?.groups.length ?? 0) > 0)
    .toSorted((a, b) => b.peak.excess - a.peak.excess);
  const named = peaksNamed(boardFinding(board, format));
  const { picked } = board;
  const peak =
    peaks.find(
      ({ span, seriesId }) => seriesId === picked?.of && span.start === picked.span.start,
    ) ??
    peaks.find(({ key }) => named.includes(key)) ??
    peaks[0];
  if (!peak?.causes) return null;
  const {
    span,
    series,
    causes,
    peak: { count },
  } = peak;
  const when = spanName(span, table, weekStart, format.in(zone));
  return { title: `${when} · ${series.name}`, colour: series.style.colour, count, causes };
}

/** Reads the causes of the peaks that a report of the board lists, and that its finding names. */
export async function readCauses(
  board: Board,
  format: Formatter,
  signal: AbortSignal,
): Promise<void> {
  const named = peaksNamed(boardFinding(board, format));
  const listed = boardPeaks(board).peaks.filter(
    ({ key, number }) => number !== null || named.includes(key),
  );
  await board.causes?.readAll(listed, signal);
}

/** The statements of a slide of the board about its chart. */
export function slideContext(board: Board, format: Formatter): SlideContext {
  const { zone, resolution, window, now, cut } = board.time;
  const series = board.series.visible.filter((each) => each.curve);
  const drawn = drawnWords(board);
  const compared = comparedText(board, series, format);
  return {
    source: board.source.id,
    zone,
    resolution,
    drawn,
    window,
    compared,
    now,
    cut,
    series,
    format,
    finding: boardFinding(board, format),
  };
}
