import type { BoardSummary, BoardRow, SavedBoard } from './saved-board.ts';
import { byName, openedBoard, savedOver, mergeBoards } from './merge-boards.ts';
import type { CacheParts, Guard } from './opening.ts';
import type { CountsDatabase } from './database.ts';

/** A board without the fields that only merging needs. */
function plain(row: BoardRow): SavedBoard {
  const { was, ...board } = row;
  void was;
  return board;
}

/** Merges boards into the stored ones. */
export function importInto(db: CountsDatabase, boards: readonly BoardRow[]): PromiseLike<void> {
  return db.transaction('rw', db.boards, async () => {
    const rows = await mergeBoards(async (id) => (await db.boards.get(id)) ?? null, boards);
    await db.boards.bulkPut(rows);
  });
}

/** The saved boards of this browser. Every method throws a `Fault` of one of the cache's types. */
export class SavedBoards {
  readonly #db: CountsDatabase;
  readonly #guarded: Guard;
  readonly #onWritten: () => void;

  constructor({ db, guarded, onBoards }: CacheParts) {
    this.#db = db;
    this.#guarded = guarded;
    this.#onWritten = onBoards;
  }

  /** By name, then last saved first. */
  list(): Promise<BoardSummary[]> {
    return this.#guarded(async () => {
      const rows = await this.#db.boards.toArray();
      return byName(rows.map(({ id, name, at, opened }) => ({ id, name, at, opened })));
    });
  }

  board(id: string): Promise<SavedBoard | null> {
    return this.#guarded(async () => {
      const row = await this.#db.boards.get(id);
      return row ? plain(row) : null;
    });
  }

  /** Replaces the board with the same id, if there is one. */
  async save(board: SavedBoard): Promise<void> {
    await this.#change(board.id, (before) => savedOver(before, board));
  }

  /** @param at - Epoch ms. @returns The renamed board; null if there is none with this id. */
  async rename(id: string, name: string, at: number): Promise<SavedBoard | null> {
    const row = await this.#change(id, (before) =>
      before ? savedOver(before, { ...before, name, at }) : null,
    );
    return row && plain(row);
  }

  /** Notes when a board was opened. @param at - Epoch ms. */
  async opened(id: string, at: number): Promise<void> {
    await this.#change(id, (before) => before && { ...before, opened: at });
  }

  /** @returns The deleted board, which {@link save} restores; null if there was none. */
  async remove(id: string): Promise<SavedBoard | null> {
    const { boards } = this.#db;
    const row = await this.#guarded(() =>
      this.#db.transaction('rw', boards, async () => {
        const before = await boards.get(id);
        await boards.delete(id);
        return before;
      }),
    );
    if (!row) return null;
    this.#onWritten();
    return plain(row);
  }

  /**
   * Imports the board of a file. If a stored board has its id and does not know its content, it becomes a copy whose
   * name says so.
   *
   * @returns The id of the imported board in this browser.
   */
  async take(board: SavedBoard): Promise<string> {
    const { boards } = this.#db;
    const id = await this.#guarded(() =>
      this.#db.transaction('rw', boards, async () =>
        boards.put(openedBoard(board, await boards.toArray())),
      ),
    );
    this.#onWritten();
    return id;
  }

  /** Rewrites one row in a transaction. */
  async #change(
    id: string,
    work: (before: BoardRow | null) => BoardRow | null,
  ): Promise<BoardRow | null> {
    const { boards } = this.#db;
    const row = await this.#guarded(() =>
      this.#db.transaction('rw', boards, async () => {
        const now = work((await boards.get(id)) ?? null);
        if (now) await boards.put(now);
        return now;
      }),
    );
    if (row) this.#onWritten();
    return row;
  }
}
