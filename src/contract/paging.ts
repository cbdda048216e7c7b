import * as v from 'valibot';
import { onlyParameters, token, wholeBetween } from './parameters.ts';
import {
  listOf,
  POST_PARAMETERS,
  USER_PARAMETERS,
  withSelection,
  withUserSelection,
} from '#contract/posts/selection.ts';

/** The number of results that a page may have, and has without `max_results`. */
export interface PageSize {
  readonly min: number;
  readonly max: number;
  readonly default: number;
}

/** The parameters of a page. Its token says where it begins and in which direction it goes. */
function pageParameters({ min, max, default: usual }: PageSize) {
  return {
    max_results: v.optional(wholeBetween('max_results', min, max), String(usual)),
    pagination_token: token('pagination_token'),
  };
}

/** The query of a page of users. */
export function userPage(size: PageSize) {
  return v.pipe(
    onlyParameters({ ...pageParameters(size), ...USER_PARAMETERS }),
    withUserSelection(),
  );
}

/** The query of a page of Posts, with further parameters. */
export function postPage<T extends v.ObjectEntries>(size: PageSize, more: T) {
  return v.pipe(
    onlyParameters({ ...more, ...pageParameters(size), ...POST_PARAMETERS }),
    withSelection<
      v.InferOutput<
        v.ObjectSchema<ReturnType<typeof pageParameters> & typeof POST_PARAMETERS & T, undefined>
      >
    >(),
  );
}

/** Kinds of Posts that a timeline may leave out; newer clients say `reposts`. */
export const EXCLUDE = listOf('exclude', ['replies', 'retweets'], ['reposts']);

/** Fields that `list.fields` may name, and expansions of a list (platform-openapi). */
const LIST_FIELDS = [
  'created_at',
  'description',
  'follower_count',
  'id',
  'member_count',
  'name',
  'owner_id',
  'private',
] as const;

/** The parameters of every operation that answers with lists. */
const LIST_PARAMETERS = {
  'list.fields': listOf('list.fields', LIST_FIELDS),
  expansions: listOf('expansions', ['owner_id']),
  'user.fields': USER_PARAMETERS['user.fields'],
};

/** The query of an operation that answers with one list, or with all at once. */
export const ListsRequest = onlyParameters(LIST_PARAMETERS);
export type ListSelection = v.InferOutput<typeof ListsRequest>;

/** The query of a page of lists. */
export function listPage(size: PageSize) {
  return onlyParameters({ ...pageParameters(size), ...LIST_PARAMETERS });
}

/** A limit of requests in 15 minutes. */
export function quarterHour(requests: number) {
  return { requests, windowSeconds: 900 };
}

/** The limits of an app for its app-only token, and of each user, in 15 minutes. */
export function quarterHours(app: number, user = app) {
  return { app: quarterHour(app), user: quarterHour(user) };
}
