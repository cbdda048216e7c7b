import { flushSync } from 'svelte';

/** Rows rendered above and below the visible ones. */
const MARGIN = 12;
/** Browsers cannot lay out taller elements; a longer table scrolls in proportion. */
const TALLEST_PX = 8_000_000;
/** The most rows on paper: about twenty pages. */
const MOST_PRINTED = 1_000;

/** The rows of a long table that are rendered: those in view, with some above and below, and on paper the first.
 * Each is `--row` high. */
export class RowWindow {
  readonly #size: () => number;
  #height = $state(200);
  #top = $state(0);
  #row = $state(29);
  #paper = $state(false);
  readonly #tall = $derived.by(() => Math.min(TALLEST_PX, this.#size() * this.#row));
  readonly #seen = $derived.by(() => Math.ceil(this.#height / this.#row));
  readonly #first = $derived.by(() => {
    if (this.#paper) return 0;
    const size = this.#size();
    const most = Math.max(0, size - this.#seen);
    const reach = this.#tall - this.#height;
    const isShort = this.#tall < size * this.#row;
    const at = isShort && reach > 0 ? (this.#top / reach) * most : this.#top / this.#row;
    return Math.max(0, Math.min(most, Math.floor(at)) - MARGIN);
  });
  /** Indices of the rendered rows. */
  readonly shown: readonly number[] = $derived.by(() => {
    const some = this.#paper ? MOST_PRINTED : this.#seen + 2 * MARGIN;
    const most = Math.min(this.#size() - this.#first, some);
    return Array.from({ length: Math.max(0, most) }, (_, i) => this.#first + i);
  });
  /** Height of the rows above and below the rendered ones, px. */
  readonly above = $derived.by(() =>
    !this.#paper && this.#tall < this.#size() * this.#row
      ? Math.max(0, this.#top - MARGIN * this.#row)
      : this.#first * this.#row,
  );
  readonly below = $derived.by(() =>
    this.#paper ? 0 : Math.max(0, this.#tall - this.above - this.shown.length * this.#row),
  );
  /** The number of rows for which paper has no room. */
  readonly leftOut = $derived.by(() => (this.#paper ? this.#size() - this.shown.length : 0));

  /** @param size - The number of rows. */
  constructor(size: () => number) {
    this.#size = size;
  }

  /** Follows the size and the place of the element that scrolls the table, as an attachment. */
  readonly follow = (node: HTMLElement): (() => void) => {
    const sized = new ResizeObserver(() => {
      this.#height = node.clientHeight;
      this.#row = Number.parseFloat(getComputedStyle(node).getPropertyValue('--row')) || 29;
    });
    const scrolled = (): void => void (this.#top = node.scrollTop);
    const print = (paper: boolean): void => {
      this.#paper = paper;
      flushSync();
    };
    const [toPaper, toScreen] = [() => print(true), () => print(false)];
    addEventListener('beforeprint', toPaper);
    addEventListener('afterprint', toScreen);
    sized.observe(node);
    node.addEventListener('scroll', scrolled);
    return () => {
      sized.disconnect();
      removeEventListener('beforeprint', toPaper);
      removeEventListener('afterprint', toScreen);
      node.removeEventListener('scroll', scrolled);
    };
  };
}
