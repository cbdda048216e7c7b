import { describe, expect, it } from 'vitest';
import { LiveBuckets } from '#app/counts/worker/live-buckets.ts';
import type { CellRecord } from '#core/counts/ledger.ts';
import { STATE, type Series } from '#core/series/series.ts';
import { HOUR_MS } from '#core/time/span.ts';

const START = Date.UTC(2026, 10, 21, 10);
const { never, partial, provisional, settled, uncovered } = STATE;

/** Four hours, of which the source does not cover the first. */
const series = (): Series => ({
  granularity: 'hour',
  start: START,
  counts: Float64Array.of(0, 5, 7, 0),
  states: Uint8Array.of(uncovered, settled, partial, never),
  fetched: [{ from: START + HOUR_MS, to: START + 3 * HOUR_MS, at: 1 }],
});
const at = (hours: number): number => START + hours * HOUR_MS;

function record(from: number, to: number, generation: number): CellRecord {
  const segments = [{ from, to, receipt: 'a' }];
  const receipts = { a: { at: to, generation, endpoint: 'all' as const } };
  return { key: ['s', 'hour', 0], counts: new Uint8Array(), segments, receipts };
}

describe('live buckets', () => {
  it('replace counts of what is covered, and say how far a running bucket was counted', () => {
    const live = new LiveBuckets('hour');
    live.take({ start: START, end: at(3.5), counts: [9, 6, 8, 2], generation: 4 });
    const shown = live.show(series());
    expect([...shown.counts]).toEqual([0, 6, 8, 2]);
    expect([...shown.states]).toEqual([uncovered, settled, provisional, partial]);
    expect(shown.fetched.at(-1)).toEqual({ from: at(3), to: at(4), at: at(3.5) });
    expect(live.end).toBe(at(3.5));
  });

  it('keep the newest answer, whatever the order of arrival', () => {
    const live = new LiveBuckets('hour');
    live.take({ start: at(3), end: at(3.5), counts: [2], generation: 5 });
    expect(live.take({ start: at(3), end: at(3.4), counts: [1], generation: 4 })).toBe(false);
    expect(live.show(series()).counts[3]).toBe(2);
    expect(live.take({ start: at(3), end: at(3.6), counts: [2], generation: 6 })).toBe(false);
    expect(live.take({ start: at(3), end: at(4.1), counts: [2, 0], generation: 7 })).toBe(true);
  });

  it('give way to a load that knows as much, and to no other', () => {
    const given = (loaded: CellRecord): number | undefined => {
      const live = new LiveBuckets('hour');
      live.take({ start: at(3), end: at(3.5), counts: [2], generation: 5 });
      live.drop([loaded]);
      return live.show(series()).counts[3];
    };
    expect(given(record(START, at(3.5), 5))).toBe(0);
    expect(given(record(START, at(3.4), 6))).toBe(2);
    expect(given(record(START, at(4), 4))).toBe(2);
    expect(given(record(START, at(3), 6))).toBe(2);
  });
});
