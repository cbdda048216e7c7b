import { DAY_MS, SECOND_MS, union, type Span } from '#core/time/span.ts';
import { textOrNull, type Db } from '#server/db/driver.ts';
import { metaOf } from '#server/db/meta.ts';

/** Maximum number of spans per commit; spans with less than a day between them are joined. */
const SPANS_PER_COMMIT = 64;

/** Approximate maximum number of rows in `change`; beyond it, the older half is removed. */
const MAX_CHANGES = 4096;

/** Counting the rows takes longer than writing a few, so it happens once per this many revisions. */
const COUNTED_EVERY = 64;

/**
 * The fewest spans of whole seconds that contain all instants and are a day or more apart; if these are
 * too many, the nearest are joined.
 *
 * @param instants - Epoch ms, ascending.
 */
export function changedSpans(instants: ArrayLike<number>): Span[] {
  const spans: { start: number; end: number }[] = [];
  for (let i = 0; i < instants.length; i++) {
    const start = Math.floor(instants[i]! / SECOND_MS) * SECOND_MS;
    const before = spans.at(-1);
    if (before && start - before.end < DAY_MS) before.end = start + SECOND_MS;
    else spans.push({ start, end: start + SECOND_MS });
  }
  if (spans.length <= SPANS_PER_COMMIT) return spans;
  const gaps = spans.slice(1).map((span, i) => ({ at: i + 1, width: span.start - spans[i]!.end }));
  gaps.sort((a, b) => b.width - a.width);
  const cuts = gaps.slice(0, SPANS_PER_COMMIT - 1).map((gap) => gap.at);
  cuts.sort((a, b) => a - b);
  return [0, ...cuts].map((from, i) => ({
    start: spans[from]!.start,
    end: spans[(cuts[i] ?? spans.length) - 1]!.end,
  }));
}

/** Gives a revision its mark, within the write transaction that creates it. */
export function markRevision(db: Db): (revision: number) => void {
  const add = db.prepare(
    'INSERT INTO revision_mark (revision, mark) VALUES (?, lower(hex(randomblob(8))))',
  );
  return (revision) => void add.run([revision]);
}

/** Records, within a write transaction, that queries find a Post by other numbers. */
export function recount(db: Db): (post: bigint) => void {
  const { raise } = revisions(db);
  const createdAt = db.prepare('SELECT created_at FROM post WHERE id = ?');
  return (post) => {
    const row = createdAt.get([post]);
    if (row) raise(changedSpans([Number(row[0])]));
  };
}

export function revisions(db: Db) {
  const meta = metaOf(db);
  const add = db.prepare('INSERT INTO change (revision, t0, t1) VALUES (?, ?, ?)');
  const count = db.prepare('SELECT count(*) FROM change');
  const middle = db.prepare('SELECT revision FROM change ORDER BY revision LIMIT 1 OFFSET ?');
  const forget = db.prepare('DELETE FROM change WHERE revision <= ?');
  const addMark = markRevision(db);
  const markOf = db.prepare('SELECT mark FROM revision_mark WHERE revision = ?');
  const forgetMarks = db.prepare('DELETE FROM revision_mark WHERE revision < ?');
  const mark = (revision: number): string | null => textOrNull(markOf.get([revision])?.[0]);
  const between = db.prepare('SELECT t0, t1 FROM change WHERE revision > ? AND revision <= ?');
  return {
    current: (): number => meta.number('revision'),
    /** The random mark of a revision; null if it is no longer known, or not yet. */
    mark,
    /** Records, within a write transaction, that counts in the spans changed; returns the new revision. */
    raise: (spans: readonly Span[]): number => {
      const revision = meta.number('revision') + 1;
      meta.put('revision', revision);
      addMark(revision);
      for (const { start, end } of spans) add.run([revision, start, end]);
      if (revision % COUNTED_EVERY !== 0) return revision;
      if (Number(count.get()?.[0]) <= MAX_CHANGES) return revision;
      const last = Number(middle.get([MAX_CHANGES / 2])?.[0]);
      forget.run([last]);
      forgetMarks.run([last]);
      meta.put('forgotten', last);
      return revision;
    },
    /**
     * The spans that changed after `since` up to `until`; null if that is no longer known, or not yet, or the mark
     * is not that of `since`.
     */
    changes: (since: number, given: string | null, until: number): Span[] | null => {
      if (!Number.isInteger(since) || since > until) return null;
      return db.read(() => {
        if (since < meta.number('forgotten')) return null;
        if (given === null || given !== mark(since)) return null;
        const rows = between.all([since, until]);
        return union(rows.map((row) => ({ start: Number(row[0]), end: Number(row[1]) })));
      });
    },
  };
}
