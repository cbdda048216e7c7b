import type { LookupAddress, LookupOptions } from 'node:dns';
import { isIP } from 'node:net';
import { createSecureContext } from 'node:tls';
import { Agent } from 'undici';
import { toError } from '#core/thrown.ts';
import { FetchError, fetchErrorOf } from './fetch-error.ts';
import { checkTarget, readTarget, type TargetRules } from './target.ts';

/** The time that a request may take, from the lookup of its name to the last byte of its answer. */
export const FETCH_SECONDS = 10;

/** Most bytes of an answer's body and of its headers. */
const MOST_ANSWER = 64 * 1024;
const MOST_HEADERS = 16 * 1024;

/** Most redirects of a request that follows them. */
const MOST_HOPS = 5;
const BAD_REDIRECT = 'The host redirected to something that is not an address.';
const REDIRECTS: ReadonlySet<number> = new Set([301, 302, 303, 307, 308]);

/** A request to another machine. */
export interface OutgoingRequest {
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

/** A request whose answer is read as it arrives. */
export interface StreamRequest {
  readonly url: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** Ends the request. Nothing else limits how long it takes but the time to connect. */
  readonly signal: AbortSignal;
}

export interface StreamAnswer {
  readonly status: number;
  /** By their names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  /** As sent: encoded where the headers say so. Throws {@link FetchError} where the connection breaks. */
  readonly body: AsyncIterable<Buffer>;
  /** Ends the connection unless the body was read to its end. */
  discard(): void;
}

/** Guarded requests to addresses that other people choose. */
export type Fetcher = ReturnType<typeof openFetcher>;

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
 * at first and to a private one later is refused too.
 */
export function openFetcher({ resolve, timeout, agent, rules, ca }: FetcherDeps) {
  const lookup = (name: string, { all }: LookupOptions, done: LookupDone): void => {
    resolve(name)
      .then((addresses) => {
        const [first] = addresses;
        if (first === undefined) {
          throw new FetchError('connection', 'The connection failed: the name does not resolve.');
        }
        for (const address of addresses) checkTarget(address, rules);
        const found = addresses.map((address) => ({ address, family: isIP(address) }));
        if (all) done(null, found);
        else done(null, first, isIP(first));
      })
      .catch((error: unknown) => {
        done(toError(error), []);
      });
  };
  const secureContext = createSecureContext(ca === undefined ? {} : { ca });
  /** @param ms - The time that headers and each part of a body may take; 0 for no limit. */
  const agentOf = (ms: number, maxResponseSize: number): Agent =>
    new Agent({
      // One context for all connections: each would read the certificates of authorities again.
      connect: { lookup, timeout: FETCH_SECONDS * 1000, secureContext },
      headersTimeout: ms,
      bodyTimeout: ms,
      maxResponseSize,
      maxHeaderSize: MOST_HEADERS,
      // An idle connection outlives the intervals of a busy receiver, not of a quiet one.
      keepAliveTimeout: 4000,
      keepAliveMaxTimeout: 30_000,
    });
  const client = agentOf(FETCH_SECONDS * 1000, MOST_ANSWER);
  const streaming = agentOf(0, -1);

  /** The answer of an address, or where it redirects to. */
  const hop = async (
    { origin, pathname, search, href }: URL,
    { headers = {}, signal }: StreamRequest,
  ): Promise<StreamAnswer | string> => {
    const answer = await streaming.request({
      origin,
      path: pathname + search,
      method: 'GET',
      headers: { 'user-agent': agent, ...headers },
      signal,
    });
    const { statusCode: status, body } = answer;
    const given = Object.entries(answer.headers).flatMap(([name, value]) =>
      value === undefined ? [] : [[name, String(value)] as const],
    );
    const discard = (): void => {
      // An abort of the body is no error of this process.
      body.on('error', () => {}).destroy();
    };
    const location = answer.headers['location'];
    if (REDIRECTS.has(status) && typeof location === 'string') {
      discard();
      if (!URL.canParse(location, href)) throw new FetchError('redirect', BAD_REDIRECT);
      const to = new URL(location, href);
      to.hash = '';
      return to.href;
    }
    const read = async function* (): AsyncGenerator<Buffer> {
      try {
        for await (const part of body) yield part as Buffer;
      } catch (error) {
        if (signal.aborted) throw signal.reason;
        throw fetchErrorOf(error, FETCH_SECONDS);
      }
    };
    return { status, headers: Object.fromEntries(given), body: read(), discard };
  };
  return {
    /** Checks an address as {@link readTarget}. */
    check: (url: string): void => void readTarget(url, rules),
    /**
     * Sends a request and reads its answer.
     *
     * @returns An answer with a status of 200 to 299.
     * @throws {@link FetchError} for everything else; the reason of `signal` if that aborts.
     */
    send: async ({
      method,
      url,
      headers = {},
      body,
      signal,
    }: OutgoingRequest): Promise<FetchAnswer> => {
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
    /**
     * Sends a GET request, and follows up to five redirects, each to an address that passes the same checks.
     *
     * @returns An answer of any other status. Its body must be read or discarded.
     * @throws {@link FetchError} if there is none; the reason of `signal` if that aborts.
     */
    stream: async (request: StreamRequest): Promise<StreamAnswer> => {
      let { url } = request;
      for (let hops = 0; hops <= MOST_HOPS; hops++) {
        try {
          const answer = await hop(readTarget(url, rules), request);
          if (typeof answer !== 'string') return answer;
          url = answer;
        } catch (error) {
          if (request.signal.aborted) throw request.signal.reason;
          const fault = fetchErrorOf(error, FETCH_SECONDS);
          if (hops === 0 || fault.fault !== 'address') throw fault;
          // Says which of the two addresses is meant.
          throw new FetchError('redirect', `A redirect was not followed: ${fault.message}`);
        }
      }
      throw new FetchError('redirect', `The host redirected more than ${MOST_HOPS} times.`);
    },
    /** Ends all connections. */
    close: async (): Promise<void> => {
      await Promise.all([client.destroy(), streaming.destroy()]);
    },
  };
}
