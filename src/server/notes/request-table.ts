import type { RequestedNote, SuggestedLink } from '#core/notes/requested.ts';
import { LARGEST_INTEGER, textOrNull, type Cell, type Db } from '#server/db/driver.ts';
import { requestRemoval } from './request-removal.ts';
import type { Direction } from '#server/posts/store/relation-kinds.ts';

/** A Post that notes were requested for. */
export interface RequestedPost {
  readonly post: bigint;
  /** The time at which the Post was written, epoch ms. */
  readonly createdAt: number;
}

/** Requests of an imported file for a note on a Post. */
export interface ImportedRequest extends RequestedPost, RequestedNote {}

/** The suggestions of requests for a note. */
export interface Suggestion {
  readonly id: string;
  readonly link: string | null;
  readonly text: string | null;
}

/** Requests for notes. Changes are durable when a method returns. */
export type RequestTable = ReturnType<typeof requestTable>;

/** Most suggestions of a Post that an answer shows. */
const MOST_SUGGESTIONS = 100;

function postOf([post, createdAt]: readonly Cell[]): RequestedPost {
  return { post: BigInt(String(post)), createdAt: Number(createdAt) };
}

export function requestTable(db: Db) {
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
    `SELECT link, sum(n) FROM (
       SELECT link, count(*) AS n FROM note_request WHERE post = ?1 AND link IS NOT NULL GROUP BY link
       UNION ALL SELECT link, count FROM imported_request WHERE post = ?1 AND link <> ''
     ) GROUP BY link ORDER BY sum(n) DESC, link LIMIT ${MOST_SUGGESTIONS}`,
  );
  const addImported = db.prepare(
    `INSERT INTO imported_request VALUES (?, ?, ?)
     ON CONFLICT (post, link) DO UPDATE SET count = max(count, excluded.count)`,
  );
  const count = db.prepare('SELECT count(*) FROM requested_post');
  const requests = db.prepare(
    `SELECT (SELECT count(*) FROM note_request WHERE post = ?1) +
       coalesce((SELECT count FROM imported_request WHERE post = ?1 AND link = ''), 0)`,
  );
  return {
    ...requestRemoval(db),
    /** Adds a request for each of some Posts. */
    add: (
      posts: readonly RequestedPost[],
      { link, text }: { readonly link: string | null; readonly text: string | null },
      now: number,
    ): void =>
      db.write('request-notes', () => {
        for (const { post, createdAt } of posts) {
          addPost.run([post, createdAt]);
          addRequest.run([post, link, text, now]);
        }
      }),
    /** Adds the requests of a file. What an earlier file had is not added again: the higher count of the two remains. */
    addImported: (found: readonly ImportedRequest[]): void =>
      db.write('import-requests', () => {
        for (const { post, createdAt, count: all, links: suggested } of found) {
          addPost.run([post, createdAt]);
          addImported.run([post, '', all]);
          for (const link of suggested) addImported.run([post, link.url, link.count]);
        }
      }),
    /** The number of Posts for which notes were requested. */
    count: (): number => Number(count.get()?.[0]),
    /** The number of requests that a Post has. */
    requests: (post: bigint): number => Number(requests.get([post])?.[0]),
    /**
     * Posts that notes were requested for, nearest first: older ones than `from`, or newer ones.
     *
     * @param size - Ends with the newest so many Posts; null for no end.
     */
    page: (
      direction: Direction,
      from: RequestedPost | null,
      limit: number,
      size: number | null,
    ): RequestedPost[] => {
      if (direction === 'newer') {
        return from ? newer.all([from.createdAt, from.post, limit]).map(postOf) : [];
      }
      const end = size === null ? undefined : nth.get([size - 1]);
      const { createdAt, post } = from ?? { createdAt: LARGEST_INTEGER, post: LARGEST_INTEGER };
      const last = end ? postOf(end) : { createdAt: -LARGEST_INTEGER, post: 0n };
      return older.all([createdAt, post, last.createdAt, last.post, limit]).map(postOf);
    },
    /** The newest suggestions for a Post, oldest first, at most {@link MOST_SUGGESTIONS}. */
    suggestions: (post: bigint): Suggestion[] =>
      suggestions
        .all([post])
        .map(([id, link, text]) => ({
          id: String(id),
          link: textOrNull(link),
          text: textOrNull(text),
        }))
        .reverse(),
    /** Links that were suggested for a Post, those that were suggested most often first, at most {@link MOST_SUGGESTIONS}. */
    links: (post: bigint): SuggestedLink[] =>
      links.all([post]).map(([url, n]) => ({ url: String(url), count: Number(n) })),
  };
}
