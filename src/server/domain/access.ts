import { createHmac, hash, timingSafeEqual } from 'node:crypto';
import type { Access } from '#contract/counts.ts';
import type { Service } from '#server/store/service.ts';

/** Who asks. */
export interface Caller {
  readonly access: Access;
  /** Whose requests are counted against the platform's limits; null for a caller without limits. */
  readonly pool: string | null;
  readonly by: 'token' | 'session';
  /** Number of the app that asks, told where it is refused as not enrolled. */
  readonly client: string;
}

/** How long a session lasts; the dashboard signs in again by itself. */
export const SESSION_SECONDS = 90 * 86_400;

const SESSION_FORM = /^(\d{10})\.([\w-]{22})\.([\w-]{43})$/;

/** The service's own dashboard has enterprise access and no limits (platform-facts section 0). */
const DASHBOARD: Caller = {
  access: 'enterprise',
  pool: null,
  by: 'session',
  client: '0',
};

export interface Gate {
  /** Makes an app-only bearer token; only its hash is kept. */
  issueToken(grant: { access: Access; limited: boolean }): string;
  /** Who bears a token, or null where this service did not issue it. */
  bearer(token: string): Caller | null;
  /** The value of a new session's cookie, good for {@link SESSION_SECONDS} and after a restart. */
  openSession(): string;
  /** Who bears a cookie, or null where it is malformed, forged or over. */
  session(cookie: string): Caller | null;
}

function hashOf(token: string): string {
  return hash('sha256', token, 'base64url');
}

/** Checks and issues what callers show, by the service's store of tokens and its key for sessions. */
export function openGate(
  service: Service,
  deps: { now: () => number; random: (n: number) => Uint8Array },
): Gate {
  const key = service.secret('session');
  const text = (bytes: number): string => Buffer.from(deps.random(bytes)).toString('base64url');
  const sealOf = (payload: string): Buffer => createHmac('sha256', key).update(payload).digest();
  return {
    issueToken: ({ access, limited }) => {
      const token = text(48);
      service.addToken({ hash: hashOf(token), access, limited, createdAt: deps.now() });
      return token;
    },
    bearer: (token) => {
      const found = service.findToken(hashOf(token));
      if (!found) return null;
      const { access, limited } = found;
      const client = String(Buffer.from(found.hash, 'base64url').readUIntBE(0, 4));
      return { access, pool: limited ? found.hash : null, by: 'token', client };
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
