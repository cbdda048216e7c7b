import type { Note } from '#app/counts/cache/saved-board.ts';
import { fixedKey, type FixedSeries } from '#core/series/imported-series.ts';

const KEY = 'groundswell-draft';
/** Stored separately, because packing files takes a while and notes must be stored before any reload. */
const FILES_KEY = 'groundswell-draft-files';
/** A board that only holds series from files. */
const FILES = { id: 'draft', name: 'Draft', at: 0, opened: 0, view: '', notes: [] };

/** The parts of a tab's board that neither the address nor a saved board holds. */
interface Draft {
  /** Id of the saved board it changes; null if there is none. */
  readonly board: string | null;
  readonly notes: readonly Note[];
  readonly fixed: readonly FixedSeries[];
}

/** Loaded only if there is a draft. */
const files = (): Promise<typeof import('#app/counts/files/board-file.ts')> =>
  import('#app/counts/files/board-file.ts');

/** Unsaved changes of a tab, stored across a reload of that tab. */
export class Drafts {
  readonly #storage: Pick<Storage, 'getItem' | 'setItem' | 'removeItem'> | null;
  #turn = 0;
  /** Keys of the stored files. */
  #packed = '';

  /** @param storage - `sessionStorage`; null if there is none. */
  constructor(storage: Pick<Storage, 'getItem' | 'setItem' | 'removeItem'> | null) {
    this.#storage = storage;
  }

  /** Reads the draft of a board; null if there is none. Omits files that were not packed in time. */
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
      return { board, notes, fixed: fixed.filter((series) => wanted.has(fixedKey(series))) };
    } catch {
      // Written by another version, or damaged.
      return null;
    }
  }

  /**
   * Stores a draft instead of the last one: its notes when this returns, its files when it resolves.
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
      // A newer write or clear wins.
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
