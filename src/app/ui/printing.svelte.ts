import { flushSync } from 'svelte';

/** Whether the page is being put on paper: set before the browser lays it out, and taken back after. */
export class Printing {
  active = $state(false);

  /** @param paint - Gives the page the colours of paper, or its own again. */
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
