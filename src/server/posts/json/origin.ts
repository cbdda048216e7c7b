import { postUrl } from '#core/import/post-url.ts';
import { string } from '#core/import/json.ts';
import { POSTED_HERE } from '#server/posts/store/collections.ts';
import { collectionsOf } from '#server/posts/store/post-table.ts';
import type { PostOrigin } from '#contract/posts/search.ts';
import type { FoundPost } from './post-json.ts';

/** The author and the address of a Post, which the fields of the platform have no place for. */
export function postOrigin({ row, rest }: FoundPost): PostOrigin {
  const { id, createdAt, username } = row;
  const isImported = !collectionsOf(row).includes(POSTED_HERE);
  const url = string(rest.url) ?? (isImported ? postUrl(id, createdAt, username) : null);
  const name = string(rest.author_name);
  return {
    ...(url !== null && { url }),
    ...(name !== undefined && { name }),
    ...(username !== null && { username }),
  };
}
