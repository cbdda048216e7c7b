import { formatView, parseView, type View } from '#app/board/view.ts';

/** What of the window the address needs; the browser's own `window` fits. */
interface Page {
  readonly location: { readonly hash: string };
  readonly history: {
    pushState(data: unknown, unused: string, url: string): void;
    replaceState(data: unknown, unused: string, url: string): void;
  };
  addEventListener(kind: 'popstate', listen: () => void): void;
}

/** Changes within this time are one step for the back button: typing, turning the wheel. The drawer is a step of its own. */
const STEP_MS = 1_500;

/** What of an address the drawer tells of. */
const lookedAt = (text: string): string | null => new URLSearchParams(text).get('at');

/** Browsers stop a page that writes its address more than about seven times a second. */
const WRITE_MS = 200;

/**
 * Keeps the view in the part of the address after `#`, which browsers send nowhere, so that queries stay out
 * of every log. Back and forward give views as links do.
 */
export class Address {
  readonly #page: Page;
  readonly #clock: () => number;
  #written: string;
  #steppedAt = -Infinity;
  #pending: View | null = null;
  readonly #later: (act: () => void, ms: number) => unknown;

  /**
   * @param later - `setTimeout`, handed in.
   * @param onview - Called with each view that the user goes to by link, back or forward.
   */
  constructor(
    page: Page,
    clock: () => number,
    later: (act: () => void, ms: number) => unknown,
    onview: (view: View, problems: string[]) => void,
  ) {
    this.#page = page;
    this.#clock = clock;
    this.#later = later;
    this.#written = page.location.hash.replace(/^#/, '');
    page.addEventListener('popstate', () => {
      const hash = page.location.hash.replace(/^#/, '');
      if (hash === this.#written) return;
      this.#written = hash;
      this.#steppedAt = -Infinity;
      this.#pending = null;
      const { view, problems } = parseView(hash);
      onview(view, problems);
    });
  }

  /** The view the page was opened with; null where the address names none. */
  opened(): { view: View; problems: string[] } | null {
    return this.#written === '' ? null : parseView(this.#written);
  }

  /** Writes a view; the first one of a page and those close together replace, the others make a step back. */
  write(view: View): void {
    const text = formatView(view);
    if (text === this.#written) return;
    const now = this.#clock();
    const apart = now - this.#steppedAt > STEP_MS || lookedAt(text) !== lookedAt(this.#written);
    const step = this.#written !== '' && apart;
    this.#written = text;
    this.#steppedAt = now;
    if (step) this.#page.history.pushState(null, '', `#${text}`);
    else this.#page.history.replaceState(null, '', `#${text}`);
  }

  /** Writes what waits to be written. */
  flush(): void {
    const view = this.#pending;
    this.#pending = null;
    if (view) this.write(view);
  }

  /**
   * Writes the view soon after it changes; null keeps the address as it is.
   *
   * @returns What ends it.
   */
  follow(view: () => View | null): () => void {
    return $effect.root(() => {
      $effect(() => {
        const now = view();
        if (!now) return;
        if (!this.#pending) this.#later(() => this.flush(), WRITE_MS);
        this.#pending = now;
      });
    });
  }
}
