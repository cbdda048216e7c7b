import type { AccountInfo, UserOrder } from '#contract/accounts/accounts.ts';
import type { Access } from '#contract/accounts/access.ts';
import type { AppOrder, AppsAnswer } from '#contract/accounts/apps.ts';
import { SCOPES, type Scope } from '#contract/accounts/scopes.ts';
import { DEFAULT_APP, type StoredApp } from './app-table.ts';
import { AppError, orderApps } from './apps.ts';
import { hashOf } from './hash.ts';
import { Failures } from './failures.ts';
import { openSignatures, type SignedRequest } from './oauth1.ts';
import { readAuthorization } from './signature.ts';
import { derivedSecrets } from './secrets.ts';
import type { Account } from './account-table.ts';
import type { Logins } from './logins.ts';
import { sealedSessions } from './sealed-sessions.ts';
import type { Service } from './store.ts';
import type { StoredToken } from './token-table.ts';
import { newId, randomText } from '#server/random.ts';
import { orderAccounts } from '#server/users/accounts.ts';
import { type Caller, hasTokenExpired, callerWith, DASHBOARD_CALLER } from './caller.ts';

/** The subject of a token to issue for a user. */
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
  /** The credentials that sign requests with an OAuth 1.0a token; absent for other tokens. */
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

/** The tokens and sessions of a service, and the orders about its apps and accounts. */
export type Auth = ReturnType<typeof openAuth>;

/** Issues and checks tokens and sessions, by the service's store of tokens and its key for sessions. */
export function openAuth(
  service: Service,
  deps: {
    now: () => number;
    random: (n: number) => Uint8Array;
    /** The id of the user that imports know by a username, in lower case; null if there is none. */
    userId?: (username: string) => string | null;
    /** Whose sessions are valid instead of those of {@link sealedSessions}; absent if only this machine reaches the service. */
    logins?: Pick<Logins, 'session'>;
  },
) {
  const { logins, now, random } = deps;
  const sessions = sealedSessions(service, deps);
  const secrets = derivedSecrets(service.secret('apps'));
  const issue = (
    token: Omit<StoredToken, 'hash' | 'createdAt' | 'expiresAt' | 'family'>,
    prefix = '',
  ): string => {
    const shown = prefix + randomText(random, 48);
    const fields = { hash: hashOf(shown), createdAt: now(), expiresAt: null, family: null };
    service.tokens.add({ ...token, ...fields });
    return shown;
  };
  /** Gives the id of a new account: that of the imported user of its name, so that it finds itself in its archive. */
  const idFor = (username: string): (() => string) => {
    let imported = deps.userId?.(username.toLowerCase()) ?? null;
    return () => {
      const id = imported ?? newId(deps);
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
  const signatures = openSignatures({ service, secrets, now });
  const unknown = new Failures(MAX_UNKNOWN, now);
  const appsDeps = { ...deps, service, secrets };
  return {
    /** Issues an app-only bearer token of the dedicated app; only its hash is stored. */
    issueToken: ({ access, limited }: { access: Access; limited: boolean }): string =>
      issue({ kind: 'bearer', app: DEFAULT_APP, access, limited, grant: null }),
    /**
     * Issues an access token that does not expire, of OAuth 2.0 or 1.0a; only its hash is stored.
     *
     * @throws {@link AppError} if there is no such app.
     */
    issueUserToken: ({
      name,
      app: named,
      scopes = SCOPES,
      limited,
      oauth1 = false,
    }: UserTokenGrant): IssuedToken => {
      const app = appNamed(named);
      const account = service.account(name, idFor(name), now());
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
    /** Carries out an order about apps, as `orderApps`. */
    apps: (order: AppOrder): AppsAnswer => orderApps(appsDeps, order),
    /** Carries out an order about accounts, as `orderAccounts`. */
    accounts: (order: UserOrder): AccountInfo[] => {
      const id = order.action === 'add' ? idFor(order.username) : () => newId(deps);
      return orderAccounts({ service, newId: id, now }, order);
    },
    /** The caller with a token; null where it gives no access. */
    bearer: (token: string): Caller | null => {
      const hash = hashOf(token);
      const known = knownCallers().get(hash);
      if (known) return hasTokenExpired(known.found, now()) ? null : known.caller;
      const found = service.tokens.find(hash);
      if (found?.kind !== 'bearer') return null;
      const app = service.apps.byId(found.app);
      if (!app || hasTokenExpired(found, now())) return null;
      const caller = callerWith(service, found, app, now);
      if (callers.size >= MOST_CALLERS) callers.clear();
      callers.set(hash, { found, caller });
      return caller;
    },
    /** True if a token without a caller is one that this service issued, such as an expired one: nobody guessed it. */
    isIssued: (token: string): boolean => service.tokens.find(hashOf(token)) !== undefined,
    /** True if an `Authorization` header names an app and a token of this service, before its signature is verified. */
    namesSigner: (authorization: string): boolean => {
      const named = readAuthorization(authorization);
      const app = service.apps.byApiKey(named?.get('oauth_consumer_key') ?? '');
      const found = service.tokens.find(hashOf(named?.get('oauth_token') ?? ''));
      return app !== undefined && found?.kind === 'oauth1' && found.app === app.id;
    },
    /** The caller that signed a request by OAuth 1.0a; null if the signature or the token is invalid. */
    signed: (request: SignedRequest): Caller | null => {
      const signature = signatures.verify(request);
      const found =
        signature?.token == null ? undefined : service.tokens.find(hashOf(signature.token));
      if (!signature || found?.kind !== 'oauth1' || found.app !== signature.app.id) return null;
      return callerWith(service, found, signature.app, now);
    },
    /**
     * Counts an unknown token or an invalid signature of a client.
     *
     * @param client - The part of its IP address that it has alone.
     * @returns Unix seconds until which further ones are refused as too many; null if there were few.
     */
    refused: (client: string): number | null => {
      unknown.add(client);
      return unknown.lockedUntil(client);
    },
    /** Failed attempts of clients to sign in, by client id or API key. */
    failures: new Failures(MAX_FAILURES, now),
    /** Opens a session of a browser on this machine, without a login. @returns The value of its cookie. */
    openSession: sessions.open,
    /** The caller with a cookie; null where it is malformed, forged or expired. */
    session: (cookie: string): Caller | null => {
      if (!logins) return sessions.isOpen(cookie) ? DASHBOARD_CALLER : null;
      const session = logins.session(cookie);
      if (!session) return null;
      const isValid = (): boolean => logins.session(cookie) !== null;
      return { ...DASHBOARD_CALLER, login: session.login, isValid };
    },
    /** An account that a session may act as; null if there is none of that id. */
    account: (id: string): Account | null => service.accountOf(id) ?? null,
  };
}
