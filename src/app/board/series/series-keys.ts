import type { Board } from '#app/board/state/board.svelte.ts';
import type { BoardSeries } from '#app/board/state/series.svelte.ts';

/**
 * Keys for the series whose row has the focus: Alt with an arrow moves it, H hides it, S shows it alone, Delete
 * removes it. Ignored in text fields and menus.
 *
 * @returns A function that removes the listener.
 */
export function seriesShortcuts(
  list: HTMLElement,
  board: Board,
  remove: (series: BoardSeries) => void,
): () => void {
  const pressed = (event: KeyboardEvent): void => {
    const target = event.target as HTMLElement;
    const row = target.closest<HTMLElement>('[data-series]');
    const series = board.series.all.find(({ id }) => String(id) === row?.dataset['series']);
    if (!series || event.ctrlKey || event.metaKey) return;
    const arrow = event.key === 'ArrowUp' ? -1 : event.key === 'ArrowDown' ? 1 : 0;
    if (event.altKey && arrow !== 0) {
      event.preventDefault();
      board.series.move(series, arrow);
      // The row moved in the page and lost the focus.
      queueMicrotask(() => target.focus());
      return;
    }
    const typing = target.matches('input, textarea, select, [contenteditable], [role^=menuitem]');
    if (typing || event.altKey) return;
    const key = event.key.toLowerCase();
    if (key === 'h') series.hidden = !series.hidden;
    else if (key === 's') board.series.solo(series);
    else if (key === 'delete' || key === 'backspace') remove(series);
    else return;
    event.preventDefault();
  };
  list.addEventListener('keydown', pressed);
  return () => list.removeEventListener('keydown', pressed);
}
