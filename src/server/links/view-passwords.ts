import { createHmac } from 'node:crypto';
import { Fault, plainProblem } from '#contract/fault.ts';
import { PASSWORD_NEEDED } from '#contract/links/view-link.ts';
import { HOUR_MS } from '#core/time/span.ts';
import { clientPart, Failures } from '#server/auth/failures.ts';
import { isSameSecret } from '#server/auth/hash.ts';
import type { ServiceContext } from '#server/context.ts';
import { tooManyRequests, viewSettings, type OpenLink } from './board-links.ts';

/** Wrong passwords of a link from one address, and from all, in 15 minutes. */
const BY_PAIR = { failures: 10, windowSeconds: 900 };
const BY_LINK = { failures: 100, windowSeconds: 900 };

/** The time for which a password authorizes a page. */
const TOKEN_MS = 12 * HOUR_MS;
const TOKEN_FORM = /^(\d{13})\.([\w-]{43})$/;

export type ViewPasswordDeps = Pick<ServiceContext, 'passwords' | 'random' | 'now'>;

function passwordNeeded(detail: string): Fault {
  return new Fault(401, { title: 'Unauthorized', type: PASSWORD_NEEDED, status: 401, detail });
}

/** The passwords of view links. */
export function openViewPasswords({ passwords, random, now }: ViewPasswordDeps) {
  // Of this process: after a restart, a page asks for the password again.
  const key = random(32);
  const byPair = new Failures(BY_PAIR, now);
  const byLink = new Failures(BY_LINK, now);

  const sealOf = ({ link }: OpenLink, until: string, password: string): string =>
    createHmac('sha256', key)
      .update(JSON.stringify([link.id, until, password]))
      .digest('base64url');

  return {
    /**
     * Requires the password of a link, if it has one.
     *
     * @param authorization - The header of the request.
     * @throws {@link Fault} 401.
     */
    checkToken: (open: OpenLink, authorization: string | undefined): void => {
      const { password } = viewSettings(open.link);
      if (password === null) return;
      const [, until = '', seal = ''] =
        TOKEN_FORM.exec(/^Bearer (.+)$/i.exec(authorization ?? '')?.[1] ?? '') ?? [];
      if (isSameSecret(seal, sealOf(open, until, password)) && Number(until) > now()) return;
      throw passwordNeeded('This link needs its password.');
    },
    /**
     * Opens the page of a link.
     *
     * @param given - The password; absent if none was typed.
     * @param address - IP address of the client; null if unknown.
     * @returns A token for the other requests; null if the link has no password.
     * @throws {@link Fault} 401 without the password; 429 after many wrong ones; 503 if too many wait to be compared.
     */
    unlock: async (
      open: OpenLink,
      given: string | undefined,
      address: string | null,
    ): Promise<string | null> => {
      const { password } = viewSettings(open.link);
      if (password === null) return null;
      if (given === undefined) throw passwordNeeded('This link needs its password.');
      const pair = `${open.link.id} ${clientPart(address)}`;
      const until = byPair.lockedUntil(pair) ?? byLink.lockedUntil(open.link.id);
      if (until !== null) throw tooManyRequests(until, now());
      if (passwords.isBusy) {
        const wait = { 'retry-after': '5' };
        throw plainProblem(503, 'Service Unavailable', 'Too many passwords are compared.', wait);
      }
      // Counted before: many at once are no more guesses than one after the other.
      byPair.add(pair);
      byLink.add(open.link.id);
      if (!(await passwords.matches(given, password))) throw passwordNeeded('Wrong password.');
      byPair.forgive(pair);
      byLink.forgive(open.link.id);
      const end = String(now() + TOKEN_MS);
      return `${end}.${sealOf(open, end, password)}`;
    },
  };
}
