import { createHmac, timingSafeEqual } from 'node:crypto';
import { randomText } from '#server/random.ts';
import type { Service } from './store.ts';

/** The lifetime of a session; opening the dashboard renews it. */
export const SESSION_SECONDS = 90 * 86_400;

const SESSION_FORM = /^(\d{10})\.([\w-]{22})\.([\w-]{43})$/;

/** Sessions of this machine's browsers: cookies that say until when they are valid, sealed by the service. */
export function sealedSessions(
  service: Pick<Service, 'secret'>,
  { now, random }: { now: () => number; random: (n: number) => Uint8Array },
) {
  // Not the first name of this key: sessions under the old one were given to any program that asked.
  const key = service.secret('signed-in');
  const sealOf = (payload: string): Buffer => createHmac('sha256', key).update(payload).digest();
  return {
    /** The value of a new session's cookie, valid for {@link SESSION_SECONDS}, also after a restart. */
    open: (): string => {
      const until = Math.floor(now() / 1000) + SESSION_SECONDS;
      const payload = `${until}.${randomText(random, 16)}`;
      return `${payload}.${sealOf(payload).toString('base64url')}`;
    },
    /** True for a cookie that is neither malformed nor forged nor expired. */
    isOpen: (cookie: string): boolean => {
      const found = SESSION_FORM.exec(cookie);
      if (!found) return false;
      const [, until = '', nonce = '', seal = ''] = found;
      const expected = sealOf(`${until}.${nonce}`);
      if (!timingSafeEqual(expected, Buffer.from(seal, 'base64url'))) return false;
      return Number(until) * 1000 > now();
    },
  };
}
