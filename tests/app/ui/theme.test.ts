import { describe, expect, it } from 'vitest';
import { SYSTEM, Theme, type ThemeChoice } from '#app/ui/theme.svelte.ts';

/** A system with these preferences. */
const systemOf = (...asked: readonly (keyof typeof SYSTEM)[]): Pick<Window, 'matchMedia'> => ({
  matchMedia: (query) =>
    ({
      matches: asked.some((preference) => SYSTEM[preference] === query),
      addEventListener: () => undefined,
    }) as unknown as MediaQueryList,
});

const storing = (choice: ThemeChoice): Pick<Storage, 'getItem' | 'setItem'> => ({
  getItem: (key) => (key === 'groundswell-theme' ? choice : null),
  setItem: () => undefined,
});

describe('the theme', () => {
  it.each([
    ['system', ['dark'], true],
    ['light', ['dark'], false],
    ['dark', [], true],
    ['light', ['dark', 'forced'], true],
    ['dark', ['forced'], false],
  ] as const)(
    'is the chosen one, but where the system forces its colours, the system’s: %s, %s',
    (choice, asked, dark) => {
      const painted: boolean[] = [];
      const theme = new Theme(systemOf(...asked), storing(choice), (is) => painted.push(is));
      expect([theme.dark, painted]).toEqual([dark, [dark]]);
    },
  );
});
