import { affiliatesIn, type AccountInfo } from '#contract/accounts/accounts.ts';
import type { SourceId } from '#contract/counts/source.ts';
import type { Account, StoredAccount } from '#server/auth/account-table.ts';
import type { Service } from '#server/auth/store.ts';
import { object, type Json } from '#core/import/json.ts';
import type { PostFinder } from '#server/posts/index/source.ts';
import { accountInfo } from './accounts.ts';

/** The affiliation of an account (platform-openapi, User); none if it has none. */
function affiliationOf(info: AccountInfo): Json {
  const user_ids = affiliatesIn(info.affiliation);
  if (user_ids.length === 0) return {};
  const texts = (['description', 'url', 'badge_url'] as const)
    .map((name) => [name, info[`affiliation_${name}`]] as const)
    .filter(([, text]) => text !== '');
  return { affiliation: { ...Object.fromEntries(texts), user_ids } };
}

/** An account as a user of the interface, with all that any answer may show. */
function userOf(account: StoredAccount): Json {
  const info = accountInfo(account);
  const texts = (['description', 'location', 'url'] as const)
    .filter((name) => info[name] !== '')
    .map((name) => [name, info[name]] as const);
  return {
    id: info.id,
    name: info.name,
    username: info.username,
    created_at: info.created_at,
    protected: info.protected,
    verified: info.verified_type !== 'none',
    verified_type: info.verified_type,
    subscription_type: info.subscription_type,
    ...Object.fromEntries(texts),
    ...affiliationOf(info),
  };
}

/** A medium with what its owner says of it now: the Post may have been created before. */
function described(json: string, key: string, service: Service): string {
  const metadata = service.media.find(key.slice(key.indexOf('_') + 1))?.metadata;
  const text = metadata?.alt_text?.text;
  return text === undefined
    ? json
    : JSON.stringify({ ...object(JSON.parse(json)), alt_text: text });
}

/**
 * Finds what a source's imports brought, with the accounts of this service in place of imported users.
 *
 * @param viewer - The account that looks; null for an app and for the dashboard.
 */
export function withAccounts(
  finder: PostFinder,
  service: Service,
  viewer: Account | null,
): PostFinder {
  return {
    ...finder,
    ...(viewer && { viewer: viewer.id }),
    object: (kind, key) => {
      const imported = finder.object(kind, key);
      if (kind === 'media' && imported !== null) return described(imported, key, service);
      const account = kind === 'users' ? service.accountOf(key) : undefined;
      if (!account) return imported;
      return JSON.stringify({
        ...(imported === null ? {} : object(JSON.parse(imported))),
        ...userOf(account),
      });
    },
    userId: (username) => {
      const account = service.findAccount(username);
      const imported = account ? null : finder.userId(username);
      // An account is not found by the username that its import knows, once it has another one.
      return account?.id ?? (imported !== null && service.accountOf(imported) ? null : imported);
    },
    metrics: (id) => finder.metrics?.(id) ?? {},
    ...(finder.figures && { figures: (id) => finder.figures!(id) }),
    follows: (source, target) => finder.follows?.(source, target) ?? false,
    connections: (from, to) => finder.connections?.(from, to) ?? [],
    newestOf: (author) => finder.newestOf?.(author) ?? null,
  };
}

/** The e-mail address of an account, which only its own tokens with `users.email` may see; none if it is not known. */
export function emailOf(service: Service, id: string): Json {
  const email = service.accountOf(id)?.profile.email ?? '';
  return email === '' ? {} : { confirmed_email: email };
}

/** Adds what this service knows of users to a source. The sample's users are invented and have no accounts. */
export function peopleOf(
  source: SourceId,
  service: Service,
  viewer: Account | null,
): (finder: PostFinder) => PostFinder {
  return (finder) => (source === 'posts' ? withAccounts(finder, service, viewer) : finder);
}
