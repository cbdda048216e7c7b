import { describe, expect, it } from 'vitest';
import { Board } from '#app/board/state/board.svelte.ts';
import { Live } from '#app/board/state/live.svelte.ts';
import type { Run } from '#app/counts/fetch/series-run.svelte.ts';
import type { PlatformAnswer } from '#contract/counts/platform.ts';
import { HOUR_MS, MINUTE_MS, SECOND_MS } from '#core/time/span.ts';
import { DrawnRun } from '#tests/app/board/drawn-run.svelte.ts';
import { platformAnswer } from '#tests/app/board/platform-answer.ts';

const NOW = Date.UTC(2026, 10, 21, 14);

/** A live board of two series with a manual clock. */
async function liveBoard(source: 'sample' | 'platform', answer?: PlatformAnswer) {
  let now = NOW;
  let visible = true;
  let refreshes = 0;
  const board = new Board({
    run: (): Run => {
      const run = new DrawnRun(NOW);
      const refresh = run.refresh.bind(run);
      run.refresh = (need) => {
        refreshes += 1;
        return refresh(need);
      };
      return run;
    },
    sources: () =>
      Promise.resolve({
        sources: [
          {
            id: source,
            store: 's',
            revision: 1,
            posts: null,
            first: '2026-11-01T00:00:00Z',
            last: null,
            coverage: [{ start: '2006-03-21T00:00:00Z', end: null }],
          },
        ],
        offline: false,
      }),
    platform: () => (answer ? Promise.resolve(answer) : Promise.reject(new Error('none here'))),
    now: () => now,
    zone: 'UTC',
    weekStart: 1,
    later: () => undefined,
  });
  const series = ['tea', 'coffee'].map((query) => ({ query, label: '', hidden: false }));
  board.apply({ source, range: { preset: '7d' }, series }, []);
  await board.loadSources();
  const live = new Live(board, { visible: () => visible, changes: () => Promise.resolve([]) });
  /** Advances the clock and ticks. @returns The number of refreshes. */
  const after = async (ms: number): Promise<number> => {
    now += ms;
    refreshes = 0;
    await live.tick(now);
    return refreshes;
  };
  const hide = (hidden: boolean): void => void (visible = !hidden);
  return { board, live, after, hide, start: () => live.toggle(now) };
}

const withCap = (money: number): PlatformAnswer =>
  platformAnswer({ day: { requests: null, money }, month: { requests: null, money: null } });

describe('a live board', () => {
  it('requests nothing until it is turned on', async () => {
    const { after } = await liveBoard('sample');
    expect(await after(HOUR_MS)).toBe(0);
  });

  it('refreshes the sample every ten seconds, and knows when it did', async () => {
    const { live, after, start } = await liveBoard('sample');
    await start();
    expect(live.last).toBe(NOW);
    expect(await after(9 * SECOND_MS)).toBe(0);
    expect(await after(SECOND_MS)).toBe(2);
    expect(live.last).toBe(NOW + 10 * SECOND_MS);
    expect(live.next).toBe(NOW + 20 * SECOND_MS);
  });

  it('pauses while the page is hidden, and refreshes at once when it is visible again', async () => {
    const { after, start, hide } = await liveBoard('sample');
    await start();
    await after(0);
    hide(true);
    expect(await after(HOUR_MS)).toBe(0);
    hide(false);
    expect(await after(0)).toBe(2);
  });

  it('requests nothing for a range in the past', async () => {
    const { board, after, start } = await liveBoard('sample');
    board.chooseRange({ from: '2026-11-02', to: '2026-11-05' });
    await start();
    expect(await after(HOUR_MS)).toBe(0);
  });

  it('spreads a day’s budget over the rest of the day: ten hours, thirty refreshes of two requests', async () => {
    const { live } = await liveBoard('platform', withCap(0.3));
    expect(live.cost).toEqual({ requests: 2, money: 0.01 });
    expect(live.every).toBe(20 * MINUTE_MS);
  });

  it('stops instead of exceeding a cap', async () => {
    const { live, after, start } = await liveBoard('platform', withCap(0.005));
    expect(live.every).toBeNull();
    await start();
    expect(await after(HOUR_MS)).toBe(0);
  });
});
