import { describe, expect, it } from 'vitest';
import { Live, type LiveDeps } from '#app/board/state/live.svelte.ts';
import type { Need } from '#app/counts/need.ts';
import type { PlatformAnswer } from '#contract/counts/platform.ts';
import type { LiveLine } from '#contract/counts/live.ts';
import { DAY_MS, HOUR_MS, MINUTE_MS, SECOND_MS, type Span } from '#core/time/span.ts';
import { boardOf, given, sourceOf } from '#tests/app/board/counted-board.ts';
import { DrawnRun } from '#tests/app/board/drawn-run.svelte.ts';
import { platformAnswer } from '#tests/app/board/platform-answer.ts';
import { NO_STREAM } from '#tests/app/board/no-stream.ts';

const NOW = Date.UTC(2026, 10, 21, 14);

/** A live board of two series with a manual clock. */
async function liveBoard(
  source: 'sample' | 'platform',
  answer?: PlatformAnswer,
  parts: Partial<LiveDeps> = {},
) {
  let now = NOW;
  let visible = true;
  let refreshes = 0;
  let revision = 0;
  class CountingRun extends DrawnRun {
    override refresh(need: Need): Promise<void> {
      refreshes += 1;
      return super.refresh(need);
    }
  }
  const { board } = boardOf(() => new CountingRun(NOW), {
    sources: () => given(sourceOf(source, { store: 's', revision: (revision += 1) }))(),
    ...(answer && { platform: () => Promise.resolve(answer) }),
    now: () => now,
  });
  const series = ['tea', 'coffee'].map((query) => ({ query, label: '', hidden: false }));
  board.apply({ source, range: { preset: '7d' }, series }, []);
  await board.loadSources();
  const live = new Live(board, {
    visible: () => visible,
    changes: () => Promise.resolve([]),
    ...NO_STREAM,
    ...parts,
  });
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

/** A live board of the sample with a stream that the test writes. */
async function followed() {
  let write: (line: LiveLine) => void = () => undefined;
  let follows = true;
  const wanted: boolean[] = [];
  const counts: number[] = [];
  let shown = 0;
  let asked: readonly Span[] | null = [];
  let answer = (): Promise<(() => void) | null> => Promise.resolve(() => void (shown += 1));
  const found = await liveBoard('sample', undefined, {
    changes: () => Promise.resolve(asked),
    stream: (onLine) => {
      write = onLine;
      return { follows: () => follows, listen: (isWanted) => void wanted.push(isWanted) };
    },
    count: (_, from) => {
      counts.push(from);
      return answer();
    },
  });
  const line = (spans: readonly Span[] | null, over: Partial<LiveLine> = {}): Promise<void> => {
    const texts = spans?.map(({ start, end }) => ({
      start: new Date(start).toISOString(),
      end: new Date(end).toISOString(),
    }));
    write({ source: 'sample', store: 's', revision: 9, mark: 'm', spans: texts ?? null, ...over });
    return new Promise((resolve) => setTimeout(resolve));
  };
  return {
    ...found,
    line,
    wanted,
    counts,
    shown: () => shown,
    changed: (spans: readonly Span[] | null) => void (asked = spans),
    lose: (lost: boolean) => void (follows = !lost),
    answer: (by: typeof answer) => void (answer = by),
  };
}
const second = (at: number): Span => ({ start: at, end: at + SECOND_MS });

describe('a live board with a stream of changes', () => {
  it('counts from the oldest new Post on at once, and asks for nothing every ten seconds', async () => {
    const { start, line, counts, shown, after, live } = await followed();
    await start();
    await line([second(NOW - MINUTE_MS), second(NOW)]);
    expect([counts, shown()]).toEqual([[NOW - MINUTE_MS], 1]);
    expect([await after(10 * SECOND_MS), live.next, live.streamed]).toEqual([0, null, true]);
    expect(live.last).toBe(NOW);
    expect(counts).toHaveLength(1);
    // Once a minute the cache gets what was shown.
    expect(await after(MINUTE_MS)).toBe(2);
    expect(await after(10 * MINUTE_MS)).toBe(0);
  });

  it('counts once for all that changes while it counts', async () => {
    const { start, line, counts, answer } = await followed();
    await start();
    let release = (): void => undefined;
    answer(() => new Promise((resolve) => (release = () => resolve(() => undefined))));
    await line([second(NOW)]);
    for (const at of [3, 1, 2]) await line([second(NOW + at * SECOND_MS)]);
    answer(() => Promise.resolve(() => undefined));
    release();
    await line([]);
    expect(counts).toEqual([NOW, NOW + SECOND_MS]);
  });

  it('loads what is no news, at most every ten seconds, and new Posts only if it is on', async () => {
    const { board, line, counts, after, start } = await followed();
    const revision = (): number | undefined => board.source.info?.revision;
    await line([second(NOW)]);
    expect([revision(), counts]).toEqual([1, []]);
    await line([second(NOW - 2 * HOUR_MS)]);
    expect(revision()).toBe(2);
    await line([second(NOW - 9 * DAY_MS)]);
    expect(revision()).toBe(2);
    await after(10 * SECOND_MS);
    expect(revision()).toBe(3);
    await start();
    await after(10 * SECOND_MS);
    const before = revision();
    // The source covers more from now on.
    await line([{ start: NOW, end: NOW + 9 * DAY_MS }]);
    expect([revision(), counts]).toEqual([(before ?? 0) + 1, []]);
  });

  it('asks what it missed when the stream does not know, as after a restart', async () => {
    const { start, line, counts, changed, board, after } = await followed();
    await start();
    await line(null, { revision: board.source.info?.revision ?? 0 });
    expect(counts).toEqual([]);
    changed([second(NOW - MINUTE_MS)]);
    await line(null, { revision: 99 });
    expect(counts).toEqual([NOW - MINUTE_MS]);
    await after(10 * SECOND_MS);
    const before = board.source.info?.revision ?? 0;
    changed(null);
    await line(null, { store: 'another' });
    expect(board.source.info?.revision).toBe(before + 1);
  });

  it('refreshes every ten seconds again while the stream is lost', async () => {
    const { start, after, lose } = await followed();
    await start();
    lose(true);
    expect(await after(9 * SECOND_MS)).toBe(0);
    expect(await after(10 * SECOND_MS)).toBe(2);
    // Then once more, for what happened meanwhile.
    lose(false);
    expect(await after(SECOND_MS)).toBe(2);
    expect(await after(10 * SECOND_MS)).toBe(0);
  });

  it('leaves the stream while nobody sees the page, and counts what failed again', async () => {
    const { start, line, counts, wanted, hide, after, answer } = await followed();
    await start();
    expect(wanted.at(-1)).toBe(true);
    answer(() => Promise.reject(new Error('the service is away')));
    await line([second(NOW)]);
    await after(SECOND_MS);
    expect(counts).toEqual([NOW, NOW]);
    hide(true);
    await line([second(NOW)]);
    await after(SECOND_MS);
    expect([wanted.at(-1), counts.length]).toEqual([false, 2]);
  });
});
