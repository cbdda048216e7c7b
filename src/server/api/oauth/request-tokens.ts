import type { Permission } from '#contract/accounts/apps.ts';
import type { Account } from '#server/auth/account-table.ts';
import type { StoredApp } from '#server/auth/app-table.ts';
import { hashOf, isSameSecret } from '#server/auth/hash.ts';
import type { Signature } from '#server/auth/oauth1.ts';
import type { StoredRequestToken } from '#server/auth/request-token-table.ts';
import { randomText } from '#server/random.ts';
import type { ServiceContext } from '#server/context.ts';

/** The time for which a request token works, ms. */
const REQUEST_MS = 900_000;

/** Request tokens at a time; another one replaces the oldest. */
const MAX_OPEN = 10_000;

/** Wrong verifiers after which a request token ends: a PIN has few digits. */
const MAX_FAILURES = 5;

const PIN_DIGITS = 7;

/** Callback of an app that cannot be called back (RFC 5849 section 2.1). */
export const OUT_OF_BAND = 'oob';

/** The life of request tokens: issued, allowed or refused, and exchanged for an access token. */
export function requestTokens({
  service,
  now,
  random,
}: Pick<ServiceContext, 'service' | 'now' | 'random'>) {
  const table = service.requestTokens;

  /** A request token that has not expired, with its app. */
  const find = (shown: string | null): { asked: StoredRequestToken; app: StoredApp } | null => {
    const asked = shown === null ? undefined : table.find(hashOf(shown));
    const app = asked && service.apps.byId(asked.app);
    return asked && app && asked.expiresAt > now() ? { asked, app } : null;
  };

  const pin = (): string => {
    const number = Buffer.from(random(6)).readUIntBE(0, 6) % 10 ** PIN_DIGITS;
    return String(number).padStart(PIN_DIGITS, '0');
  };

  return {
    find,
    /** @param permission - The one that the user is asked for, and that the access token will have. */
    issue: (app: StoredApp, callback: string, permission: Permission): string => {
      const token = randomText(random, 24);
      service.write('request-token', () => {
        table.prune(now(), MAX_OPEN - 1);
        table.add({
          hash: hashOf(token),
          app: app.id,
          callback,
          permission,
          account: null,
          verifier: null,
          failures: 0,
          expiresAt: now() + REQUEST_MS,
        });
      });
      return token;
    },
    /** Allows the access of an account. @returns The verifier. */
    allow: ({ hash, callback }: StoredRequestToken, account: Account): string => {
      const verifier = callback === OUT_OF_BAND ? pin() : randomText(random, 24);
      table.allow(hash, account.id, hashOf(verifier));
      return verifier;
    },
    refuse: ({ hash }: StoredRequestToken): void => table.remove(hash),
    /** Exchanges an allowed request token for an access token; null if the verifier is wrong. */
    exchange: ({
      app,
      token,
      parameters,
    }: Signature): { token: string; account: Account } | null => {
      const found = find(token);
      if (found?.app.id !== app.id) return null;
      const { asked } = found;
      const account = asked.account === null ? undefined : service.accountOf(asked.account);
      if (!account || asked.verifier === null) return null;
      if (!isSameSecret(hashOf(parameters.get('oauth_verifier') ?? ''), asked.verifier)) {
        if (asked.failures + 1 >= MAX_FAILURES) table.remove(asked.hash);
        else table.fail(asked.hash);
        return null;
      }
      const issued = `${account.id}-${randomText(random, 36)}`;
      service.write('issue', () => {
        table.remove(asked.hash);
        service.tokens.add({
          hash: hashOf(issued),
          kind: 'oauth1',
          app: app.id,
          access: null,
          limited: null,
          createdAt: now(),
          expiresAt: null,
          family: null,
          grant: { account, scopes: [asked.permission] },
        });
      });
      return { token: issued, account };
    },
  };
}
