import type {
  BoardGlance,
  BoardRow,
  Boards,
  SavedBoard,
} from '#app/counts/cache/saved-boards-port.ts';
import { byName, savedOver, mergeBoards } from '#app/counts/cache/merge-boards.ts';

function plain(row: BoardRow): SavedBoard {
  const { was, ...board } = structuredClone(row);
  void was;
  return board;
}

/** Boards that live as long as they are held; like the browser's they give copies and tell every tab. */
export class MemoryBoards implements Boards {
  readonly rows = new Map<string, BoardRow>();
  readonly #heard: (() => void)[] = [];
  /** Tabs that listen. */
  get tabs(): number {
    return this.#heard.length;
  }

  listen(hear: () => void): () => void {
    this.#heard.push(hear);
    return () => void this.#heard.splice(this.#heard.indexOf(hear), 1);
  }

  /** Waits until every tab has read what it was told of. */
  async settled(): Promise<void> {
    for (let turns = 0; turns < 50; turns += 1) await Promise.resolve();
  }

  #write(row: BoardRow): void {
    this.rows.set(row.id, structuredClone(row));
    for (const hear of this.#heard) hear();
  }

  async list(): Promise<BoardGlance[]> {
    const rows = [...this.rows.values()];
    return byName(rows.map(({ id, name, at, opened }) => ({ id, name, at, opened })));
  }
  async board(id: string): Promise<SavedBoard | null> {
    const row = this.rows.get(id);
    return row ? plain(row) : null;
  }
  async save(board: SavedBoard): Promise<void> {
    this.#write(savedOver(this.rows.get(board.id) ?? null, board));
  }
  async rename(id: string, name: string, at: number): Promise<SavedBoard | null> {
    const row = this.rows.get(id);
    if (!row) return null;
    await this.save({ ...plain(row), name, at });
    return this.board(id);
  }
  async opened(id: string, at: number): Promise<void> {
    const row = this.rows.get(id);
    if (row) this.#write({ ...row, opened: at });
  }
  async remove(id: string): Promise<SavedBoard | null> {
    const row = this.rows.get(id);
    if (!row) return null;
    this.rows.delete(id);
    for (const hear of this.#heard) hear();
    return plain(row);
  }
  async take(board: SavedBoard): Promise<string> {
    const here = async (id: string): Promise<BoardRow | null> => this.rows.get(id) ?? null;
    const { rows, found } = await mergeBoards(here, [{ ...board, was: [] }]);
    for (const row of rows) this.#write(row);
    return found[0] ?? board.id;
  }
}
