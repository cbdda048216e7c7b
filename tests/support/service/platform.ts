import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import { DAY_MS, HOUR_MS } from '#core/time/span.ts';
import {
  absentPage,
  changed,
  failing,
  gappedPage,
  renamed,
  unordered,
  wrongTotal,
  zeroPage,
  type Sent,
} from './faults.ts';
import type { WrittenPage } from '#tests/support/data/pages.ts';
import { startService, type TestPost, type TestService } from './service.ts';

const pack = promisify(gzip);

/** A request that reached the platform. */
export interface Reached extends Sent {
  readonly authorization: string | null;
  readonly headers: Headers;
}

/**
 * Handles a request instead of the platform, or changes the platform's answer. If it throws or the answer's stream
 * fails, the connection breaks. It returns null if it has written to the wire itself.
 */
export type PlatformFault = (
  sent: Reached,
  pass: () => Promise<Response>,
  wire: ServerResponse,
) => Promise<Response | null>;

export interface TestPlatform {
  readonly url: string;
  /** An app token, by default with the platform's rate limits. */
  readonly token: string;
  /** Every request that reached the platform, in order. */
  readonly sent: readonly Reached[];
  /** The service that simulates the platform. */
  readonly service: TestService;
  /** Applies a fault to the next `times` requests that match; an earlier rule takes precedence. */
  inject(when: (sent: Reached) => boolean, fault: PlatformFault, times?: number): void;
  /** Removes all faults. */
  repair(): void;
  /** Refuses connections from now on. */
  refuse(): Promise<void>;
  /** Accepts connections again, at the same address. */
  accept(): Promise<void>;
  close(): Promise<void>;
}

export interface PlatformStart {
  readonly posts?: readonly TestPost[];
  /** Epoch ms; by default the machine's clock. */
  readonly now?: () => number;
  /** True if the platform's rate limits apply to the token; true by default. */
  readonly limited?: boolean;
  /** A running service that simulates the platform, with its own Posts and clock; it is not closed with the platform. */
  readonly service?: TestService;
}

/** Headers that belong to one connection and are not passed on. */
const OF_CONNECTION =
  /^(?:content-length|content-encoding|transfer-encoding|connection|keep-alive)$/;

async function write(request: IncomingMessage, wire: ServerResponse, answer: Response) {
  wire.statusCode = answer.status;
  wire.sendDate = false;
  for (const [name, value] of answer.headers) {
    if (!OF_CONNECTION.test(name)) wire.setHeader(name, value);
  }
  const parts: Uint8Array[] = [];
  try {
    for await (const part of answer.body ?? []) parts.push(part);
  } catch {
    // Sends the part received so far, so that the connection breaks within the body.
    await new Promise((resolve) => wire.write(Buffer.concat(parts), resolve));
    wire.destroy();
    return;
  }
  const plain = Buffer.concat(parts);
  const packs = plain.length > 1000 && /gzip/.test(String(request.headers['accept-encoding']));
  const body = packs ? await pack(plain, { level: 1 }) : plain;
  if (packs) wire.setHeader('content-encoding', 'gzip');
  wire.setHeader('content-length', body.length);
  wire.end(body);
}

/**
 * Starts a platform: a second instance of the service with its own Posts, behind a server of real HTTP that records
 * the requests, injects faults, and calls the instance in this process.
 */
export async function startPlatform(options: PlatformStart = {}): Promise<TestPlatform> {
  const { posts, now = Date.now, limited = true } = options;
  const service = options.service ?? startService({ ...(posts && { posts }), now, copied: true });
  const token = service.auth.issueToken({ access: 'enterprise', limited });
  const sent: Reached[] = [];
  let rules: { when: (sent: Reached) => boolean; fault: PlatformFault; remaining: number }[] = [];

  const handle = async (request: IncomingMessage, wire: ServerResponse): Promise<void> => {
    const url = new URL(request.url ?? '/', `http://${request.headers.host}`);
    const method = request.method ?? 'GET';
    const headers = new Headers();
    for (const [name, value] of Object.entries(request.headers)) headers.set(name, String(value));
    const authorization = headers.get('authorization');
    const one = { path: url.pathname, search: url.searchParams, method, authorization, headers };
    sent.push(one);
    const rule = rules.find(({ when, remaining }) => remaining > 0 && when(one));
    if (rule) rule.remaining -= 1;
    const pass = (): Promise<Response> =>
      service.request(`${url.pathname}${url.search}`, {
        method,
        headers: { cookie: '', ...(authorization && { authorization }) },
      });
    const answer = await (rule ? rule.fault(one, pass, wire) : pass());
    if (answer) await write(request, wire, answer);
  };
  // A request that crosses with the closing of its idle connection would fail.
  const server = createServer({ keepAliveTimeout: 65_000 }, (request, wire) => {
    handle(request, wire).catch(() => wire.destroy());
  });
  const listen = async (port: number): Promise<number> => {
    server.listen(port, '127.0.0.1');
    await once(server, 'listening');
    return (server.address() as AddressInfo).port;
  };
  const end = async (): Promise<void> => {
    if (!server.listening) return;
    const closed = once(server, 'close');
    server.close();
    server.closeAllConnections();
    await closed;
  };
  const port = await listen(0);
  return {
    url: `http://127.0.0.1:${port}`,
    token,
    sent,
    service,
    inject: (when, fault, times = Infinity) => void rules.push({ when, fault, remaining: times }),
    repair: () => {
      rules = [];
    },
    refuse: end,
    accept: async () => void (await listen(port)),
    close: async () => {
      await end();
      if (!options.service) await service.close();
    },
  };
}

/** Answers with a problem of this status and these headers. */
const refused = (status: number, headers: Record<string, string>): PlatformFault => {
  return async () => {
    const body = { title: 'Refused', type: 'about:blank', status, detail: 'Refused' };
    return new Response(JSON.stringify(body), { status, headers });
  };
};

/** Lets requests reach the platform, and holds back the answers until the release. */
export function heldUp(): { fault: PlatformFault; reached: Promise<void>; release: () => void } {
  let [arrive, release] = [(): void => {}, (): void => {}];
  const reached = new Promise<void>((resolve) => (arrive = resolve));
  const released = new Promise<void>((resolve) => (release = resolve));
  return {
    reached,
    release: () => release(),
    fault: async (_, pass) => {
      arrive();
      await released;
      return await pass();
    },
  };
}

/** The connection is reset before any answer. */
const reset: PlatformFault = async (_, _pass, wire) => {
  wire.socket?.resetAndDestroy();
  return null;
};

/** The connection ends after half of the declared content length. */
const cutShort: PlatformFault = async (_, pass, wire) => {
  const answer = await pass();
  const body = Buffer.from(await answer.arrayBuffer());
  wire.writeHead(answer.status, {
    ...Object.fromEntries(answer.headers),
    'content-length': body.length,
  });
  await new Promise((resolve) => wire.write(body.subarray(0, body.length / 2), resolve));
  wire.destroy();
  return null;
};

/** A redirect, as to a sign-in page. */
const moved = (to: string): PlatformFault => refused(302, { location: to });

/** Returns an error that contains the authorization it received. */
const echo: PlatformFault = async ({ authorization }) => {
  const body = { title: 'Unauthorized', detail: `You sent ${authorization}`, type: 'about:blank' };
  return new Response(JSON.stringify({ ...body, status: 401 }), {
    status: 401,
    headers: { 'content-type': 'application/json', 'api-version': String(authorization) },
  });
};

/** The platform's clock, and so its `Date` header, is off by `ms`. */
const dateOff = (ms: number): PlatformFault => {
  return async (_, pass) => {
    const answer = await pass();
    const headers = new Headers(answer.headers);
    const date = Date.parse(headers.get('date') ?? '') + ms;
    headers.set('date', new Date(date).toUTCString());
    return new Response(answer.body, { status: answer.status, headers });
  };
};

/** Changes the text of a page; the result need not be what JSON.stringify can write. */
export const rewritten = (change: (text: string) => string): PlatformFault => {
  return async (_, pass) => {
    const answer = await pass();
    const text = change(await answer.text());
    return new Response(text, { status: answer.status, headers: answer.headers });
  };
};

type Bucket = NonNullable<WrittenPage['data']>[number];

/** Changes the buckets of a page, and adjusts its total. */
function buckets(change: (data: Bucket[]) => Bucket[]): PlatformFault {
  return changed((page) => {
    const data = change(page.data ?? []);
    const total = data.reduce((sum, { tweet_count: count }) => sum + count, 0);
    return { data, meta: { ...page.meta, total_tweet_count: total } };
  });
}

const counted = (count: (bucket: Bucket, i: number) => number): PlatformFault =>
  buckets((data) => data.map((bucket, i) => ({ ...bucket, tweet_count: count(bucket, i) })));

const later = (instant: string, ms: number): string =>
  new Date(Date.parse(instant) + ms).toISOString();

const shifted = (ms: number): PlatformFault =>
  buckets((data) =>
    data.map((bucket) => ({
      ...bucket,
      start: later(bucket.start, ms),
      end: later(bucket.end, ms),
    })),
  );

/** Complete pages with wrong content; the last three pass every check. */
const PAGES = {
  absent: absentPage,
  zeros: zeroPage,
  gap: gappedPage,
  overlap: buckets((data) => data.flatMap((bucket, i) => (i === 3 ? [bucket, bucket] : [bucket]))),
  wrongOrder: buckets((data) => data.toReversed()),
  offGrid: shifted(HOUR_MS / 4),
  outside: shifted(DAY_MS),
  negative: counted(({ tweet_count }, i) => (i === 1 ? -1 : tweet_count)),
  fractional: counted(({ tweet_count }, i) => (i === 1 ? 0.5 : tweet_count)),
  changedBucket: counted(({ tweet_count }, i) => (i === 1 ? tweet_count + 1 : tweet_count)),
  wrongTotal,
  unexpectedToken: changed((page) => {
    page.meta.next_token = 'unexpected';
  }),
  /** The last bucket ends at the time of the answer. */
  endsNow: buckets((data) =>
    data.map((bucket, i) =>
      i === data.length - 1 ? { ...bucket, end: later(bucket.end, 10_000) } : bucket,
    ),
  ),
  roundedUp: counted(({ tweet_count: n }) => (n > 0 && n < 5 ? 5 : n)),
  unordered,
  postCounts: renamed,
} satisfies Record<string, PlatformFault>;

/** Faults of a platform. */
export const PLATFORM_FAULTS = {
  refused,
  unavailable: failing(503),
  limited: failing(429),
  reset,
  cutShort,
  moved,
  echo,
  dateOff,
  pages: PAGES,
} as const;
