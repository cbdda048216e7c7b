import type { Note } from '#app/counts/cache/saved-board.ts';
import { fixedKey, type FixedSeries } from '#core/series/imported-series.ts';
import type { LaneSwitches } from '#app/lanes/lanes.svelte.ts';
import type { Notes } from '#app/lanes/notes.svelte.ts';
import { formatView, parseView, type View } from './view.ts';

/** All of a board as it stands: what the address holds of it, and what it does not. */
export interface BoardState {
  /** Id of the saved board that is open; null where none is. */
  readonly board: string | null;
  /** The view as `formatView` writes it, without the board's id. */
  readonly view: string;
  readonly notes: readonly Note[];
  /** Series read from files; told apart by reference. */
  readonly fixed: readonly FixedSeries[];
}

/** What of the board the workspace needs. */
export interface Viewed {
  view(): View;
  apply(view: View, problems: readonly string[]): void;
}

/** Holds the series that were read from files. */
export interface FixedHolder {
  fixed: readonly FixedSeries[];
}

/** Whether two states show the same, whichever saved board they are of. */
export function sameState(a: BoardState, b: BoardState): boolean {
  if (a.view !== b.view || a.fixed.length !== b.fixed.length) return false;
  if (!a.fixed.every((one, i) => one === b.fixed[i])) return false;
  return a.notes === b.notes || JSON.stringify(a.notes) === JSON.stringify(b.notes);
}

/** A sentence for each series of a view whose file is not at hand. */
function lostFiles({ series = [] }: View, fixed: readonly FixedSeries[]): string[] {
  const there = new Set(fixed.map(fixedKey));
  return series.flatMap(({ file, label }) =>
    file === undefined || there.has(file)
      ? []
      : [
          `${label === '' ? 'A series' : `“${label}”`} was read from a file, which no address holds: open that file again to see it.`,
        ],
  );
}

/** The board with its notes, lanes and series of files: read and shown as one. */
export class Workspace {
  readonly #board: Viewed;
  readonly #notes: Notes;
  readonly #lanes: LaneSwitches;
  readonly #files: FixedHolder;
  /** Id of the saved board that is open. */
  board = $state<string | null>(null);

  constructor(board: Viewed, notes: Notes, lanes: LaneSwitches, files: FixedHolder) {
    this.#board = board;
    this.#notes = notes;
    this.#lanes = lanes;
    this.#files = files;
  }

  /** The view for the address. */
  view(): View {
    const { hidden } = this.#lanes;
    return {
      ...this.#board.view(),
      ...(hidden.length > 0 && { lanesHidden: hidden }),
      ...(this.board !== null && { board: this.board }),
    };
  }

  state(): BoardState {
    const { board, ...view } = this.view();
    void board;
    return {
      board: this.board,
      view: formatView(view),
      notes: this.#notes.written,
      fixed: this.#files.fixed,
    };
  }

  /** What is no part of the view. */
  extras(): Omit<BoardState, 'view'> {
    return { board: this.board, notes: this.#notes.written, fixed: this.#files.fixed };
  }

  /** Puts there what is no part of the view. */
  furnish({ board, notes, fixed }: Omit<BoardState, 'view'>): void {
    this.board = board;
    this.#notes.replace(notes);
    this.#files.fixed = fixed;
  }

  /**
   * Shows a state: series whose query stands keep their counts.
   *
   * @param problems - Sentences about an address that could not be read whole.
   */
  show(state: BoardState, problems: readonly string[] = []): void {
    const parsed = parseView(state.view);
    this.furnish(state);
    this.#lanes.hidden = parsed.view.lanesHidden ?? [];
    const lost = lostFiles(parsed.view, state.fixed);
    this.#board.apply(parsed.view, [...problems, ...parsed.problems, ...lost]);
  }

  /** Takes what an address that was opened says of lanes. */
  light(view: View): void {
    this.#lanes.hidden = view.lanesHidden ?? [];
  }
}
