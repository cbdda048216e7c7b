import type { MenuEntry } from '#app/ui/menu-entry.ts';
import type { Board } from '#app/board/state/board.svelte.ts';
import type { BoardSeries } from '#app/board/state/series.svelte.ts';

/** The parts that a row of the list needs after the first curve. */
export interface SeriesTools {
  readonly reorder: typeof import('#app/board/state/reorder.ts').reorder;
  readonly seriesKey: typeof import('./series-keys.ts').seriesShortcuts;
  readonly SeriesStatus: typeof import('./SeriesStatus.svelte').default;
}

/** The dialogs that a series' menu opens. */
export type SeriesDialog = 'split' | 'combine' | 'formula';

/** The menu entries of a series. */
export function seriesActions(
  board: Board,
  one: BoardSeries,
  on: { remove(one: BoardSeries): void; dialog(kind: SeriesDialog, one: BoardSeries): void },
): MenuEntry[] {
  const place = board.series.all.indexOf(one);
  const asked = one.kind === 'query';
  const copied: MenuEntry[] = asked
    ? [
        { text: 'Duplicate', act: () => board.series.duplicate(one), disabled: one.blank },
        {
          text: 'Split…',
          hint: 'language, reposts, links, media',
          act: () => on.dialog('split', one),
          disabled: !one.countable,
        },
        {
          text: 'Related words',
          act: () => {
            board.related = one.id;
            board.chooseTab('discover');
          },
          disabled: !one.countable,
        },
      ]
    : [
        { text: 'Rename', act: () => (board.series.selected = one.id) },
        ...(one.formula ? [{ text: 'Edit formula…', act: () => on.dialog('formula', one) }] : []),
      ];
  return [
    { text: one.hidden ? 'Show' : 'Hide', hint: 'H', act: () => (one.hidden = !one.hidden) },
    { text: 'Show alone, or all again', hint: 'S', act: () => board.series.solo(one) },
    {
      text: 'Move up',
      hint: 'Alt ↑',
      act: () => board.series.move(one, -1),
      disabled: place === 0,
    },
    {
      text: 'Move down',
      hint: 'Alt ↓',
      act: () => board.series.move(one, 1),
      disabled: place === board.series.all.length - 1,
    },
    ...copied.map((entry, i) => ({ ...entry, apart: i === 0 })),
    {
      text: 'Combine with…',
      hint: '=',
      act: () => on.dialog('combine', one),
      disabled: board.series.all.length < 2,
    },
    ...(asked
      ? [{ text: 'Refresh', act: () => board.retry(one), disabled: !one.countable || one.busy }]
      : []),
    { text: 'Remove', hint: 'Del', act: () => on.remove(one), apart: true },
  ];
}
