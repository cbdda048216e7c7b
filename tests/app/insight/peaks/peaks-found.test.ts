import { describe, expect, it } from 'vitest';
import { peaksFound, peaksOf, type PeakSeries } from '#app/insight/peaks/peaks-found.ts';
import { bucketSubject, peakSubject, surroundings } from '#app/insight/drawer/inspected.ts';
import { seriesStyle } from '#app/ui/series-style.ts';
import { STATE } from '#core/series/series.ts';
import { DAY_MS } from '#core/time/span.ts';
import { curveOf, noise } from '#tests/core/series/a-curve.ts';

const START = Date.UTC(2026, 0, 5);
const ZONE = 'UTC';

function series(id: number, peaks: readonly number[], over: Partial<PeakSeries> = {}): PeakSeries {
  const of = noise(id + 1);
  const counts = Array.from({ length: 300 }, () => of(100));
  for (const at of peaks) counts[at] = 1000 + at;
  return {
    id,
    name: `Series ${id}`,
    shown: `word${id}`,
    style: seriesStyle(id),
    hidden: false,
    curve: curveOf(counts, START, DAY_MS),
    ...over,
  };
}

describe('the peaks of a board', () => {
  it('are in order of time across all visible series, numbered by size', () => {
    const all = [series(1, [200, 40]), series(2, [120]), series(3, [7], { hidden: true })];
    const { peaks, more, unknown } = peaksFound(all, ZONE);
    expect(peaks.map(({ number, seriesId, at, count }) => [number, seriesId, at, count])).toEqual([
      [3, 1, START + 40 * DAY_MS, 1040],
      [2, 2, START + 120 * DAY_MS, 1120],
      [1, 1, START + 200 * DAY_MS, 1200],
    ]);
    expect([more, unknown]).toEqual([0, []]);
  });

  it('share the number of their moment, and only the eight largest moments have one', () => {
    const at = Array.from({ length: 10 }, (_, i) => 10 + i * 25);
    const { peaks } = peaksFound([series(1, at), series(2, [235, 60])], ZONE);
    const byDay = (day: number): (number | null)[] =>
      peaks.filter((peak) => peak.at === START + day * DAY_MS).map(({ number }) => number);
    expect(byDay(235)).toEqual([1, 1]);
    expect(byDay(60)).toEqual([8, 8]);
    expect([byDay(35), byDay(10)]).toEqual([[null], [null]]);
  });

  it('are computed once per curve', () => {
    const one = series(1, [40]);
    const { curve } = one;
    if (!curve) throw new Error('expected a curve');
    expect(peaksOf(curve, ZONE)).toBe(peaksOf(curve, ZONE));
    const [first] = peaksFound([one], ZONE).peaks;
    expect(first).toMatchObject({ at: START + 40 * DAY_MS });
    const [again] = peaksFound([{ ...one, name: 'Another name' }], ZONE).peaks;
    expect(again?.peak).toBe(first?.peak);
    expect(again?.key).toBe(first?.key);
  });

  it('are the largest of each series within the window, with a count of the others', () => {
    const at = Array.from({ length: 15 }, (_, i) => 10 + i * 18);
    const { peaks, more } = peaksFound([series(1, at)], ZONE);
    expect(peaks).toHaveLength(12);
    expect(more).toBe(3);
    expect(peaks[0]?.at).toBe(START + (at[3] ?? 0) * DAY_MS);
    const window = { start: START, end: START + 30 * DAY_MS };
    const near = peaksFound([series(1, at)], ZONE, window);
    expect(near.peaks.map((peak) => peak.at)).toEqual([START + 10 * DAY_MS, START + 28 * DAY_MS]);
    expect(near.more).toBe(0);
  });

  it('are unknown if too little is counted', () => {
    const short = series(1, [], { curve: curveOf([1, 2, 3], START, DAY_MS), name: 'Short' });
    const none = series(2, [], { curve: null });
    expect(peaksFound([short, none], ZONE)).toMatchObject({
      peaks: [],
      unknown: ['Short'],
      least: 14,
    });
  });
});

describe('a subject of the drawer', () => {
  it('includes an earlier period with enough Posts for a comparison', () => {
    const one = series(1, [40]);
    const [peak] = peaksFound([one], ZONE).peaks;
    const subject = peak && peakSubject(peak);
    expect(subject).toMatchObject({ number: 1, query: 'word1', count: 1040 });
    expect(subject?.span).toEqual({ start: START + 40 * DAY_MS, end: START + 41 * DAY_MS });
    expect(subject?.before.end).toBe(START + 40 * DAY_MS);
    const days = ((subject?.before.end ?? 0) - (subject?.before.start ?? 0)) / DAY_MS;
    expect(days).toBeGreaterThanOrEqual(3);
    expect(days).toBeLessThanOrEqual(4);
    expect(subject?.countBefore).toBeGreaterThanOrEqual(300);
  });

  it('of a quiet series looks back four weeks at most, and only as far as counts are known', () => {
    const quiet = series(1, [], { curve: curveOf([...Array(60).fill(1), 50], START, DAY_MS) });
    const { curve } = quiet;
    if (!curve) throw new Error('expected a curve');
    const back = (bucket: number): number => {
      const { before } = bucketSubject(quiet, curve, bucket, bucket + 1, ZONE);
      return (before.end - before.start) / DAY_MS;
    };
    expect(back(60)).toBe(28);
    expect(back(5)).toBe(5);
    curve.counts[50] = NaN;
    expect(back(60)).toBe(9);
    // Without earlier counts, the earlier period is as long as the subject.
    expect(back(0)).toBe(1);
    expect(bucketSubject(quiet, curve, 0, 1, ZONE).countBefore).toBeNaN();
  });

  it.each([
    [1, 9],
    [10, 50],
  ])('of %d days is shown within the %d days around it', (days, around) => {
    const span = { start: START, end: START + days * DAY_MS };
    const { start, end } = surroundings(span);
    expect(end - start).toBe(around * DAY_MS);
    expect(START - start).toBe(end - span.end);
  });

  it('can be a bucket, with its expected count if that is known', () => {
    const one = series(1, []);
    const { curve } = one;
    if (!curve) throw new Error('expected a curve');
    curve.states[299] = STATE.partial;
    const last = bucketSubject(one, curve, 299, 300, ZONE);
    expect(last).toMatchObject({ number: null, partial: true, count: curve.counts[299] });
    expect(last.expected).toBeGreaterThan(80);
    expect(last.expected).toBeLessThan(120);
    const short = curveOf([5, 6, 7], START, DAY_MS);
    expect(bucketSubject(one, short, 1, 2, ZONE).expected).toBeNull();
  });

  it.each([
    [30, 65, true],
    [40, 41, true],
    [41, 76, false],
    [5, 40, false],
  ])('of the days %d to %d has the peak of day 40: %s', (from, to, hasPeak) => {
    const one = series(1, [40]);
    if (!one.curve) throw new Error('expected a curve');
    expect(bucketSubject(one, one.curve, from, to, ZONE).hasPeak).toBe(hasPeak);
  });
});
