/** A short message at the bottom of the page, with at most one action. */
export interface Toast {
  readonly id: number;
  readonly text: string;
  readonly action?: { readonly text: string; readonly act: () => void };
}

/** How long a message without an action stays, ms. */
const SHORT_MS = 5000;

/** The visible messages, oldest first. */
export class Toasts {
  list = $state.raw<readonly Toast[]>([]);
  #next = 1;
  readonly #later: (act: () => void, ms: number) => void;

  /** @param later - `setTimeout`. */
  constructor(later: (act: () => void, ms: number) => void) {
    this.#later = later;
  }

  /** @param ms - How long it stays; one with an action by default until it is used or dismissed. */
  show(text: string, action?: Toast['action'], ms = action ? Infinity : SHORT_MS): void {
    const id = this.#next++;
    this.list = [...this.list.slice(-2), action ? { id, text, action } : { id, text }];
    if (ms < Infinity) this.#later(() => this.dismiss(id), ms);
  }

  /** Shows a message without a timeout. @returns A function that removes it. */
  hold(text: string): () => void {
    const id = this.#next++;
    this.list = [...this.list.slice(-2), { id, text }];
    return () => this.dismiss(id);
  }

  dismiss(id: number): void {
    this.list = this.list.filter((toast) => toast.id !== id);
  }
}
