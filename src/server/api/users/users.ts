import { inVocabulary } from '#contract/selection.ts';
import type { UserSelection } from '#contract/selection.ts';
import type { Condition } from '#core/query/ast.ts';
import { fold } from '#core/text/fold.ts';
import { ARCHIVE_START, SECOND_MS } from '#core/time/span.ts';
import type { Span } from '#core/time/span.ts';
import type { Account } from '#server/auth/account-table.ts';
import type { Service } from '#server/auth/store.ts';
import { notFound } from '#server/http/partial-error.ts';
import type { PartialError } from '#server/http/partial-error.ts';
import { readId } from '#server/import/id.ts';
import { digits } from '#server/import/json.ts';
import type { Json } from '#server/import/json.ts';
import type { Due, Steps } from '#server/index/steps.ts';
import { foundPost, isVisible, postJson, readJson } from '#server/posts/post-json.ts';
import type { PostFinder, SourceState } from '#server/posts/source.ts';
import { withAccounts } from '#server/users/people.ts';
import { userJson } from '#server/users/user-json.ts';

/** The parameter that names users: by `id` or by `username`, one or many. */
export type UserParameter = 'id' | 'ids' | 'username' | 'usernames';

/** Users to find. */
export interface UserQuestion {
  readonly values: readonly string[];
  readonly parameter: UserParameter;
  readonly selection: UserSelection;
  /** The account that asks; null for an app and for the dashboard. */
  readonly viewer: Account | null;
  /** Fields to add to the users of the answer: those that only the account itself may see. */
  readonly own?: Json;
}

/** Posts that are examined for an author. */
const FEW = 16;

/** All time that Posts may have, with room for clocks that are fast. */
const ARCHIVE: Span = { start: ARCHIVE_START, end: 2 ** 32 * SECOND_MS };

export interface FoundUsers {
  readonly data: readonly Json[];
  readonly includes?: Json;
  readonly errors?: readonly PartialError[];
}

/** An author whom the source knows only from Posts; null if it has none by that id or username. */
function* authorOf(
  state: SourceState,
  value: string,
  parameter: UserParameter,
  due: Due,
): Steps<Json | null> {
  const sought = fold(value);
  const wanted: Condition = { kind: 'term', term: `from:${sought}` };
  const hits = yield* state.newest(wanted, ARCHIVE, FEW, {}, due);
  // Ids and usernames share their terms, and a username may be a number.
  const byId = parameter.startsWith('id');
  for (const { authorId, username } of state.rows(hits.map(({ id }) => id))) {
    if (authorId === null || username === null) continue;
    if ((byId ? authorId : fold(username)) === sought) return { id: authorId, username };
  }
  return null;
}

/** The pinned Posts of users, as far as they may be shown. */
function pinnedPosts(
  finder: PostFinder,
  users: readonly Json[],
  { fields, vocabulary }: UserSelection,
): Json[] {
  const ids = users.flatMap((user) => readId(digits(user.pinned_tweet_id) ?? '') ?? []);
  return finder
    .rows(ids)
    .map(foundPost)
    .filter((post) => isVisible(post, finder))
    .map((post) => inVocabulary(postJson(post, fields, finder), vocabulary));
}

/**
 * Finds users by their ids or usernames: accounts, users that imports brought, and authors of Posts.
 *
 * @param parameter - The parameter that names them, for errors.
 * @returns Each known user once, in the order of the first mention, and an error for each other value.
 */
export function* findUsers(
  state: SourceState,
  service: Service,
  { values, parameter, selection, viewer, own = {} }: UserQuestion,
  due: Due,
): Steps<FoundUsers> {
  const finder = withAccounts(state, service, viewer);
  const users = new Map<string, Json>();
  const errors: PartialError[] = [];
  for (const value of new Set(values)) {
    const id = parameter.startsWith('id') ? value : finder.userId(value.toLowerCase());
    const stored = id === null ? null : readJson(finder.object('users', id));
    const user = stored ? { ...stored, id } : yield* authorOf(state, value, parameter, due);
    if (user) users.set(String(user.id), { ...userJson(user, selection.users), ...own });
    else errors.push(notFound({ value, resource_type: 'user', parameter }));
  }
  const { vocabulary } = selection;
  const found = [...users.values()];
  const pinned = selection.pinned ? pinnedPosts(finder, found, selection) : [];
  const list = vocabulary === 'tweet' ? 'tweets' : 'posts';
  return {
    data: found.map((user) => inVocabulary(user, vocabulary)),
    ...(pinned.length > 0 && { includes: { [list]: pinned } }),
    ...(errors.length > 0 && { errors }),
  };
}
