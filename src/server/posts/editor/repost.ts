import type { IndexablePost } from '#core/text/post.ts';
import { termsOf } from '#core/text/terms.ts';
import type { Author } from './compose.ts';
import { allFacts, factsOf } from '#server/posts/json/facts.ts';
import type { NewPost, PostRow } from '#server/posts/store/post-table.ts';

/** A Post to repost, with the username of its author as far as known. */
export interface Original {
  readonly row: PostRow;
  readonly username: string | null;
}

/**
 * Makes the Post by which an account reposts another Post. Its text is the original's after `RT @username: `
 * (platform-facts-additions, section 3), and search, counts and references take it as a repost.
 *
 * @param now - Its time, epoch ms.
 */
export function composeRepost(
  author: Author,
  { row, username: name }: Original,
  id: bigint,
  now: number,
): NewPost {
  const { hasMedia, hasImages, hasVideo } = allFacts(row);
  const { id: authorId, username, isVerified = false } = author;
  const { lang } = row;
  const text = `RT ${name === null ? '' : `@${name}`}: ${row.text}`;
  const post: IndexablePost = {
    text,
    username,
    authorId,
    isVerified,
    conversationId: String(id),
    isRetweet: true,
    repostOfId: String(row.id),
    ...(lang !== null && { lang }),
    ...(name !== null && { repostOfUsername: name }),
    ...(row.authorId !== null && { repostOfUserId: row.authorId }),
    ...(hasMedia !== undefined && { hasMedia }),
    ...(hasImages === true && { hasImages }),
    ...(hasVideo === true && { hasVideo }),
  };
  const rest = JSON.stringify({
    conversation_id: post.conversationId,
    referenced_tweets: [{ type: 'retweeted', id: post.repostOfId }],
  });
  const columns = { authorId, username, text, lang, rest };
  return { id, createdAt: now, ...columns, facts: factsOf(post, columns), terms: termsOf(post) };
}
