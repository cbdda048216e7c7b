import { peaksFound, type PeaksFound } from '#app/insight/peaks/peaks-found.ts';
import type { Board } from './board.svelte.ts';
import type { BoardSeries } from './series.svelte.ts';

const NO_PEAKS: PeaksFound = { peaks: [], more: 0, unknown: [], least: 0 };

/**
 * Peaks of the visible queries, loaded or from a file, with their causes as far as these are known; none if the board
 * marks none.
 *
 * @param ready - Whether to find those of a series now.
 */
export function boardPeaks(
  { series, time, chart, causes }: Board,
  ready: (each: BoardSeries) => boolean = () => true,
): PeaksFound {
  if (!chart.peaks) return NO_PEAKS;
  const queries = series.visible.filter((each) => each.queried && ready(each));
  const found = peaksFound(queries, time.zone, time.zoom);
  if (!causes) return found;
  return { ...found, peaks: found.peaks.map((peak) => ({ ...peak, causes: causes.of(peak) })) };
}
