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

/** Fetched when there is a draft. */
const files = (): Promise<typeof import('#app/counts/board-file.ts')> =>
  import('#app/counts/board-file.ts');

/** What a tab has not saved yet, kept over a reload of that tab. */
export class Drafts {
  readonly #storage: Pick<Storage, 'getItem' | 'setItem' | 'removeItem'> | null;

  #turn = 0;

  /** @param storage - `sessionStorage`; null where there is none. */
  constructor(storage: Pick<Storage, 'getItem' | 'setItem' | 'removeItem'> | null) {
    this.#storage = storage;
  }

  /** What was kept of a board; null where nothing was. */
  async read(board: string | null): Promise<Draft | null> {
    const text = this.#storage?.getItem(KEY);
    if (!text) return null;
    try {
      const { unpackBoard } = await files();
      const { id, notes, fixed } = await unpackBoard(text);
      return id === (board ?? UNSAVED) ? { board, notes, fixed } : null;
    } catch {
      // Of another version, or not ours: what it held cannot be told.
      return null;
    }
  }

  /** Keeps a draft in the place of the last. @returns Whether there was room; nothing is kept where not. */
  async write({ board, notes, fixed }: Draft): Promise<boolean> {
    const id = board ?? UNSAVED;
    const turn = ++this.#turn;
    try {
      const { packBoard } = await files();
      const text = await packBoard({ id, name: id, at: 0, opened: 0, view: '', notes, fixed });
      // What was written or cleared meanwhile is newer.
      if (turn !== this.#turn) return true;
      this.#storage?.removeItem(KEY);
      this.#storage?.setItem(KEY, text);
      return this.#storage !== null;
    } catch {
      return false;
    }
  }

  clear(): void {
    this.#turn += 1;
    this.#storage?.removeItem(KEY);
  }
}
