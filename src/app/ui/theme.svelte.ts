export const THEMES = ['system', 'light', 'dark'] as const;
export type ThemeChoice = (typeof THEMES)[number];

const KEY = 'groundswell-theme';
const PATTERNS_KEY = 'groundswell-patterns';

/** The preferences of the system, as media queries. */
export const SYSTEM = {
  dark: '(prefers-color-scheme: dark)',
  /** Colours alone do not tell lines apart. */
  contrast: '(prefers-contrast: more), (forced-colors: active)',
  forced: '(forced-colors: active)',
};

/** Light, dark, or like the system, and whether lines have patterns; stored in this browser, not in the address. */
export class Theme {
  choice = $state<ThemeChoice>('system');
  dark = $state(false);
  /** True if the user wants patterns everywhere. */
  patterned = $state(false);
  /** True if lines are dashed: by choice, on paper, and where the system asks for more contrast. */
  dashed = $state(false);
  readonly #dark: MediaQueryList;
  readonly #contrast: MediaQueryList;
  readonly #forced: MediaQueryList;
  readonly #storage: Pick<Storage, 'getItem' | 'setItem'> | null;
  readonly #paint: (dark: boolean, dashed: boolean) => void;
  #paper = false;

  /** @param paint - Applies both to the page, before anything that reads them updates. */
  constructor(
    window: Pick<Window, 'matchMedia'>,
    storage: Pick<Storage, 'getItem' | 'setItem'> | null,
    paint: (dark: boolean, dashed: boolean) => void,
  ) {
    this.#dark = window.matchMedia(SYSTEM.dark);
    this.#contrast = window.matchMedia(SYSTEM.contrast);
    this.#forced = window.matchMedia(SYSTEM.forced);
    this.#storage = storage;
    this.#paint = paint;
    for (const query of [this.#dark, this.#contrast, this.#forced])
      query.addEventListener('change', () => this.#apply());
    const stored = storage?.getItem(KEY);
    this.choice = THEMES.find((theme) => theme === stored) ?? 'system';
    this.patterned = storage?.getItem(PATTERNS_KEY) === 'on';
    this.#apply();
  }

  choose(choice: ThemeChoice): void {
    this.choice = choice;
    this.#storage?.setItem(KEY, choice);
    this.#apply();
  }

  choosePatterns(on: boolean): void {
    this.patterned = on;
    this.#storage?.setItem(PATTERNS_KEY, on ? 'on' : 'off');
    this.#apply();
  }

  /** Light and dashed while printing, regardless of the choice. */
  print(paper: boolean): void {
    this.#paper = paper;
    this.#apply();
  }

  #apply(): void {
    // The curves lie on the system's ground where the system forces its colours.
    const choice = this.#forced.matches ? 'system' : this.choice;
    const chosen = choice === 'dark' || (choice === 'system' && this.#dark.matches);
    const dark = chosen && !this.#paper;
    const dashed = this.patterned || this.#paper || this.#contrast.matches;
    this.#paint(dark, dashed);
    this.dark = dark;
    this.dashed = dashed;
  }
}
