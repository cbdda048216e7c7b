/** A short message at the bottom of the page, with at most one action. */
export interface Toast {
  readonly id: number;
  readonly text: string;
  readonly action?: { readonly text: string; readonly act: () => void };
  /** The time for which it stays while neither the pointer nor the focus is in it, ms. */
  readonly ms: number;
}

/** The time that a message stays, ms. */
const STAY_MS = 10_000;

/** The pointer or the focus in a message, which then stays. */
type Holder = 'pointer' | 'focus';

/** The messages, oldest first; the page shows the last one. */
export class Toasts {
  list = $state.raw<readonly Toast[]>([]);
  #next = 1;
  /** The holders that keep messages from leaving, each with the id of its message. */
  readonly #holds = new Set<`${Holder} ${number}`>();
  /** The object that counts the time of a message, by its id; none while it waits. */
  readonly #turns = new Map<number, object>();
  readonly #later: (act: () => void, ms: number) => void;

  /** @param later - `setTimeout`. */
  constructor(later: (act: () => void, ms: number) => void) {
    this.#later = later;
  }

  /** Shows a message for a moment, with an action if there is one. */
  show(text: string, action?: Toast['action']): void {
    this.#add({ id: this.#next++, text, ms: STAY_MS, ...(action && { action }) });
  }

  /** Shows what was done, with a button that takes it back. */
  undo(text: string, act: () => void): void {
    this.show(text, { text: 'Undo', act });
  }

  /** Shows a message for as long as it is true. @returns A function that removes it. */
  hold(text: string, action?: Toast['action']): () => void {
    const id = this.#next++;
    this.#add({ id, text, ms: Infinity, ...(action && { action }) });
    return () => this.dismiss(id);
  }

  #add(toast: Toast): void {
    // The same message again takes the place of the first.
    this.list = [...this.list.filter(({ text }) => text !== toast.text).slice(-2), toast];
    this.#leave(toast);
  }

  #leave({ id, ms }: Toast): void {
    if (ms === Infinity) return;
    const turn = {};
    this.#turns.set(id, turn);
    this.#later(() => this.#turns.get(id) === turn && this.dismiss(id), ms);
  }

  /** Keeps a message until {@link resume} for the same holder. */
  pause({ id }: Toast, by: Holder): void {
    this.#turns.delete(id);
    this.#holds.add(`${by} ${id}`);
  }

  /** Lets a message leave after its whole time, unless something else holds it. */
  resume(toast: Toast, by: Holder): void {
    const { id } = toast;
    this.#holds.delete(`${by} ${id}`);
    const other = by === 'focus' ? 'pointer' : 'focus';
    if (!this.#holds.has(`${other} ${id}`)) this.#leave(toast);
  }

  dismiss(id: number): void {
    this.#turns.delete(id);
    this.list = this.list.filter((toast) => toast.id !== id);
  }
}
