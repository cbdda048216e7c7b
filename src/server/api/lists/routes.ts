import { LISTS } from '#contract/relations/lists.ts';
import type { Condition } from '#core/query/ast.ts';
import type { Route } from '#server/http/serve.ts';
import { readId } from '#core/import/id.ts';
import { oneStep } from '#server/index/steps.ts';
import { memberKind } from '#server/posts/store/relation-changes.ts';
import type { RelationKind, Side } from '#server/posts/store/relations.ts';
import { MOST_MEMBERS } from '#server/posts/index/source.ts';
import { ownId, type RelationDeps } from '#server/users/acting.ts';
import { listOrError, listsJson, listsOf, relatedListPage } from '#server/users/list-pages.ts';
import { timelinePage } from '#server/users/post-pages.ts';
import { nothing, reader, whyHidden } from '#server/users/reading.ts';
import { userPageOf } from '#server/users/user-pages.ts';
import { listWrites } from './writes.ts';

/** An account pins only a few lists, which come in one answer. */
const MOST_PINNED = 100;

/** Reads lists, their members, followers and Posts, and the lists of a user. */
export function lists(deps: RelationDeps): Route[] {
  const { http } = deps;
  const read = reader(deps);
  const ofUser = (
    endpoint: typeof LISTS.followed | typeof LISTS.memberships,
    kind: RelationKind,
    side: Side,
  ) =>
    http.serve(endpoint, (call) =>
      read(call, function* (reading) {
        const hidden = whyHidden(reading, call.params.id);
        if (hidden) return nothing(hidden);
        const of = readId(call.params.id) ?? 0n;
        return yield* relatedListPage(reading, { kind, side, of }, call.query);
      }),
    );

  return [
    http.serve(LISTS.owned, (call) =>
      read(call, function* (reading) {
        const hidden = whyHidden(reading, call.params.id);
        if (hidden) return nothing(hidden);
        return yield* listsOf(reading, readId(call.params.id) ?? 0n, call.query);
      }),
    ),
    ofUser(LISTS.followed, 'subscription', 'source'),
    ofUser(LISTS.memberships, 'member', 'target'),
    http.serve(LISTS.pinned, (call) => {
      const of = ownId(call.caller, call.params.id);
      return read(call, function* (reading) {
        const pins = { kind: 'pin', side: 'source', of } as const;
        const request = { ...call.query, max_results: MOST_PINNED };
        return yield* relatedListPage(reading, pins, request);
      });
    }),
    http.serve(LISTS.one, (call) =>
      read(call, (reading) =>
        oneStep(() => {
          const list = listOrError(reading, call.params.id);
          if ('title' in list) return { errors: [list] };
          const { data, ...others } = listsJson(reading, [list], call.query);
          return { data: data[0], ...others };
        }),
      ),
    ),
    http.serve(LISTS.members, (call) =>
      read(call, function* (reading) {
        const list = listOrError(reading, call.params.id);
        if ('title' in list) return nothing(list);
        const members = { kind: memberKind(list), side: 'source', of: list.id } as const;
        return yield* userPageOf(reading, members, call.query);
      }),
    ),
    http.serve(LISTS.followers, (call) =>
      read(call, function* (reading) {
        const list = listOrError(reading, call.params.id);
        if ('title' in list) return nothing(list);
        const followers = { kind: 'subscription', side: 'target', of: list.id } as const;
        return yield* userPageOf(reading, followers, call.query);
      }),
    ),
    http.serve(LISTS.posts, (call) =>
      read(call, function* (reading) {
        const list = listOrError(reading, call.params.id);
        if ('title' in list) return nothing(list);
        const members = reading.state.relations.page(
          memberKind(list),
          'source',
          list.id,
          'older',
          null,
          MOST_MEMBERS,
        );
        const by: Condition = {
          kind: 'any',
          of: members.map(({ id }): Condition => ({ kind: 'term', term: `from:${id}` })),
        };
        const { query: request, texts } = call;
        const timeline = { request, texts, of: ['posts of list', String(list.id)], hasEnds: false };
        return yield* timelinePage(reading, by, timeline);
      }),
    ),
    ...listWrites(deps),
  ];
}
