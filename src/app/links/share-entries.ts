import type { MenuEntry } from '#app/ui/menu-entry.ts';
import type { LinkKind } from '#contract/links/links.ts';

/** The ways to give a board away. */
export interface ShareActions {
  /** Copies the address of the view. */
  readonly onshare: () => void;
  /** Makes a link to the board; null where no board can be saved. */
  readonly onlink: ((kind: LinkKind) => void) | null;
}

/** @param file - Saves the board as a report. */
export function shareEntries({ onshare, onlink }: ShareActions, file: MenuEntry): MenuEntry[] {
  return [
    { text: 'Copy link', hint: 'to exactly this view', act: onshare },
    ...(onlink
      ? [
          { text: 'Live link…', hint: 'a page for anyone', act: () => onlink('view') },
          {
            text: 'For spreadsheets and programs…',
            hint: 'numbers and picture by address',
            act: () => onlink('data'),
          },
        ]
      : []),
    file,
  ];
}
