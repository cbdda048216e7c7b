import { describe, expect, it } from 'vitest';
import { SHORTCUT_GROUPS, SHORTCUTS, shownKeys } from '#app/ui/shortcuts.ts';

describe('the keyboard shortcuts', () => {
  it('have one meaning per key within a group', () => {
    for (const group of SHORTCUT_GROUPS) {
      const keys = SHORTCUTS.filter((shortcut) => shortcut.group === group).flatMap(
        (shortcut) => shortcut.keys,
      );
      expect(keys.length).toBeGreaterThan(0);
      expect(new Set(keys).size).toBe(keys.length);
    }
  });

  it('have distinct descriptions', () => {
    const words = SHORTCUTS.map((shortcut) => `${shortcut.group} ${shortcut.words}`);
    expect(new Set(words).size).toBe(words.length);
  });

  it.each([
    [false, [['Ctrl', 'Shift', 'Z']]],
    [true, [['⌘', '⇧', 'Z']]],
  ])('show the key names of the keyboard (Mac: %s)', (mac, shown) => {
    expect(shownKeys({ group: 'Everywhere', keys: ['Mod Shift Z'], words: '' }, mac)).toEqual(
      shown,
    );
  });
});
