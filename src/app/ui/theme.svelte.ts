export const THEMES = ['system', 'light', 'dark'] as const;
export type ThemeChoice = (typeof THEMES)[number];

const KEY = 'groundswell-theme';

/** Light, dark, or like the system; stored in this browser, not in the address. */
export class Theme {
  choice = $state<ThemeChoice>('system');
  dark = $state(false);
  readonly #system: MediaQueryList;
  readonly #storage: Storage | null;
  readonly #paint: (dark: boolean) => void;
  #paper = false;

  /** @param paint - Applies the colours to the page, before anything that reads them updates. */
  constructor(system: MediaQueryList, storage: Storage | null, paint: (dark: boolean) => void) {
    this.#system = system;
    this.#storage = storage;
    this.#paint = paint;
    system.addEventListener('change', () => this.#apply());
    const stored = storage?.getItem(KEY);
    this.choice = THEMES.find((theme) => theme === stored) ?? 'system';
    this.#apply();
  }

  choose(choice: ThemeChoice): void {
    this.choice = choice;
    this.#storage?.setItem(KEY, choice);
    this.#apply();
  }

  /** Light while printing, regardless of the choice. */
  print(paper: boolean): void {
    this.#paper = paper;
    this.#apply();
  }

  #apply(): void {
    const chosen = this.choice === 'dark' || (this.choice === 'system' && this.#system.matches);
    const dark = chosen && !this.#paper;
    this.#paint(dark);
    this.dark = dark;
  }
}
