import * as v from 'valibot';
import { Fault } from '#contract/fault.ts';
import { PLATFORM_SLOW, PLATFORM_UNREACHABLE, UNCERTAIN } from '#contract/counts/platform.ts';
import { LONGEST_MS } from './page-table.ts';
import { parseJson } from '#core/text/bounded-json.ts';
import type { PlatformAccess } from './access.ts';
import { scrubOf } from './scrub.ts';
import type { Resources } from './relay-call.ts';

/** Maximum size of an answer, bytes: a page of minutes has some four million. */
export const MAX_BYTES = 32 * 1024 * 1024;

/** Maximum size of a refusal that is searched for the token and passed on, bytes. */
const MAX_REFUSAL_BYTES = 64 * 1024;

/** Headers of the platform that are passed on. */
const PASSED_ON =
  /^(?:date|content-type|x-access-level|api-version|retry-after|(?:x-rate-limit|x-app-limit-24hour)-(?:limit|remaining|reset))$/;

/** Errors of connections that were never established, so that nothing can have been billed. */
const NEVER_SENT: ReadonlySet<string> = new Set([
  'ECONNREFUSED',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EAI_FAIL',
  'EHOSTUNREACH',
  'EHOSTDOWN',
  'ENETUNREACH',
  'ENETDOWN',
  'EADDRNOTAVAIL',
  'UND_ERR_CONNECT_TIMEOUT',
  'CERT_HAS_EXPIRED',
  'DEPTH_ZERO_SELF_SIGNED_CERT',
  'ERR_TLS_CERT_ALTNAME_INVALID',
  'SELF_SIGNED_CERT_IN_CHAIN',
  'UNABLE_TO_GET_ISSUER_CERT_LOCALLY',
  'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
]);

/** A page, or a refusal: status 200 with complete JSON, or 400 to 599. */
export interface PlatformReply {
  readonly status: number;
  /** The headers that are passed on, names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Uint8Array;
}

/** An answer with the facts that the relay needs. */
export interface SentReply extends PlatformReply {
  /** True if it is a page with a token for the rest of its window. */
  readonly continued: boolean;
  /** The Posts and users in it; null if that cannot be read. */
  readonly brought: Resources | null;
}

/** A request that got neither a page nor a refusal. */
export class NoReply extends Error {
  override readonly name = 'NoReply';
  /** True if it may have reached the platform. */
  readonly sent: boolean;
  readonly fault: Fault;

  constructor(sent: boolean, fault: Fault) {
    super(fault.message);
    this.sent = sent;
    this.fault = sent ? new Fault(fault.status, { ...fault.body, [UNCERTAIN]: true }) : fault;
  }
}

export interface SendingDeps {
  readonly access: PlatformAccess;
  readonly fetch: typeof fetch;
  /** A signal that aborts after that many ms. */
  readonly timeout: (ms: number) => AbortSignal;
  /** The service's user agent. */
  readonly agent: string;
}

function unreachable(detail: string, title = 'The platform cannot be reached'): Fault {
  return new Fault(502, { title, detail, type: PLATFORM_UNREACHABLE, status: 502 });
}

function unusable(detail: string): NoReply {
  return new NoReply(true, unreachable(detail, 'The platform gave no usable answer'));
}

/** Only a refusal is known to be free: any other status except 200 may have been billed without a page. */
function isRefusal(status: number): boolean {
  return status >= 400 && status < 600;
}

function slow(): Fault {
  const detail = `The platform gave no complete answer within ${LONGEST_MS / 1000} seconds.`;
  const title = 'The platform is too slow';
  return new Fault(504, { title, detail, type: PLATFORM_SLOW, status: 504 });
}

/** The code of an error or of its cause; never its text, which may contain what was sent. */
function codeOf(error: unknown): string | null {
  for (let at = error; at instanceof Error; at = at.cause) {
    if ('code' in at && typeof at.code === 'string' && /^\w+$/.test(at.code)) return at.code;
    if (at instanceof AggregateError && at.errors.length > 0) return codeOf(at.errors[0]);
  }
  return null;
}

/** @returns Null if it is longer than {@link MAX_BYTES}. */
async function readBody(answer: Response): Promise<Uint8Array | null> {
  const parts: Uint8Array[] = [];
  let length = 0;
  for await (const part of answer.body ?? []) {
    length += part.length;
    if (length > MAX_BYTES) return null;
    parts.push(part);
  }
  return Buffer.concat(parts);
}

/** Parses a body; undefined if it is not complete JSON, or nests deeper than any page. */
function jsonOf(body: Uint8Array): unknown {
  try {
    return parseJson(new TextDecoder('utf-8', { fatal: true }).decode(body));
  } catch {
    return undefined;
  }
}

const listed = v.optional(v.array(v.unknown()), []);
const Brought = v.object({
  data: listed,
  includes: v.optional(v.object({ tweets: listed, users: listed }), {}),
});

/** Counts the elements of `data`, which are Posts in a search, and the included objects. */
function broughtBy(page: unknown): Resources | null {
  const read = v.safeParse(Brought, page);
  if (!read.success) return null;
  const { data, includes } = read.output;
  return { posts: data.length + includes.tweets.length, users: includes.users.length };
}

const Continued = v.object({ meta: v.object({ next_token: v.string() }) });

/** A refusal whose own text is not passed on. */
function dropped(status: number): Pick<PlatformReply, 'status' | 'body'> {
  const detail =
    'The platform refused. Its text is left out: it is too long, or repeats the token.';
  const problem = { title: 'The platform refused', type: 'about:blank', status, detail };
  return { status, body: Buffer.from(JSON.stringify(problem)) };
}

/**
 * Makes a function that sends requests to the platform: it adds the token, and removes it from whatever
 * comes back.
 */
export function sendingTo({ access, fetch, timeout, agent }: SendingDeps) {
  const scrub = scrubOf(access.token);
  const mayReveal = (body: Uint8Array): boolean =>
    body.length > MAX_REFUSAL_BYTES || scrub.holdsPart(Buffer.from(body).toString('latin1'));

  /**
   * Requests a path with its parameters and reads the complete answer. Redirects are not followed.
   *
   * @param ending - Aborted when the service must stop.
   * @throws {@link NoReply} if no complete answer came, or one that is neither a page nor a refusal.
   */
  return async (path: string, ending: AbortSignal): Promise<SentReply> => {
    const stop = new AbortController();
    const late = timeout(LONGEST_MS);
    const abort = (): void => stop.abort();
    for (const signal of [late, ending]) signal.addEventListener('abort', abort, { once: true });
    if (late.aborted || ending.aborted) abort();
    let begun = false;
    try {
      const answer = await fetch(access.base + path, {
        headers: {
          authorization: `Bearer ${access.token}`,
          accept: 'application/json',
          'accept-encoding': 'gzip',
          'user-agent': agent,
        },
        redirect: 'manual',
        signal: stop.signal,
      });
      begun = true;
      const { status } = answer;
      const headers = Object.fromEntries(
        [...answer.headers].flatMap(([name, value]) =>
          PASSED_ON.test(name) && !scrub.holdsPart(scrub.text(value))
            ? [[name, scrub.text(value)] as const]
            : [],
        ),
      );
      if (status !== 200 && !isRefusal(status)) {
        abort();
        const what =
          status >= 300 && status < 400
            ? `a redirect (status ${status}), which is not followed`
            : `status ${status}, which is neither a page nor a refusal`;
        throw unusable(`The platform answered with ${what}.`);
      }
      const body = await readBody(answer);
      if (!body) throw unusable(`The platform's answer has more than ${MAX_BYTES} bytes.`);
      // A connection need not report that it ended early.
      const page = status === 200 ? jsonOf(body) : null;
      if (page === undefined) {
        throw unusable("The platform's answer is not complete JSON.");
      }
      const continued = v.is(Continued, page);
      const clean = scrub.bytes(body);
      if (isRefusal(status) && mayReveal(clean)) {
        const type = { 'content-type': 'application/problem+json' };
        return { ...dropped(status), headers: { ...headers, ...type }, continued, brought: null };
      }
      return { status, headers, body: clean, continued, brought: broughtBy(page) };
    } catch (error) {
      if (error instanceof NoReply) throw error;
      if (late.aborted) throw new NoReply(true, slow());
      const code = codeOf(error);
      const sent = begun || code === null || !NEVER_SENT.has(code);
      const reason = code === null ? '' : ` (${code})`;
      const detail = sent
        ? `The connection to ${access.host} broke before the complete answer arrived${reason}.`
        : `No connection to ${access.host} can be made${reason}.`;
      throw new NoReply(sent, unreachable(detail));
    } finally {
      for (const signal of [late, ending]) signal.removeEventListener('abort', abort);
    }
  };
}
