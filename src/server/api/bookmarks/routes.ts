import { BOOKMARKS, type BookmarkAnswer } from '#contract/relations/bookmarks.ts';
import type { Route } from '#server/http/serve.ts';
import { ownId, relatePost, unrelate, type RelationDeps } from '#server/users/acting.ts';
import { relatedPosts } from '#server/users/post-pages.ts';
import { reader } from '#server/users/reading.ts';

/** Reads, adds and removes an account's bookmarks. */
export function bookmarks(deps: RelationDeps): Route[] {
  const { http } = deps;
  const read = reader(deps);
  return [
    http.serve(BOOKMARKS.list, (call) => {
      const of = ownId(call.caller, call.params.id);
      return read(call, (reading) =>
        relatedPosts(reading, { kind: 'bookmark', side: 'source', of }, call.query),
      );
    }),
    http.serve(BOOKMARKS.add, async (call): Promise<BookmarkAnswer> => {
      await relatePost(deps, call, 'bookmark');
      return { data: { bookmarked: true } };
    }),
    http.serve(BOOKMARKS.remove, async (call): Promise<BookmarkAnswer> => {
      const source = ownId(call.caller, call.params.id);
      await unrelate(deps, call, ['bookmark'], source, call.params.tweet_id);
      return { data: { bookmarked: false } };
    }),
  ];
}
