import type { Context } from 'hono';
import { Fault, invalidRequest, plainProblem, PROBLEMS } from '#contract/fault.ts';
import { currentSource } from '#server/http/current-source.ts';
import type { Call, Http } from '#server/http/serve.ts';
import { readId } from '#core/import/id.ts';
import type { Steps } from '#server/index/steps.ts';
import type { PostChange, Results } from '#server/posts/editor/changes.ts';
import type { PostEditor } from '#server/posts/editor/editor.ts';
import { foundPost, isShown, readJson, type FoundPost } from '#server/posts/json/post-json.ts';
import type { PostFinder } from '#server/posts/index/source.ts';
import { authorOf } from './authors.ts';
import { withAccounts } from './people.ts';
import { isUser, type Reading, type ReadingDeps } from './reading.ts';
import type { UserCaller } from '#server/auth/caller.ts';
import type { RelationKind } from '#server/posts/store/relation-kinds.ts';

/** The dependencies of the operations on relations. */
export interface RelationDeps extends ReadingDeps {
  readonly http: Http;
  readonly editor: PostEditor;
}

/** A request of an account about itself. */
interface OwnCall {
  readonly c: Context;
  readonly caller: UserCaller;
}

/**
 * Requires that the account of a path is the caller's.
 *
 * @returns Its id.
 * @throws {@link Fault} 400 for another account (recorded, platform-facts-additions 1.7).
 */
export function ownId({ user }: UserCaller, value: string, parameter = 'id'): bigint {
  const id = readId(user.id);
  if (value === user.id && id !== null) return id;
  const rule = `The \`${parameter}\` query parameter value [${value}] must be the same as the authenticating user [${user.id}]`;
  throw invalidRequest(parameter, value, rule);
}

/** A resource that a write names and that does not exist, in the recorded shape (platform-facts-additions 1.7). */
export function unknownResource(
  resource_type: 'tweet' | 'user' | 'list' | 'note',
  parameter: string,
  value: string,
): Fault {
  return new Fault(404, {
    title: 'Not Found Error',
    detail: `Could not find ${resource_type} with ${parameter}: [${value}].`,
    type: `${PROBLEMS}resource-not-found`,
    status: 404,
    resource_type,
    resource_id: value,
    parameter,
    value,
  });
}

/** Refuses an action with the recorded beginning (platform-facts, section 3). */
export function notPermitted(why: string): Fault {
  return plainProblem(403, 'Forbidden', `You are not permitted to perform this action: ${why}`);
}

/** Your posts as the caller sees it. */
export function finderOf({ source, service }: RelationDeps, { c, caller }: OwnCall): PostFinder {
  return withAccounts(currentSource(c, source, 'posts').posts, service, caller.user);
}

/**
 * The Post of an id that a write names.
 *
 * @throws {@link Fault} 404 if there is none that the caller may see.
 */
export function knownPost(finder: PostFinder, value: string, parameter: string): FoundPost {
  const id = readId(value);
  const [row] = id === null ? [] : finder.rows([id]);
  const post = row && foundPost(row);
  if (post && isShown(post, finder)) return post;
  throw unknownResource('tweet', parameter, value);
}

/** A user that a write names. */
export interface KnownUser {
  readonly id: bigint;
  readonly protected: boolean;
  /** Stores what only its Posts say of it, so that listings can name it. */
  readonly learn: readonly PostChange[];
}

/**
 * The user of an id that a write names.
 *
 * @throws {@link Fault} 404 if there is none.
 */
export function* knownUser(reading: Reading, value: string, parameter: string): Steps<KnownUser> {
  const id = readId(value);
  if (id === null || !isUser(reading, value)) throw unknownResource('user', parameter, value);
  const { state, finder, due } = reading;
  const stored = readJson(finder.object('users', value));
  if (stored) return { id, protected: stored.protected === true, learn: [] };
  const author = yield* authorOf(state, value, true, due);
  const json = JSON.stringify({ ...author, name: author?.username });
  const object = { kind: 'users', key: value, json };
  return { id, protected: false, learn: author ? [{ what: 'learn', of: [object] }] : [] };
}

/**
 * Makes the changes of a request together with the charge for it, and loads them into the source.
 *
 * Rejects with what a change throws.
 */
export async function change<const T extends readonly PostChange[]>(
  { editor, source }: RelationDeps,
  { c, charges }: Pick<Call<UserCaller>, 'c' | 'charges'>,
  ...changes: T
): Promise<Results<T>> {
  const results = await editor.write(...changes, ...charges());
  currentSource(c, source, 'posts');
  // The charge comes last.
  return results as unknown as Results<T>;
}

/** Relates an account to the Post that its request names. @throws {@link Fault} as {@link ownId} and {@link knownPost}. */
export async function relatePost(
  deps: RelationDeps,
  call: Call<UserCaller, unknown, { readonly id: string }, { readonly tweet_id: string }>,
  kind: RelationKind,
): Promise<void> {
  const source = ownId(call.caller, call.params.id);
  const { row } = knownPost(finderOf(deps, call), call.body.tweet_id, 'tweet_id');
  await change(deps, call, { what: 'relate', of: [kind, source, row.id] });
}

/** Ends relations of an account to what a path names. An id that nothing can have ends none. */
export async function unrelate(
  deps: RelationDeps,
  call: Pick<Call<UserCaller>, 'c' | 'charges'>,
  kinds: readonly RelationKind[],
  source: bigint,
  target: string,
): Promise<void> {
  const id = readId(target);
  if (id === null) return;
  const changes = kinds.map((kind): PostChange => ({ what: 'unrelate', of: [kind, source, id] }));
  await change(deps, call, ...changes);
}
