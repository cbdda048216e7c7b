import { secretOf } from '#contract/accounts/session.ts';
import { formatView, parseView, type View } from '#app/board/state/view.ts';

/** The used part of `window`. */
interface Page {
  readonly location: { readonly hash: string };
  readonly history: {
    readonly state: unknown;
    pushState(data: unknown, unused: string, url: string): void;
    replaceState(data: unknown, unused: string, url: string): void;
  };
  addEventListener(kind: 'popstate', listen: (event: { readonly state: unknown }) => void): void;
}

/** Changes within this time, such as typing or zooming, are one step for the back button; the drawer is a separate step. */
const STEP_MS = 1_500;

/** The part of an address that the drawer shows. */
const pickedOf = (text: string): string | null => new URLSearchParams(text).get('at');

/** Marks addresses this page wrote: a tab's unsaved changes belong to them, not to a link opened in the same tab. */
const OWN = 'groundswell';

/** The key under which the browser remembers the last view, for a visit without one. */
const LAST_KEY = 'groundswell-last';

/** Browsers block a page that writes its address more than about seven times a second. */
const WRITE_MS = 200;

/**
 * Stores the view in the address after `#`, which browsers never send, so that queries stay out of all logs. Back and
 * forward open views as links do.
 */
export class UrlSync {
  readonly #page: Page;
  readonly #clock: () => number;
  #written: string;
  #steppedAt = -Infinity;
  /** True if the page has just opened or gone to a view: the page's own spelling of its address is no step. */
  #arrived = true;
  #pending: View | null = null;
  readonly #later: (act: () => void, ms: number) => unknown;
  readonly #local: Pick<Storage, 'getItem' | 'setItem'> | null;

  /**
   * @param local - `localStorage`; null if there is none.
   * @param later - `setTimeout`.
   * @param onview - Called with each view the user goes to; `own` is true for back or forward to a view of this page, false
   *   for a link.
   */
  constructor(
    page: Page,
    clock: () => number,
    later: (act: () => void, ms: number) => unknown,
    local: Pick<Storage, 'getItem' | 'setItem'> | null,
    onview: (view: View, problems: string[], own: boolean) => void,
  ) {
    this.#page = page;
    this.#clock = clock;
    this.#later = later;
    this.#local = local;
    this.#written = page.location.hash.replace(/^#/, '');
    page.addEventListener('popstate', ({ state }) => {
      const hash = page.location.hash.replace(/^#/, '');
      // The page is about to reload to sign in.
      if (hash === this.#written || secretOf(hash) !== null) return;
      this.#written = hash;
      this.#steppedAt = -Infinity;
      this.#arrived = true;
      this.#pending = null;
      const { view, problems } = parseView(hash);
      onview(view, problems, state === OWN);
    });
  }

  /**
   * The view the page was opened with, and whether this tab wrote it before a reload; without one in the address, the last
   * view of this browser. Null if there is neither.
   */
  opened(): { view: View; problems: string[]; own: boolean; last: boolean } | null {
    const last = this.#written === '';
    const text = last ? this.#local?.getItem(LAST_KEY) : this.#written;
    return text
      ? { ...parseView(text), own: last || this.#page.history.state === OWN, last }
      : null;
  }

  /** Writes a view; the first one and quick successors replace the entry, others add a step for the back button. */
  write(view: View): void {
    const text = formatView(view);
    try {
      this.#local?.setItem(LAST_KEY, text);
    } catch {
      // No room: the address still holds the view.
    }
    const arrived = this.#arrived;
    this.#arrived = false;
    if (text === this.#written) {
      // From now on the address belongs to this tab, with its unsaved changes.
      if (this.#page.history.state !== OWN) this.#page.history.replaceState(OWN, '', `#${text}`);
      return;
    }
    const now = this.#clock();
    const apart = now - this.#steppedAt > STEP_MS || pickedOf(text) !== pickedOf(this.#written);
    const step = this.#written !== '' && apart && !arrived;
    this.#written = text;
    this.#steppedAt = now;
    if (step) this.#page.history.pushState(OWN, '', `#${text}`);
    else this.#page.history.replaceState(OWN, '', `#${text}`);
  }

  /** Writes the pending view. */
  flush(): void {
    const view = this.#pending;
    this.#pending = null;
    if (view) this.write(view);
  }

  /**
   * Writes the view soon after it changes; null leaves the address unchanged.
   *
   * @returns A function that stops it.
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
