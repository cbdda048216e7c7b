import { collectionTerm } from '#core/text/collection.ts';
import type { IndexablePost, PostTerms } from '#core/text/post.ts';
import { termsOf } from '#core/text/terms.ts';
import { collectionsOf, type PostRow } from './post-table.ts';
import { readArchiveEntry } from '#core/import/archive.ts';
import type { Draft } from '#core/import/draft.ts';
import { Includes, type FindObject } from '#core/import/includes.ts';
import { object, objects, type Json } from '#core/import/json.ts';
import { readEntities, readV2Post } from '#core/import/v2.ts';
import { allFacts, columnFacts, MEDIA_BIT, restIsBare } from '#server/posts/json/facts.ts';

/**
 * Restores the properties of a stored Post that queries match, so that its terms can be computed from
 * its row.
 *
 * For every row that {@link factsOf} wrote facts for, `termsOf` of the result gives the terms that the
 * Post was added with. A row of a format before 3 with fields of a Post in `rest` has no facts; they
 * are read from `rest` as the import read them, and from the objects that Posts refer to. That gives
 * the same terms, except if
 * - an object came from another file or later: names in replies and reposts, and places, are those of
 *   the newest object, even if the Post's own answer included none;
 * - an archive's entry had no `entities` at all, or only one of its numbers of likes and reposts;
 * - a text has a NUL or half a surrogate pair, which no column can store.
 *
 * @param find - Returns the newest object by kind and key; used only for rows of older formats.
 * @throws {@link SyntaxError} or {@link TypeError} if `facts` or `rest` was not written by this
 *   program.
 */
export function storedPost(row: PostRow, find: FindObject): IndexablePost {
  if (row.facts !== null || row.rest === null || restIsBare(row.rest)) return allFacts(row);
  const rest = object(JSON.parse(row.rest));
  if (!rest) throw new TypeError(`expected an object in rest of Post ${row.id}, got ${row.rest}`);
  const archive = object(rest.archive);
  const draft = archive ? readArchived(row, rest, archive) : readPlain(row, rest, find);
  if (typeof draft === 'string') throw new TypeError(`Post ${row.id} ${draft}`);
  const { username: _, ...read } = draft.post;
  const post = { ...read, ...columnFacts(row), text: read.text };
  return (row.flags & MEDIA_BIT) === 0 ? post : { ...post, hasMedia: true };
}

/** Terms of a Post and of its collections. */
export function withCollectionTerms(collections: readonly number[], terms: PostTerms): PostTerms {
  return collections.length === 0
    ? terms
    : { ...terms, flags: [...terms.flags, ...collections.map(collectionTerm)] };
}

/** The terms by which a stored Post is counted. @throws As {@link storedPost}. */
export function storedTerms(row: PostRow, find: FindObject): PostTerms {
  return withCollectionTerms(collectionsOf(row), termsOf(storedPost(row, find)));
}

function readPlain(row: PostRow, rest: Json, find: FindObject): Draft | string {
  const { text, authorId, lang } = row;
  return readV2Post({ ...rest, text, author_id: authorId, lang }, new Includes(find), []);
}

/** An archive entry as it was, except that its entities are in the form of v2. */
function readArchived(row: PostRow, rest: Json, archive: Json): Draft | string {
  const metrics = object(rest.public_metrics);
  const draft = readArchiveEntry(
    {
      ...archive,
      full_text: row.text,
      lang: row.lang,
      user: { id_str: row.authorId, screen_name: row.username },
      in_reply_to_status_id_str: objects(rest.referenced_tweets)[0]?.id,
      in_reply_to_user_id_str: rest.in_reply_to_user_id,
      favorite_count: metrics?.like_count,
      retweet_count: metrics?.retweet_count,
    },
    null,
  );
  if (typeof draft === 'string') return draft;
  const post = { ...draft.post };
  readEntities(post, [object(rest.entities) ?? {}]);
  return { ...draft, post };
}
