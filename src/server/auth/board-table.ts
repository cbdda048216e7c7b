import { BoardVersion, type StoredBoard } from '#contract/accounts/boards.ts';
import { textOrNull, type Cell, type Db } from '#server/db/driver.ts';

/** A version of a board with its revision. */
export interface RevisedBoard {
  readonly revision: string;
  readonly version: BoardVersion;
}

/** The size of what a login stores: rows, removed boards included, and bytes. */
export interface BoardsSize {
  readonly boards: number;
  readonly bytes: number;
}

/** The saved boards of logins. Changes are durable when a method returns. */
export function boardTable(db: Db) {
  const list = db.prepare('SELECT id, revision, name, at FROM board WHERE login = ? ORDER BY id');
  const read = db.prepare(
    'SELECT revision, at, name, file, was FROM board WHERE login = ? AND id = ?',
  );
  const find = db.prepare('SELECT id, revision, name, at FROM board WHERE login = ? AND id = ?');
  const others = db.prepare(
    'SELECT count(*), coalesce(sum(bytes), 0) FROM board WHERE login = ? AND id <> ?',
  );
  const put = db.prepare(
    `INSERT INTO board (login, id, revision, at, name, bytes, file, was) VALUES (?, ?, ?, ?, ?, ?, ?, ?)
    ON CONFLICT (login, id) DO UPDATE SET revision = excluded.revision, at = excluded.at, name = excluded.name,
      bytes = excluded.bytes, file = excluded.file, was = excluded.was`,
  );
  // A browser that has not been here since the oldest removal keeps that board, or stores it again.
  const forget = db.prepare(
    `DELETE FROM board WHERE login = ?1 AND id = (
      SELECT id FROM board WHERE login = ?1 AND name IS NULL AND id <> ?2 ORDER BY at LIMIT 1
    )`,
  );

  const versionOf = ([, at, name, file, was]: readonly Cell[]): BoardVersion =>
    Buffer.isBuffer(file)
      ? { removed: false, name: String(name), at: Number(at), file: file.toString('base64') }
      : { removed: true, at: Number(at), was: JSON.parse(String(was)) as string[] };
  const storedOf = ([id, revision, name = null, at]: readonly Cell[]): StoredBoard => ({
    id: String(id),
    revision: String(revision),
    name: textOrNull(name),
    at: Number(at),
  });
  return {
    /** All boards of a login, by id. */
    list: (login: string): StoredBoard[] => list.all([login]).map(storedOf),
    find: (login: string, id: string): StoredBoard | undefined => {
      const row = find.get([login, id]);
      return row && storedOf(row);
    },
    read: (login: string, id: string): RevisedBoard | undefined => {
      const row = read.get([login, id]);
      return row && { revision: String(row[0]), version: versionOf(row) };
    },
    /**
     * Stores a version if the stored one still has the expected revision.
     *
     * @param after - The expected revision; null if there is none.
     * @param fits - Whether the login may store so much; called with what it would store.
     */
    store: (
      login: string,
      id: string,
      { revision, version }: RevisedBoard,
      after: string | null,
      fits: (size: BoardsSize) => boolean,
    ): 'stored' | 'changed' | 'full' =>
      db.write('board', () => {
        const before = read.get([login, id]);
        if ((before ? String(before[0]) : null) !== after) return 'changed';
        const file = version.removed ? null : Buffer.from(version.file, 'base64');
        const was = version.removed ? JSON.stringify(version.was) : null;
        const bytes = file?.length ?? was?.length ?? 0;
        const isFull = (): boolean => {
          const [boards, sum] = others.get([login, id]) ?? [];
          return !fits({ boards: Number(boards) + 1, bytes: Number(sum) + bytes });
        };
        while (isFull()) if (forget.run([login, id]) === 0) return 'full';
        const name = version.removed ? null : version.name;
        put.run([login, id, revision, version.at, name, bytes, file, was]);
        return 'stored';
      }),
  };
}
