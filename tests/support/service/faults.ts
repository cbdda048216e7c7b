import type { Environment } from '#app/api/client.ts';
import type { WrittenPage } from '#tests/support/data/pages.ts';

/** A request that the app sent. */
export interface Sent {
  readonly path: string;
  readonly search: URLSearchParams;
  readonly method: string;
}

export type Fetch = Environment['fetch'];

/** Handles a request instead of the service, or changes the service's answer. */
export type InjectedFault = (sent: Sent, pass: () => Promise<Response>) => Promise<Response>;

interface Rule {
  readonly when: (sent: Sent) => boolean;
  readonly fault: InjectedFault;
  remaining: number;
}

export const isCounts = ({ path }: Sent): boolean => path.includes('/2/tweets/counts/');

/** True if a request's window contains an instant. */
export const covers = (instant: string): ((sent: Sent) => boolean) => {
  const at = Date.parse(instant);
  return (sent) =>
    isCounts(sent) &&
    Date.parse(sent.search.get('start_time') ?? '') <= at &&
    at < Date.parse(sent.search.get('end_time') ?? '9999-01-01');
};

/** Passes the app's requests to the service and injects faults. */
export class FaultInjector {
  /** Every request that the app sent, in order. */
  readonly sent: Sent[] = [];
  readonly #fetch: Fetch;
  #rules: Rule[] = [];

  constructor(fetch: Fetch) {
    this.#fetch = fetch;
  }

  get counts(): Sent[] {
    return this.sent.filter(isCounts);
  }

  /** Applies a fault to the next `times` requests that match; an earlier rule takes precedence. */
  inject(when: (sent: Sent) => boolean, fault: InjectedFault, times = Infinity): void {
    this.#rules.push({ when, fault, remaining: times });
  }

  /** Removes all faults. */
  repair(): void {
    this.#rules = [];
  }

  readonly fetch: Fetch = async (path, init) => {
    init.signal?.throwIfAborted();
    const [before = '', search = ''] = path.split('?');
    const sent = {
      path: before,
      search: new URLSearchParams(search),
      method: init.method ?? 'GET',
    };
    this.sent.push(sent);
    const rule = this.#rules.find(({ when, remaining }) => remaining > 0 && when(sent));
    if (rule) rule.remaining -= 1;
    const pass = (): Promise<Response> => this.#fetch(path, init);
    const answer = await (rule ? rule.fault(sent, pass) : pass());
    init.signal?.throwIfAborted();
    return answer;
  };
}

const problem = (status: number, title: string, headers: Record<string, string> = {}): Response =>
  new Response(JSON.stringify({ title, detail: title, type: 'about:blank', status }), {
    status,
    headers: { 'content-type': 'application/problem+json', ...headers },
  });

/** 429 with a reset `seconds` after the service's time. */
export const tooManyRequests = (now: () => number, seconds: number): InjectedFault => {
  return async () => {
    const reset = Math.ceil(now() / 1000) + seconds;
    const date = new Date(now()).toUTCString();
    return problem(429, 'Too Many Requests', { 'x-rate-limit-reset': String(reset), date });
  };
};

export const failing =
  (status: number): InjectedFault =>
  async () =>
    problem(status, status === 503 ? 'Service Unavailable' : `Status ${status}`);

/** The request never arrives. */
export const lostConnection: InjectedFault = async () => {
  throw new TypeError('fetch failed');
};

/** The service answers, but the answer never arrives. */
export const lostAnswer: InjectedFault = async (_, pass) => {
  await (await pass()).arrayBuffer();
  throw new TypeError('fetch failed');
};

/** The connection breaks within the body. */
export const brokenBody: InjectedFault = async (_, pass) => {
  const answer = await pass();
  const body = new Uint8Array(await answer.arrayBuffer());
  let half: Uint8Array | null = body.subarray(0, body.length / 2);
  const stream = new ReadableStream<Uint8Array>({
    pull(controller) {
      if (half) controller.enqueue(half);
      else controller.error(new TypeError('terminated'));
      half = null;
    },
  });
  return new Response(stream, { status: answer.status, headers: answer.headers });
};

/** The body ends early, but the connection closes normally. */
export const cutBody: InjectedFault = async (_, pass) => {
  const answer = await pass();
  const body = await answer.arrayBuffer();
  return new Response(body.slice(0, Math.floor(body.byteLength / 2)), {
    status: answer.status,
    headers: answer.headers,
  });
};

/** Changes a page of counts. */
export function changed(change: (page: WrittenPage) => WrittenPage | void): InjectedFault {
  return async (_, pass) => {
    const answer = await pass();
    const page = (await answer.json()) as WrittenPage;
    const body = JSON.stringify(change(page) ?? page);
    return new Response(body, { status: answer.status, headers: answer.headers });
  };
}

const sumOf = (page: WrittenPage): number =>
  (page.data ?? []).reduce((sum, { tweet_count: count }) => sum + count, 0);

/** A page without its data. */
export const absentPage = changed(() => ({ meta: { total_tweet_count: 0 } }));

/** A page with zeros instead of its counts. */
export const zeroPage = changed((page) => ({
  data: (page.data ?? []).map((bucket) => ({ ...bucket, tweet_count: 0 })),
  meta: { total_tweet_count: 0 },
}));

/** A page without one of its buckets, and with the total of the others. */
export const gappedPage = changed((page) => {
  page.data?.splice(3, 1);
  page.meta.total_tweet_count = sumOf(page);
});

export const wrongTotal = changed((page) => {
  page.meta.total_tweet_count += 1;
});

/** Fields in another order; still valid. */
export const unordered = changed((page) => ({
  meta: page.meta,
  data: (page.data ?? []).map(({ end, start, tweet_count }) => ({ tweet_count, start, end })),
}));

/** Field names of the newer vocabulary (`post_count`); still valid. */
export const renamed = changed(
  (page) =>
    ({
      data: page.data?.map(({ end, start, tweet_count }) => ({
        end,
        start,
        post_count: tweet_count,
      })),
      meta: { total_post_count: page.meta.total_tweet_count },
    }) as unknown as WrittenPage,
);

/** Only the newest days of the page, with a token for the rest. */
export function shortPage(days: number): InjectedFault {
  return changed((page) => {
    const last = Date.parse(page.data?.at(-1)?.end ?? '');
    const newest = (page.data ?? []).filter(
      ({ start }) => Date.parse(start) >= last - days * 86_400_000,
    );
    if (newest.length === page.data?.length) return page;
    const short = { data: newest, meta: { total_tweet_count: 0, next_token: 'rest' } };
    short.meta.total_tweet_count = sumOf(short);
    return short;
  });
}

/** Repeats the answer to the first request for all later ones. */
export function repeatedPage(): InjectedFault {
  let first: ArrayBuffer | null = null;
  return async (_, pass) => {
    const answer = await pass();
    const body = await answer.arrayBuffer();
    first ??= body.slice(0);
    return new Response(first.slice(0), { status: answer.status, headers: answer.headers });
  };
}

/** Only the newest buckets of the page, with a token for the rest. */
export function shortOf(buckets: number): InjectedFault {
  return changed((page) => {
    const data = (page.data ?? []).slice(-buckets);
    if (data.length === page.data?.length) return page;
    const short = { data, meta: { total_tweet_count: 0, next_token: 'rest' } };
    short.meta.total_tweet_count = sumOf(short);
    return short;
  });
}
