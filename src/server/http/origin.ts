import type { HttpBindings } from '@hono/node-server';
import { getConnInfo } from '@hono/node-server/conninfo';
import type { Context } from 'hono';
import { plainProblem } from '#contract/fault.ts';

/**
 * Maximum length of a request's address in bytes: room for a query of 4,096 characters outside the Basic Multilingual
 * Plane, which take twelve bytes each when escaped.
 */
export const MAX_ADDRESS = 56 * 1024;

const HOST = /^(?:127\.0\.0\.1|localhost|\[::1\])(?::(\d{1,5}))?$/;

/** Host and port that the request was sent to. */
export function hostOf(c: Context): string {
  return (c.req.header('host') ?? new URL(c.req.url).host).toLowerCase();
}

/**
 * Refuses requests for another host, which defends against DNS rebinding.
 *
 * @param port - The port that the service listens on; null if requests come in process.
 * @throws {@link Fault} 403 for another host or port, 414 for an address that is too long.
 */
export function checkAddress(c: Context, port: number | null): void {
  const found = HOST.exec(hostOf(c));
  if (!found || (port !== null && Number(found[1] ?? 80) !== port)) {
    const detail = 'This service answers only requests for its own address on this machine.';
    throw plainProblem(403, 'Forbidden', detail);
  }
  if (c.req.url.length > MAX_ADDRESS) {
    throw plainProblem(414, 'URI Too Long', `An address may have at most ${MAX_ADDRESS} bytes.`);
  }
}

/** Whether a request comes from a page of this service, or not from a page at all. */
export function isSameOrigin(c: Context): boolean {
  const site = c.req.header('sec-fetch-site');
  if (site !== undefined && site !== 'same-origin' && site !== 'none') return false;
  const origin = c.req.header('origin');
  return origin === undefined || origin.toLowerCase() === `http://${hostOf(c)}`;
}

/** Browsers set one of these headers when they prefetch a page. */
const PREFETCH_HEADERS = ['sec-purpose', 'purpose', 'x-purpose', 'x-moz'] as const;

/** Whether a browser fetches a page before the user opens it. */
export function isPrefetch(c: Context): boolean {
  return PREFETCH_HEADERS.some((name) => c.req.header(name) !== undefined);
}

/**
 * Whether a request comes from a script on this service's pages, or from a client that is not a browser. A browser
 * attaches the cookie to other requests too: an address opened from an email, a chat or the address bar, its prefetch,
 * a frame, an image. Browsers without `Sec-Fetch-*` mark a navigation with the two headers checked last.
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
    !isPrefetch(c) &&
    is('upgrade-insecure-requests') &&
    !(c.req.header('accept') ?? '').includes('text/html')
  );
}

/** Address of the client; null for a request in process. */
export function clientAddress(c: Context): string | null {
  const isRemote = (c.env as { incoming?: unknown } | undefined)?.incoming !== undefined;
  return (isRemote && getConnInfo(c).remote.address) || null;
}

/** Closes the connection to the client at once; undefined for a request in process. */
export function closerOf(c: Context): (() => void) | undefined {
  const { outgoing } = (c.env ?? {}) as Partial<HttpBindings>;
  return outgoing && (() => void outgoing.destroy());
}
