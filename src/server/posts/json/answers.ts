import type { Db } from '#server/db/driver.ts';

/** The Post to which a Post that was posted here refers: the one that it replies to, or quotes. */
export interface AnsweredPost {
  readonly kind: 'reply' | 'quote';
  readonly target: bigint;
}

/** Replies to a Post, and accounts that quoted it. */
export interface AnswerCounts {
  readonly replies: number;
  readonly quotes: number;
}

/** Replies and quotes that were posted here. */
export function answerTable(db: Db) {
  const counts = db.prepare(
    `SELECT count(*) FILTER (WHERE kind = 'reply'),
       count(DISTINCT CASE kind WHEN 'quote' THEN author END)
     FROM answer WHERE target IN (
       SELECT ? UNION SELECT b.post FROM version a JOIN version b ON b.first = a.first WHERE a.post = ?
     )`,
  );
  const of = db.prepare('SELECT kind, target, author FROM answer WHERE post = ?', 'exact');
  const add = db.prepare('INSERT INTO answer (post, kind, target, author) VALUES (?, ?, ?, ?)');
  const move = db.prepare('UPDATE answer SET post = ? WHERE post = ?');
  const remove = db.prepare('DELETE FROM answer WHERE post = ?');
  return {
    /** Counts for all versions of a Post together, given by any of them. */
    counts: (id: bigint): AnswerCounts => {
      const [replies, quotes] = counts.get([id, id]) ?? [];
      return { replies: Number(replies), quotes: Number(quotes) };
    },
    /** The Posts to which a Post that was posted here refers, with their authors. */
    of: (post: bigint): readonly (AnsweredPost & { readonly author: string })[] =>
      of.all([post]).map(([kind, target, author]) => ({
        kind: kind === 'quote' ? 'quote' : 'reply',
        target: target as bigint,
        author: String(author),
      })),
    /** Adds what a Post refers to, within a write transaction. */
    add: (post: bigint, author: string, answers: readonly AnsweredPost[]) => {
      for (const { kind, target } of answers) add.run([post, kind, target, author]);
    },
    /** Makes the references of a Post those of another one, within a write transaction. */
    move: (from: bigint, to: bigint): void => void move.run([to, from]),
    /** Removes what a Post refers to, within a write transaction. */
    remove: (post: bigint): void => void remove.run([post]),
  };
}
