import { LISTS } from '#contract/relations/lists.ts';
import type { Condition } from '#core/query/ast.ts';
import type { Route } from '#server/http/serve.ts';
import { oneStep, type Steps } from '#server/index/steps.ts';
import type { StoredList } from '#server/posts/store/lists.ts';
import { memberKind } from '#server/posts/store/relation-changes.ts';
import { MOST_MEMBERS } from '#server/posts/index/source.ts';
import { ownId, type RelationDeps } from '#server/users/acting.ts';
import { listOrError, listsJson, listsOf, relatedListPage } from '#server/users/list-pages.ts';
import { timelinePage } from '#server/users/post-pages.ts';
import { nothing, reader, userReader, type Reading } from '#server/users/reading.ts';
import { userPageOf } from '#server/users/user-pages.ts';
import { listWrites } from './writes.ts';
import type { RelationKind, Side } from '#server/posts/store/relation-kinds.ts';

/** An account pins only a few lists, which come in one answer. */
const MOST_PINNED = 100;

/** Reads lists, their members, followers and Posts, and the lists of a user. */
export function lists(deps: RelationDeps): Route[] {
  const { http } = deps;
  const [read, ofUser] = [reader(deps), userReader(deps)];
  type ListCall = Parameters<typeof ofUser>[0];
  /** Answers a request about a list, or why it cannot be shown. */
  const ofList = (call: ListCall, rule: (reading: Reading, list: StoredList) => Steps<object>) =>
    read(call, function* (reading) {
      const list = listOrError(reading, call.params.id);
      return 'title' in list ? nothing(list) : yield* rule(reading, list);
    });
  const related = (
    endpoint: typeof LISTS.followed | typeof LISTS.memberships,
    kind: RelationKind,
    side: Side,
  ) =>
    http.serve(endpoint, (call) =>
      ofUser(call, (reading, of) => relatedListPage(reading, { kind, side, of }, call.query)),
    );

  return [
    http.serve(LISTS.owned, (call) =>
      ofUser(call, (reading, id) => listsOf(reading, id, call.query)),
    ),
    related(LISTS.followed, 'subscription', 'source'),
    related(LISTS.memberships, 'member', 'target'),
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
      ofList(call, (reading, list) => {
        const members = { kind: memberKind(list), side: 'source', of: list.id } as const;
        return userPageOf(reading, members, call.query);
      }),
    ),
    http.serve(LISTS.followers, (call) =>
      ofList(call, (reading, list) => {
        const followers = { kind: 'subscription', side: 'target', of: list.id } as const;
        return userPageOf(reading, followers, call.query);
      }),
    ),
    http.serve(LISTS.posts, (call) =>
      ofList(call, (reading, list) => {
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
        const of = ['posts of list', String(list.id)];
        return timelinePage(reading, by, { call, of, hasEnds: false });
      }),
    ),
    ...listWrites(deps),
  ];
}
