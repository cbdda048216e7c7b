import type { Note } from '#app/counts/cache/saved-board.ts';
import { fixedKey, type FixedSeries } from '#core/series/imported-series.ts';

const KEY = 'groundswell-draft';
/** Apart, since packing them takes a while: notes are kept at once, before any reload. */
const FILES_KEY = 'groundswell-draft-files';
/** A board that only carries series from files. */
const FILES = { id: 'draft', name: 'Draft', at: 0, opened: 0, view: '', notes: [] };

/** What of a tab's board neither the address nor a saved board holds. */
export interface Draft {
  /** Id of the saved board that it is a change of; null where there is none. */
  readonly board: string | null;
  readonly notes: readonly Note[];
  readonly fixed: readonly FixedSeries[];
}

/** Fetched when there is a draft. */
const files = (): Promise<typeof import('#app/counts/files/board-file.ts')> =>
  import('#app/counts/files/board-file.ts');

/** What a tab has not saved yet, kept over a reload of that tab. */
export class Drafts {
  readonly #storage: Pick<Storage, 'getItem' | 'setItem' | 'removeItem'> | null;
  #turn = 0;
  /** Keys of the files that are kept. */
  #packed = '';

  /** @param storage - `sessionStorage`; null where there is none. */
  constructor(storage: Pick<Storage, 'getItem' | 'setItem' | 'removeItem'> | null) {
    this.#storage = storage;
  }

  /** What was kept of a board; null where nothing was. Files that were not packed in time are left out. */
  async read(board: string | null): Promise<Draft | null> {
    const text = this.#storage?.getItem(KEY);
    if (!text) return null;
    try {
      const { notesOf, unpackBoard } = await files();
      const stored = JSON.parse(text) as { board: unknown; notes: unknown; keys: unknown };
      const notes = notesOf(stored.notes);
      if (stored.board !== board || !notes) return null;
      const wanted = new Set(Array.isArray(stored.keys) ? stored.keys : []);
      const packed = (wanted.size > 0 && this.#storage?.getItem(FILES_KEY)) || '';
      // Without its files a draft still has its notes.
      const { fixed } = await unpackBoard(packed).catch(() => ({ fixed: [] }));
      return { board, notes, fixed: fixed.filter((one) => wanted.has(fixedKey(one))) };
    } catch {
      // Of another version, or damaged.
      return null;
    }
  }

  /**
   * Keeps a draft in the place of the last: its notes when this returns, its files when it resolves.
   *
   * @returns Whether there was room for all of it.
   */
  async write({ board, notes, fixed }: Draft): Promise<boolean> {
    const storage = this.#storage;
    if (!storage) return false;
    const keys = fixed.map(fixedKey);
    const turn = ++this.#turn;
    try {
      storage.setItem(KEY, JSON.stringify({ board, notes, keys }));
      if (keys.length === 0) this.#drop();
      if (keys.join() === this.#packed) return true;
      const { packBoard } = await files();
      const packed = await packBoard({ ...FILES, fixed });
      // What was written or cleared meanwhile is newer.
      if (turn !== this.#turn) return true;
      storage.setItem(FILES_KEY, packed);
      this.#packed = keys.join();
      return true;
    } catch {
      return false;
    }
  }

  #drop(): void {
    this.#storage?.removeItem(FILES_KEY);
    this.#packed = '';
  }

  clear(): void {
    this.#turn += 1;
    this.#storage?.removeItem(KEY);
    this.#drop();
  }
}
