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

/**
 * The messages; the page shows the last one. A new one covers it, but goes below a message that the user is in. A covered
 * message comes back if it can be acted on or is still true.
 */
export class Toasts {
  list = $state.raw<readonly Toast[]>([]);
  readonly shown = $derived(this.list.at(-1));
  #next = 1;
  /** The holders that keep the shown message from leaving. */
  readonly #holds = new Set<Holder>();
  /** The message whose time counts. */
  #timed: Toast | undefined;
  readonly #later: (act: () => void, ms: number) => void;

  /** @param later - `setTimeout`. */
  constructor(later: (act: () => void, ms: number) => void) {
    this.#later = later;
  }

  /** Shows a message for a moment, with an action if there is one. @returns A function that removes it. */
  show(text: string, action?: Toast['action']): () => void {
    return this.#add({ id: this.#next++, text, ms: STAY_MS, ...(action && { action }) });
  }

  /** Shows what was done, with a button that takes it back if it can be. @returns A function that removes it. */
  readonly say = (text: string, undo?: () => void): (() => void) =>
    this.show(text, undo && { text: 'Undo', act: undo });

  /** Shows a message for as long as it is true. @returns A function that removes it. */
  hold(text: string, action?: Toast['action']): () => void {
    return this.#add({ id: this.#next++, text, ms: Infinity, ...(action && { action }) });
  }

  #add(toast: Toast): () => void {
    const top = this.#holds.size > 0 ? this.list.slice(-1) : [];
    const below = top.length > 0 ? this.list.slice(0, -1) : this.list;
    const undoable = below.findLast(({ ms, action }) => ms !== Infinity && action);
    const stay = below.filter(
      (each) => each === undoable || (each.ms === Infinity && each.text !== toast.text),
    );
    this.#show([...stay, toast, ...top]);
    return () => this.dismiss(toast.id);
  }

  #show(list: readonly Toast[]): void {
    const before = this.list.at(-1);
    this.list = list;
    if (list.at(-1) === before) return;
    this.#holds.clear();
    this.#count();
  }

  /** Counts the whole time of the shown message. */
  #count(): void {
    const toast = this.list.at(-1);
    const turn = (this.#timed = toast && { ...toast });
    if (!turn || turn.ms === Infinity) return;
    this.#later(() => this.#timed === turn && this.dismiss(turn.id), turn.ms);
  }

  /** Keeps the shown message until {@link resume} for the same holder. */
  pause(by: Holder): void {
    this.#holds.add(by);
    this.#timed = undefined;
  }

  /** Lets the shown message leave after its whole time, unless something else holds it. */
  resume(by: Holder): void {
    if (this.#holds.delete(by) && this.#holds.size === 0) this.#count();
  }

  dismiss(id: number): void {
    this.#show(this.list.filter((toast) => toast.id !== id));
  }
}
