import type { NoteInfo } from '#contract/notes/notes.ts';
import type { Bucket } from '#core/notes/evaluation.ts';
import type { Rating, Ratings } from '#core/notes/status.ts';
import type { Cell, Db } from '#server/db/driver.ts';
import type { Direction } from '#server/posts/store/relations.ts';

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

export interface StoredNote extends NewNote {
  /** True if all of its links are valid; null if that is not known. */
  readonly links: Bucket | null;
  readonly ratings: Ratings;
}

/** Equal ratings of a note at a time. */
export interface ImportedRating {
  readonly note: bigint;
  readonly rating: Rating;
  readonly count: number;
  /** Epoch ms; null if it is not known. */
  readonly at: number | null;
}

/** Community notes, their ratings and writers. Changes are durable when a method returns. */
export type NoteTable = ReturnType<typeof noteTable>;

const COLUMNS =
  'CAST(id AS TEXT), writer, CAST(post AS TEXT), test, text, classification, tags, trustworthy, media, score, links, created_at';
const RATED = ['helpful', 'somewhat_helpful', 'not_helpful']
  .map(
    (one) => `coalesce((SELECT count FROM note_rating WHERE note = id AND rating = '${one}'), 0) +
      coalesce((SELECT sum(count) FROM imported_rating WHERE note = id AND rating = '${one}'), 0)`,
  )
  .join(', ');

function ratingsOf([helpful, somewhat, not]: readonly Cell[]): Ratings {
  return {
    helpful: Number(helpful),
    somewhat_helpful: Number(somewhat),
    not_helpful: Number(not),
  };
}

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
  const isRated = db.prepare('SELECT 1 FROM note WHERE id = ? AND test = 0 AND deleted_at IS NULL');
  const rate = db.prepare(
    `INSERT INTO note_rating VALUES (?, ?, ?)
     ON CONFLICT (note, rating) DO UPDATE SET count = count + excluded.count`,
  );
  const ratings = db.prepare(`SELECT created_at, ${RATED} FROM note WHERE id = ?`);
  const clearStaged = db.prepare('DELETE FROM staged_rating');
  const stage = db.prepare(
    `INSERT INTO staged_rating VALUES (?, ?, ?, ?)
     ON CONFLICT (note, rating, rated_at) DO UPDATE SET count = count + excluded.count`,
  );
  const compareStaged = db.prepare(
    `SELECT coalesce(sum(max(staged.count - coalesce(known.count, 0), 0)), 0),
       coalesce(sum(min(staged.count, coalesce(known.count, 0))), 0)
     FROM staged_rating AS staged LEFT JOIN imported_rating AS known USING (note, rating, rated_at)`,
  );
  const mergeStaged = db.prepare(
    `INSERT INTO imported_rating SELECT note, rating, rated_at, count FROM staged_rating WHERE true
     ON CONFLICT (note, rating, rated_at) DO UPDATE SET count = max(count, excluded.count)`,
  );
  const stagedNotes = db.prepare(
    `SELECT CAST(id AS TEXT), created_at, ${RATED} FROM note
     WHERE id IN (SELECT DISTINCT note FROM staged_rating ORDER BY note LIMIT ?) ORDER BY id`,
  );
  const admitted = db.prepare('SELECT 1 FROM note_writer WHERE account = ?');
  const admit = db.prepare('INSERT OR IGNORE INTO note_writer VALUES (?, ?)');
  const LAST = 2n ** 63n - 1n;
  const bit = (value: boolean): number => (value ? 1 : 0);
  return {
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
    /** How many notes, other than tests, a writer wrote from a time on, with deleted ones. */
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
    /** Adds ratings to a note. @returns All of its ratings; null if there is no such note, or if it is a test. */
    rate: (
      id: bigint,
      rating: Rating,
      count: number,
    ): Pick<StoredNote, 'ratings' | 'createdAt'> | null =>
      db.write('rate-note', () => {
        if (!isRated.get([id])) return null;
        rate.run([id, rating, count]);
        const [createdAt, ...found] = ratings.get([id]) ?? [];
        return { ratings: ratingsOf(found), createdAt: Number(createdAt) };
      }),
    /** Begins an import of ratings: drops what an interrupted one left. */
    beginRatings: (): void => void db.write('begin-ratings', () => clearStaged.run()),
    /** Sets ratings of a file aside; those of a note that cannot be rated are left out. @returns Whether each was taken. */
    stageRatings: (found: readonly ImportedRating[]): boolean[] =>
      db.write('stage-ratings', () =>
        found.map(({ note, rating, count, at }) => {
          if (!isRated.get([note])) return false;
          stage.run([note, rating, at ?? 0, count]);
          return true;
        }),
      ),
    /**
     * Adds all ratings that were set aside, in one write. What an earlier file had is not added again: of the same note,
     * rating and time, the higher count of the two files remains.
     *
     * @param most - How many of the rated notes to return, by id.
     */
    finishRatings: (
      most: number,
    ): {
      readonly added: number;
      readonly already: number;
      readonly notes: readonly Pick<StoredNote, 'id' | 'ratings' | 'createdAt'>[];
    } =>
      db.write('import-ratings', () => {
        const [added, already] = compareStaged.get() ?? [];
        mergeStaged.run();
        const rated = stagedNotes.all([most]).map(([id, createdAt, ...found]) => ({
          id: BigInt(String(id)),
          createdAt: Number(createdAt),
          ratings: ratingsOf(found),
        }));
        clearStaged.run();
        return { added: Number(added), already: Number(already), notes: rated };
      }),
    isAdmitted: (account: string): boolean => admitted.get([account]) !== undefined,
    admit: (account: string, now: number): void =>
      void db.write('admit-writer', () => admit.run([account, now])),
  };
}
