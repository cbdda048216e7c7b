import type { SavedBoard } from '#app/counts/cache/saved-board.ts';
import { omit } from '#core/omit.ts';
import { nameWith } from '#app/counts/cache/merge-boards.ts';
import { fixedKey } from '#core/series/imported-series.ts';
import { formatView, parseView } from '#app/board/state/view.ts';
import type { BoardState } from '#app/board/state/workspace.svelte.ts';

/** A view without what is only looked at, the tab and the zoom; files that it does not name stand at its end. */
export function lastingOf({ view, fixed }: Pick<BoardState, 'view' | 'fixed'>): string {
  const { series = [], ...lasting } = omit(parseView(view).view, 'tab', 'zoom');
  const named = new Set(series.map(({ file }) => file));
  const rest = fixed.flatMap((one) => {
    const file = fixedKey(one);
    return named.has(file) ? [] : [{ query: '', label: one.label, hidden: false, file }];
  });
  return formatView({ ...lasting, series: [...series, ...rest] });
}

/** A saved board as it is shown. */
export const stateOf = ({ id, view, notes, fixed }: SavedBoard): BoardState => ({
  board: id,
  view,
  notes,
  fixed,
});

/** The name, or with a number the first that no board has. */
export function freeName(wanted: string, taken: readonly { readonly name: string }[]): string {
  const has = (name: string): boolean => taken.some((one) => one.name === name);
  for (let i = 2, name = wanted; ; i += 1) {
    if (!has(name)) return name;
    name = nameWith(wanted, String(i));
  }
}
