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
export type SeriesDialog = 'split' | 'combine' | 'formula' | 'alert';

/** The menu entries of a series. */
export function seriesActions(
  board: Board,
  series: BoardSeries,
  on: { remove(series: BoardSeries): void; dialog(kind: SeriesDialog, series: BoardSeries): void },
): MenuEntry[] {
  const place = board.series.all.indexOf(series);
  const asked = series.kind === 'query';
  const copied: MenuEntry[] = asked
    ? [
        { text: 'Duplicate', act: () => board.series.duplicate(series), disabled: series.blank },
        {
          text: 'Split…',
          hint: 'language, reposts, links, media',
          act: () => on.dialog('split', series),
          disabled: !series.countable,
        },
        {
          text: 'Related words',
          act: () => {
            board.related = series.id;
            board.chooseTab('discover');
          },
          disabled: !series.countable,
        },
        ...(board.source.watched
          ? [
              {
                text: 'Alert me…',
                act: () => on.dialog('alert', series),
                disabled: !series.countable,
              },
            ]
          : []),
      ]
    : [
        { text: 'Rename', act: () => (board.series.selected = series.id) },
        ...(series.formula
          ? [{ text: 'Edit formula…', act: () => on.dialog('formula', series) }]
          : []),
      ];
  return [
    {
      text: series.hidden ? 'Show' : 'Hide',
      hint: 'H',
      act: () => (series.hidden = !series.hidden),
    },
    { text: 'Show alone, or all again', hint: 'S', act: () => board.series.solo(series) },
    {
      text: 'Move up',
      hint: 'Alt ↑',
      act: () => board.series.move(series, -1),
      disabled: place === 0,
    },
    {
      text: 'Move down',
      hint: 'Alt ↓',
      act: () => board.series.move(series, 1),
      disabled: place === board.series.all.length - 1,
    },
    ...copied.map((entry, i) => ({ ...entry, apart: i === 0 })),
    {
      text: 'Combine with…',
      hint: '=',
      act: () => on.dialog('combine', series),
      disabled: board.series.all.length < 2,
    },
    ...(asked
      ? [
          {
            text: 'Refresh',
            act: () => board.retry(series),
            disabled: !series.countable || series.busy,
          },
        ]
      : []),
    { text: 'Remove', hint: 'Del', act: () => on.remove(series), apart: true },
  ];
}
