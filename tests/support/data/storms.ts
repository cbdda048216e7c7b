import { setImmediate, setTimeout } from 'node:timers/promises';
import { afterEach, beforeEach, expect } from 'vitest';
import type { SeriesRun } from '#app/counts/fetch/series-run.svelte.ts';
import { HOUR_MS, MINUTE_MS } from '#core/time/span.ts';
import { openDashboard, type Dashboard } from '#tests/support/browser/dashboard.ts';
import { FakeTime } from '#tests/support/fake-time.ts';
import { startService, type TestPost, type TestService } from '#tests/support/service/service.ts';

export const NOW = Date.parse('2026-11-20T12:00:00Z');

/** Three years of Posts, one to three a day; two of three mention a storm. */
export const POSTS: TestPost[] = [];
for (let at = Date.parse('2023-11-20T00:00:00Z'), i = 0; at < NOW - HOUR_MS; i += 1) {
  const text = i % 3 === 0 ? 'calm seas' : 'a storm at sea';
  POSTS.push({ id: BigInt(i + 1), createdAt: at, text });
  at += (7 + ((i * 13) % 11)) * HOUR_MS + (i % 60) * MINUTE_MS;
}

/** A range of 36 pages with the head, and one of 12 without. */
export const YEARS = { from: '2023-11-20', to: '2026-11-21' };
export const YEAR = { from: '2024-01-01', to: '2025-01-01' };

/** The real service with {@link POSTS}, one tab of the dashboard, and the clock of both. */
export interface Scene {
  service: TestService;
  time: FakeTime;
  tab: Dashboard;
}

/** Opens a new scene before every test of a file. */
export function scene(): Scene {
  const set = {} as Scene;
  beforeEach(() => {
    set.time = new FakeTime(NOW);
    set.service = startService({
      posts: POSTS,
      posted: true,
      copied: true,
      imports: {},
      now: () => set.time.now,
    });
    set.tab = openDashboard(set.service, { time: set.time });
  });
  afterEach(async () => {
    await set.service.close();
  });
  return set;
}

/** Runs a need for counts in a tab to its end. */
export async function ask(
  tab: Dashboard,
  over: Parameters<Dashboard['need']>[0],
): Promise<SeriesRun> {
  const run = tab.run();
  await run.ask(await tab.need(over));
  return run;
}

/** Number of storms in each bucket, by a plain count. */
export function truth(bounds: Float64Array, posts: readonly TestPost[] = POSTS): number[] {
  const counts = Array.from({ length: bounds.length - 1 }, () => 0);
  const storms = posts
    .filter(({ text }) => text?.includes('storm'))
    .map((post) => Number(post.createdAt));
  let i = -1;
  for (const createdAt of storms.toSorted((a, b) => a - b)) {
    while (i + 1 < bounds.length && (bounds[i + 1] ?? 0) <= createdAt) i += 1;
    if (i >= 0 && i < counts.length) counts[i] = (counts[i] ?? 0) + 1;
  }
  return counts;
}

/** Expects a run to have ended without a fault, with the counts of the Posts. */
export function expectTruth(run: SeriesRun, posts?: readonly TestPost[]): void {
  expect(run.fault).toBeNull();
  expect(run.phase).toBe('done');
  const { bounds, counts } = run.curve ?? { bounds: new Float64Array(), counts: [] };
  expect(Array.from(counts)).toEqual(truth(bounds, posts));
}

/** Yields to the event loop until the condition holds; after many turns it waits for the network, a millisecond each. */
export async function until(so: () => boolean): Promise<void> {
  for (let turns = 0; !so(); turns += 1) {
    if (turns > 100_000) throw new Error('expected the condition to become true');
    await (turns < 100 ? setImmediate() : setTimeout(1));
  }
}
