import { untrack } from 'svelte';
import { stepBetween, type Step } from '#app/board/saved/undo-labels.ts';
import { formatView, parseView } from './view.ts';
import { sameState, type BoardState, type Workspace } from './workspace.svelte.ts';

/** Steps that can be undone. */
const MOST_STEPS = 200;

/** A pause after which more of the same is another step: in typing, zooming. */
const PAUSE_MS = 1_200;

interface Entry {
  readonly state: BoardState;
  /** What led here; null at the beginning. */
  readonly step: Step | null;
  /** When it last changed, ms of the clock. */
  readonly at: number;
  /** What takes it back and does it again where it is no change of the view. */
  readonly acts?: Acts;
}

/** Something done beside the view. */
export interface Acts {
  undo(): void;
  redo(): void;
}

/** A view without what is only looked at: the tab. */
function pictureOf(view: string): string {
  const { tab, ...picture } = parseView(view).view;
  void tab;
  return formatView(picture);
}

/** What the board was before and what it was brought back from, step by step. The tab is no part of it. */
export class History {
  readonly #workspace: Pick<Workspace, 'state' | 'show'>;
  readonly #clock: () => number;
  readonly #boardName: (id: string) => string | null;
  #entries = $state.raw<readonly Entry[]>([]);
  #at = $state(-1);
  /** The state as it was last seen, whether it is a step or not. */
  #seen: BoardState | null = null;
  /** What would be undone, in words; null where nothing can be. */
  readonly undoWords = $derived.by(() => this.#entries[this.#at]?.step?.words ?? null);
  readonly redoWords = $derived.by(() => this.#entries[this.#at + 1]?.step?.words ?? null);

  /** @param clock - Any that goes on. @param boardName - Of a saved board; null where it is not known. */
  constructor(
    workspace: Pick<Workspace, 'state' | 'show'>,
    clock: () => number,
    boardName: (id: string) => string | null = () => null,
  ) {
    this.#workspace = workspace;
    this.#clock = clock;
    this.#boardName = boardName;
  }

  /** Looks at the board: what changed since the last look is a step, or more of the last one. */
  look(): void {
    const state = this.#workspace.state();
    const seen = this.#seen;
    if (seen && seen.board === state.board && sameState(seen, state)) return;
    this.#seen = state;
    const picture = { ...state, view: pictureOf(state.view) };
    const here = this.#entries[this.#at];
    const step = here ? stepBetween(here.state, picture, this.#boardName) : null;
    if (!here || !step) {
      // Nothing to undo: the board got a name, or another tab of it is looked at.
      if (here) this.#put(this.#at, { ...here, state: picture });
      else this.#put(0, { state: picture, step: null, at: this.#clock() });
      return;
    }
    const at = this.#clock();
    const more =
      step.kind !== '' && step.kind === here.step?.kind && at - here.at < PAUSE_MS && this.#last;
    const before = this.#entries[this.#at - 1];
    if (!more || !before) {
      this.#put(this.#at + 1, { state: picture, step, at });
      return;
    }
    const whole = stepBetween(before.state, picture, this.#boardName);
    if (whole) this.#put(this.#at, { state: picture, step: { ...whole, kind: step.kind }, at });
    else this.#put(this.#at - 1, before);
  }

  get #last(): boolean {
    return this.#at === this.#entries.length - 1;
  }

  /** Puts an entry at a place and goes there; what could be redone is gone where a step was made. */
  #put(place: number, entry: Entry): void {
    const stays = place === this.#at && !this.#last;
    const rest = stays ? this.#entries.slice(place + 1) : [];
    const all = [...this.#entries.slice(0, place), entry, ...rest];
    const over = Math.max(0, all.length - MOST_STEPS - 1);
    this.#entries = all.slice(over);
    this.#at = place - over;
  }

  /** Something was done beside the view: a step of its own. @param words - That stand behind “Undo:”. */
  did(words: string, acts: Acts): void {
    this.look();
    const state = this.#entries[this.#at]?.state;
    if (!state) return;
    this.#put(this.#at + 1, { state, step: { words, kind: '' }, at: this.#clock(), acts });
  }

  /** Follows the board. @param ready - Until it is, the board is being opened: no step. @returns What ends it. */
  follow(ready: () => boolean): () => void {
    return $effect.root(() => {
      $effect(() => {
        if (!ready()) return;
        this.#workspace.state();
        untrack(() => this.look());
      });
    });
  }

  /** @returns What was undone, in words; null where there was nothing. */
  undo(): string | null {
    this.look();
    const words = this.undoWords;
    const acts = this.#entries[this.#at]?.acts;
    if (acts) {
      this.#at -= 1;
      acts.undo();
    } else if (words !== null) this.#go(this.#at - 1);
    return words;
  }

  /** @returns What was done again, in words; null where there was nothing. */
  redo(): string | null {
    this.look();
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
    // What showing it makes of it is no step.
    this.#seen = this.#workspace.state();
  }
}
