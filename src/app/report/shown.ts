import { periodNames } from '#app/board/state/against.ts';
import { boardPeaks } from '#app/board/state/board-peaks.ts';
import type { Board } from '#app/board/state/board.svelte.ts';
import {
  baselineSeries,
  chartNotes,
  chartStyle,
  chartView,
  undrawn,
  drawnSeries,
  seriesAcross,
} from '#app/board/chart-panel/chart-input.ts';
import { marksOf } from '#app/board/chart-panel/marks.ts';
import { PALETTES } from '#app/chart/draw/palettes.ts';
import type { Shown } from '#app/chart/draw/picture.ts';
import type { Note } from '#app/counts/cache/saved-board.ts';
import type { Formatter } from '#app/format/formatter.ts';

/** The content that the chart of a page would show of a board. */
export function shownOn(board: Board, notes: readonly Note[], format: Formatter): Shown {
  const { visible } = board.series;
  const without = undrawn(board);
  const runs = visible.filter((series) => series.curve).map((series) => series.run);
  return {
    data: {
      series: drawnSeries(board, without),
      across: seriesAcross(board),
      baseline: baselineSeries(board),
      now: board.time.now,
    },
    view: chartView(board),
    style: chartStyle(board, { dashed: false, colours: PALETTES.light }),
    annotations: {
      marks: marksOf(runs, board.time.window, format),
      dated: notes,
      peaks: boardPeaks(board).peaks,
      notes: chartNotes(board, without),
      gaps: [],
      summary: '',
    },
    format: {
      formatter: format,
      earlier: periodNames(board, format),
    },
  };
}
