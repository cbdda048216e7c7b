import { createHmac, timingSafeEqual } from 'node:crypto';
import type { AccountInfo, UserOrder } from '#contract/accounts.ts';
import type { Access } from '#contract/access.ts';
import type { AppOrder, AppsAnswer } from '#contract/apps.ts';
import type { TokenKind } from '#contract/endpoint.ts';
import { SCOPES } from '#contract/scopes.ts';
import type { Scope } from '#contract/scopes.ts';
import { DEFAULT_APP } from './app-table.ts';
import type { StoredApp } from './app-table.ts';
import { AppError, orderApps } from './apps.ts';
import { hashOf } from './hash.ts';
import { derivedSecrets } from './secrets.ts';
import type { Account } from './account-table.ts';
import type { Service } from './store.ts';
import type { StoredToken } from './token-table.ts';
import { snowflake } from '#server/import/id.ts';
import { orderAccounts } from '#server/users/accounts.ts';

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
  /** Scopes of an OAuth 2.0 token with user context; empty otherwise. */
  readonly scopes: readonly string[];
}

/** A caller with user context. */
export interface UserCaller extends Caller {
  readonly user: Account;
}

/** How long a session lasts; opening the dashboard renews it. */
export const SESSION_SECONDS = 90 * 86_400;

const SESSION_FORM = /^(\d{10})\.([\w-]{22})\.([\w-]{43})$/;

/** The service's own dashboard has enterprise access and no limits (platform-facts section 0). */
const DASHBOARD: Caller = {
  kind: 'session',
  access: 'enterprise',
  app: null,
  pool: null,
  user: null,
  scopes: [],
};

/** What to issue a user's token for. */
export interface UserTokenGrant {
  /** The account's username; an account is created where there is none of that name. */
  readonly name: string;
  /** Name of the app; the dedicated app, with enterprise access, by default. */
  readonly app?: string;
  /** The scopes of the token; all that this service knows by default. */
  readonly scopes?: readonly Scope[];
  readonly limited: boolean;
}

/** A token, and the account that it acts for. */
export interface IssuedToken {
  readonly token: string;
  readonly account: Account;
}

export interface Auth {
  /** Issues an app-only bearer token of the dedicated app; only its hash is stored. */
  issueToken(grant: { access: Access; limited: boolean }): string;
  /**
   * Issues an OAuth 2.0 access token that does not expire; only its hash is stored.
   *
   * @throws {@link AppError} if there is no such app.
   */
  issueUserToken(grant: UserTokenGrant): IssuedToken;
  /** Carries out an order about apps, as `orderApps`. */
  apps(order: AppOrder): AppsAnswer;
  /** Carries out an order about accounts, as `orderAccounts`. */
  accounts(order: UserOrder): AccountInfo[];
  /** The caller with a token; null where this service did not issue it. */
  bearer(token: string): Caller | null;
  /** The value of a new session's cookie, valid for {@link SESSION_SECONDS}, also after a restart. */
  openSession(): string;
  /** The caller with a cookie; null where it is malformed, forged or expired. */
  session(cookie: string): Caller | null;
  /** An account that a session may act as; null if there is none of that id. */
  account(id: string): Account | null;
}

/** Issues and checks tokens and sessions, by the service's store of tokens and its key for sessions. */
export function openAuth(
  service: Service,
  deps: { now: () => number; random: (n: number) => Uint8Array },
): Auth {
  // Not the first name of this key: sessions under the old one were given to any program that asked.
  const key = service.secret('signed-in');
  const text = (bytes: number): string => Buffer.from(deps.random(bytes)).toString('base64url');
  const sealOf = (payload: string): Buffer => createHmac('sha256', key).update(payload).digest();
  const secrets = derivedSecrets(service.secret('apps'));
  const issue = (
    token: Omit<StoredToken, 'hash' | 'createdAt' | 'expiresAt' | 'family'>,
  ): string => {
    const shown = text(48);
    const fields = { hash: hashOf(shown), createdAt: deps.now(), expiresAt: null, family: null };
    service.tokens.add({ ...token, ...fields });
    return shown;
  };
  const newId = (): string => {
    const apart = Buffer.from(deps.random(3)).readUIntBE(0, 3) & 0x3fffff;
    return String(snowflake(deps.now(), apart));
  };
  const appNamed = (name: string | undefined): StoredApp => {
    const { apps } = service;
    const app = name === undefined ? apps.byId(DEFAULT_APP) : apps.byName(name);
    if (app) return app;
    throw new AppError(`There is no app named ${name ?? DEFAULT_APP}.`);
  };
  const appsDeps = { service, secrets, newId, now: deps.now, random: deps.random };
  return {
    issueToken: ({ access, limited }) => issue({ app: DEFAULT_APP, access, limited, grant: null }),
    issueUserToken: ({ name, app, scopes = SCOPES, limited }) => {
      const { id } = appNamed(app);
      const account = service.account(name, newId, deps.now());
      // The dedicated app has no limits, so its tokens have their own.
      const limits = app === undefined || !limited ? limited : null;
      const token = issue({ app: id, access: null, limited: limits, grant: { account, scopes } });
      return { token, account };
    },
    apps: (order) => orderApps(appsDeps, order),
    accounts: (order) => orderAccounts({ service, newId, now: deps.now }, order),
    bearer: (token) => {
      const found = service.tokens.find(hashOf(token));
      if (!found) return null;
      const app = service.apps.byId(found.app);
      const hasExpired = found.expiresAt !== null && found.expiresAt <= deps.now();
      if (!app || hasExpired) return null;
      const { id, name, owner, settings, creditsSet } = app;
      const { grant } = found;
      // Tokens of the dedicated app without a user are programs of their own.
      const shared = id === DEFAULT_APP ? found.hash : `app ${id}`;
      const pool = grant ? `user ${grant.account.id} of ${id}` : shared;
      return {
        kind: grant ? 'oauth2' : 'app',
        access: found.access ?? settings.access,
        app: { id, name, owner, settings, creditsSet },
        pool: (found.limited ?? settings.limited) ? pool : null,
        user: grant?.account ?? null,
        scopes: grant?.scopes ?? [],
      };
    },
    openSession: () => {
      const until = Math.floor(deps.now() / 1000) + SESSION_SECONDS;
      const payload = `${until}.${text(16)}`;
      return `${payload}.${sealOf(payload).toString('base64url')}`;
    },
    session: (cookie) => {
      const found = SESSION_FORM.exec(cookie);
      if (!found) return null;
      const [, until = '', nonce = '', seal = ''] = found;
      if (!timingSafeEqual(sealOf(`${until}.${nonce}`), Buffer.from(seal, 'base64url')))
        return null;
      return Number(until) * 1000 > deps.now() ? DASHBOARD : null;
    },
    account: (id) => service.accountOf(id) ?? null,
  };
}
