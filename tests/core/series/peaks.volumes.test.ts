import { describe, expect, it } from 'vitest';
import { findPeaks } from '#core/series/peaks.ts';
import type { Curve } from '#core/series/series.ts';
import type { Span } from '#core/time/span.ts';
import { realData } from '#tests/support/data/posts.ts';
import { coarser, compare, readVolumes } from '#tests/support/data/volumes.ts';

const folder = realData();
const spans = (curve: Curve): Span[] =>
  findPeaks(curve, 'UTC').peaks.map(({ from, to }) => ({
    start: curve.bounds[from] ?? NaN,
    end: curve.bounds[to] ?? NaN,
  }));

describe.runIf(folder)('peaks of labelled volumes', () => {
  const volumes = folder ? readVolumes(folder) : [];

  it.each([
    ['5 minutes', 1],
    ['15 minutes', 3],
    ['hours', 12],
  ])('are closer to the labels than a plain z-score, by %s', (_, by) => {
    const { ours, plain } = compare(volumes, by, spans);
    expect(ours.f1).toBeGreaterThan(plain.f1);
    expect(ours.precision).toBeGreaterThan(plain.precision);
    expect(ours.found).toBeLessThan(plain.found / 2);
    expect(ours.recall).toBeGreaterThan(0.7);
  });

  it('include the event of 9 March 2015 among the largest of Apple', () => {
    const apple = volumes.find((volume) => volume.name === 'AAPL');
    const event = Date.UTC(2015, 2, 9, 17);
    for (const by of [1, 12]) {
      const found = apple ? spans(coarser(apple.curve, by)).slice(0, 4) : [];
      expect(found.some(({ start, end }) => start <= event && end > event)).toBe(true);
    }
  });
});
