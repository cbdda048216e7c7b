import type { Board } from './board.svelte.ts';
import type { BoardSeries } from './series.svelte.ts';

const KIND = 'application/x-groundswell-series';

/**
 * Makes a row of the list draggable. A drag cannot begin on a field, so that text can still be selected; by
 * keyboard and touch, rows move through their menu.
 */
export function reorder(board: Board, series: BoardSeries): (row: HTMLElement) => () => void {
  return (row) => {
    const mine = (event: DragEvent): boolean => event.dataTransfer?.types.includes(KIND) === true;
    const listeners = new AbortController();
    const on = <K extends keyof HTMLElementEventMap>(
      kind: K,
      act: (event: HTMLElementEventMap[K]) => void,
    ): void => row.addEventListener(kind, act, { signal: listeners.signal });
    on('pointerdown', ({ target }) => {
      const field = (target as Element).closest('input, textarea, [contenteditable], .editor');
      row.draggable = field === null;
    });
    on('dragstart', (event) => {
      event.dataTransfer?.setData(KIND, String(series.id));
      if (event.dataTransfer) event.dataTransfer.effectAllowed = 'move';
    });
    on('dragover', (event) => {
      if (!mine(event)) return;
      event.preventDefault();
      row.classList.add('over');
    });
    on('dragleave', () => row.classList.remove('over'));
    on('dragend', () => row.removeAttribute('draggable'));
    on('drop', (event) => {
      row.classList.remove('over');
      if (!mine(event)) return;
      event.preventDefault();
      event.stopPropagation();
      const id = Number(event.dataTransfer?.getData(KIND));
      const moved = board.series.all.find((other) => other.id === id);
      if (moved)
        board.series.move(
          moved,
          board.series.all.indexOf(series) - board.series.all.indexOf(moved),
        );
    });
    return () => listeners.abort();
  };
}
