import { createHmac, hash, timingSafeEqual } from 'node:crypto';
import type { AccountInfo, UserOrder } from '#contract/accounts.ts';
import type { Access } from '#contract/counts.ts';
import { POSTING_SCOPES } from '#contract/posts.ts';
import type { Account, Service, StoredToken } from './store.ts';
import { snowflake } from '#server/import/id.ts';
import { orderAccounts } from '#server/users/accounts.ts';

/** The client behind a request, by its token or session. */
export interface Caller {
  readonly access: Access;
  /** Callers with the same pool share rate limits; null for a caller without limits. */
  readonly pool: string | null;
  readonly by: 'token' | 'session';
  /** Number of the calling app; a refusal for lack of enrollment names it. */
  readonly client: string;
  /** The user whom the caller acts for; null for an app-only token and for the dashboard. */
  readonly user: Account | null;
  /** Empty without a user. */
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
  access: 'enterprise',
  pool: null,
  by: 'session',
  client: '0',
  user: null,
  scopes: [],
};

export interface Auth {
  /** Issues an app-only bearer token; only its hash is stored. */
  issueToken(grant: { access: Access; limited: boolean }): string;
  /**
   * Issues a bearer token with user context and enterprise access; only its hash is stored.
   *
   * @param name - The account's username; an account is created where there is none of that name.
   */
  issueUserToken(grant: { name: string; limited: boolean }): string;
  /** Carries out an order about accounts, as `orderAccounts`. */
  accounts(order: UserOrder): AccountInfo[];
  /** The caller with a token; null where this service did not issue it. */
  bearer(token: string): Caller | null;
  /** The value of a new session's cookie, valid for {@link SESSION_SECONDS}, also after a restart. */
  openSession(): string;
  /** The caller with a cookie; null where it is malformed, forged or expired. */
  session(cookie: string): Caller | null;
}

function hashOf(token: string): string {
  return hash('sha256', token, 'base64url');
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
  const issue = (token: Omit<StoredToken, 'hash' | 'createdAt'>): string => {
    const shown = text(48);
    service.addToken({ ...token, hash: hashOf(shown), createdAt: deps.now() });
    return shown;
  };
  const newId = (): string => {
    const apart = Buffer.from(deps.random(3)).readUIntBE(0, 3) & 0x3fffff;
    return String(snowflake(deps.now(), apart));
  };
  return {
    issueToken: ({ access, limited }) => issue({ access, limited, grant: null }),
    issueUserToken: ({ name, limited }) => {
      const account = service.account(name, newId, deps.now());
      return issue({ access: 'enterprise', limited, grant: { account, scopes: POSTING_SCOPES } });
    },
    accounts: (order) => orderAccounts({ service, newId, now: deps.now }, order),
    bearer: (token) => {
      const found = service.findToken(hashOf(token));
      if (!found) return null;
      const { access, limited, grant } = found;
      const client = String(Buffer.from(found.hash, 'base64url').readUIntBE(0, 4));
      // Limits per user are shared by all of the user's tokens.
      const pool = grant ? `user ${grant.account.id}` : found.hash;
      return {
        access,
        pool: limited ? pool : null,
        by: 'token',
        client,
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
  };
}
