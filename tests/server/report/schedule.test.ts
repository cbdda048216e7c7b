import { describe, expect, it } from 'vitest';
import { DAY_MS, HOUR_MS } from '#core/time/span.ts';
import { follow } from '#server/report/schedule.ts';
import { FakeClock } from '#tests/support/timers.ts';

const MONDAYS = { pattern: '0 6 * * 1', zone: 'Europe/Berlin' };
/** A Monday, 06:00 in Berlin. */
const MONDAY = Date.UTC(2026, 10, 23, 5);

/** Follows a schedule from an instant; what it did by the clock, and how to go on. */
function following(at: number, last = at, work: () => Promise<void> = async () => {}) {
  const clock = new FakeClock(at);
  const stop = new AbortController();
  const runs: number[] = [];
  const waits: number[] = [];
  const deps = { now: clock.now, timer: clock.timer, stopping: stop.signal };
  const ended = follow(MONDAYS, last, deps, {
    run: async () => {
      runs.push(clock.at);
      await work();
    },
    onWait: (next) => waits.push(next),
  });
  const settle = async (): Promise<void> => {
    for (let i = 0; i < 10; i += 1) await Promise.resolve();
  };
  return { clock, runs, waits, ended, stop, settle, pass: (ms: number) => clock.move(ms, settle) };
}

describe('a schedule', () => {
  it('runs at every of its times, once', async () => {
    const { pass, runs, waits } = following(MONDAY - DAY_MS);
    await pass(15 * DAY_MS);
    expect(runs).toEqual([MONDAY, MONDAY + 7 * DAY_MS, MONDAY + 14 * DAY_MS]);
    expect(waits).toEqual([...runs, MONDAY + 21 * DAY_MS]);
  });

  it('makes up several missed times by one run, at once', async () => {
    const start = MONDAY + 16 * DAY_MS;
    const { pass, runs } = following(start, MONDAY - DAY_MS);
    await pass(6 * DAY_MS);
    expect(runs).toEqual([start, MONDAY + 21 * DAY_MS]);
  });

  it('makes up the times at which the machine slept when it wakes', async () => {
    const { clock, pass, runs } = following(MONDAY - HOUR_MS);
    await pass(0);
    // A machine that sleeps stops timers, but not the clock.
    clock.at += 8 * DAY_MS;
    await pass(60_000);
    expect(runs).toHaveLength(1);
    expect(runs[0]).toBeGreaterThan(MONDAY + 7 * DAY_MS);
    await pass(7 * DAY_MS);
    expect(runs.slice(1)).toEqual([MONDAY + 14 * DAY_MS]);
  });

  it('makes up by one run the times that passed during a long one', async () => {
    const long = { clock: null as FakeClock | null };
    const { clock, pass, runs } = following(MONDAY - HOUR_MS, MONDAY - HOUR_MS, async () => {
      if (long.clock) long.clock.at += 10 * DAY_MS;
      long.clock = null;
    });
    long.clock = clock;
    await pass(15 * DAY_MS);
    expect(runs).toEqual([MONDAY, MONDAY + 10 * DAY_MS, MONDAY + 14 * DAY_MS]);
  });

  it('ends at the signal', async () => {
    const { pass, runs, ended, stop } = following(MONDAY - DAY_MS);
    await pass(HOUR_MS);
    stop.abort();
    await ended;
    expect(runs).toEqual([]);
  });
});
