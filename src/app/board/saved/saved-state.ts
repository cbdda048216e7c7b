import type { SavedBoard } from '#app/counts/cache/saved-board.ts';
import { omit } from '#core/omit.ts';
import { nameWith } from '#app/counts/cache/merge-boards.ts';
import { fixedKey } from '#core/series/imported-series.ts';
import { formatView, parseView } from '#app/board/state/view.ts';
import type { BoardState } from '#app/board/state/workspace.svelte.ts';

/** A view for comparing boards: without tab and zoom, and with the files it does not name at its end. */
export function comparableView({ view, fixed }: Pick<BoardState, 'view' | 'fixed'>): string {
  const { series = [], ...rest } = omit(parseView(view).view, 'tab', 'zoom');
  const named = new Set(series.map(({ file }) => file));
  const unnamed = fixed.flatMap((imported) => {
    const file = fixedKey(imported);
    return named.has(file) ? [] : [{ query: '', label: imported.label, hidden: false, file }];
  });
  return formatView({ ...rest, series: [...series, ...unnamed] });
}

/** The state that shows a saved board. */
export const stateOf = ({ id, view, notes, fixed }: SavedBoard): BoardState => ({
  board: id,
  view,
  notes,
  fixed,
});

/** The wanted name, with the first free number if it is taken. */
export function freeName(wanted: string, taken: readonly { readonly name: string }[]): string {
  const has = (name: string): boolean => taken.some((each) => each.name === name);
  for (let i = 2, name = wanted; ; i += 1) {
    if (!has(name)) return name;
    name = nameWith(wanted, String(i));
  }
}
