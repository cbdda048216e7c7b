import { omit } from '#core/omit.ts';
import { untrack } from 'svelte';
import { stepBetween, type Step } from '#app/board/saved/undo-labels.ts';
import { formatView, parseView } from './view.ts';
import { sameState, type BoardState, type Workspace } from './workspace.svelte.ts';

/** The most steps that can be undone. */
const MOST_STEPS = 200;

/** The pause after which more of the same, such as typing or zooming, is a new step; ms. */
const PAUSE_MS = 1_200;

interface Entry {
  readonly state: BoardState;
  /** The step that led here; null at the beginning. */
  readonly step: Step | null;
  /** The time at which it last changed, in ms of the clock. */
  readonly at: number;
  /** Undoes and redoes a step that is not a change of the view. */
  readonly acts?: Acts;
}

/** An action outside the view. */
export interface Acts {
  undo(): void;
  redo(): void;
}

/** A view without its tab, which is no part of the history. */
function withoutTab(view: string): string {
  return formatView(omit(parseView(view).view, 'tab'));
}

/** True if the focused element takes text, and so has its own undo. */
function typesInto(target: EventTarget | null): boolean {
  if (!(target instanceof HTMLElement)) return false;
  if (target.isContentEditable || target instanceof HTMLTextAreaElement) return true;
  if (!(target instanceof HTMLInputElement)) return target instanceof HTMLSelectElement;
  return !['radio', 'checkbox', 'button', 'range', 'file', 'submit'].includes(target.type);
}

/** The states of a board, step by step, for undo and redo. The tab is not included. */
export class History {
  readonly #workspace: Pick<Workspace, 'state' | 'show'>;
  readonly #clock: () => number;
  readonly #boardName: (id: string) => string | null;
  #entries = $state.raw<readonly Entry[]>([]);
  #at = $state(-1);
  /** The last seen state, whether it is a step or not. */
  #seen: BoardState | null = null;
  /** The step that undo would undo, in words; null if nothing can be undone. */
  readonly undoWords = $derived.by(() => this.#entries[this.#at]?.step?.words ?? null);
  readonly redoWords = $derived.by(() => this.#entries[this.#at + 1]?.step?.words ?? null);

  /** @param clock - Any monotonic clock, ms. @param boardName - Name of a saved board; null if unknown. */
  constructor(
    workspace: Pick<Workspace, 'state' | 'show'>,
    clock: () => number,
    boardName: (id: string) => string | null = () => null,
  ) {
    this.#workspace = workspace;
    this.#clock = clock;
    this.#boardName = boardName;
  }

  /** Records the board: a change since the last record is a new step, or extends the last one. */
  record(): void {
    const state = this.#workspace.state();
    const seen = this.#seen;
    if (seen && seen.board === state.board && sameState(seen, state)) return;
    this.#seen = state;
    const current = { ...state, view: withoutTab(state.view) };
    const here = this.#entries[this.#at];
    const step = here ? stepBetween(here.state, current, this.#boardName) : null;
    if (!here || !step) {
      // Nothing to undo: the board got a name, or another tab opened.
      if (here) this.#put(this.#at, { ...here, state: current });
      else this.#put(0, { state: current, step: null, at: this.#clock() });
      return;
    }
    const at = this.#clock();
    const more =
      step.kind !== '' && step.kind === here.step?.kind && at - here.at < PAUSE_MS && this.#last;
    const before = this.#entries[this.#at - 1];
    if (!more || !before) {
      this.#put(this.#at + 1, { state: current, step, at });
      return;
    }
    const whole = stepBetween(before.state, current, this.#boardName);
    if (whole) this.#put(this.#at, { state: current, step: { ...whole, kind: step.kind }, at });
    else this.#put(this.#at - 1, before);
  }

  get #last(): boolean {
    return this.#at === this.#entries.length - 1;
  }

  /** Puts an entry at a place and goes there; a new step discards what could be redone. */
  #put(place: number, entry: Entry): void {
    const stays = place === this.#at && !this.#last;
    const rest = stays ? this.#entries.slice(place + 1) : [];
    const all = [...this.#entries.slice(0, place), entry, ...rest];
    const over = Math.max(0, all.length - MOST_STEPS - 1);
    this.#entries = all.slice(over);
    this.#at = place - over;
  }

  /** Records an action outside the view as a step. @param words - Shown after “Undo:”. */
  did(words: string, acts: Acts): void {
    this.record();
    const state = this.#entries[this.#at]?.state;
    if (!state) return;
    this.#put(this.#at + 1, { state, step: { words, kind: '' }, at: this.#clock(), acts });
  }

  /** Records every change of the board once it is `ready`. @returns A function that stops it. */
  follow(ready: () => boolean): () => void {
    return $effect.root(() => {
      $effect(() => {
        if (!ready()) return;
        this.#workspace.state();
        untrack(() => this.record());
      });
    });
  }

  /** @returns The step that was undone, in words; null if there was nothing. */
  undo(): string | null {
    this.record();
    const words = this.undoWords;
    const acts = this.#entries[this.#at]?.acts;
    if (acts) {
      this.#at -= 1;
      acts.undo();
    } else if (words !== null) this.#go(this.#at - 1);
    return words;
  }

  /** @returns The step that was redone, in words; null if there was nothing. */
  redo(): string | null {
    this.record();
    const words = this.redoWords;
    const acts = this.#entries[this.#at + 1]?.acts;
    if (acts) {
      this.#at += 1;
      acts.redo();
    } else if (words !== null) this.#go(this.#at + 1);
    return words;
  }

  #go(at: number): void {
    const entry = this.#entries[at];
    if (!entry) return;
    const { tab } = parseView(this.#workspace.state().view).view;
    const { view } = parseView(entry.state.view);
    this.#at = at;
    this.#workspace.show({ ...entry.state, view: formatView({ ...view, ...(tab && { tab }) }) });
    // Showing a state may normalise it: that is not a step.
    this.#seen = this.#workspace.state();
  }

  /** The meaning of a key press: Ctrl or ⌘ with Z undoes; with Shift, or Ctrl+Y, it redoes. */
  stepOf(event: KeyboardEvent): 'undo' | 'redo' | null {
    if (event.defaultPrevented || event.altKey || !(event.ctrlKey || event.metaKey)) return null;
    const key = event.key.toLowerCase();
    if ((key !== 'z' && key !== 'y') || typesInto(event.target)) return null;
    if (key === 'y') return event.ctrlKey && !event.shiftKey ? 'redo' : null;
    return event.shiftKey ? 'redo' : 'undo';
  }
}
