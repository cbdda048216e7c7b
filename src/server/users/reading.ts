import type { Context } from 'hono';
import type { Service } from '#server/auth/store.ts';
import { currentSource, type FindSource } from '#server/http/current-source.ts';
import { clientGone } from '#server/http/errors.ts';
import { notAuthorized, notFound, type PartialError } from '#server/posts/json/partial-error.ts';
import { readId } from '#core/import/id.ts';
import type { Due, Steps } from '#server/index/steps.ts';
import { evaluated } from '#server/posts/index/evaluation.ts';
import { foundPost, isOpenTo, isVisible } from '#server/posts/json/post-json.ts';
import type { Slices } from '#server/posts/index/slices.ts';
import type { PostFinder, SourceState } from '#server/posts/index/source.ts';
import { withAccounts } from './people.ts';
import type { Caller } from '#server/auth/caller.ts';

export interface ReadingDeps {
  readonly source: FindSource;
  readonly service: Service;
  /** Divides this thread's time between evaluations. */
  readonly slices: Slices;
  /** Key for page tokens. */
  readonly pageKey: Uint8Array;
  /** Epoch ms. */
  readonly now: () => number;
}

/** One state of Your posts, as a caller sees it. */
export interface Reading {
  readonly state: SourceState;
  /** The state with the accounts of this service. */
  readonly finder: PostFinder;
  readonly pageKey: Uint8Array;
  /** Epoch ms. */
  readonly now: number;
  readonly due: Due;
}

/** Answers requests by rules over one state of Your posts. */
type Read = <T extends object>(
  call: { readonly c: Context; readonly caller: Caller },
  rule: (reading: Reading) => Steps<T>,
) => Promise<T | Response>;

export function reader({ source, service, slices, pageKey, now }: ReadingDeps): Read {
  return async ({ c, caller }, rule) => {
    const found = await evaluated(
      () => currentSource(c, source, 'posts'),
      (state, due) =>
        rule({
          state,
          finder: withAccounts(state, service, caller.user),
          pageKey,
          now: now(),
          due,
        }),
      slices,
      c.req.raw.signal,
    );
    return found ? found.result : clientGone();
  };
}

/** True if there is a user of that id: an account, a user that imports brought, or an author of Posts. */
export function isUser({ state, finder }: Reading, id: string): boolean {
  return finder.object('users', id) !== null || state.hasUser(id);
}

/** The reason what a user shares cannot be shown: the user does not exist, or is protected; null if it can. */
function whyUserHidden(reading: Reading, id: string): PartialError | null {
  const named = { value: id, resource_type: 'user', parameter: 'id' } as const;
  if (!isUser(reading, id)) return notFound(named);
  return isOpenTo(reading.finder, id) ? null : notAuthorized(named);
}

/** The reason what belongs to a Post cannot be shown: the Post does not exist, or may not be seen; null if it can. */
function whyPostHidden({ finder }: Reading, value: string): PartialError | null {
  const named = { value, resource_type: 'tweet', parameter: 'id' } as const;
  const id = readId(value);
  const [row] = id === null ? [] : finder.rows([id]);
  if (!row) return notFound(named);
  return isVisible(foundPost(row), finder) ? null : notAuthorized(named);
}

/** The answer about a resource that cannot be shown. */
export function nothing(error: PartialError): object {
  return { errors: [error], meta: { result_count: 0 } };
}

/**
 * Answers requests by rules over what belongs to the resource that their path names, or with the reason why that cannot
 * be shown.
 */
type ReadOf = (
  call: Parameters<Read>[0] & { readonly params: { readonly id: string } },
  rule: (reading: Reading, id: bigint) => Steps<object>,
) => Promise<object | Response>;

function readerOf(deps: ReadingDeps, whyHidden: typeof whyUserHidden): ReadOf {
  const read = reader(deps);
  return (call, rule) =>
    read(call, function* (reading) {
      const { id } = call.params;
      const hidden = whyHidden(reading, id);
      return hidden ? nothing(hidden) : yield* rule(reading, readId(id) ?? 0n);
    });
}

/** A reader of what belongs to users. */
export function userReader(deps: ReadingDeps): ReadOf {
  return readerOf(deps, whyUserHidden);
}

/** A reader of what belongs to Posts. */
export function postReader(deps: ReadingDeps): ReadOf {
  return readerOf(deps, whyPostHidden);
}
