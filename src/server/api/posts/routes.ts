import type { Context } from 'hono';
import { POST_LOOKUP, POSTS, type CreateAnswer, type DeleteAnswer } from '#contract/posts/posts.ts';
import { ofSource, type SourceId } from '#contract/counts/source.ts';
import { currentSource, openedSource } from '#server/http/current-source.ts';
import type { Account } from '#server/auth/account-table.ts';
import type { ServiceContext } from '#server/context.ts';
import type { Route } from '#server/http/serve.ts';
import type { PostFinder } from '#server/posts/index/source.ts';
import { peopleOf } from '#server/users/people.ts';
import type { Poster } from './answered.ts';
import { lookUp, type LookedUp } from './lookup.ts';
import type { Caller } from '#server/auth/caller.ts';
import type { CreateRequest } from '#contract/posts/create-request.ts';

/**
 * `GET /2/tweets` and `GET /2/tweets/{id}` show Posts of Your posts and of the sample, `POST /2/tweets` creates a
 * Post in Your posts, `DELETE /2/tweets/{id}` deletes one.
 */
export function posts({ http, source, cluster, service, posting, now }: ServiceContext): Route[] {
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
    const check = (finder: PostFinder) => posting.check(caller, body, people(finder));
    return people((await cluster.read(check)).finder);
  };
  const writes = [
    http.serve(POSTS.create, async ({ caller, body, charges }): Promise<CreateAnswer> => {
      // The next count refreshes the index, for all Posts since the last one.
      const created = await posting.create(caller, body, await known(caller, body), charges);
      const { id, text, versions } = created;
      return { data: { id: String(id), text, edit_history_tweet_ids: versions.map(String) } };
    }),
    http.serve(POSTS.delete, async ({ caller, params, charges }): Promise<DeleteAnswer> => {
      await posting.remove(caller.user, params.id, charges);
      return { data: { deleted: true } };
    }),
  ];
  return [...lookups, ...writes];
}
