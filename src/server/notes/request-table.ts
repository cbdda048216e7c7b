import type { Direction } from '#server/posts/relations.ts';
import type { Cell, Db } from '#server/db/driver.ts';

/** A Post that notes were requested for. */
export interface RequestedPost {
  readonly post: bigint;
  /** When the Post was written, epoch ms. */
  readonly createdAt: number;
}

/** What requests for a note suggest. */
export interface Suggestion {
  readonly id: string;
  readonly link: string | null;
  readonly text: string | null;
}

/** Requests for notes. Changes are durable when a method returns. */
export interface RequestTable {
  /** Adds a request for each of some Posts. */
  add(
    posts: readonly RequestedPost[],
    suggestion: { readonly link: string | null; readonly text: string | null },
    now: number,
  ): void;
  /**
   * Posts that notes were requested for, nearest first: older ones than `from`, or newer ones.
   *
   * @param size - Ends with the newest so many Posts; null for no end.
   */
  page(
    direction: Direction,
    from: RequestedPost | null,
    limit: number,
    size: number | null,
  ): RequestedPost[];
  /** The newest suggestions for a Post, oldest first, at most {@link MOST_SUGGESTIONS}. */
  suggestions(post: bigint): Suggestion[];
  /** Links that were suggested for a Post, those that were suggested most often first, at most {@link MOST_SUGGESTIONS}. */
  links(post: bigint): { readonly url: string; readonly count: number }[];
}

/** Most suggestions of a Post that an answer shows. */
const MOST_SUGGESTIONS = 100;

function postOf([post, createdAt]: readonly Cell[]): RequestedPost {
  return { post: BigInt(String(post)), createdAt: Number(createdAt) };
}

const textOf = (cell: Cell | undefined): string | null => (typeof cell === 'string' ? cell : null);

export function requestTable(db: Db): RequestTable {
  const COLUMNS = 'CAST(post AS TEXT), created_at';
  const older = db.prepare(
    `SELECT ${COLUMNS} FROM requested_post WHERE (created_at, post) < (?, ?) AND (created_at, post) >= (?, ?)
     ORDER BY created_at DESC, post DESC LIMIT ?`,
  );
  const newer = db.prepare(
    `SELECT ${COLUMNS} FROM requested_post WHERE (created_at, post) > (?, ?) ORDER BY created_at, post LIMIT ?`,
  );
  const nth = db.prepare(
    `SELECT ${COLUMNS} FROM requested_post ORDER BY created_at DESC, post DESC LIMIT 1 OFFSET ?`,
  );
  const addPost = db.prepare('INSERT OR IGNORE INTO requested_post VALUES (?, ?)');
  const addRequest = db.prepare(
    'INSERT INTO note_request (post, link, suggestion, requested_at) VALUES (?, ?, ?, ?)',
  );
  const suggestions = db.prepare(
    `SELECT id, link, suggestion FROM note_request
     WHERE post = ? AND (link IS NOT NULL OR suggestion IS NOT NULL) ORDER BY id DESC LIMIT ${MOST_SUGGESTIONS}`,
  );
  const links = db.prepare(
    `SELECT link, count(*) FROM note_request WHERE post = ? AND link IS NOT NULL
     GROUP BY link ORDER BY count(*) DESC, link LIMIT ${MOST_SUGGESTIONS}`,
  );
  const LAST = 2n ** 63n - 1n;
  return {
    add: (posts, { link, text }, now) =>
      db.write('request-notes', () => {
        for (const { post, createdAt } of posts) {
          addPost.run([post, createdAt]);
          addRequest.run([post, link, text, now]);
        }
      }),
    page: (direction, from, limit, size) => {
      if (direction === 'newer') {
        return from ? newer.all([from.createdAt, from.post, limit]).map(postOf) : [];
      }
      const end = size === null ? undefined : nth.get([size - 1]);
      const { createdAt, post } = from ?? { createdAt: LAST, post: LAST };
      const last = end ? postOf(end) : { createdAt: -LAST, post: 0n };
      return older.all([createdAt, post, last.createdAt, last.post, limit]).map(postOf);
    },
    suggestions: (post) =>
      suggestions
        .all([post])
        .map(([id, link, text]) => ({ id: String(id), link: textOf(link), text: textOf(text) }))
        .reverse(),
    links: (post) => links.all([post]).map(([url, n]) => ({ url: String(url), count: Number(n) })),
  };
}
