import type { LookupAddress, LookupOptions } from 'node:dns';
import { isIP } from 'node:net';
import { createSecureContext } from 'node:tls';
import { Agent } from 'undici';
import { FetchError, fetchErrorOf } from './fetch-error.ts';
import { checkAddress, readTarget } from './target.ts';
import type { TargetRules } from './target.ts';

/** How long a request may take, from the lookup of its name to the last byte of its answer. */
export const FETCH_SECONDS = 10;

/** Most bytes of an answer's body and of its headers. */
const MOST_ANSWER = 64 * 1024;
const MOST_HEADERS = 16 * 1024;

/** A request to another machine. */
export interface FetchRequest {
  readonly method: 'GET' | 'HEAD' | 'POST';
  readonly url: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: Uint8Array;
  /** Ends the request early. */
  readonly signal?: AbortSignal;
}

export interface FetchAnswer {
  readonly status: number;
  readonly body: Buffer;
}

/** Guarded requests to addresses that other people choose. */
export interface Fetcher {
  /**
   * Sends a request and reads its answer.
   *
   * @returns An answer with a status of 200 to 299.
   * @throws {@link FetchError} for everything else; the reason of `signal` if that aborts.
   */
  send(request: FetchRequest): Promise<FetchAnswer>;
  /** Checks an address as {@link readTarget}. */
  check(url: string): void;
  /** Ends all connections. */
  close(): Promise<void>;
}

export interface FetcherDeps {
  /** All IP addresses of a host name. */
  readonly resolve: (name: string) => Promise<readonly string[]>;
  /** Creates a signal that aborts after some ms. */
  readonly timeout: (ms: number) => AbortSignal;
  /** The program's `user-agent`. */
  readonly agent: string;
  readonly rules: TargetRules;
  /** Certificates of authorities that are trusted, PEM; those of Node by default. */
  readonly ca?: string;
}

type LookupDone = (
  error: Error | null,
  addresses: string | LookupAddress[],
  family?: number,
) => void;

/**
 * Opens a client for addresses that other people choose.
 *
 * The address that a name leads to is checked in the lookup of each connection, so a name that leads to a public address
 * at first and to a private one later is refused too. Redirects are not followed.
 */
export function openFetcher({ resolve, timeout, agent, rules, ca }: FetcherDeps): Fetcher {
  const lookup = (name: string, { all }: LookupOptions, done: LookupDone): void => {
    resolve(name)
      .then((addresses) => {
        const [first] = addresses;
        if (first === undefined) {
          throw new FetchError('connection', 'The connection failed: the name does not resolve.');
        }
        for (const address of addresses) checkAddress(address, rules);
        const found = addresses.map((address) => ({ address, family: isIP(address) }));
        if (all) done(null, found);
        else done(null, first, isIP(first));
      })
      .catch((error: unknown) => {
        done(error instanceof Error ? error : new Error(String(error)), []);
      });
  };
  const secureContext = createSecureContext(ca === undefined ? {} : { ca });
  const client = new Agent({
    // One context for all connections: each would read the certificates of authorities again.
    connect: { lookup, timeout: FETCH_SECONDS * 1000, secureContext },
    headersTimeout: FETCH_SECONDS * 1000,
    bodyTimeout: FETCH_SECONDS * 1000,
    maxResponseSize: MOST_ANSWER,
    maxHeaderSize: MOST_HEADERS,
    // An idle connection outlives the intervals of a busy receiver, not of a quiet one.
    keepAliveTimeout: 4000,
    keepAliveMaxTimeout: 30_000,
  });
  return {
    check: (url) => void readTarget(url, rules),
    send: async ({ method, url, headers = {}, body, signal }) => {
      const { origin, pathname, search } = readTarget(url, rules);
      const late = timeout(FETCH_SECONDS * 1000);
      try {
        const answer = await client.request({
          origin,
          path: pathname + search,
          method,
          headers: { 'user-agent': agent, ...headers },
          ...(body && { body }),
          signal: signal ? AbortSignal.any([signal, late]) : late,
        });
        // Read in any case: an unread answer would keep its connection.
        const read = Buffer.from(await answer.body.arrayBuffer());
        const status = answer.statusCode;
        if (status >= 200 && status < 300) return { status, body: read };
        if (status >= 300 && status < 400) {
          throw new FetchError('redirect', `The server redirected the request (status ${status}).`);
        }
        throw new FetchError('status', `The server answered with status ${status}.`);
      } catch (error) {
        if (signal?.aborted) throw signal.reason;
        throw fetchErrorOf(error, FETCH_SECONDS);
      }
    },
    close: () => client.destroy(),
  };
}
