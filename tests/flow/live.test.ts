import { afterAll, describe, expect, it } from 'vitest';
import type { TabLock } from '#app/counts/fetch/free-fetch.ts';
import { countLive } from '#app/counts/fetch/live-counts.ts';
import { DAY_MS, HOUR_MS, MINUTE_MS } from '#core/time/span.ts';
import { fakeLocks, openDashboard } from '#tests/support/browser/dashboard.ts';
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

  it('move a curve while it loads again, and stay once it has', async () => {
    const locks = fakeLocks();
    let held = Promise.resolve();
    let release = (): void => undefined;
    const lock: TabLock = (name, signal, work, onBusy) =>
      locks(name, signal, () => held.then(work), onBusy);
    const tab = openDashboard(service, { time, lock });
    const run = tab.run();
    const need = await tab.need({ query: 'fog', from: '2026-11-19', to: '2026-11-22' });
    const total = (): number =>
      Array.from(run.curve?.counts ?? []).reduce((sum, each) => sum + (each || 0), 0);
    const arrive = async (id: bigint): Promise<void> => {
      service.add('posts', [{ id, createdAt: time.now - 500, text: 'fog' }]);
      (await countLive([run], time.now - MINUTE_MS, tab))?.();
    };
    await run.ask(need);
    await arrive(201n);
    expect(total()).toBe(1);
    held = new Promise((resolve) => (release = resolve));
    time.now += MINUTE_MS;
    const loading = run.refresh(need);
    await expect.poll(() => run.phase).toBe('fetching');
    await arrive(202n);
    expect([run.phase, total()]).toEqual(['fetching', 2]);
    release();
    await loading;
    expect([run.phase, total()]).toEqual(['done', 2]);
    // The first load of a curve shows its pages alone.
    const first = tab.run();
    held = new Promise((resolve) => (release = resolve));
    const beginning = first.ask({ ...need, query: 'fog OR haze' });
    await expect.poll(() => first.phase).toBe('fetching');
    await countLive([first], time.now - MINUTE_MS, tab);
    expect(first.curve?.counts.some((count) => count > 0)).toBe(false);
    release();
    await beginning;
  });

  it('leave it to a load where more is missing than a page has, or the store is another', async () => {
    const tab = openDashboard(service, { time });
    const run = tab.run();
    await run.ask(await tab.need({ query: 'storm', from: '2026-09-01', to: '2026-11-22' }));
    expect(await countLive([run], time.now - 40 * DAY_MS, tab)).toBeNull();
    expect(await countLive([tab.run()], NOW, tab)).not.toBeNull();
  });
});
