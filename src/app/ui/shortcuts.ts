/** A keyboard shortcut. */
interface Shortcut {
  /** Keys as shown in the dialog, one entry per alternative. `Mod` is ⌘ on a Mac and Ctrl elsewhere. */
  readonly keys: readonly string[];
  /** The action, in the imperative. */
  readonly words: string;
  readonly group: ShortcutGroup;
}

/** The places where keys work, in the order of the dialog. */
export const SHORTCUT_GROUPS = ['Everywhere', 'In the chart', 'In a query', 'On a series'] as const;
export type ShortcutGroup = (typeof SHORTCUT_GROUPS)[number];

/** All shortcuts of the page; add a row with each new one. */
export const SHORTCUTS: readonly Shortcut[] = [
  { group: 'Everywhere', keys: ['N'], words: 'Add a query' },
  { group: 'Everywhere', keys: ['Mod V'], words: 'Add several: paste a list, one query per line' },
  { group: 'Everywhere', keys: ['Mod Z'], words: 'Undo' },
  { group: 'Everywhere', keys: ['Mod Shift Z'], words: 'Redo' },
  { group: 'Everywhere', keys: ['M'], words: 'Add an event at the cursor' },
  { group: 'Everywhere', keys: ['='], words: 'Combine series' },
  { group: 'Everywhere', keys: ['W'], words: 'Test a draft: which topics would count it' },
  { group: 'Everywhere', keys: ['L'], words: 'Turn live updates on or off' },
  { group: 'Everywhere', keys: ['T'], words: 'Next tab below the chart' },
  { group: 'Everywhere', keys: [','], words: 'Open the settings' },
  { group: 'Everywhere', keys: ['?'], words: 'Show these shortcuts' },
  { group: 'Everywhere', keys: ['Esc'], words: 'Close the open dialog or menu' },
  { group: 'In the chart', keys: ['Left', 'Right'], words: 'Move by one bucket' },
  { group: 'In the chart', keys: ['Home', 'End'], words: 'Go to the first or last bucket' },
  { group: 'In the chart', keys: ['+', '−'], words: 'Zoom in and out' },
  { group: 'In the chart', keys: ['Shift Left', 'Shift Right'], words: 'Move sideways' },
  { group: 'In the chart', keys: ['Enter'], words: 'Show details of the bucket at the cursor' },
  { group: 'In the chart', keys: ['Shift Enter'], words: 'Show what happened in the time in view' },
  { group: 'In the chart', keys: ['Esc', '0'], words: 'Show the whole range' },
  { group: 'In a query', keys: ['Enter'], words: 'Load it' },
  { group: 'In a query', keys: ['Esc'], words: 'Leave it' },
  { group: 'On a series', keys: ['Alt Up', 'Alt Down'], words: 'Move it up and down' },
  { group: 'On a series', keys: ['H'], words: 'Hide or show it' },
  { group: 'On a series', keys: ['S'], words: 'Show it alone, or all again' },
  { group: 'On a series', keys: ['Delete'], words: 'Remove it (can be undone)' },
];

/**
 * The keys of a shortcut as labelled on the user's keyboard.
 *
 * @param mac - Whether it is a Mac keyboard.
 * @returns For each alternative, the keys to press together.
 */
export function shownKeys({ keys }: Shortcut, mac: boolean): string[][] {
  const named: Readonly<Record<string, string>> = mac
    ? { Mod: '⌘', Shift: '⇧', Alt: '⌥' }
    : { Mod: 'Ctrl' };
  return keys.map((combination) => combination.split(' ').map((key) => named[key] ?? key));
}
