import { flushSync } from 'svelte';

/** True if the page is printing: set before the browser lays it out, and reset after. */
export class Printing {
  active = $state(false);

  /** @param paint - Switches the page to the colours of paper, or back. */
  constructor(window: Window, paint: (paper: boolean) => void) {
    const set = (paper: boolean): void => {
      paint(paper);
      this.active = paper;
      flushSync();
    };
    window.addEventListener('beforeprint', () => set(true));
    window.addEventListener('afterprint', () => set(false));
  }
}
