import { mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { DEFAULT_PLATFORM_SETTINGS } from '#contract/counts/platform-terms.ts';
import type { PlatformSettings } from '#contract/counts/platform.ts';
import { DAY_MS, HOUR_MS, MINUTE_MS, type Span } from '#core/time/span.ts';
import { isCounts } from './faults.ts';
import { heldUp, startPlatform, type Reached, type TestPlatform } from './platform.ts';
import { serve } from './command.ts';
import { temporaryFolder, type RunningService } from './process.ts';
import { writePosts, type TestPost } from './service.ts';

/** Start of the machine's current UTC day, epoch ms. */
export const TODAY = Math.floor(Date.now() / DAY_MS) * DAY_MS;

/** Three years of Posts up to a few hours ago, one to three a day; two of three mention a storm. */
export const POSTS: TestPost[] = [];
for (let at = TODAY - 3 * 366 * DAY_MS, i = 0; at < Date.now() - 3 * HOUR_MS; i += 1) {
  const text = i % 3 === 0 ? 'calm seas' : 'a storm at sea';
  POSTS.push({ id: BigInt(i + 1), createdAt: at, text });
  at += (7 + ((i * 13) % 11)) * HOUR_MS + (i % 60) * MINUTE_MS;
}

/** Number of storms in a span, by a plain count. */
export function storms({ start, end }: Span): number {
  const inside = POSTS.filter(({ createdAt: at }) => start <= Number(at) && Number(at) < end);
  return inside.filter(({ text }) => text?.includes('storm')).length;
}

/** Span of `pages` whole pages of the archive, settled because it ends ten days ago. */
export function pagesSpan(pages: number): Span {
  const end = TODAY - 10 * DAY_MS;
  return { start: end - pages * 31 * DAY_MS, end };
}

const isoDay = (at: number): string => new Date(at).toISOString().slice(0, 10);

/** Address of a view of one query of the platform by days; the span has whole UTC days. */
export function viewOf(query: string, { start, end }: Span): string {
  const range = `from=${isoDay(start)}&to=${isoDay(end - DAY_MS)}`;
  return `/#source=platform&${range}&zone=UTC&by=day&q=${encodeURIComponent(query)}`;
}

/** The service as a user starts it with a token, in front of a platform with {@link POSTS}. */
export interface PaidService {
  readonly platform: TestPlatform;
  readonly url: string;
  /** Cookie of a signed-in browser; also valid after a restart. */
  readonly cookie: string;
  /** Changes some platform settings, as another browser would. */
  change(settings: Partial<PlatformSettings>): Promise<void>;
  /** Counts requests for a query that reached the platform. */
  sent(query: string): readonly Reached[];
  /** Lets `pages` requests for a query through, and holds up the others until the release. */
  holdAfter(query: string, pages: number): { reached: Promise<void>; release: () => void };
  /** Stops the service; {@link PaidService.start} starts it again at the same address. */
  stop(): Promise<void>;
  start(): Promise<void>;
  close(): Promise<void>;
}

/** Starts platform and service, without a pause between requests to the archive. */
export async function startPaidService(): Promise<PaidService> {
  const platform = await startPlatform({ posts: POSTS });
  const data = temporaryFolder();
  mkdirSync(data, { recursive: true });
  // With a sample in place, the service does not generate one.
  const post = { id: 1, createdAt: TODAY, text: 'hello' };
  for (const file of ['posts.sqlite', 'sample.sqlite']) {
    writePosts(join(data, file), [{ ...post, id: '1' }]);
  }
  const environment = {
    GROUNDSWELL_PLATFORM_TOKEN: platform.token,
    GROUNDSWELL_PLATFORM_URL: platform.url,
  };
  let running: RunningService = await serve(data, { environment });
  const { url, cookie } = running;

  const change = async (settings: Partial<PlatformSettings>): Promise<void> => {
    const whole = { ...DEFAULT_PLATFORM_SETTINGS, archiveSpacingMs: 0, ...settings };
    const answer = await fetch(`${url}/platform/settings`, {
      method: 'PUT',
      headers: { 'content-type': 'application/json', origin: url, cookie },
      body: JSON.stringify(whole),
    });
    if (!answer.ok) throw new Error(`The settings were refused: ${await answer.text()}`);
  };
  await change({});
  const asks = (query: string) => (request: Reached) =>
    isCounts(request) && request.search.get('query') === query;
  return {
    platform,
    url,
    cookie,
    change,
    sent: (query) => platform.sent.filter(asks(query)),
    holdAfter: (query, pages) => {
      const { fault, ...held } = heldUp();
      if (pages > 0) platform.inject(asks(query), (_, pass) => pass(), pages);
      platform.inject(asks(query), fault);
      return held;
    },
    stop: async () => void (await running.stop()),
    start: async () => {
      running = await serve(data, { environment, port: Number(new URL(url).port) });
    },
    close: async () => {
      await running.stop();
      await platform.close();
      rmSync(data, { recursive: true, force: true });
    },
  };
}
