import { formatBoard, parseBoard } from '#app/counts/board-file.ts';
import type { Note } from '#app/counts/boards-port.ts';
import type { FixedSeries } from '#core/series/fixed.ts';

const KEY = 'groundswell-draft';
/** Stands for the id where the board was never saved. */
const UNSAVED = 'unsaved';

/** What of a tab's board neither the address nor a saved board holds. */
export interface Draft {
  /** Id of the saved board that it is a change of; null where there is none. */
  readonly board: string | null;
  readonly notes: readonly Note[];
  readonly fixed: readonly FixedSeries[];
}

/** What a tab has not saved yet, kept over a reload of that tab. */
export class Drafts {
  readonly #storage: Pick<Storage, 'getItem' | 'setItem' | 'removeItem'> | null;

  /** @param storage - `sessionStorage`; null where there is none. */
  constructor(storage: Pick<Storage, 'getItem' | 'setItem' | 'removeItem'> | null) {
    this.#storage = storage;
  }

  /** What was kept of a board; null where nothing was. */
  read(board: string | null): Draft | null {
    const text = this.#storage?.getItem(KEY);
    if (!text) return null;
    try {
      const { id, notes, fixed } = parseBoard(text);
      return id === (board ?? UNSAVED) ? { board, notes, fixed } : null;
    } catch {
      // Of another version, or not ours: what it held cannot be told.
      return null;
    }
  }

  /** Keeps a draft in the place of the last. @returns Whether there was room; nothing is kept where not. */
  write({ board, notes, fixed }: Draft): boolean {
    const id = board ?? UNSAVED;
    try {
      this.#storage?.removeItem(KEY);
      const text = formatBoard({ id, name: id, at: 0, opened: 0, view: '', notes, fixed });
      this.#storage?.setItem(KEY, text);
      return this.#storage !== null;
    } catch {
      return false;
    }
  }

  clear(): void {
    this.#storage?.removeItem(KEY);
  }
}
