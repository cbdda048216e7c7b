import { REPOSTS, type RepostAnswer, type UnrepostAnswer } from '#contract/relations/reposts.ts';
import type { Route } from '#server/http/serve.ts';
import { readId } from '#core/import/id.ts';
import { digits } from '#core/import/json.ts';
import { PostIds } from '#server/posts/editor/compose.ts';
import {
  authorName,
  isVerified,
  readJson,
  references,
  type FoundPost,
} from '#server/posts/json/post-json.ts';
import { composeRepost } from '#server/posts/editor/repost.ts';
import type { PostFinder } from '#server/posts/index/source.ts';
import {
  change,
  finderOf,
  knownPost,
  notPermitted,
  ownId,
  type RelationDeps,
} from '#server/users/acting.ts';
import { postReader } from '#server/users/reading.ts';
import { userPageOf } from '#server/users/user-pages.ts';
import { PostExistsError } from '#server/posts/editor/post-changes.ts';

/** The Post to repost: of a repost, the original. */
function originalOf(finder: PostFinder, value: string): FoundPost {
  const post = knownPost(finder, value, 'tweet_id');
  const reposted = references(post).find(({ type }) => type === 'retweeted');
  const id = digits(reposted?.id);
  return id === undefined ? post : knownPost(finder, id, 'tweet_id');
}

/** Reads who reposted a Post; reposts and undoes it. */
export function reposts(deps: RelationDeps): Route[] {
  const { http, now } = deps;
  const ofPost = postReader(deps);
  const ids = new PostIds();
  return [
    http.serve(REPOSTS.users, (call) =>
      ofPost(call, (reading, of) =>
        userPageOf(reading, { kind: 'repost', side: 'target', of }, call.query),
      ),
    ),
    http.serve(REPOSTS.repost, async (call): Promise<RepostAnswer> => {
      const source = ownId(call.caller, call.params.id);
      const finder = finderOf(deps, call);
      const { row } = originalOf(finder, call.body.tweet_id);
      const author = row.authorId === null ? null : readJson(finder.object('users', row.authorId));
      if (author?.protected === true) {
        throw notPermitted('Posts of protected accounts can not be reposted.');
      }
      const { user } = call.caller;
      const reposter = { ...user, isVerified: isVerified(finder, user.id) };
      const original = { row, username: authorName(finder, row) };
      for (;;) {
        const at = now();
        const post = composeRepost(reposter, original, ids.next(at), at);
        try {
          const [id] = await change(deps, call, { what: 'repost', of: [source, row.id, post] });
          return { data: { id: String(id), retweeted: true } };
        } catch (error) {
          // Another Post has this id; try the next one.
          if (!(error instanceof PostExistsError)) throw error;
        }
      }
    }),
    http.serve(REPOSTS.unrepost, async (call): Promise<UnrepostAnswer> => {
      const source = ownId(call.caller, call.params.id);
      const post = readId(call.params.source_tweet_id);
      if (post !== null) await change(deps, call, { what: 'unrepost', of: [source, post] });
      return { data: { retweeted: false } };
    }),
  ];
}
