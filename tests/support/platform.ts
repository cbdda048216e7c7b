import { once } from 'node:events';
import { createServer } from 'node:http';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import { DAY_MS, HOUR_MS } from '#core/time/span.ts';
import { absentPage, changed, failing, gappedPage, renamed, unordered } from './faults.ts';
import { wrongTotal, zeroPage } from './faults.ts';
import type { Sent } from './faults.ts';
import type { WrittenPage } from './pages.ts';
import { startService } from './service.ts';
import type { TestPost, TestService } from './service.ts';

const pack = promisify(gzip);

/** A request that reached the platform. */
export interface Reached extends Sent {
  readonly authorization: string | null;
  readonly headers: Headers;
}

/**
 * What happens to a request instead of, or to the answer after, the platform's own doing. Where it throws or
 * the answer's stream breaks, so does the connection; null: it has written to the wire itself.
 */
export type PlatformMishap = (
  sent: Reached,
  pass: () => Promise<Response>,
  wire: ServerResponse,
) => Promise<Response | null>;

export interface TestPlatform {
  readonly url: string;
  /** An app token, with the platform's limits unless said otherwise. */
  readonly token: string;
  /** Every request that reached the platform, in order. */
  readonly sent: readonly Reached[];
  /** The service that plays the platform. */
  readonly service: TestService;
  /** Spoils the next `times` requests that match; the rule added first goes first. */
  spoil(when: (sent: Reached) => boolean, mishap: PlatformMishap, times?: number): void;
  /** Takes every rule away. */
  repair(): void;
  /** Refuses connections from now on, or takes them again, at the same address. */
  refuse(): Promise<void>;
  accept(): Promise<void>;
  close(): Promise<void>;
}

export interface PlatformStart {
  readonly posts?: readonly TestPost[];
  /** Epoch ms; the machine's clock unless given. */
  readonly now?: () => number;
  /** Whether the platform's rate limits hold for the token. */
  readonly limited?: boolean;
}

/** The encoding and length are those of one connection. */
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
    // The part that came before goes out first, so that the connection breaks in its midst.
    await new Promise((resolve) => wire.write(Buffer.concat(parts), resolve));
    wire.destroy();
    return;
  }
  const plain = Buffer.concat(parts);
  const packs = plain.length > 1000 && /gzip/.test(String(request.headers['accept-encoding']));
  const body = packs ? await pack(plain) : plain;
  if (packs) wire.setHeader('content-encoding', 'gzip');
  wire.setHeader('content-length', body.length);
  wire.end(body);
}

/**
 * Starts a platform: a second instance of the service on Posts of its own, over real HTTP behind a proxy that
 * keeps what reached it and spoils what it is told to.
 */
export async function startPlatform(options: PlatformStart = {}): Promise<TestPlatform> {
  const { posts, now = Date.now, limited = true } = options;
  const service = startService({ ...(posts && { posts }), now, copied: true });
  const behind = await service.listen();
  const token = service.auth.issueToken({ access: 'enterprise', limited });
  const sent: Reached[] = [];
  let rules: { when: (sent: Reached) => boolean; mishap: PlatformMishap; left: number }[] = [];

  const handle = async (request: IncomingMessage, wire: ServerResponse): Promise<void> => {
    const url = new URL(request.url ?? '/', behind);
    const method = request.method ?? 'GET';
    const headers = new Headers();
    for (const [name, value] of Object.entries(request.headers)) headers.set(name, String(value));
    const authorization = headers.get('authorization');
    const one = { path: url.pathname, search: url.searchParams, method, authorization, headers };
    sent.push(one);
    const rule = rules.find(({ when, left }) => left > 0 && when(one));
    if (rule) rule.left -= 1;
    const pass = (): Promise<Response> =>
      fetch(url, {
        method,
        headers: { 'accept-encoding': 'identity', ...(authorization && { authorization }) },
      });
    const answer = await (rule ? rule.mishap(one, pass, wire) : pass());
    if (answer) await write(request, wire, answer);
  };
  const server = createServer((request, wire) => {
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
    spoil: (when, mishap, times = Infinity) => void rules.push({ when, mishap, left: times }),
    repair: () => {
      rules = [];
    },
    refuse: end,
    accept: async () => void (await listen(port)),
    close: async () => {
      await end();
      await service.close();
    },
  };
}

/** Answers with a status, headers, and a problem. */
const refused = (status: number, headers: Record<string, string>): PlatformMishap => {
  return async () => {
    const body = { title: 'Refused', type: 'about:blank', status, detail: 'Refused' };
    return new Response(JSON.stringify(body), { status, headers });
  };
};

/** Lets requests reach the platform, and answers them when the test says so. */
export function heldUp(): { mishap: PlatformMishap; reached: Promise<void>; release: () => void } {
  let [tell, release] = [(): void => {}, (): void => {}];
  const reached = new Promise<void>((resolve) => (tell = resolve));
  const released = new Promise<void>((resolve) => (release = resolve));
  return {
    reached,
    release: () => release(),
    mishap: async (_, pass) => {
      tell();
      await released;
      return await pass();
    },
  };
}

/** The connection is reset before anything is answered. */
const reset: PlatformMishap = async (_, _pass, wire) => {
  wire.socket?.resetAndDestroy();
  return null;
};

/** The connection ends after half of the length that the head tells. */
const cutShort: PlatformMishap = async (_, pass, wire) => {
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

/** A redirect, as to a page where one would sign in. */
const moved = (to: string): PlatformMishap => refused(302, { location: to });

/** Tells in an error what it was sent. */
const echo: PlatformMishap = async ({ authorization }) => {
  const body = { title: 'Unauthorized', detail: `You sent ${authorization}`, type: 'about:blank' };
  return new Response(JSON.stringify({ ...body, status: 401 }), {
    status: 401,
    headers: { 'content-type': 'application/json', 'api-version': String(authorization) },
  });
};

/** The platform's clock, and with it its Date, is off. */
const dateOff = (ms: number): PlatformMishap => {
  return async (_, pass) => {
    const answer = await pass();
    const headers = new Headers(answer.headers);
    const date = Date.parse(headers.get('date') ?? '') + ms;
    headers.set('date', new Date(date).toUTCString());
    return new Response(answer.body, { status: answer.status, headers });
  };
};

/** Changes the text of a page, which may then hold what no JavaScript value becomes. */
export const rewritten = (change: (text: string) => string): PlatformMishap => {
  return async (_, pass) => {
    const answer = await pass();
    const text = change(await answer.text());
    return new Response(text, { status: answer.status, headers: answer.headers });
  };
};

type Bucket = NonNullable<WrittenPage['data']>[number];

/** Changes the buckets of a page, and makes its total fit. */
function buckets(change: (data: Bucket[]) => Bucket[]): PlatformMishap {
  return changed((page) => {
    const data = change(page.data ?? []);
    const total = data.reduce((sum, { tweet_count: count }) => sum + count, 0);
    return { data, meta: { ...page.meta, total_tweet_count: total } };
  });
}

const counted = (count: (bucket: Bucket, i: number) => number): PlatformMishap =>
  buckets((data) => data.map((one, i) => ({ ...one, tweet_count: count(one, i) })));

const later = (instant: string, ms: number): string =>
  new Date(Date.parse(instant) + ms).toISOString();

const shifted = (ms: number): PlatformMishap =>
  buckets((data) =>
    data.map((one) => ({ ...one, start: later(one.start, ms), end: later(one.end, ms) })),
  );

/** Pages that come whole and are not to be believed, or, the last three, are in order all the same. */
const PAGES = {
  absent: absentPage,
  zeros: zeroPage,
  gap: gappedPage,
  overlap: buckets((data) => data.flatMap((one, i) => (i === 3 ? [one, one] : [one]))),
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
  /** The last bucket ends at the very time of the answer. */
  endsNow: buckets((data) =>
    data.map((one, i) => (i === data.length - 1 ? { ...one, end: later(one.end, 10_000) } : one)),
  ),
  roundedUp: counted(({ tweet_count: n }) => (n > 0 && n < 5 ? 5 : n)),
  unordered,
  postCounts: renamed,
} satisfies Record<string, PlatformMishap>;

/** What a platform may do to a request. */
export const MISHAPS = {
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
