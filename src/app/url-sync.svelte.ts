import { secretOf } from '#contract/session.ts';
import { formatView, parseView, type View } from '#app/board/state/view.ts';

/** What of the window the address needs; the browser's own `window` fits. */
interface Page {
  readonly location: { readonly hash: string };
  readonly history: {
    readonly state: unknown;
    pushState(data: unknown, unused: string, url: string): void;
    replaceState(data: unknown, unused: string, url: string): void;
  };
  addEventListener(kind: 'popstate', listen: (event: { readonly state: unknown }) => void): void;
}

/** Changes within this time are one step for the back button: typing, turning the wheel. The drawer is a step of its own. */
const STEP_MS = 1_500;

/** What of an address the drawer tells of. */
const lookedAt = (text: string): string | null => new URLSearchParams(text).get('at');

/** Marks what this page wrote: what a tab left unsaved belongs to it, not to a link that is opened in the same tab. */
const OWN = 'groundswell';

/** Browsers stop a page that writes its address more than about seven times a second. */
const WRITE_MS = 200;

/**
 * Keeps the view in the part of the address after `#`, which browsers send nowhere, so that queries stay out
 * of every log. Back and forward give views as links do.
 */
export class UrlSync {
  readonly #page: Page;
  readonly #clock: () => number;
  #written: string;
  #steppedAt = -Infinity;
  #pending: View | null = null;
  readonly #later: (act: () => void, ms: number) => unknown;

  /**
   * @param later - `setTimeout`, handed in.
   * @param onview - Called with each view that the user goes to, and whether that was back or forward to one of this
   *   page's own, or by a link.
   */
  constructor(
    page: Page,
    clock: () => number,
    later: (act: () => void, ms: number) => unknown,
    onview: (view: View, problems: string[], own: boolean) => void,
  ) {
    this.#page = page;
    this.#clock = clock;
    this.#later = later;
    this.#written = page.location.hash.replace(/^#/, '');
    page.addEventListener('popstate', ({ state }) => {
      const hash = page.location.hash.replace(/^#/, '');
      // The page is about to be loaded again, to sign in.
      if (hash === this.#written || secretOf(hash) !== null) return;
      this.#written = hash;
      this.#steppedAt = -Infinity;
      this.#pending = null;
      const { view, problems } = parseView(hash);
      onview(view, problems, state === OWN);
    });
  }

  /** The view the page was opened with, and whether it is this tab's own, loaded again; null where the address names none. */
  opened(): { view: View; problems: string[]; own: boolean } | null {
    if (this.#written === '') return null;
    return { ...parseView(this.#written), own: this.#page.history.state === OWN };
  }

  /** Writes a view; the first one of a page and those close together replace, the others make a step back. */
  write(view: View): void {
    const text = formatView(view);
    if (text === this.#written) {
      // From now on it is this tab's own, with what the tab adds to it.
      if (this.#page.history.state !== OWN) this.#page.history.replaceState(OWN, '', `#${text}`);
      return;
    }
    const now = this.#clock();
    const apart = now - this.#steppedAt > STEP_MS || lookedAt(text) !== lookedAt(this.#written);
    const step = this.#written !== '' && apart;
    this.#written = text;
    this.#steppedAt = now;
    if (step) this.#page.history.pushState(OWN, '', `#${text}`);
    else this.#page.history.replaceState(OWN, '', `#${text}`);
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
