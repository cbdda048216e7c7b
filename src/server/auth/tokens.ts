import { createHmac, timingSafeEqual } from 'node:crypto';
import type { AccountInfo, UserOrder } from '#contract/accounts/accounts.ts';
import type { Access } from '#contract/accounts/access.ts';
import type { AppOrder, AppsAnswer } from '#contract/accounts/apps.ts';
import type { TokenKind } from '#contract/endpoint.ts';
import { SCOPES, type Scope } from '#contract/accounts/scopes.ts';
import { DEFAULT_APP, type StoredApp } from './app-table.ts';
import { AppError, orderApps } from './apps.ts';
import { hashOf } from './hash.ts';
import { Failures } from './failures.ts';
import { openSignatures, type SignedRequest } from './oauth1.ts';
import { derivedSecrets } from './secrets.ts';
import type { Account } from './account-table.ts';
import type { Login } from './login-table.ts';
import type { Logins } from './logins.ts';
import type { Service } from './store.ts';
import type { StoredToken } from './token-table.ts';
import { newSnowflake } from '#core/import/id.ts';
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
  login: null,
  scopes: [],
  isValid: () => true,
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
  /** True to issue an OAuth 1.0a access token, which has no scopes. */
  readonly oauth1?: boolean;
}

/** A token, and the account that it acts for. */
export interface IssuedToken {
  readonly token: string;
  readonly account: Account;
  /** What signs requests with an OAuth 1.0a token; absent for other tokens. */
  readonly signing?: {
    readonly api_key: string;
    /** Absent for an app that was named, whose secret was shown when it was added. */
    readonly api_key_secret?: string;
    readonly access_token_secret: string;
  };
}

/** Failed attempts per client, and of clients that are unknown, in 15 minutes. */
const MAX_FAILURES = { failures: 20, windowSeconds: 900 };
/** The same for tokens and signatures, which programs may send with each of many requests. */
const MAX_UNKNOWN = { failures: 100, windowSeconds: 900 };

/** Callers that are in memory at most. */
const MOST_CALLERS = 10_000;

export interface Auth {
  /** Issues an app-only bearer token of the dedicated app; only its hash is stored. */
  issueToken(grant: { access: Access; limited: boolean }): string;
  /**
   * Issues an access token that does not expire, of OAuth 2.0 or 1.0a; only its hash is stored.
   *
   * @throws {@link AppError} if there is no such app.
   */
  issueUserToken(grant: UserTokenGrant): IssuedToken;
  /** Carries out an order about apps, as `orderApps`. */
  apps(order: AppOrder): AppsAnswer;
  /** Carries out an order about accounts, as `orderAccounts`. */
  accounts(order: UserOrder): AccountInfo[];
  /** The caller with a token; null where it gives no access. */
  bearer(token: string): Caller | null;
  /** True if a token without a caller is one that this service issued, such as an expired one: nobody guessed it. */
  isIssued(token: string): boolean;
  /** The caller that signed a request by OAuth 1.0a; null if the signature or the token is invalid. */
  signed(request: SignedRequest): Caller | null;
  /**
   * Counts an unknown token or an invalid signature of a client.
   *
   * @param client - The part of its IP address that it has alone.
   * @returns Unix seconds until which further ones are refused as too many; null if there were few.
   */
  refused(client: string): number | null;
  /** Failed attempts of clients to sign in, by client id or API key. */
  readonly failures: Failures;
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
  deps: {
    now: () => number;
    random: (n: number) => Uint8Array;
    /** The id of the user that imports know by a username, in lower case; null if there is none. */
    userId?: (username: string) => string | null;
    /** Whose sessions are valid instead of {@link Auth.openSession}'s; absent if only this machine reaches the service. */
    logins?: Pick<Logins, 'session'>;
  },
): Auth {
  const { logins } = deps;
  // Not the first name of this key: sessions under the old one were given to any program that asked.
  const key = service.secret('signed-in');
  const text = (bytes: number): string => Buffer.from(deps.random(bytes)).toString('base64url');
  const sealOf = (payload: string): Buffer => createHmac('sha256', key).update(payload).digest();
  const secrets = derivedSecrets(service.secret('apps'));
  const issue = (
    token: Omit<StoredToken, 'hash' | 'createdAt' | 'expiresAt' | 'family'>,
    prefix = '',
  ): string => {
    const shown = prefix + text(48);
    const fields = { hash: hashOf(shown), createdAt: deps.now(), expiresAt: null, family: null };
    service.tokens.add({ ...token, ...fields });
    return shown;
  };
  const newId = (): string => {
    const apart = Buffer.from(deps.random(3)).readUIntBE(0, 3) & 0x3fffff;
    return String(newSnowflake(deps.now(), apart));
  };
  /** Gives the id of a new account: that of the imported user of its name, so that it finds itself in its archive. */
  const idFor = (username: string): (() => string) => {
    let imported = deps.userId?.(username.toLowerCase()) ?? null;
    return () => {
      const id = imported ?? newId();
      imported = null;
      return id;
    };
  };
  /** Callers by the hash of their token: finding one in the file is half the work of a short request. */
  const callers = new Map<string, { readonly found: StoredToken; readonly caller: Caller }>();
  let callersAsOf = -1;
  const knownCallers = (): typeof callers => {
    const changes = service.changes();
    if (changes !== callersAsOf) callers.clear();
    callersAsOf = changes;
    return callers;
  };
  const appNamed = (name: string | undefined): StoredApp => {
    const { apps } = service;
    const app = name === undefined ? apps.byId(DEFAULT_APP) : apps.byName(name);
    if (app) return app;
    throw new AppError(`There is no app named ${name ?? DEFAULT_APP}.`);
  };
  const signatures = openSignatures({ service, secrets, now: deps.now });
  const failures = new Failures(MAX_FAILURES, deps.now);
  const unknown = new Failures(MAX_UNKNOWN, deps.now);
  const hasExpired = ({ expiresAt }: StoredToken): boolean =>
    expiresAt !== null && expiresAt <= deps.now();
  const callerWith = (found: StoredToken, app: StoredApp): Caller => {
    const { id, name, owner, settings, creditsSet } = app;
    const { grant, kind } = found;
    // Tokens of the dedicated app without a user are programs of their own.
    const shared = id === DEFAULT_APP ? found.hash : `app ${id}`;
    const pool = grant ? `user ${grant.account.id} of ${id}` : shared;
    const isSigned = kind === 'oauth1';
    const mayOnlyRead = isSigned && grant?.scopes.includes('read');
    return {
      kind: isSigned ? 'oauth1' : grant ? 'oauth2' : 'app',
      access: found.access ?? settings.access,
      app: {
        id,
        name,
        owner,
        settings: mayOnlyRead ? { ...settings, permission: 'read' } : settings,
        creditsSet,
      },
      pool: (found.limited ?? settings.limited) ? pool : null,
      user: grant?.account ?? null,
      login: null,
      scopes: isSigned ? [] : (grant?.scopes ?? []),
      isValid: () => {
        const now = service.apps.byId(id)?.settings;
        return (
          service.tokens.find(found.hash)?.kind === kind &&
          !hasExpired(found) &&
          now !== undefined &&
          (found.access !== null || now.access === settings.access)
        );
      },
    };
  };
  const appsDeps = { service, secrets, newId, now: deps.now, random: deps.random };
  return {
    issueToken: ({ access, limited }) =>
      issue({ kind: 'bearer', app: DEFAULT_APP, access, limited, grant: null }),
    issueUserToken: ({ name, app: named, scopes = SCOPES, limited, oauth1 = false }) => {
      const app = appNamed(named);
      const account = service.account(name, idFor(name), deps.now());
      // The dedicated app has no limits, so its tokens have their own.
      const limits = named === undefined || !limited ? limited : null;
      const token = { app: app.id, access: null, limited: limits } as const;
      if (!oauth1)
        return { token: issue({ ...token, kind: 'bearer', grant: { account, scopes } }), account };
      const grant = { account, scopes: [] };
      const signed = issue({ ...token, kind: 'oauth1', grant }, `${account.id}-`);
      const signing = {
        api_key: app.apiKey,
        ...(app.id === DEFAULT_APP && { api_key_secret: secrets.apiKeySecret(app) }),
        access_token_secret: secrets.tokenSecret(signed),
      };
      return { token: signed, account, signing };
    },
    apps: (order) => orderApps(appsDeps, order),
    accounts: (order) => {
      const id = order.action === 'add' ? idFor(order.username) : newId;
      return orderAccounts({ service, newId: id, now: deps.now }, order);
    },
    bearer: (token) => {
      const hash = hashOf(token);
      const known = knownCallers().get(hash);
      if (known) return hasExpired(known.found) ? null : known.caller;
      const found = service.tokens.find(hash);
      if (found?.kind !== 'bearer') return null;
      const app = service.apps.byId(found.app);
      if (!app || hasExpired(found)) return null;
      const caller = callerWith(found, app);
      if (callers.size >= MOST_CALLERS) callers.clear();
      callers.set(hash, { found, caller });
      return caller;
    },
    isIssued: (token) => service.tokens.find(hashOf(token)) !== undefined,
    signed: (request) => {
      const signature = signatures.verify(request);
      const found =
        signature?.token == null ? undefined : service.tokens.find(hashOf(signature.token));
      if (!signature || found?.kind !== 'oauth1' || found.app !== signature.app.id) return null;
      return callerWith(found, signature.app);
    },
    refused: (client) => {
      unknown.add(client);
      return unknown.lockedUntil(client);
    },
    failures,
    openSession: () => {
      const until = Math.floor(deps.now() / 1000) + SESSION_SECONDS;
      const payload = `${until}.${text(16)}`;
      return `${payload}.${sealOf(payload).toString('base64url')}`;
    },
    session: (cookie) => {
      if (logins) {
        const session = logins.session(cookie);
        if (!session) return null;
        const isValid = (): boolean => logins.session(cookie) !== null;
        return { ...DASHBOARD, login: session.login, isValid };
      }
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
