import { periodNames } from '#app/board/state/against.ts';
import { boardPeaks } from '#app/board/state/board-peaks.ts';
import type { Board } from '#app/board/state/board.svelte.ts';
import {
  baselineSeries,
  chartNotes,
  chartStyle,
  chartView,
  countedTwice,
  drawnSeries,
  isDrawable,
  seriesAcross,
} from '#app/board/chart-panel/chart-input.ts';
import { PeakCauses } from '#app/board/state/peak-causes.svelte.ts';
import type { BoardSeries } from '#app/board/state/series.svelte.ts';
import { marksOf } from '#app/board/chart-panel/marks.ts';
import { eventsInView, noteInput, readCauses } from '#app/board/files/export-input.ts';
import { reportInput } from '#app/board/files/report-input.ts';
import { PALETTES } from '#app/chart/draw/palettes.ts';
import type { Shown } from '#app/chart/draw/picture.ts';
import type { Note } from '#app/counts/cache/saved-board.ts';
import { reportHtml } from '#app/export/report.ts';
import { storedEvent } from '#app/events/board-events.svelte.ts';
import { byTime, onKinds, shownNotes } from '#app/events/event.ts';
import { Formatter } from '#app/format/formatter.ts';
import {
  BoardError,
  type GivenBoard,
  type ReportBoard,
  type WrittenReport,
} from '#contract/counts/report.ts';
import { countedBoard } from './counted-board.ts';
import { readGiven, type ReportContent } from './given-board.ts';

/* The program of reports: writes what the dashboard's export writes, without a page. `groundswell report` loads it; see
 * `contract/counts/report.ts`.
 */

/** The content that the chart of a page would show of a board. */
function shownOn(board: Board, notes: readonly Note[], format: Formatter): Shown {
  const { visible } = board.series;
  const twice = countedTwice(board);
  const runs = visible.filter((series) => series.curve).map((series) => series.run);
  return {
    data: {
      series: drawnSeries(board, twice),
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
      notes: chartNotes(board, twice),
      gaps: [],
      summary: '',
    },
    format: {
      formatter: format,
      earlier: periodNames(board, format),
    },
  };
}

/** A series with its total, as the summary shows it. */
function postsOf({ name, unit, summary }: BoardSeries): WrittenReport['series'][number] {
  const total = unit === 'count' && summary && summary.known > 0 ? summary.total : Number.NaN;
  return { name, posts: Number.isNaN(total) ? null : total };
}

/** The source that is counted; null if all counts are in the file. */
function sourceOf({ view, bundle }: ReportContent): ReportBoard['source'] {
  const { series = [], source = 'sample' } = view;
  const asks = series.length === 0 || series.some(({ query, typed }) => query || typed);
  return bundle || !asks ? null : source;
}

export async function openBoard(given: GivenBoard): Promise<ReportBoard> {
  const content = await readGiven(given);
  const { name, view, notes } = content;
  return {
    name,
    zone: view.zone ?? null,
    source: sourceOf(content),
    write: async (surroundings, counts) => {
      const board = await countedBoard(content, surroundings, counts);
      if (!isDrawable(board)) {
        throw new BoardError(`No count of ${name === '' ? 'the view' : `“${name}”`} is known.`);
      }
      const format = new Formatter(surroundings.locale);
      const dated = shownNotes(notes, onKinds(view.events ?? []));
      const { causes, stop } = counts;
      if (causes) {
        const read = new PeakCauses(board, {
          causes: (_, about, signal) => causes(about, signal),
          acting: { id: null },
          later: () => undefined,
        });
        board.causes = read;
        await readCauses(board, format, stop);
      }
      const shown = shownOn(board, dated, format);
      const note = await noteInput(board, () => Promise.resolve([]));
      const events = eventsInView(board, dated.map(storedEvent).toSorted(byTime));
      const input = reportInput(board, shown, { format, note, events });
      return {
        title: name === '' ? input.title : name,
        subtitle: input.subtitle,
        zone: board.time.zone,
        series: board.series.loaded.map(postsOf),
        html: new TextEncoder().encode(reportHtml(input)),
      };
    },
  };
}
