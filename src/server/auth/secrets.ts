import { createHmac } from 'node:crypto';
import type { Machine } from '#server/machine.ts';
import type { StoredApp } from './app-table.ts';
import type { Service } from './store.ts';

/** The purpose of a derived secret. */
type Purpose = 'api-key' | 'client' | 'app-only' | 'oauth1';

/**
 * Derives the secrets of apps and of OAuth 1.0a tokens from a secret of the service. A service that verifies signatures
 * needs the secret itself: so none is stored, and each is the same whenever it is needed.
 *
 * @param key - 32 random bytes.
 */
export function derivedSecrets(key: Buffer) {
  const derive = (purpose: Purpose, ...parts: readonly (string | number)[]): string =>
    createHmac('sha384', key)
      .update([purpose, ...parts].join(' '))
      .digest('base64url');
  return {
    apiKeySecret: ({ id, generation }: StoredApp): string => derive('api-key', id, generation),
    clientSecret: ({ id, generation }: StoredApp): string => derive('client', id, generation),
    /** The app-only token, the same until it is invalidated or the secrets are replaced. */
    bearerToken: ({ id, generation, bearer }: StoredApp): string =>
      derive('app-only', id, generation, bearer),
    /** Secret of an OAuth 1.0a token. */
    tokenSecret: (token: string): string => derive('oauth1', token),
  };
}
export type DerivedSecrets = ReturnType<typeof derivedSecrets>;

/** The dependencies of issuing and checking tokens. */
export interface IssuingDeps extends Pick<Machine, 'now' | 'random'> {
  readonly service: Service;
  readonly secrets: DerivedSecrets;
}
