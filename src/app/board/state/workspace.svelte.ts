import { orderedNote, type Note } from '#app/counts/cache/saved-board.ts';
import { fixedKey, type FixedSeries } from '#core/series/imported-series.ts';
import type { KindSwitches } from '#app/events/event-kinds.svelte.ts';
import type { Notes } from '#app/events/notes.svelte.ts';
import { omit } from '#core/omit.ts';
import type { Board } from './board.svelte.ts';
import type { SeriesList } from './series-list.svelte.ts';
import { formatView, parseView, type View } from './view.ts';

/** The complete state of a board: what the address holds, and what it cannot. */
export interface BoardState {
  /** Id of the saved board that is open; null if none is. */
  readonly board: string | null;
  /** The view as `formatView` writes it, without the board's id. */
  readonly view: string;
  readonly notes: readonly Note[];
  /** Series read from files, compared by reference. */
  readonly fixed: readonly FixedSeries[];
}

/** The part of a board that a workspace needs. */
type Viewed = Pick<Board, 'view' | 'apply'> & { readonly series: Pick<SeriesList, 'fixed'> };

/** True if two states show the same, regardless of the saved board. */
export function sameState(a: BoardState, b: BoardState): boolean {
  if (a.view !== b.view || a.fixed.length !== b.fixed.length) return false;
  if (!a.fixed.every((series, i) => series === b.fixed[i])) return false;
  const text = (notes: readonly Note[]): string => JSON.stringify(notes.map(orderedNote));
  return a.notes === b.notes || text(a.notes) === text(b.notes);
}

/** A sentence for each series of a view whose file is missing. */
export function lostFiles({ series = [] }: View, fixed: readonly FixedSeries[]): string[] {
  const there = new Set(fixed.map(fixedKey));
  return series.flatMap(({ file, label }) =>
    file === undefined || there.has(file)
      ? []
      : [
          `${label === '' ? 'A series' : `“${label}”`} came from a file, which a link can’t contain. Open the file again to see it.`,
        ],
  );
}

/** The board with its notes, events and file series, read and shown as one. */
export class Workspace {
  readonly #board: Viewed;
  readonly #notes: Notes;
  readonly #kinds: KindSwitches;
  /** Id of the saved board that is open. */
  board = $state<string | null>(null);

  constructor(board: Viewed, notes: Notes, kinds: KindSwitches) {
    this.#board = board;
    this.#notes = notes;
    this.#kinds = kinds;
  }

  /** The view for the address. */
  view(): View {
    const { switched } = this.#kinds;
    return {
      ...this.#board.view(),
      ...(switched.length > 0 && { events: switched }),
      ...(this.board !== null && { board: this.board }),
    };
  }

  state(): BoardState {
    return { ...this.extras(), view: formatView(omit(this.view(), 'board')) };
  }

  /** The parts of the state outside the view. */
  extras(): Omit<BoardState, 'view'> {
    return { board: this.board, notes: this.#notes.written, fixed: this.#board.series.fixed };
  }

  /** Sets the parts of the state outside the view. */
  setExtras({ board, notes, fixed }: Omit<BoardState, 'view'>): void {
    this.board = board;
    this.#notes.replace(notes);
    this.#board.series.fixed = fixed;
  }

  /**
   * Shows a state: series with an unchanged query keep their counts.
   *
   * @param problems - Sentences about parts of an address that could not be read.
   */
  show(state: BoardState, problems: readonly string[] = []): void {
    const parsed = parseView(state.view);
    this.setExtras(state);
    this.#kinds.switched = parsed.view.events ?? [];
    const lost = lostFiles(parsed.view, state.fixed);
    this.#board.apply(parsed.view, [...problems, ...parsed.problems, ...lost]);
  }

  /** Shows the kinds of events that an opened address names. */
  applyKinds(view: View): void {
    this.#kinds.switched = view.events ?? [];
  }
}
