import type { Db } from '#server/db/driver.ts';
import { object } from '#core/import/json.ts';
import { answerTable, type AnsweredPost } from '#server/posts/json/answers.ts';
import { wholeText } from '#server/posts/json/facts.ts';
import { postMedia } from '#server/posts/editor/post-media.ts';
import type { StoredObject } from './object-table.ts';
import { postTable, type NewPost, type PostRow } from './post-table.ts';
import { recount } from './revision.ts';
import { versionTable } from './versions.ts';
import { postChanges } from '#server/posts/editor/post-changes.ts';

/** A Post that was removed, with its whole text. */
export type RemovedPost = Pick<PostRow, 'id' | 'text' | 'authorId' | 'createdAt'>;

/** The Posts and media that a deletion removed. */
export interface RemovedPosts {
  /** Versions and reposts, by their ids; none if there is no such Post. */
  readonly posts: readonly RemovedPost[];
  /** False if only some of the reposts are removed, and the next call continues. */
  readonly isWhole: boolean;
  /** Keys of uploaded media that no Post has any more. */
  readonly media: readonly string[];
}

/** Most reposts that one transaction removes: other writers wait for some 40 ms. */
const MOST_REPOSTS = 256;

export function removedPost(row: PostRow): RemovedPost {
  const { id, authorId, createdAt } = row;
  return { id, text: wholeText(row), authorId, createdAt };
}

/** Ids of the polls of a Post. */
function pollIds({ rest }: Pick<PostRow, 'rest'>): string[] {
  const fields = rest === null ? null : object(JSON.parse(rest));
  const ids = object(fields?.attachments)?.poll_ids;
  return Array.isArray(ids) ? ids.map(String) : [];
}

/**
 * Changes of Posts with all that belongs to them: versions, references, polls. Each is one transaction or part of a
 * surrounding one, like those of `PostChanges`.
 *
 * Changes over a connection that the caller closes.
 */
export function versionChanges(db: Db) {
  const posts = postChanges(db);
  const table = postTable(db);
  const versions = versionTable(db);
  const answers = answerTable(db);
  const media = postMedia(db);
  const countPostAgain = recount(db);
  /** Posts have another number of replies. */
  const countAgain = (list: readonly AnsweredPost[]): void => {
    for (const { kind, target } of list) {
      if (kind === 'reply') countPostAgain(versions.of(target).at(-1) ?? target);
    }
  };
  return {
    /** Adds what a new Post refers to. */
    answer: (post: bigint, author: string, list: readonly AnsweredPost[]): void =>
      db.write('answer', () => {
        answers.add(post, author, list);
        countAgain(list);
      }),
    /** Adds or replaces objects that Posts refer to. */
    putObjects: (objects: readonly StoredObject[]): void =>
      db.write('objects', () => table.putObjects(objects)),
    /**
     * Replaces the newest version of a Post by another one, which takes over its references.
     *
     * @returns False, without a change, if `previous` does not exist, or is not the newest version.
     * @throws {@link PostExistsError} if a Post with the new one's id exists.
     */
    edit: (previous: bigint, post: NewPost): boolean =>
      db.write('edit', () => {
        if (!posts.edit(previous, post)) return false;
        versions.add(previous, post.id);
        answers.move(previous, post.id);
        return true;
      }),
    /**
     * Removes all versions of a Post, given by any of them, their reposts, their poll, their media and what they refer
     * to. Replies and quotes of others stay, and copies of the text that name no original.
     *
     * Of a Post with more than {@link MOST_REPOSTS}, it removes the oldest ones only, as if they had been undone.
     */
    remove: (id: bigint): RemovedPosts =>
      db.write('delete', () => {
        const chain = versions.of(id);
        if (table.existing(chain).size === 0) return { posts: [], isWhole: true, media: [] };
        const reposts = chain.flatMap((each) => table.repostsOf(each, MOST_REPOSTS + 1));
        const isWhole = reposts.length <= MOST_REPOSTS;
        const ids = isWhole ? [...chain, ...reposts] : reposts.slice(0, MOST_REPOSTS);
        const rows = posts.removeAll(ids).sort((a, b) => (a.id < b.id ? -1 : 1));
        for (const row of rows) {
          const answered = answers.of(row.id);
          answers.remove(row.id);
          countAgain(answered);
          for (const key of pollIds(row)) table.removeObject('polls', key);
        }
        if (isWhole) versions.remove(id);
        return { posts: rows.map(removedPost), isWhole, media: media.release(rows) };
      }),
  };
}
