import type { UserSelection } from '#contract/posts/selection.ts';
import { USERNAME } from '#contract/accounts/accounts.ts';
import { readPage, type Listing, type ListingRequest } from './listing.ts';
import { string, type Json } from '#core/import/json.ts';
import { oneStep, type Steps } from '#server/index/steps.ts';
import type { RelationReader } from '#server/posts/store/relations.ts';
import { includesOfUsers, userJson } from '#server/posts/json/user-json.ts';
import { userById } from './authors.ts';
import type { Reading } from './reading.ts';
import { inVocabulary } from '#contract/posts/vocabulary-names.ts';
import type { OtherEnd, RelationKind, Side } from '#server/posts/store/relation-kinds.ts';

/** The relations of one kind that an end has. */
export interface RelationsOf {
  readonly kind: RelationKind;
  readonly side: Side;
  readonly of: bigint;
}

/** Lists what the other ends of relations show. */
export function relationListing<T>(
  relations: RelationReader,
  { kind, side, of }: RelationsOf,
  show: (ids: readonly bigint[]) => readonly (T | null)[],
): Listing<OtherEnd, T> {
  return {
    read: (direction, from, limit) =>
      oneStep(() => relations.page(kind, side, of, direction, from?.n ?? null, limit)),
    show: (entries) => show(entries.map(({ id }) => id)),
    pack: ({ n }) => [String(n)],
    unpack: ([n]) => ({ n: Number(n), id: 0n }),
  };
}

/** Tokens of a page are valid for the same relations of the same store. */
export function relationScope(
  { state, pageKey }: Reading,
  { kind, side, of }: RelationsOf,
): { readonly of: readonly string[]; readonly key: Uint8Array } {
  return { of: [state.store, kind, side, String(of)], key: pageKey };
}

/** A username for a user whose id is all that is known: the id, or a shorter form of it. */
function usernameOf(id: string): string {
  return USERNAME.test(id) ? id : `i_${BigInt(id).toString(36)}`;
}

/** A user by its id. Archives list followers and others by id alone; `name` and `username` are required. */
function* listedUser(reading: Reading, id: string): Steps<Json> {
  const known = yield* userById(reading, id);
  return { ...known, id, username: string(known?.username) ?? usernameOf(id) };
}

/** A page of the users at the other ends of relations. */
export function* userPageOf(
  reading: Reading,
  relations: RelationsOf,
  request: ListingRequest & { readonly selection: UserSelection },
): Steps<object> {
  const { state, finder } = reading;
  const { selection } = request;
  const users = relationListing(state.relations, relations, (ids) => ids.map(String));
  const { shown, tokens } = yield* readPage(users, request, relationScope(reading, relations));
  const { vocabulary } = selection;
  const found: Json[] = [];
  for (const id of shown) {
    found.push(userJson(yield* listedUser(reading, id), selection.users, finder));
  }
  return {
    ...(found.length > 0 && { data: found.map((user) => inVocabulary(user, vocabulary)) }),
    ...includesOfUsers(finder, found, selection),
    meta: { result_count: shown.length, ...tokens },
  };
}
