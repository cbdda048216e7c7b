/** A short message at the bottom of the page, with at most one action. */
export interface Toast {
  readonly id: number;
  readonly text: string;
  readonly action?: { readonly text: string; readonly act: () => void };
  /** How long it stays while neither the pointer nor the focus is in it, ms. */
  readonly ms: number;
}

/** How long a message stays, without and with an action, ms. */
const SHORT_MS = 5000;
const ACTION_MS = 10_000;

/** The visible messages, oldest first. */
export class Toasts {
  list = $state.raw<readonly Toast[]>([]);
  #next = 1;
  /** What counts the time of a message, by its id; none while it waits. */
  readonly #turns = new Map<number, object>();
  readonly #later: (act: () => void, ms: number) => void;

  /** @param later - `setTimeout`. */
  constructor(later: (act: () => void, ms: number) => void) {
    this.#later = later;
  }

  /** @param ms - How long it stays. */
  show(text: string, action?: Toast['action'], ms = action ? ACTION_MS : SHORT_MS): void {
    this.#add({ id: this.#next++, text, ms, ...(action && { action }) });
  }

  /** Shows a message without a timeout. @returns A function that removes it. */
  hold(text: string): () => void {
    const id = this.#next++;
    this.#add({ id, text, ms: Infinity });
    return () => this.dismiss(id);
  }

  #add(toast: Toast): void {
    this.list = [...this.list.slice(-2), toast];
    this.resume(toast);
  }

  /** Keeps a message for now. */
  pause({ id }: Toast): void {
    this.#turns.delete(id);
  }

  /** Lets a message leave after its whole time. */
  resume({ id, ms }: Toast): void {
    if (ms === Infinity) return;
    const turn = {};
    this.#turns.set(id, turn);
    this.#later(() => this.#turns.get(id) === turn && this.dismiss(id), ms);
  }

  dismiss(id: number): void {
    this.#turns.delete(id);
    this.list = this.list.filter((toast) => toast.id !== id);
  }
}
