import { BOOKMARKS, type BookmarkAnswer } from '#contract/relations/bookmarks.ts';
import type { Route } from '#server/http/serve.ts';
import { readId } from '#core/import/id.ts';
import { change, finderOf, knownPost, ownId, type RelationDeps } from '#server/users/acting.ts';
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
      const source = ownId(call.caller, call.params.id);
      const { row } = knownPost(finderOf(deps, call), call.body.tweet_id, 'tweet_id');
      await change(deps, call, { what: 'relate', of: ['bookmark', source, row.id] });
      return { data: { bookmarked: true } };
    }),
    http.serve(
      BOOKMARKS.remove,
      async ({ c, caller, params, charges }): Promise<BookmarkAnswer> => {
        const source = ownId(caller, params.id);
        const post = readId(params.tweet_id);
        if (post !== null)
          await change(deps, { c, charges }, { what: 'unrelate', of: ['bookmark', source, post] });
        return { data: { bookmarked: false } };
      },
    ),
  ];
}
