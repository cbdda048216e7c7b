import type { ListSelection } from '#contract/paging.ts';
import { formatInstant } from '#contract/instant.ts';
import { readPage, type Listing, type ListingRequest } from './listing.ts';
import { notFound, type PartialError } from '#server/posts/json/partial-error.ts';
import { readId } from '#core/import/id.ts';
import type { Json } from '#core/import/json.ts';
import { oneStep, type Steps } from '#server/index/steps.ts';
import type { StoredList } from '#server/posts/store/lists.ts';
import { readJson, someOf } from '#server/posts/json/post-json.ts';
import { memberKind } from '#server/posts/store/relation-changes.ts';
import { userJson } from '#server/posts/json/user-json.ts';
import type { Reading } from './reading.ts';
import { relationListing, relationScope, type RelationsOf } from './user-pages.ts';

/** True if the viewer may see a list: only its owner sees a private one. */
function isSeen({ finder }: Reading, list: StoredList | null): list is StoredList {
  return list !== null && (!list.private || String(list.owner) === finder.viewer);
}

/** The list of an id, or the error if there is none that the viewer may see. */
export function listOrError(reading: Reading, value: string): StoredList | PartialError {
  const id = readId(value);
  const list = id === null ? null : reading.state.lists.get(id);
  return isSeen(reading, list) ? list : notFound({ value, resource_type: 'list', parameter: 'id' });
}

function listJson({ state }: Reading, list: StoredList, fields: readonly string[]): Json {
  const { relations } = state;
  const { id, owner, createdAt } = list;
  const all: Json = {
    id: String(id),
    name: list.name,
    description: list.description,
    private: list.private,
    ...(createdAt !== null && { created_at: formatInstant(createdAt) }),
    ...(owner !== null && { owner_id: String(owner) }),
    ...(fields.includes('follower_count') && {
      follower_count: relations.count('subscription', 'target', id).total,
    }),
    ...(fields.includes('member_count') && {
      member_count: relations.count(memberKind(list), 'source', id).total,
    }),
  };
  return someOf(all, ['id', 'name'], fields);
}

/** The lists of an answer, and their owners if the request expands them. */
export function listsJson(
  reading: Reading,
  lists: readonly StoredList[],
  { 'list.fields': fields = [], 'user.fields': userFields = [], expansions = [] }: ListSelection,
): { data: Json[]; includes?: { users: Json[] } } {
  const { finder } = reading;
  const expanded = expansions.includes('owner_id');
  const shown = expanded ? [...fields, 'owner_id'] : fields;
  const data = lists.map((list) => listJson(reading, list, shown));
  if (!expanded) return { data };
  const owners = new Set(lists.flatMap(({ owner }) => (owner === null ? [] : [String(owner)])));
  const users = [...owners].flatMap((id) => {
    const user = readJson(finder.object('users', id));
    return user ? [userJson({ ...user, id }, userFields, finder)] : [];
  });
  return { data, ...(users.length > 0 && { includes: { users } }) };
}

type ListRequest = ListingRequest & ListSelection;

function* pageOf<E>(
  reading: Reading,
  listing: Listing<E, StoredList>,
  request: ListRequest,
  scope: { readonly of: readonly string[]; readonly key: Uint8Array },
): Steps<object> {
  const { shown, tokens } = yield* readPage(listing, request, scope);
  const meta = { result_count: shown.length, ...tokens };
  return shown.length > 0 ? { ...listsJson(reading, shown, request), meta } : { meta };
}

/** A page of the lists at the other ends of relations, without those that the viewer may not see. */
export function* relatedListPage(
  reading: Reading,
  relations: RelationsOf,
  request: ListRequest,
): Steps<object> {
  const { state } = reading;
  const listing = relationListing(state.relations, relations, (ids) =>
    ids.map((id) => {
      const list = state.lists.get(id);
      return isSeen(reading, list) ? list : null;
    }),
  );
  return yield* pageOf(reading, listing, request, relationScope(reading, relations));
}

/** A page of the lists of an owner, without those that the viewer may not see. */
export function* listsOf(reading: Reading, owner: bigint, request: ListRequest): Steps<object> {
  const { state, pageKey } = reading;
  const listing: Listing<bigint, StoredList> = {
    read: (direction, from, limit) =>
      oneStep(() => state.lists.of(owner, direction, from, limit).map(({ id }) => id)),
    show: (ids) =>
      ids.map((id) => {
        const list = state.lists.get(id);
        return isSeen(reading, list) ? list : null;
      }),
    pack: (id) => [String(id)],
    unpack: ([id]) => BigInt(id ?? 0),
  };
  const scope = { of: [state.store, 'lists of', String(owner)], key: pageKey };
  return yield* pageOf(reading, listing, request, scope);
}
