import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach } from 'vitest';
import type { SeriesRun } from '#app/counts/fetch/series-run.svelte.ts';
import { openDb } from '#server/db/driver.ts';
import { openDashboard, type Dashboard } from '#tests/support/browser/dashboard.ts';
import { FakeTime } from '#tests/support/fake-time.ts';
import type { TestCache } from '#tests/support/run/test-cache.ts';
import {
  startPlatform,
  type PlatformStart,
  type TestPlatform,
} from '#tests/support/service/platform.ts';
import { startService, type TestService } from '#tests/support/service/service.ts';
import { NOW, POSTS, until } from './storms.ts';

/** A platform with the storm Posts, a service that relays to it, and one tab of the dashboard. */
export interface PaidScene {
  platform: TestPlatform;
  service: TestService;
  time: FakeTime;
  tab: Dashboard;
}

/** Opens a paid scene. @param of - The platform's clock, if it differs from `time`, or the service that simulates it. */
export async function openPaid(
  time = new FakeTime(NOW),
  of: Pick<PlatformStart, 'now' | 'service'> = {},
): Promise<PaidScene> {
  const now = (): number => time.now;
  const platform = await startPlatform({ posts: POSTS, now, limited: false, ...of });
  const { url, token } = platform;
  // The relay's waits advance the clock even while a test freezes the browser's.
  const sleep = async (ms: number): Promise<void> => {
    time.now += ms;
  };
  const service = startService({ now, copied: true, platform: { url, token, sleep } });
  const tab = openDashboard(service, { time });
  return { platform, service, time, tab };
}

/**
 * Opens a new paid scene before every test of a file. One service simulates the platform for all of them, because a
 * start is a third of the time of a short test: a test leaves its Posts as they are.
 */
export function paidScene(): PaidScene & { platformLeadMs: number } {
  const set = {} as ReturnType<typeof paidScene>;
  let service: TestService;
  const begin = (): void => void Object.assign(set, { time: new FakeTime(NOW), platformLeadMs: 0 });
  beforeAll(() => {
    begin();
    const now = (): number => set.time.now + set.platformLeadMs;
    service = startService({ posts: POSTS, now, copied: true });
  });
  beforeEach(async () => {
    begin();
    Object.assign(set, await openPaid(set.time, { service }));
  });
  afterEach(async () => {
    await set.service.close();
    await set.platform.close();
  });
  afterAll(() => service.close());
  return set;
}

/** A need for the platform's counts. */
export type PlatformNeed = Omit<Parameters<Dashboard['need']>[0], 'source'>;

/** Runs a need for the platform's counts to its end and approves its plan. */
export async function buy(
  tab: Dashboard,
  over: PlatformNeed,
  run: SeriesRun = tab.run(),
): Promise<SeriesRun> {
  const need = await tab.need({ ...over, source: 'platform' });
  let ended = false;
  const fetching = run.ask(need).finally(() => {
    ended = true;
  });
  await until(() => ended || tab.approval.waiting.length > 0);
  tab.approval.agree();
  await fetching;
  return run;
}

/** Ids of the service's billed requests and of those with an unknown outcome, for one query or for all. */
export function billed(
  service: TestService,
  query?: string,
): { billed: string[]; uncertain: string[] } {
  const db = openDb(join(service.folder, 'platform.sqlite'));
  try {
    const of = (outcome: string): string[] =>
      db
        .prepare(
          `SELECT ask, text FROM purchase JOIN query ON query.id = query
          WHERE outcome = ? ORDER BY ask`,
        )
        .all([outcome])
        .filter(([, text]) => query === undefined || text === query)
        .map(([ask]) => String(ask));
    return { billed: of('billed'), uncertain: of('uncertain') };
  } finally {
    db.close();
  }
}

/** Ids of the requests for whose answers the cache has receipts. */
export async function written(cache: TestCache): Promise<string[]> {
  const answers = (await cache.db.receipts.toArray()).filter(
    ({ uncertain }) => uncertain === undefined,
  );
  return answers.map(({ id }) => id).sort();
}

/** Ids of the unanswered requests that the cache records as perhaps billed. */
export async function lost(cache: TestCache): Promise<string[]> {
  const receipts = (await cache.db.receipts.toArray()).filter(
    ({ uncertain }) => uncertain !== undefined,
  );
  return receipts.map(({ id }) => id.slice(0, id.indexOf('!'))).sort();
}
