import type { NoteInfo } from '#contract/notes/notes.ts';
import type { Bucket } from '#core/notes/evaluation.ts';
import type { Cell, Db } from '#server/db/driver.ts';
import type { Direction } from '#server/posts/store/relations.ts';
import { noteRatings, RATED, ratingsOf, type Rated } from './note-ratings.ts';

export interface NewNote {
  readonly id: bigint;
  /** Id of the account. */
  readonly writer: string;
  readonly post: bigint;
  readonly test: boolean;
  readonly info: NoteInfo;
  /** Of its claims against opinion. */
  readonly score: number;
  /** Epoch ms. */
  readonly createdAt: number;
}

export interface StoredNote extends NewNote, Rated {
  /** True if all of its links are valid; null if that is not known. */
  readonly links: Bucket | null;
}

/** Community notes, their ratings and writers. Changes are durable when a method returns. */
export type NoteTable = ReturnType<typeof noteTable>;

const COLUMNS =
  'CAST(id AS TEXT), writer, CAST(post AS TEXT), test, text, classification, tags, trustworthy, media, score, links, created_at';
function noteOf(row: readonly Cell[]): StoredNote {
  const [id, writer, post, test, text, classification, tags, trustworthy, media] = row;
  const [score, links, createdAt, ...ratings] = row.slice(9);
  return {
    id: BigInt(String(id)),
    writer: String(writer),
    post: BigInt(String(post)),
    test: test === 1,
    info: {
      text: String(text),
      classification: classification as NoteInfo['classification'],
      misleading_tags: JSON.parse(String(tags)) as NoteInfo['misleading_tags'],
      trustworthy_sources: trustworthy === 1,
      is_media_note: media === 1,
    },
    score: Number(score),
    links: typeof links === 'string' ? (links as Bucket) : null,
    createdAt: Number(createdAt),
    ratings: ratingsOf(ratings),
  };
}

export function noteTable(db: Db) {
  const insert = db.prepare(
    `INSERT INTO note (id, writer, post, test, text, classification, tags, trustworthy, media, score, created_at)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT (writer, post) WHERE deleted_at IS NULL DO NOTHING`,
  );
  const remove = db.prepare(
    'UPDATE note SET deleted_at = ? WHERE id = ? AND writer = ? AND deleted_at IS NULL',
  );
  const from = `SELECT ${COLUMNS}, ${RATED} FROM note WHERE writer = ? AND test = ?`;
  const older = db.prepare(`${from} AND deleted_at IS NULL AND id < ? ORDER BY id DESC LIMIT ?`);
  const newer = db.prepare(`${from} AND deleted_at IS NULL AND id > ? ORDER BY id LIMIT ?`);
  const last = db.prepare(`${from} ORDER BY id DESC LIMIT ?`);
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
  const LAST = 2n ** 63n - 1n;
  const bit = (value: boolean): number => (value ? 1 : 0);
  return {
    ...noteRatings(db),
    /**
     * Adds a note, after `check` within the same write, which may throw. One that is not a test admits its writer.
     *
     * @returns False, without a change, if the writer has a note on that Post.
     */
    add: (
      { id, writer, post, test, info, score, createdAt }: NewNote,
      check: () => void,
    ): boolean =>
      db.write('add-note', () => {
        check();
        const { text, classification, misleading_tags: tags } = info;
        const content = [text, classification, JSON.stringify(tags)];
        const flags = [bit(info.trustworthy_sources), bit(info.is_media_note)];
        const values = [id, writer, post, bit(test), ...content, ...flags, score, createdAt];
        const added = insert.run(values);
        if (added === 1 && !test) admit.run([writer, createdAt]);
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
      return statement.all([writer, bit(test), after ?? LAST, limit]).map(noteOf);
    },
    /** The last notes of a writer, newest first, with deleted ones. */
    last: (
      { writer, test }: { readonly writer: string; readonly test: boolean },
      limit: number,
    ): StoredNote[] => last.all([writer, bit(test), limit]).map(noteOf),
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
