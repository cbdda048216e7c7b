import type { Access } from '#contract/accounts/access.ts';
import type { TokenKind } from '#contract/endpoint.ts';
import { scopeNamed } from '#contract/accounts/scopes.ts';
import { DEFAULT_APP, type StoredApp } from './app-table.ts';
import type { Account } from './account-table.ts';
import type { Login } from './login-table.ts';
import { tokenPermission } from './permission.ts';
import type { Service } from './store.ts';
import type { Grant, StoredToken } from './token-table.ts';

/** The app that a token belongs to. */
export interface CallingApp {
  readonly id: string;
  readonly name: string;
  /** Id of the account that owns it. */
  readonly owner: string | null;
  readonly settings: StoredApp['settings'];
  /** See {@link StoredApp}. */
  readonly creditsSet: number;
}

/** The client behind a request, by its token or session. */
export interface Caller {
  readonly kind: TokenKind | 'session';
  readonly access: Access;
  /** Null for the dashboard. */
  readonly app: CallingApp | null;
  /** Callers with the same pool share rate limits; null for a caller without limits. */
  readonly pool: string | null;
  /** The user whom the caller acts for; null for an app-only token, and for a session that acts as no account. */
  readonly user: Account | null;
  /** The login of a session, for a service that other machines reach; null elsewhere. */
  readonly login: Login | null;
  /** Scopes of an OAuth 2.0 token with user context; empty otherwise. */
  readonly scopes: readonly string[];
  /** True if the token is still valid and gives the same access, for an answer that takes long. */
  readonly isValid: () => boolean;
}

/** A caller with user context. */
export interface UserCaller extends Caller {
  readonly user: Account;
}

/** The service's own dashboard has enterprise access and no limits (platform-facts section 0). */
export const DASHBOARD_CALLER: Caller = {
  kind: 'session',
  access: 'enterprise',
  app: null,
  pool: null,
  user: null,
  login: null,
  scopes: [],
  isValid: () => true,
};

/** True if a token is over at an instant. */
export function hasTokenExpired({ expiresAt }: StoredToken, now: number): boolean {
  return expiresAt !== null && expiresAt <= now;
}

/** The settings of an app by one of its OAuth 1.0a tokens, which may have less permission. */
function settingsOf(settings: StoredApp['settings'], grant: Grant | null): StoredApp['settings'] {
  const permission = tokenPermission(grant?.scopes ?? [], settings.permission);
  return { ...settings, permission };
}

/** The caller with a token of an app. @param now - Epoch ms. */
export function callerWith(
  { apps, tokens }: Pick<Service, 'apps' | 'tokens'>,
  found: StoredToken,
  app: StoredApp,
  now: () => number,
): Caller {
  const { id, name, owner, settings, creditsSet } = app;
  const { grant, kind } = found;
  // Tokens of the dedicated app without a user are programs of their own.
  const shared = id === DEFAULT_APP ? found.hash : `app ${id}`;
  const pool = grant ? `user ${grant.account.id} of ${id}` : shared;
  const isSigned = kind === 'oauth1';
  return {
    kind: isSigned ? 'oauth1' : grant ? 'oauth2' : 'app',
    access: found.access ?? settings.access,
    app: {
      id,
      name,
      owner,
      settings: isSigned ? settingsOf(settings, grant) : settings,
      creditsSet,
    },
    pool: (found.limited ?? settings.limited) ? pool : null,
    user: grant?.account ?? null,
    login: null,
    scopes: isSigned ? [] : (grant?.scopes ?? []).map((name) => scopeNamed(name) ?? name),
    isValid: () => {
      const current = apps.byId(id)?.settings;
      return (
        tokens.find(found.hash)?.kind === kind &&
        !hasTokenExpired(found, now()) &&
        current !== undefined &&
        (found.access !== null || current.access === settings.access)
      );
    },
  };
}
