import OAuth2Server from '@node-oauth/oauth2-server';
import type { Account } from './account-table.ts';
import type { StoredApp } from './app-table.ts';
import type { ChallengeMethod, StoredCode } from './code-table.ts';
import { hashOf, isSameSecret } from './hash.ts';
import { revoking } from './revocation.ts';
import type { IssuingDeps } from './secrets.ts';
import type { StoredToken, TokenUse } from './token-table.ts';
import { randomText } from '#server/random.ts';

/** The time for which an access token works, s (platform-facts, section 12). */
export const ACCESS_SECONDS = 7200;
/** The time for which an unused refresh token works (docs/apps.md). */
export const REFRESH_MS = 180 * 86_400_000;
/** The time for which codes and expired tokens are stored, so that a replay is recognised. */
export const REPLAY_MS = 86_400_000;

/** The access that a user allowed. */
export interface CodeGrant {
  readonly app: StoredApp;
  readonly account: Account;
  readonly scopes: readonly string[];
  readonly redirect: string;
  readonly challenge: string;
  readonly method: ChallengeMethod;
}

type Client = OAuth2Server.Client;

/** The library compares its dates with the machine's clock; this one lets the service's clock decide. */
const NEVER = new Date(8.64e15);

/** The model by which the library reads and writes tokens. */
export function tokenModel({ service, secrets, now, random }: IssuingDeps) {
  /** The app of a client id, if the secret is the one it needs. */
  const clientOf = (id: string, secret: string | undefined): StoredApp | null => {
    const app = service.apps.byClientId(id);
    if (!app) return null;
    if (app.settings.client === 'public') return secret ? null : app;
    return secret && isSameSecret(secret, secrets.clientSecret(app)) ? app : null;
  };

  /**
   * Adds the tokens of a family.
   *
   * @param granted - The scopes of the refresh token: those of the one before it, also where the request asks for fewer
   *   (RFC 6749 section 6).
   * @returns The tokens, as the library expects them.
   */
  const issue = (
    { app, account, scopes }: Pick<CodeGrant, 'app' | 'account' | 'scopes'>,
    granted: readonly string[],
    family: string,
    { accessToken, refreshToken }: OAuth2Server.Token,
    client: Client,
  ): OAuth2Server.Token => {
    const add = (
      kind: TokenUse,
      token: string,
      scopes: readonly string[],
      expiresAt: number,
    ): void => {
      const fields: StoredToken = {
        hash: hashOf(token),
        kind,
        app: app.id,
        access: null,
        limited: null,
        createdAt: now(),
        expiresAt,
        family,
        grant: { account, scopes },
      };
      service.tokens.add(fields);
    };
    service.tokens.prune(now() - REPLAY_MS);
    add('bearer', accessToken, scopes, now() + ACCESS_SECONDS * 1000);
    if (refreshToken) add('refresh', refreshToken, granted, now() + REFRESH_MS);
    return {
      accessToken,
      ...(refreshToken && { refreshToken }),
      scope: [...scopes],
      client,
      user: account,
    };
  };

  /**
   * The library's model over the tables, for one request. The library asks and writes in several steps; what must be
   * one transaction happens in the last one, `saveToken`, which checks again what the steps before it found.
   */
  const modelOf = (): OAuth2Server.AuthorizationCodeModel & OAuth2Server.RefreshTokenModel => {
    let code: StoredCode | null = null;
    let refresh: StoredToken | null = null;
    const grantedOf = (asked: readonly string[]): readonly string[] =>
      refresh?.grant?.scopes ?? asked;
    /** A replay of a code or a refresh token ends the whole family. */
    const revoke = (family: string | null): void => {
      if (family === null) return;
      const account = code?.account ?? refresh?.grant?.account.id ?? null;
      revoking(service, account, now(), () => service.tokens.removeFamily(family));
    };
    return {
      getClient: async (id, secret) => {
        const app = clientOf(id, secret);
        return app && { id: app.id, grants: ['authorization_code', 'refresh_token'] };
      },
      getAccessToken: async () => null,
      saveAuthorizationCode: async () => null,
      getAuthorizationCode: async (shown) => {
        const found = service.codes.find(hashOf(shown));
        const account = found && service.accountOf(found.account);
        if (!found || !account) return null;
        code = found;
        return {
          authorizationCode: shown,
          expiresAt: NEVER,
          redirectUri: found.redirect,
          scope: [...found.scopes],
          codeChallenge: found.challenge,
          // See `proofOf`.
          codeChallengeMethod: 'plain',
          client: { id: found.app, grants: [] },
          user: account,
        };
      },
      // Any use, also one that fails, uses the code up; another one revokes what the first one issued.
      revokeAuthorizationCode: async () =>
        service.write('code', () => {
          const found = code && service.codes.find(code.hash);
          if (!found) return false;
          const isFirst = found.state === 'new';
          service.codes.setState(found.hash, isFirst ? 'used' : 'replayed');
          if (!isFirst) revoke(found.family);
          return isFirst && found.expiresAt > now();
        }),
      getRefreshToken: async (shown) => {
        const found = service.tokens.find(hashOf(shown));
        if (!found?.grant || (found.kind !== 'refresh' && found.kind !== 'spent')) return null;
        if (found.expiresAt !== null && found.expiresAt <= now()) return null;
        refresh = found;
        return {
          refreshToken: shown,
          scope: [...found.grant.scopes],
          client: { id: found.app, grants: [] },
          user: found.grant.account,
        };
      },
      // Spent in `saveToken`, with the new tokens in one transaction. A spent one ends here.
      revokeToken: async () => {
        if (refresh?.kind === 'refresh') return true;
        revoke(refresh?.family ?? null);
        return false;
      },
      generateAccessToken: async () => randomText(random, 48),
      generateRefreshToken: async (_client, _user, scope) =>
        // No refresh token is none for the library too; its type leaves that out.
        (grantedOf(scope).includes('offline.access')
          ? randomText(random, 48)
          : undefined) as string,
      saveToken: async (token, client) => {
        const saved = service.write('issue', () => {
          const app = service.apps.byId(client.id);
          const family = (code ?? refresh)?.family;
          const account = code ? service.accountOf(code.account) : refresh?.grant?.account;
          if (!app || !family || !account) return null;
          if (code && service.codes.find(code.hash)?.state !== 'used') return null;
          // Another request may have spent it since: one of the two is a replay.
          if (refresh && !service.tokens.spend(refresh.hash)) {
            revoke(family);
            return null;
          }
          const scopes = token.scope ?? [];
          return issue({ app, account, scopes }, grantedOf(scopes), family, token, client);
        });
        if (saved) return saved;
        throw new OAuth2Server.InvalidGrantError('Invalid grant: it was used or revoked meanwhile');
      },
    };
  };

  return { clientOf, modelOf };
}
