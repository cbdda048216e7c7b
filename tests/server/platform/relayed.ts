import { afterAll, afterEach, beforeAll } from 'vitest';
import { PLATFORM, type PlatformAnswer, type PlatformSettings } from '#contract/counts/platform.ts';
import { RELAY } from '#contract/counts/relay.ts';
import type { NetworkSite } from '#server/http/origin.ts';
import {
  startPlatform,
  type PlatformStart,
  type TestPlatform,
} from '#tests/support/service/platform.ts';
import {
  startService,
  type PlatformOptions,
  type TestPost,
  type TestService,
} from '#tests/support/service/service.ts';

export const NOW = Date.parse('2026-11-20T12:00:00Z');

/** A Post every six hours of the last forty days. */
export const POSTS: readonly TestPost[] = Array.from({ length: 4 * 40 }, (_, i) => ({
  id: BigInt(i + 1),
  createdAt: NOW - 1_800_000 - i * 21_600_000,
  text: i % 3 === 0 ? 'green tea' : 'tea',
}));

/** A closed window, partly with Posts. */
export const CLOSED = {
  query: 'tea',
  granularity: 'hour',
  start_time: '2026-10-15T00:00:00Z',
  end_time: '2026-11-10T00:00:00Z',
};
/** A window of the last days, without an end. */
export const HEAD = { query: 'tea', granularity: 'hour', start_time: '2026-11-18T00:00:00Z' };

export interface AskOptions {
  readonly endpoint?: 'recent' | 'all';
  readonly product?: 'counts' | 'search';
  /** A new one by default; null sends none. */
  readonly ask?: string | null;
  readonly buy?: string;
  readonly init?: RequestInit;
}

/** A platform, a service that relays to it, and the clocks of both. */
export interface Relayed {
  readonly platform: TestPlatform;
  readonly service: TestService;
  /** Epoch ms of both clocks. */
  now: number;
  /** The relay's waits, ms each. */
  readonly slept: number[];
  /** The timeouts that the relay set, in order. */
  readonly timeouts: AbortController[];
  ask(params: Record<string, string>, options?: AskOptions): Promise<Response>;
  settings(): Promise<PlatformAnswer>;
  change(over: Partial<PlatformSettings>): Promise<PlatformAnswer>;
  json(path: string): Promise<unknown>;
}

const closing: (() => Promise<void>)[] = [];

/** Services that simulate the platform, by their Posts. */
const simulators = new Map<readonly TestPost[], TestService>();
/** The clock of the simulators: that of the test that runs. */
let platformNow = (): number => NOW;

/**
 * Returns the service that simulates the platform for all tests of a file with these Posts: no test changes it, each
 * has a token of its own, and a start takes 75 ms of CPU time.
 */
function simulatorOf(posts: readonly TestPost[]): TestService {
  const known = simulators.get(posts);
  if (known) return known;
  const started = startService({ posts, now: () => platformNow(), copied: true });
  simulators.set(posts, started);
  return started;
}

/** Closes what {@link relayed} started, after each test of the calling file; simulators after the last one. */
export function closeAfterEach(): void {
  afterEach(async () => {
    for (const close of closing.splice(0).reverse()) await close();
  });
  afterAll(async () => {
    const services = [...simulators.values()];
    simulators.clear();
    for (const service of services) await service.close();
  });
}

export async function relayed(
  options: PlatformStart & { relay?: Partial<PlatformOptions>; network?: NetworkSite } = {},
): Promise<Relayed> {
  const state = { now: NOW };
  let asks = 0;
  const now = options.now ?? (() => state.now);
  platformNow = now;
  const simulator = simulatorOf(options.posts ?? POSTS);
  const platform = await startPlatform({ ...options, now, service: simulator });
  const slept: number[] = [];
  const timeouts: AbortController[] = [];
  const service = startService({
    now: () => state.now,
    copied: true,
    ...(options.network && { network: options.network }),
    platform: {
      url: platform.url,
      token: platform.token,
      sleep: async (ms) => {
        slept.push(ms);
        state.now += ms;
      },
      timeout: () => {
        const late = new AbortController();
        timeouts.push(late);
        return late.signal;
      },
      ...options.relay,
    },
  });
  closing.push(
    () => platform.close(),
    () => service.close(),
  );
  const json = async (path: string, init?: RequestInit): Promise<unknown> => {
    const answer = await service.request(path, init);
    if (answer.status !== 200) throw new Error(`${path}: ${answer.status} ${await answer.text()}`);
    return await answer.json();
  };
  const settings = async (): Promise<PlatformAnswer> =>
    (await json(PLATFORM.settings.path)) as PlatformAnswer;
  return Object.assign(state, {
    platform,
    service,
    slept,
    timeouts,
    json,
    settings,
    ask: (
      params: Record<string, string>,
      {
        endpoint = 'all',
        product = 'counts',
        ask = `new-ask-${(asks += 1)}`,
        buy,
        init,
      }: AskOptions = {},
    ) =>
      service.request(`${RELAY[product][endpoint].path}?${new URLSearchParams(params)}`, {
        ...init,
        headers: {
          ...(ask === null ? {} : { 'x-ask': ask }),
          ...(buy === undefined ? {} : { 'x-buy': buy }),
          ...(init?.headers as Record<string, string> | undefined),
        },
      }),
    change: async (over: Partial<PlatformSettings>) => {
      const body = JSON.stringify({ ...(await settings()).settings, ...over });
      const headers = { 'content-type': 'application/json' };
      const { method, path } = PLATFORM.change;
      return (await json(path, { method, body, headers })) as PlatformAnswer;
    },
  });
}

/** Starts one relay for all tests of the calling file that change nothing: each only has a request refused. */
export function relayedForAll(): () => Relayed {
  let relay: Relayed | null = null;
  let closes: (() => Promise<void>)[] = [];
  beforeAll(async () => {
    relay = await relayed();
    // Taken out, so that it outlasts the first test.
    closes = closing.splice(0);
  });
  afterAll(async () => {
    for (const close of closes.reverse()) await close();
  });
  return () => {
    if (!relay) throw new Error('expected a use within a test');
    return relay;
  };
}

/** Status, and whether the page was stored or bought, and at what price. */
export function outcomeOf({ status, headers }: Response): string {
  return [status, headers.get('x-vault'), headers.get('x-price')].join(' ');
}
