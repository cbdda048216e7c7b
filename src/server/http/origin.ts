import type { Context } from 'hono';
import { plainProblem } from '#contract/fault.ts';

/**
 * Bytes of a request's address at most. A query of 4,096 characters outside the first plane takes twelve
 * bytes each when it is escaped.
 */
export const MAX_ADDRESS = 56 * 1024;

const HOST = /^(?:127\.0\.0\.1|localhost|\[::1\])(?::(\d{1,5}))?$/;

/** Host and port that a request names. */
export function hostOf(c: Context): string {
  return (c.req.header('host') ?? new URL(c.req.url).host).toLowerCase();
}

/**
 * Refuses requests for another host: a page elsewhere could make its name point here.
 *
 * @param port - The port that the service listens on; null where requests come without one.
 * @throws {@link Fault} 403 for another host or port, 414 for an address that is too long.
 */
export function checkAddress(c: Context, port: number | null): void {
  const found = HOST.exec(hostOf(c));
  if (!found || (port !== null && Number(found[1] ?? 80) !== port)) {
    const detail = 'This service answers to its own address on this machine alone.';
    throw plainProblem(403, 'Forbidden', detail);
  }
  if (c.req.url.length > MAX_ADDRESS) {
    throw plainProblem(414, 'URI Too Long', `An address may have ${MAX_ADDRESS} bytes.`);
  }
}

/** Whether a request comes from a page of this service, or from no page at all. */
export function isSameOrigin(c: Context): boolean {
  const site = c.req.header('sec-fetch-site');
  if (site !== undefined && site !== 'same-origin' && site !== 'none') return false;
  const origin = c.req.header('origin');
  return origin === undefined || origin.toLowerCase() === `http://${hostOf(c)}`;
}

/** Browsers set one of these headers when they prefetch a page that the user has not opened yet. */
const PREFETCH_HEADERS = ['sec-purpose', 'purpose', 'x-purpose', 'x-moz'] as const;

/**
 * Whether a script of this service's pages sends a request, or a client that is no browser. A browser attaches
 * the cookie to more than that: an address opened from a mail, a chat or the address bar, a prefetch of it, a
 * frame, an image. Browsers without `Sec-Fetch-*` still mark a navigation by the two headers checked last.
 */
export function isSentByScript(c: Context): boolean {
  const is = (name: string, ...allowed: string[]): boolean => {
    const value = c.req.header(name);
    return value === undefined || allowed.includes(value);
  };
  return (
    is('sec-fetch-site', 'same-origin') &&
    is('sec-fetch-mode', 'cors', 'same-origin') &&
    is('sec-fetch-dest', 'empty') &&
    PREFETCH_HEADERS.every((name) => is(name)) &&
    is('upgrade-insecure-requests') &&
    !(c.req.header('accept') ?? '').includes('text/html')
  );
}
