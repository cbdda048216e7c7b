import { afterAll, describe, expect, it } from 'vitest';
import { countLive } from '#app/counts/fetch/live-counts.ts';
import { DAY_MS, HOUR_MS, MINUTE_MS } from '#core/time/span.ts';
import { openDashboard } from '#tests/support/browser/dashboard.ts';
import { FakeTime } from '#tests/support/fake-time.ts';
import { startService } from '#tests/support/service/service.ts';

const NOW = Date.UTC(2026, 10, 21, 14, 30);
const time = new FakeTime(NOW);
const service = startService({
  posts: Array.from({ length: 48 }, (_, i) => ({
    id: BigInt(i + 1),
    createdAt: NOW - (i + 1) * HOUR_MS,
    text: i % 2 === 0 ? 'a storm' : 'calm seas',
  })),
  posted: true,
  now: () => time.now,
});
afterAll(() => service.close());

describe('live counts', () => {
  it('move the curves of all topics over one revision, and agree with the next load', async () => {
    const tab = openDashboard(service, { time });
    const need = async (query: string, resolution: 'hour' | 'day') =>
      await tab.need({ query, resolution, from: '2026-11-19', to: '2026-11-22' });
    const runs = [tab.run(), tab.run(), tab.run()];
    const [storm, calm, days] = runs;
    const ask = async (): Promise<void> => {
      await storm?.refresh(await need('storm', 'hour'));
      await calm?.refresh(await need('calm', 'hour'));
      await days?.refresh(await need('storm', 'day'));
    };
    await ask();
    const totals = (): number[] =>
      runs.map(({ curve }) =>
        Array.from(curve?.counts ?? []).reduce((sum, each) => sum + (each || 0), 0),
      );
    expect(totals()).toEqual([24, 24, 24]);
    const again = async (from: number): Promise<void> => {
      const show = await countLive(runs, from, tab);
      expect(show).not.toBeNull();
      show?.();
    };
    service.add('posts', [
      { id: 101n, createdAt: NOW - 2000, text: 'a storm' },
      { id: 102n, createdAt: NOW - 1000, text: 'a storm' },
    ]);
    await again(NOW - MINUTE_MS);
    expect(totals()).toEqual([26, 24, 26]);
    // A load has no counts of the last seconds: what was counted live stays until one knows as much.
    await ask();
    expect(totals()).toEqual([26, 24, 26]);
    service.add('posts', [{ id: 103n, createdAt: NOW - 2 * HOUR_MS, text: 'calm seas' }]);
    await again(NOW - 3 * HOUR_MS);
    expect(totals()).toEqual([26, 25, 26]);
    time.now += HOUR_MS;
    await ask();
    expect(totals()).toEqual([26, 25, 26]);
    // Where nothing changed, nothing is drawn again.
    await again(NOW);
    const drawn = runs.map((run) => run.curve);
    await again(NOW);
    for (const [i, run] of runs.entries()) expect(run.curve).toBe(drawn[i]);
  });

  it('leave it to a load where more is missing than a page has, or the store is another', async () => {
    const tab = openDashboard(service, { time });
    const run = tab.run();
    await run.ask(await tab.need({ query: 'storm', from: '2026-09-01', to: '2026-11-22' }));
    expect(await countLive([run], time.now - 40 * DAY_MS, tab)).toBeNull();
    expect(await countLive([tab.run()], NOW, tab)).not.toBeNull();
  });
});
