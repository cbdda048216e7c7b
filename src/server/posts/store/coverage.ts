import { ceilTo, floorTo } from '#core/time/bucket.ts';
import { ALL_TIME, union, without, type Span } from '#core/time/span.ts';
import type { Db } from '#server/db/driver.ts';

/** Number of no collection, for what Posts outside all collections cover. */
export const NO_COLLECTION = 0;

/** A time that a collection covers; an end of Infinity means now. */
export interface CoveredPart extends Span {
  readonly collection: number;
}

/**
 * The times that a store has data for: the union of what those of its collections cover that count.
 *
 * @param counts - Whether the Posts of a collection count.
 * @returns Whole minutes, ascending, disjoint; an end of Infinity means now.
 */
export function coverageOf(
  parts: readonly CoveredPart[],
  counts: (collection: number) => boolean,
): Span[] {
  return union(
    parts.filter(({ collection }) => collection === NO_COLLECTION || counts(collection)),
  );
}

/** The whole minutes that contain a span. */
function wholeMinutes({ start, end }: Span): Span {
  return {
    start: floorTo(start, 'minute'),
    end: end === Infinity ? Infinity : ceilTo(end, 'minute'),
  };
}

/** The times that a collection covers either before or after a change, as spans that a store can report. */
export function coverageChange(before: readonly Span[], after: readonly Span[]): Span[] {
  return union([...without(after, before), ...without(before, after)]).map(({ start, end }) => ({
    start,
    end: Math.min(end, ALL_TIME.end),
  }));
}

/** A Post that was created through the interface. */
interface CreatedPost {
  readonly id: bigint;
  /** Epoch ms. */
  readonly createdAt: number;
}

/** The time that a collection covers because a Post was created in it. */
export function coveredSince(collection: number, createdAt: number): CoveredPart {
  return { collection, start: floorTo(createdAt, 'minute'), end: Infinity };
}

/** The parts after a collection covers more, disjoint. */
export function extended(
  parts: readonly CoveredPart[],
  collection: number,
  spans: readonly Span[],
): CoveredPart[] {
  const own = parts.filter((part) => part.collection === collection);
  return [
    ...parts.filter((part) => part.collection !== collection),
    ...union([...own, ...spans.map(wholeMinutes)]).map((span) => ({ collection, ...span })),
  ];
}

/**
 * The times that the collections of a file cover. Functions that change it run within write transactions, and return
 * where that changed.
 */
export function coverageTable(db: Db) {
  const closed = db.prepare('SELECT collection, start, "end" FROM covered');
  const open = db.prepare(
    `SELECT c.id, (SELECT min(created_at) FROM posted WHERE collection = c.id)
     FROM (SELECT id FROM collection UNION ALL SELECT ${NO_COLLECTION}) AS c`,
  );
  const closedOf = db.prepare('SELECT start, "end" FROM covered WHERE collection = ?');
  const openOf = db.prepare('SELECT min(created_at) FROM posted WHERE collection = ?');
  const insert = db.prepare('INSERT INTO covered (collection, start, "end") VALUES (?, ?, ?)');
  const clear = db.prepare('DELETE FROM covered WHERE collection = ?');
  const clearOne = db.prepare('DELETE FROM covered WHERE collection = ? AND start = ?');
  const create = db.prepare(
    'INSERT OR IGNORE INTO posted (collection, created_at, id) VALUES (?, ?, ?)',
  );
  const remove = db.prepare(
    'DELETE FROM posted WHERE collection = ? AND created_at = ? AND id = ?',
  );
  const first = db.prepare(
    'SELECT collection, created_at, id FROM posted ORDER BY created_at LIMIT ?',
    'exact',
  );
  const clearPosted = db.prepare('DELETE FROM posted WHERE collection = ?');
  const closedIn = (collection: number): Span[] =>
    closedOf.all([collection]).map(([start, end]) => ({ start: Number(start), end: Number(end) }));
  const openFrom = (collection: number, createdAt: unknown): CoveredPart[] =>
    typeof createdAt === 'number' ? [coveredSince(collection, createdAt)] : [];
  const firstIn = (collection: number): unknown => openOf.get([collection])?.[0];
  const withOpen = (collection: number, closed: readonly Span[], createdAt: unknown): Span[] =>
    union([...closed, ...openFrom(collection, createdAt)]);
  const of = (collection: number): Span[] =>
    withOpen(collection, closedIn(collection), firstIn(collection));
  const imported = (): CoveredPart[] =>
    closed.all().map(([collection, start, end]) => ({
      collection: Number(collection),
      start: Number(start),
      end: Number(end),
    }));
  const changed =
    (work: (collection: number, post: CreatedPost) => void) =>
    (collections: readonly number[], post: CreatedPost): Span[] =>
      union(
        (collections.length === 0 ? [NO_COLLECTION] : collections).flatMap((collection) => {
          const before = firstIn(collection);
          work(collection, post);
          // Nearly every Post is after the first one, and changes nothing.
          if (typeof before === 'number' && post.createdAt > before) return [];
          const after = firstIn(collection);
          if (before === after) return [];
          const closed = closedIn(collection);
          return coverageChange(
            withOpen(collection, closed, before),
            withOpen(collection, closed, after),
          );
        }),
      );
  return {
    /** The times that imports cover, in any order. */
    imported,
    /** The first Posts that were created, at most `limit`. */
    firstCreated: (limit: number): (CreatedPost & { readonly collection: number })[] =>
      first.all([limit]).map(([collection, createdAt, id]) => ({
        collection: Number(collection),
        createdAt: Number(createdAt),
        id: id as bigint,
      })),
    /** The times that all collections cover, in any order. */
    parts: (): CoveredPart[] => [
      ...imported(),
      ...open.all().flatMap(([id, createdAt]) => openFrom(Number(id), createdAt)),
    ],
    /** The times that a collection covers, ascending, disjoint. */
    of,
    /** Makes a collection cover more. */
    extend: (collection: number, spans: readonly Span[]): Span[] => {
      const before = closedIn(collection);
      const after = union([...before, ...spans.map(wholeMinutes)]);
      const change = coverageChange(before, after);
      if (change.length === 0) return [];
      // An import extends one span again and again, whatever others there are.
      const isIn = (spans: readonly Span[]) => {
        const ends = new Map(spans.map(({ start, end }) => [start, end]));
        return (span: Span): boolean => ends.get(span.start) === span.end;
      };
      const [was, stays] = [isIn(before), isIn(after)];
      for (const span of before) if (!stays(span)) clearOne.run([collection, span.start]);
      for (const span of after) if (!was(span)) insert.run([collection, span.start, span.end]);
      return change;
    },
    /** Records that a Post was created, from which on its collections cover everything. */
    created: changed((collection, { id, createdAt }) => create.run([collection, createdAt, id])),
    /** Records that a Post was removed: nothing for one that was not created here. */
    removed: changed((collection, { id, createdAt }) => remove.run([collection, createdAt, id])),
    /** Forgets a collection. */
    drop: (collection: number): void => {
      clear.run([collection]);
      clearPosted.run([collection]);
    },
  };
}
