import type { Context } from 'hono';
import { COLLECTIONS } from '#contract/posts/collections.ts';
import { invalidRequest, plainProblem } from '#contract/fault.ts';
import { formatInstant } from '#contract/instant.ts';
import type { Condition } from '#core/query/ast.ts';
import type { StoreKnowledge } from '#core/query/condition.ts';
import { message } from '#core/query/message.ts';
import { parse } from '#core/query/parse.ts';
import { knownCondition } from '#server/http/known-condition.ts';
import { spanBetween } from '#server/http/span-between.ts';
import { currentSource } from '#server/http/current-source.ts';
import { clientGone } from '#server/http/errors.ts';
import { setStore } from '#server/http/headers.ts';
import type { Route } from '#server/http/serve.ts';
import type { PostChange } from '#server/posts/editor/changes.ts';
import { CollectionError, RESTORABLE_MS } from '#server/posts/store/collections.ts';
import { evaluated } from '#server/posts/index/evaluation.ts';
import { hiddenTerms } from '#server/posts/index/hidden-posts.ts';
import { hiddenFrom } from '#server/users/hidden.ts';
import type { ServiceContext } from '#server/context.ts';
import { collectionInfos, removedInfos } from './info.ts';

/** The condition that a query means; every Post without one. @throws {@link Fault} 400 if it is wrong. */
function wantedBy(query: string | undefined, known: StoreKnowledge): Condition {
  if (query === undefined) return { kind: 'all', of: [] };
  const parsed = parse(query, { own: true });
  if (!parsed.ok) throw invalidRequest('query', query, message(parsed.diagnostics));
  return knownCondition(parsed.ast, query, known);
}

/** The condition without what a reader may not read of users. */
function withoutUsers(of: Condition, users: readonly string[]): Condition {
  if (users.length === 0) return of;
  const theirs = hiddenTerms(users).map((term): Condition => ({ kind: 'term', term }));
  return { kind: 'all', of: [of, { kind: 'not', of: { kind: 'any', of: theirs } }] };
}

/** `/collections`: lists the collections of Your posts, renames them, switches them in and out and removes them. */
export function collections({
  http,
  source,
  service,
  editor,
  slices,
  now,
}: ServiceContext): Route[] {
  const open = (c: Context) => () => currentSource(c, source, 'posts');
  const change = async (...changes: readonly PostChange[]): Promise<void> => {
    try {
      await editor.write(...changes);
    } catch (error) {
      if (error instanceof CollectionError) throw plainProblem(409, 'Conflict', error.message);
      throw error;
    }
  };
  return [
    http.serve(COLLECTIONS.list, async ({ c }) => {
      const { signal } = c.req.raw;
      const found = await evaluated(
        open(c),
        function* ({ collections }, due) {
          return { filled: yield* collections.filled(due), removed: collections.removed };
        },
        slices,
        signal,
      );
      if (!found) return clientGone();
      setStore(c, found);
      const { filled, removed } = found.result;
      return { collections: collectionInfos(filled), removed: removedInfos(removed, now()) };
    }),
    http.serve(COLLECTIONS.added, async ({ c, caller, params: { id }, query, texts }) => {
      const span = spanBetween(query, texts);
      const { signal } = c.req.raw;
      const found = await evaluated(
        open(c),
        (state, due) => {
          const hidden = hiddenFrom(caller.user, 'posts', service, state);
          const wanted = withoutUsers(wantedBy(query.query, state), hidden);
          return state.collections.alone(Number(id), wanted, span, due);
        },
        slices,
        signal,
      );
      if (!found) return clientGone();
      setStore(c, found);
      return { posts: found.result };
    }),
    http.serve(COLLECTIONS.change, async ({ params, body: { name, included } }) => {
      const id = Number(params.id);
      const changes: PostChange[] = [
        ...(name === undefined
          ? []
          : [{ what: 'renameCollection' as const, of: [id, name] as [number, string] }]),
        ...(included === undefined
          ? []
          : [{ what: 'includeCollection' as const, of: [id, included] as [number, boolean] }]),
      ];
      if (changes.length > 0) await change(...changes);
      return { changed: changes.length > 0 };
    }),
    http.serve(COLLECTIONS.remove, async ({ params }) => {
      const at = now();
      await change({ what: 'removeCollection', of: [Number(params.id), at] });
      return { deleted: true, restorable_until: formatInstant(at + RESTORABLE_MS) };
    }),
    http.serve(COLLECTIONS.restore, async ({ params }) => {
      await change({ what: 'restoreCollection', of: [Number(params.id)] });
      return { restored: true };
    }),
  ];
}
