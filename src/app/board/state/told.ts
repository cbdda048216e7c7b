import type { Board } from './board.svelte.ts';
import type { BoardSeries } from './series.svelte.ts';

/** The visible series that have been asked. */
export function toldSeries(board: Board): readonly BoardSeries[] {
  return board.series.visible.filter((one) => one.shown !== '');
}
