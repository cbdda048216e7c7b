/** A short message at the bottom of the page, with at most one action. */
export interface Toast {
  readonly id: number;
  readonly text: string;
  readonly action?: { readonly text: string; readonly act: () => void };
}

/** The visible messages, oldest first. One with an action stays until it is used or dismissed. */
export class Toasts {
  list = $state.raw<readonly Toast[]>([]);
  #next = 1;
  readonly #later: (act: () => void, ms: number) => void;

  /** @param later - `setTimeout`. */
  constructor(later: (act: () => void, ms: number) => void) {
    this.#later = later;
  }

  show(text: string, action?: Toast['action']): void {
    const id = this.#next++;
    this.list = [...this.list.slice(-2), action ? { id, text, action } : { id, text }];
    if (!action) this.#later(() => this.dismiss(id), 5000);
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
