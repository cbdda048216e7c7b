import { hash } from 'node:crypto';
import OAuth2Server from '@node-oauth/oauth2-server';
import { randomText } from '#server/random.ts';
import type { StoredApp } from './app-table.ts';
import { hashOf } from './hash.ts';
import { revoking } from './revocation.ts';
import type { IssuingDeps } from './secrets.ts';
import {
  ACCESS_SECONDS,
  REFRESH_MS,
  REPLAY_MS,
  tokenModel,
  type CodeGrant,
} from './token-model.ts';

/** The time for which an authorization code works (platform-facts, section 12). */
export const CODE_MS = 30_000;
/** Tokens as the platform answers with them. */
export interface TokenAnswer {
  readonly token_type: 'bearer';
  readonly expires_in: number;
  readonly access_token: string;
  readonly scope: string;
  readonly refresh_token?: string;
}

/** A request for tokens. Fields of the body are text. */
export interface OAuth2TokenRequest {
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Readonly<Record<string, string>>;
}

/** Issues authorization codes, exchanges them and refresh tokens for tokens, and revokes tokens. */
export function openOAuth2(deps: IssuingDeps) {
  const { service, now, random } = deps;
  const { clientOf, modelOf } = tokenModel(deps);

  /**
   * The text that the library compares with a code's challenge. It refuses verifiers of more than 128 characters, which
   * a published client makes, so it gets the hash that S256 compares.
   */
  const proofOf = ({
    code = '',
    code_verifier: verifier = '',
  }: OAuth2TokenRequest['body']): string => {
    const isHashed = service.codes.find(hashOf(code))?.method === 'S256';
    return isHashed ? hash('sha256', verifier, 'base64url') : verifier;
  };

  return {
    /** Issues a code that is exchanged once within {@link CODE_MS}; only its hash is stored. */
    issueCode: ({ app, account, scopes, ...bound }: CodeGrant): string => {
      const shown = randomText(random, 48);
      service.write('code', () => {
        service.codes.prune(now() - REPLAY_MS);
        service.codes.add({
          hash: hashOf(shown),
          app: app.id,
          account: account.id,
          scopes,
          ...bound,
          family: randomText(random, 16),
          expiresAt: now() + CODE_MS,
          state: 'new',
        });
      });
      return shown;
    },

    /**
     * Exchanges a code or a refresh token. What it issues is durable when this returns.
     *
     * @throws {@link OAuth2Server.OAuthError} for a client, code or token that it refuses.
     */
    exchange: async ({ headers, body }: OAuth2TokenRequest): Promise<TokenAnswer> => {
      const options: OAuth2Server.ServerOptions & { enablePlainPKCE: boolean } = {
        model: modelOf(),
        accessTokenLifetime: ACCESS_SECONDS,
        refreshTokenLifetime: REFRESH_MS / 1000,
        // `getClient` decides which client needs its secret.
        requireClientAuthentication: { authorization_code: false, refresh_token: false },
        // The types of version 5.3 lack this option.
        enablePlainPKCE: true,
      };
      const server = new OAuth2Server(options);
      const proof = body['code_verifier'] === undefined ? {} : { code_verifier: proofOf(body) };
      const proved = { ...body, ...proof };
      const request = new OAuth2Server.Request({
        method: 'POST',
        query: {},
        headers,
        body: proved,
      });
      const issued = await server.token(request, new OAuth2Server.Response());
      return {
        token_type: 'bearer',
        expires_in: ACCESS_SECONDS,
        access_token: issued.accessToken,
        scope: (issued.scope ?? []).join(' '),
        ...(issued.refreshToken && { refresh_token: issued.refreshToken }),
      };
    },

    clientOf,

    /** Revokes a token of an app, and with a refresh token all tokens of its family (RFC 7009 section 2.1). */
    revoke: (app: StoredApp, shown: string): void => {
      const found = service.tokens.find(hashOf(shown));
      if (found?.app !== app.id || found.kind === 'oauth1') return;
      revoking(service, found.grant?.account.id ?? null, now(), () => {
        if (found.kind === 'bearer' || found.family === null) service.tokens.remove(found.hash);
        else service.tokens.removeFamily(found.family);
      });
    },
  };
}

export type OAuth2 = ReturnType<typeof openOAuth2>;
