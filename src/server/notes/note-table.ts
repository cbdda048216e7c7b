import type { NoteInfo } from '#contract/notes/notes.ts';
import type { Bucket } from '#core/notes/evaluation.ts';
import { column, columns, type RowOf } from '#server/db/columns.ts';
import { LARGEST_INTEGER, type Cell, type Db } from '#server/db/driver.ts';
import { noteRatings, RATED, ratingsOf, type Rated } from './note-ratings.ts';
import type { Direction } from '#server/posts/store/relation-kinds.ts';

const NOTE = columns({
  id: column.exact,
  /** Id of the account. */
  writer: column.text,
  post: column.exact,
  test: column.flag,
  text: column.text,
  classification: column.word<NoteInfo['classification']>(),
  misleading_tags: column.named('tags', column.json<NoteInfo['misleading_tags']>()),
  trustworthy_sources: column.named('trustworthy', column.flag),
  is_media_note: column.named('media', column.flag),
  /** Of its claims against opinion. */
  score: column.number,
  /** True if all of its links are valid; null if that is not known. */
  links: column.wordOrNull<Bucket>(),
  /** Epoch ms. */
  createdAt: column.number,
});

export interface StoredNote extends Omit<RowOf<typeof NOTE>, keyof NoteInfo>, Rated {
  readonly info: NoteInfo;
}

export type NewNote = Omit<StoredNote, 'links' | 'ratings'>;

/** Community notes, their ratings and writers. Changes are durable when a method returns. */
export type NoteTable = ReturnType<typeof noteTable>;

/** @param row - Of {@link NOTE}, then of {@link RATED}. */
function noteOf(row: readonly Cell[]): StoredNote {
  const { text, classification, misleading_tags, ...rest } = NOTE.read(row);
  const { trustworthy_sources, is_media_note, ...note } = rest;
  const info = { text, classification, misleading_tags, trustworthy_sources, is_media_note };
  return { ...note, info, ratings: ratingsOf(row.slice(-3)) };
}

export function noteTable(db: Db) {
  const insert = NOTE.insert(
    db,
    'note',
    'ON CONFLICT (writer, post) WHERE deleted_at IS NULL DO NOTHING',
  );
  const remove = db.prepare(
    'UPDATE note SET deleted_at = ? WHERE id = ? AND writer = ? AND deleted_at IS NULL',
  );
  const from = `SELECT ${NOTE.names}, ${RATED} FROM note WHERE writer = ? AND test = ?`;
  const there = `${from} AND deleted_at IS NULL`;
  const older = db.prepare(`${there} AND id < ? ORDER BY id DESC LIMIT ?`, 'exact');
  const newer = db.prepare(`${there} AND id > ? ORDER BY id LIMIT ?`, 'exact');
  const last = db.prepare(`${from} ORDER BY id DESC LIMIT ?`, 'exact');
  const countSince = db.prepare(
    'SELECT count(*) FROM note WHERE writer = ? AND test = 0 AND created_at >= ?',
  );
  const noted = db.prepare(
    `SELECT CAST(post AS TEXT) FROM note WHERE writer = ? AND deleted_at IS NULL
     AND post IN (SELECT CAST(value AS INTEGER) FROM json_each(?))`,
  );
  const setLinks = db.prepare('UPDATE note SET links = ? WHERE id = ?');
  const admitted = db.prepare('SELECT 1 FROM note_writer WHERE account = ?');
  const admit = db.prepare('INSERT OR IGNORE INTO note_writer VALUES (?, ?)');
  return {
    ...noteRatings(db),
    /**
     * Adds a note, after `check` within the same write, which may throw. One that is not a test admits its writer.
     *
     * @returns False, without a change, if the writer has a note on that Post.
     */
    add: (note: NewNote, check: () => void): boolean =>
      db.write('add-note', () => {
        check();
        const added = insert({ ...note, ...note.info, links: null });
        if (added === 1 && !note.test) admit.run([note.writer, note.createdAt]);
        return added === 1;
      }),
    /** Deletes a note of a writer. @returns False if there is none. */
    remove: (id: bigint, writer: string, now: number): boolean =>
      db.write('remove-note', () => remove.run([now, id, writer]) === 1),
    /** A writer's notes, newest first, after one in a direction, without deleted ones. */
    page: (
      { writer, test }: { readonly writer: string; readonly test: boolean },
      direction: Direction,
      after: bigint | null,
      limit: number,
    ): StoredNote[] => {
      const statement = direction === 'older' ? older : newer;
      return statement.all([writer, Number(test), after ?? LARGEST_INTEGER, limit]).map(noteOf);
    },
    /** The last notes of a writer, newest first, with deleted ones. */
    last: (
      { writer, test }: { readonly writer: string; readonly test: boolean },
      limit: number,
    ): StoredNote[] => last.all([writer, Number(test), limit]).map(noteOf),
    /** The number of notes, other than tests, that a writer wrote from a time on, with deleted ones. */
    countSince: (writer: string, time: number): number =>
      Number(countSince.get([writer, time])?.[0]),
    /** Those of some Posts that a writer has a note on. */
    noted: (writer: string, posts: readonly bigint[]): Set<bigint> =>
      new Set(
        noted
          .all([writer, JSON.stringify(posts.map(String))])
          .map(([post]) => BigInt(String(post))),
      ),
    /** Says whether a note's links are valid. */
    setLinks: (id: bigint, links: Bucket): void =>
      void db.write('note-links', () => setLinks.run([links, id])),
    isAdmitted: (account: string): boolean => admitted.get([account]) !== undefined,
    admit: (account: string, now: number): void =>
      void db.write('admit-writer', () => admit.run([account, now])),
  };
}
