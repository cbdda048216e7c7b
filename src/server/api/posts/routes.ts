import type { Context } from 'hono';
import { plainProblem } from '#contract/fault.ts';
import {
  POST_LOOKUP,
  POSTS,
  type CreateAnswer,
  type CreateRequest,
  type DeleteAnswer,
} from '#contract/posts/posts.ts';
import { ofSource, type SourceId } from '#contract/counts/source.ts';
import type { ClusterPosts } from '#server/cluster/posts.ts';
import { currentSource, openedSource, type FindSource } from '#server/http/current-source.ts';
import type { Service } from '#server/auth/store.ts';
import type { Account } from '#server/auth/account-table.ts';
import type { Caller } from '#server/auth/tokens.ts';
import type { Http, Route } from '#server/http/serve.ts';
import type { PostFinder } from '#server/posts/index/source.ts';
import { peopleOf } from '#server/users/people.ts';
import type { Poster } from './answered.ts';
import type { PostService } from './create-post.ts';
import { lookUp, type LookedUp } from './lookup.ts';

export interface PostsDeps {
  readonly http: Http;
  readonly source: FindSource;
  /** The cluster that holds Your posts; null if they are in a file. */
  readonly cluster: ClusterPosts | null;
  readonly service: Service;
  /** Null if Your posts is read-only. */
  readonly posting: PostService | null;
  /** Epoch ms. */
  readonly now: () => number;
}

/**
 * `GET /2/tweets` and `GET /2/tweets/{id}` show Posts of Your posts and of the sample, `POST /2/tweets` creates a
 * Post in Your posts, `DELETE /2/tweets/{id}` deletes one.
 */
export function posts({ http, source, cluster, service, posting, now }: PostsDeps): Route[] {
  const writing = (): PostService => {
    if (posting) return posting;
    throw plainProblem(404, 'Not Found', 'This service does not create or delete Posts.');
  };

  /** Looks up Posts as a caller sees them. */
  const found = async (
    c: Context,
    id: SourceId,
    { user }: Caller,
    look: (finder: PostFinder) => LookedUp,
  ): Promise<LookedUp> => {
    const people = peopleOf(id, service, user);
    if (!cluster || id !== 'posts') return look(people(currentSource(c, source, id).posts));
    return (await cluster.read((finder) => look(people(finder)))).result;
  };
  const lookups = (['posts', 'sample'] as const).flatMap((id) => [
    http.serve(ofSource(POST_LOOKUP.many, id), async ({ c, caller, query: { ids, selection } }) => {
      const { data, ...others } = await found(c, id, caller, (finder) =>
        lookUp(finder, ids, 'ids', selection, now()),
      );
      return { ...(data.length > 0 && { data }), ...others };
    }),
    http.serve(
      ofSource(POST_LOOKUP.one, id),
      async ({ c, caller, params, query: { selection } }) => {
        const { data, ...others } = await found(c, id, caller, (finder) =>
          lookUp(finder, [params.id], 'id', selection, now()),
        );
        return { ...(data[0] && { data: data[0] }), ...others };
      },
    ),
  ]);
  /** The Posts to which a new Post refers, as its author sees them. */
  const known = async (
    caller: Poster & { readonly user: Account },
    body: CreateRequest,
  ): Promise<PostFinder> => {
    const people = peopleOf('posts', service, caller.user);
    if (!cluster) return people(openedSource(source, 'posts').posts);
    const check = (finder: PostFinder) => writing().check(caller, body, people(finder));
    return people((await cluster.read(check)).finder);
  };
  const writes = [
    http.serve(POSTS.create, async ({ caller, body, charges }): Promise<CreateAnswer> => {
      // The next count refreshes the index, for all Posts since the last one.
      const created = await writing().create(caller, body, await known(caller, body), charges);
      const { id, text, versions } = created;
      return { data: { id: String(id), text, edit_history_tweet_ids: versions.map(String) } };
    }),
    http.serve(POSTS.delete, async ({ caller, params, charges }): Promise<DeleteAnswer> => {
      await writing().remove(caller.user, params.id, charges);
      return { data: { deleted: true } };
    }),
  ];
  return [...lookups, ...writes];
}
