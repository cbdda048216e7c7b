import type { Rating, Ratings } from '#core/notes/status.ts';
import type { Cell, Db } from '#server/db/driver.ts';

/** Equal ratings of a note at a time. */
export interface ImportedRating {
  readonly note: bigint;
  readonly rating: Rating;
  readonly count: number;
  /** Epoch ms; null if it is not known. */
  readonly at: number | null;
}

/** A note's ratings, and when it was written. */
export interface Rated {
  readonly ratings: Ratings;
  /** Epoch ms. */
  readonly createdAt: number;
}

/** The counts of a note's ratings, for {@link ratingsOf}. */
export const RATED = ['helpful', 'somewhat_helpful', 'not_helpful']
  .map(
    (
      rating,
    ) => `coalesce((SELECT count FROM note_rating WHERE note = id AND rating = '${rating}'), 0) +
      coalesce((SELECT sum(count) FROM imported_rating WHERE note = id AND rating = '${rating}'), 0)`,
  )
  .join(', ');

export function ratingsOf([helpful, somewhat, not]: readonly Cell[]): Ratings {
  return {
    helpful: Number(helpful),
    somewhat_helpful: Number(somewhat),
    not_helpful: Number(not),
  };
}

function ratedOf([createdAt, ...ratings]: readonly Cell[]): Rated {
  return { ratings: ratingsOf(ratings), createdAt: Number(createdAt) };
}

/** Ratings of notes. Changes are durable when a method returns. */
export function noteRatings(db: Db) {
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
  return {
    /** Adds ratings to a note. @returns All of its ratings; null if there is no such note, or if it is a test. */
    rate: (id: bigint, rating: Rating, count: number): Rated | null =>
      db.write('rate-note', () => {
        if (!isRated.get([id])) return null;
        rate.run([id, rating, count]);
        return ratedOf(ratings.get([id]) ?? []);
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
     * @param most - The number of the rated notes to return, by id.
     */
    finishRatings: (
      most: number,
    ): {
      readonly added: number;
      readonly already: number;
      readonly notes: readonly (Rated & { readonly id: bigint })[];
    } =>
      db.write('import-ratings', () => {
        const [added, already] = compareStaged.get() ?? [];
        mergeStaged.run();
        const notes = stagedNotes
          .all([most])
          .map(([id, ...rated]) => ({ id: BigInt(String(id)), ...ratedOf(rated) }));
        clearStaged.run();
        return { added: Number(added), already: Number(already), notes };
      }),
  };
}
