import type { UserSelection } from '#contract/posts/selection.ts';
import type { Account } from '#server/auth/account-table.ts';
import type { Service } from '#server/auth/store.ts';
import { notFound, type PartialError } from '#server/posts/json/partial-error.ts';
import type { Json } from '#core/import/json.ts';
import type { Due, Steps } from '#server/index/steps.ts';
import type { SourceState } from '#server/posts/index/source.ts';
import { includesOfUsers, userJson } from '#server/posts/json/user-json.ts';
import { authorOf, userById } from '#server/users/authors.ts';
import { withAccounts } from '#server/users/people.ts';
import { inVocabulary } from '#contract/posts/vocabulary-names.ts';

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

export interface FoundUsers {
  readonly data: readonly Json[];
  readonly includes?: Json;
  readonly errors?: readonly PartialError[];
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
    const user =
      id === null
        ? yield* authorOf(state, value, false, due)
        : yield* userById({ state, finder, due }, id);
    if (user) users.set(String(user.id), { ...userJson(user, selection.users, finder), ...own });
    else errors.push(notFound({ value, resource_type: 'user', parameter }));
  }
  const { vocabulary } = selection;
  const found = [...users.values()];
  return {
    data: found.map((user) => inVocabulary(user, vocabulary)),
    ...includesOfUsers(finder, found, selection),
    ...(errors.length > 0 && { errors }),
  };
}
