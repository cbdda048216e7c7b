import { hash } from 'node:crypto';
import type { SourceId } from '#contract/counts/source.ts';
import { readId } from '#core/import/id.ts';
import { errorMessage } from '#core/thrown.ts';
import type { Account } from '#server/auth/account-table.ts';
import type { Service } from '#server/auth/store.ts';
import type { ClusterPosts } from '#server/cluster/posts.ts';
import type { FindSource } from '#server/http/current-source.ts';
import type { Due, WaitingSteps } from '#server/index/steps.ts';
import type { PostEditor } from '#server/posts/editor/editor.ts';
import type { PostFinder, SourceState, StoreFinder } from '#server/posts/index/source.ts';
import { accountInfo } from './accounts.ts';
import { handlesText } from './handles.ts';

/** The part of a store that says who is protected, and who follows whom. */
export type ProtectedFinder = Pick<StoreFinder, 'protectedUsers'> & Pick<PostFinder, 'followees'>;

/** The accounts of a service; null for a reader without them. */
type Accounts = Pick<Service, 'accounts' | 'accountChanges'> | null;

type Protection = ReadonlyMap<string, boolean>;

/** The accounts of a service and whether each is protected, as of the last change of accounts. */
const accountsOf = new WeakMap<
  object,
  { readonly asOf: number; readonly protection: Protection }
>();

function protectionOf(service: NonNullable<Accounts>): Protection {
  const known = accountsOf.get(service);
  const asOf = service.accountChanges();
  if (known?.asOf === asOf) return known.protection;
  const infos = service.accounts().map(accountInfo);
  const protection = new Map(infos.map((info) => [info.id, info.protected]));
  accountsOf.set(service, { asOf, protection });
  return protection;
}

/** The last {@link hiddenUsers} by the list of imported ones. */
const hiddenOf = new WeakMap<
  readonly string[],
  { readonly accounts: Protection; readonly users: readonly string[] }
>();

/**
 * Ids of the protected users of a source, ascending as text: of imported users, and of accounts of this service, which are
 * in place of imported ones. The same list until they change.
 */
export function hiddenUsers(
  source: SourceId,
  service: Accounts,
  posts: Pick<ProtectedFinder, 'protectedUsers'>,
): readonly string[] {
  const imported = posts.protectedUsers();
  if (source !== 'posts' || !service) return imported;
  const accounts = protectionOf(service);
  if (accounts.size === 0) return imported;
  const known = hiddenOf.get(imported);
  if (known?.accounts === accounts) return known.users;
  const hidden = new Set(imported);
  for (const [id, isProtected] of accounts) {
    if (isProtected) hidden.add(id);
    else hidden.delete(id);
  }
  const users = [...hidden].sort();
  hiddenOf.set(imported, { accounts, users });
  return users;
}

interface HiddenFrom {
  readonly followees: ReadonlySet<string> | undefined;
  readonly users: readonly string[];
}

/** The last {@link hiddenFrom} by the list of protected users and by the id of the viewer. */
const hiddenFromOf = new WeakMap<readonly string[], Map<string, HiddenFrom>>();
/** Viewers whose lists are in memory at most. */
const MAX_VIEWERS = 64;

/**
 * Ids of the users whose Posts a viewer may not read, ascending as text: the rule of `isOpenTo` for all users at once. The
 * same list until they change.
 *
 * @param viewer - Null for an app, the dashboard and the command line, which see what everyone sees.
 */
export function hiddenFrom(
  viewer: Account | null,
  source: SourceId,
  service: Accounts,
  posts: ProtectedFinder,
): readonly string[] {
  const hidden = hiddenUsers(source, service, posts);
  if (source !== 'posts' || !viewer || hidden.length === 0) return hidden;
  const reader = readId(viewer.id);
  if (reader === null) return hidden;
  const followees = posts.followees?.(reader);
  const lists = hiddenFromOf.get(hidden) ?? new Map<string, HiddenFrom>();
  hiddenFromOf.set(hidden, lists);
  const known = lists.get(viewer.id);
  if (known && known.followees === followees) return known.users;
  if (lists.size >= MAX_VIEWERS) lists.clear();
  const users = hidden.filter((id) => id !== viewer.id && followees?.has(id) !== true);
  lists.set(viewer.id, { followees, users });
  return users;
}

/** Runs work over the Posts of a state that a viewer may read. @param service - As for {@link hiddenUsers}. */
export function readableBy(
  viewer: Account | null,
  id: SourceId,
  service: Accounts,
): <T>(
  work: (state: SourceState, due: Due) => WaitingSteps<T>,
) => (state: SourceState, due: Due) => WaitingSteps<T> {
  return (work) =>
    function* (state, due) {
      const hidden = hiddenFrom(viewer, id, service, state);
      return yield* work(yield* state.without(hidden, due), due);
    };
}

/** A checksum of protected users and of usernames that changed, 48 bits; 0 for none. */
function sumOf(users: readonly string[], handles: string): number {
  if (users.length === 0 && handles === '') return 0;
  return hash('sha256', users.join(' ') + handles, 'buffer').readUIntBE(0, 6);
}

export interface ProtectionDeps {
  readonly source: FindSource;
  readonly cluster: ClusterPosts | null;
  readonly service: Service;
  readonly editor: PostEditor;
  readonly log: (line: string) => void;
}

/**
 * Lets the revision of Your posts follow who is protected, and which usernames changed, so that browsers count again. It is called before a revision is
 * reported, and writes only after a change, wherever that came from: an order, an import, or a start on other files.
 *
 * A write that fails is logged, and tried again at the next call: nobody reads a protected Post meanwhile.
 */
export async function noteProtection(deps: ProtectionDeps): Promise<void> {
  const { source, cluster, service, editor, log } = deps;
  const posts = cluster ? await cluster.protection() : source('posts')?.posts;
  if (!posts) return;
  const handles = handlesText(service);
  const sum = sumOf(hiddenUsers('posts', service, posts), handles);
  if (posts.notedProtected() === sum) return;
  try {
    await editor.write(
      { what: 'noteHandles', of: [handles] },
      { what: 'noteProtected', of: [sum] },
    );
  } catch (error) {
    const why = errorMessage(error);
    log(`Open boards do not know yet who is protected, or has another username: ${why}`);
  }
}
