import type { BoardRow, Boards, SavedBoard } from './saved-boards-port.ts';
import { byName, savedOver, mergeBoards } from './merge-boards.ts';
import type { Guard } from './opening.ts';
import type { CountsDatabase } from './database.ts';

/** A board without what only the store needs. */
function plain(row: BoardRow): SavedBoard {
  const { was, ...board } = row;
  void was;
  return board;
}

/** Unites boards with those that are there. @returns Where each is to be found. */
export function takeBoards(db: CountsDatabase, boards: readonly BoardRow[]): PromiseLike<string[]> {
  return db.transaction('rw', db.boards, async () => {
    const { rows, found } = await mergeBoards(
      async (id) => (await db.boards.get(id)) ?? null,
      boards,
    );
    await db.boards.bulkPut(rows);
    return found;
  });
}

/** The saved boards of the open database. @param onWritten - Called after each change of them. */
export function boardsOf(db: CountsDatabase, guarded: Guard, onWritten: () => void): Boards {
  /** Rewrites one row. */
  const change = async (
    id: string,
    work: (before: BoardRow | null) => BoardRow | null,
  ): Promise<BoardRow | null> => {
    const row = await guarded(() =>
      db.transaction('rw', db.boards, async () => {
        const now = work((await db.boards.get(id)) ?? null);
        if (now) await db.boards.put(now);
        return now;
      }),
    );
    if (row) onWritten();
    return row;
  };
  return {
    list: () =>
      guarded(async () => {
        const rows = await db.boards.toArray();
        return byName(rows.map(({ id, name, at, opened }) => ({ id, name, at, opened })));
      }),
    board: (id) =>
      guarded(async () => {
        const row = await db.boards.get(id);
        return row ? plain(row) : null;
      }),
    save: async (board) => void (await change(board.id, (before) => savedOver(before, board))),
    rename: async (id, name, at) => {
      const row = await change(id, (before) =>
        before ? savedOver(before, { ...before, name, at }) : null,
      );
      return row && plain(row);
    },
    opened: async (id, at) =>
      void (await change(id, (before) => before && { ...before, opened: at })),
    remove: async (id) => {
      const row = await guarded(() =>
        db.transaction('rw', db.boards, async () => {
          const before = await db.boards.get(id);
          await db.boards.delete(id);
          return before;
        }),
      );
      if (!row) return null;
      onWritten();
      return plain(row);
    },
    take: async (board) => {
      const [id = board.id] = await guarded(() => takeBoards(db, [{ ...board, was: [] }]));
      onWritten();
      return id;
    },
  };
}
