/** One thing that a key does. */
export interface Shortcut {
  /** Keys as they are written on the dialog, alternatives apart. `Mod` is ⌘ on a Mac and Ctrl elsewhere. */
  readonly keys: readonly string[];
  /** What it does, as an order. */
  readonly words: string;
  readonly group: ShortcutGroup;
}

/** Where keys work, in the order of the dialog. */
export const SHORTCUT_GROUPS = ['Everywhere', 'In the chart', 'In a query', 'On a series'] as const;
export type ShortcutGroup = (typeof SHORTCUT_GROUPS)[number];

/** Every key of the page; who adds one adds a row. */
export const SHORTCUTS: readonly Shortcut[] = [
  { group: 'Everywhere', keys: ['N'], words: 'Add a query' },
  { group: 'Everywhere', keys: ['Mod V'], words: 'Add many: paste a list, a query on each line' },
  { group: 'Everywhere', keys: ['Mod Z'], words: 'Undo' },
  { group: 'Everywhere', keys: ['Mod Shift Z'], words: 'Redo' },
  { group: 'Everywhere', keys: ['M'], words: 'Note what happened, at the cursor' },
  { group: 'Everywhere', keys: ['='], words: 'Combine series' },
  { group: 'Everywhere', keys: ['L'], words: 'Switch the live tail on and off' },
  { group: 'Everywhere', keys: ['T'], words: 'Go to the next tab of the numbers' },
  { group: 'Everywhere', keys: [','], words: 'Open the settings' },
  { group: 'Everywhere', keys: ['?'], words: 'Show these keys' },
  { group: 'Everywhere', keys: ['Esc'], words: 'Close what is open' },
  { group: 'In the chart', keys: ['Left', 'Right'], words: 'Go bucket by bucket' },
  { group: 'In the chart', keys: ['Home', 'End'], words: 'Go to the first and the last bucket' },
  { group: 'In the chart', keys: ['+', '−'], words: 'Zoom in and out' },
  { group: 'In the chart', keys: ['Shift Left', 'Shift Right'], words: 'Move sideways' },
  { group: 'In the chart', keys: ['Enter'], words: 'Look into the bucket at the cursor' },
  { group: 'In the chart', keys: ['Esc', '0'], words: 'Show the whole range' },
  { group: 'In a query', keys: ['Enter'], words: 'Ask it' },
  { group: 'In a query', keys: ['Esc'], words: 'Leave it' },
  { group: 'On a series', keys: ['Alt Up', 'Alt Down'], words: 'Move it up and down' },
  { group: 'On a series', keys: ['H'], words: 'Hide or show it' },
  { group: 'On a series', keys: ['S'], words: 'Show it alone, or all again' },
  { group: 'On a series', keys: ['Delete'], words: 'Remove it; undo brings it back' },
];

/**
 * A row's keys as they stand on the user's keyboard.
 *
 * @param mac - Whether it is a Mac's.
 * @returns For each alternative the keys that are pressed together.
 */
export function shownKeys({ keys }: Shortcut, mac: boolean): string[][] {
  const named: Readonly<Record<string, string>> = mac
    ? { Mod: '⌘', Shift: '⇧', Alt: '⌥' }
    : { Mod: 'Ctrl' };
  return keys.map((one) => one.split(' ').map((key) => named[key] ?? key));
}
