import type { HttpBindings } from '@hono/node-server';
import { getConnInfo } from '@hono/node-server/conninfo';
import type { Context } from 'hono';
import { plainProblem, type Fault } from '#contract/fault.ts';
import { isIn, readForwarded, type AddressBlock } from './forwarded.ts';

/**
 * Maximum length of a request's address in bytes: room for a query of 4,096 characters outside the Basic Multilingual
 * Plane, which take twelve bytes each when escaped.
 */
export const MAX_ADDRESS = 56 * 1024;

/** A service for this machine alone. */
interface LoopbackSite {
  readonly kind: 'loopback';
  /** The port that the service listens on; null if requests come in process. */
  readonly port: () => number | null;
}

/** A service for other machines: only by HTTPS, its own or a reverse proxy's, and only under its names. */
export interface NetworkSite {
  readonly kind: 'network';
  /** Names that the service is opened by, as `hostName` gives them. */
  readonly names: readonly string[];
  /** The addresses from which requests may come; null if clients connect to the service itself. */
  readonly proxies: readonly AddressBlock[] | null;
}

/** The clients that a service answers, and the addresses under which it does. */
export type Site = LoopbackSite | NetworkSite;

/** The facts that a listener adds to its requests. */
export interface Listener {
  /** Set for requests from this machine to the listener that takes orders and says how the service is. */
  readonly inside?: true;
}

/** The way in which a request reached the service. */
interface Place {
  readonly scheme: 'http' | 'https';
  /** Host and port as a browser writes them in an origin, in lower case. */
  readonly host: string;
  readonly client: string | null;
}

const places = new WeakMap<Context, Place>();

const LOOPBACK_HOST = /^(?:127\.0\.0\.1|localhost|\[::1\])(?::(\d{1,5}))?$/;
const NAMED_HOST = /^(\[[\d.a-f:]+\]|[a-z\d._-]+)(?::(\d{1,5}))?$/;

/** Paths that the listener for this machine serves, and of those the ones that other machines cannot reach. */
const INSIDE = /^\/(?:control\/|health$|metrics$)/;
const ORDERS = /^\/control\//;

/** A host name or IP address as in the origin of a page; null for any other text. */
export function hostName(text: string): string | null {
  const host = text.toLowerCase();
  const bracketed = /^[\d.a-f:]+:[\d.a-f:]*$/.test(host) ? `[${host}]` : host;
  const [, name, port] = NAMED_HOST.exec(bracketed) ?? [];
  if (name === undefined || port !== undefined || !URL.canParse(`https://${name}`)) return null;
  return new URL(`https://${name}`).hostname;
}

/** Address of the other end of the connection; null for a request in process. */
function remoteOf(c: Context): string | null {
  const isRemote = (c.env as { incoming?: unknown } | undefined)?.incoming !== undefined;
  return (isRemote && getConnInfo(c).remote.address) || null;
}

function hostSent(c: Context): string {
  return (c.req.header('host') ?? new URL(c.req.url).host).toLowerCase();
}

function placeOf(c: Context): Place {
  return places.get(c) ?? { scheme: 'http', host: hostSent(c), client: remoteOf(c) };
}

/** Host and port that the request was sent to. */
export function hostOf(c: Context): string {
  return placeOf(c).host;
}

/** Scheme, host and port that the request was sent to, such as `http://127.0.0.1:4319`. */
export function originOf(c: Context): string {
  const { scheme, host } = placeOf(c);
  return `${scheme}://${host}`;
}

/** True if the request came by HTTPS, as all of those from other machines do. */
export function isSecure(c: Context): boolean {
  return placeOf(c).scheme === 'https';
}

/** Address of the client, behind the reverse proxy if there is one; null for a request in process. */
export function clientAddress(c: Context): string | null {
  return placeOf(c).client;
}

function forbidden(detail: string): Fault {
  return plainProblem(403, 'Forbidden', detail);
}

function checkLoopback(host: string, port: number | null): void {
  const found = LOOPBACK_HOST.exec(host);
  if (found && (port === null || Number(found[1] ?? 80) === port)) return;
  throw forbidden('This service answers only requests for its own address on this machine.');
}

/** @throws {@link Fault} 403 for another host, 400 as `readForwarded`. */
function networkPlace(c: Context, { names, proxies }: NetworkSite): Place {
  const remote = remoteOf(c);
  if (proxies && (remote === null || !isIn(remote, proxies))) {
    throw forbidden('This service answers only through its reverse proxy.');
  }
  const sent = proxies && readForwarded((name) => c.req.header(name), remote ?? '', proxies);
  if (sent && sent.scheme !== 'https') {
    const got = sent.scheme === null ? 'no scheme' : `[${sent.scheme}]`;
    throw forbidden(
      `This service answers only by HTTPS, and the reverse proxy reports ${got}: let it send X-Forwarded-Proto: https.`,
    );
  }
  const [, name = '', port] = NAMED_HOST.exec((sent?.host ?? hostSent(c)).toLowerCase()) ?? [];
  const known = hostName(name);
  if (known === null || !names.includes(known) || Number(port ?? 443) > 65_535) {
    throw forbidden('This service is not known by the host name of this request.');
  }
  const number = Number(port ?? 443);
  const host = number === 443 ? known : `${known}:${number}`;
  return { scheme: 'https', host, client: sent?.client ?? remote };
}

/**
 * Refuses requests for another host, which defends against DNS rebinding, and requests that bypass the reverse proxy.
 * Notes how the request came, for the other functions of this module.
 *
 * @throws {@link Fault} 403 for another host or port, or another way than by the reverse proxy or HTTPS; 404 for a path
 *   that this listener does not serve; 400 for unreadable headers of a proxy; 414 for an address that is too long.
 */
export function checkAddress(c: Context, site: Site): void {
  const { inside } = (c.env ?? {}) as Listener;
  if (inside || site.kind === 'loopback') {
    checkLoopback(hostSent(c), inside || site.kind !== 'loopback' ? null : site.port());
  } else places.set(c, networkPlace(c, site));
  const { path } = c.req;
  if (site.kind === 'network' && (inside ? !INSIDE.test(path) : ORDERS.test(path))) {
    throw plainProblem(404, 'Not Found', `There is nothing at ${path}.`);
  }
  if (c.req.url.length > MAX_ADDRESS) {
    throw plainProblem(414, 'URI Too Long', `An address may have at most ${MAX_ADDRESS} bytes.`);
  }
}

/** True if a request comes from a page of this service, or not from a page at all. */
export function isSameOrigin(c: Context): boolean {
  const site = c.req.header('sec-fetch-site');
  if (site !== undefined && site !== 'same-origin' && site !== 'none') return false;
  const origin = c.req.header('origin');
  return origin === undefined || origin.toLowerCase() === originOf(c);
}

/** Browsers set one of these headers when they prefetch a page. */
const PREFETCH_HEADERS = ['sec-purpose', 'purpose', 'x-purpose', 'x-moz'] as const;

/** True if a browser fetches a page before the user opens it. */
export function isPrefetch(c: Context): boolean {
  return PREFETCH_HEADERS.some((name) => c.req.header(name) !== undefined);
}

/** True if a browser requests a page to show, not a part of one. */
export function isNavigation(c: Context): boolean {
  const mode = c.req.header('sec-fetch-mode');
  if (mode !== undefined) return mode === 'navigate';
  return (c.req.header('accept') ?? '').includes('text/html');
}

/**
 * True if a request comes from a script on this service's pages, or from a client that is not a browser. A browser
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

/** Closes the connection to the client at once; undefined for a request in process. */
export function closerOf(c: Context): (() => void) | undefined {
  const { outgoing } = (c.env ?? {}) as Partial<HttpBindings>;
  return outgoing && (() => void outgoing.destroy());
}
