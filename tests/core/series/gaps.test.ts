import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { missingSpans, uncoveredSpans } from '#core/series/gaps.ts';
import { STATE, type Curve } from '#core/series/series.ts';
import { runs } from '#tests/support/run/runs.ts';
import { longCurve } from './curves.ts';
import { buildPyramid } from '#core/series/pyramid/build-pyramid.ts';

const { never, settled } = STATE;
const NONE = Number.NaN;

function curveOf(counts: number[], states: number[]): Curve {
  return {
    bounds: Float64Array.from({ length: counts.length + 1 }, (_, i) => i * 10),
    counts: Float64Array.from(counts),
    states: Uint8Array.from(states),
    fetchedAt: new Float64Array(counts.length),
  };
}

describe('missing stretches', () => {
  it('join neighbours and end now', () => {
    const curve = curveOf(
      [1, NONE, NONE, 4, NONE, NONE],
      [settled, never, never, settled, never, never],
    );
    expect(missingSpans(curve, 45)).toEqual([
      { start: 10, end: 30 },
      { start: 40, end: 45 },
    ]);
  });

  it('are none where a quotient has no value', () => {
    expect(missingSpans(curveOf([1, NONE, NONE], [settled, settled, never]), 30)).toEqual([
      { start: 20, end: 30 },
    ]);
  });

  it('are the same with a pyramid, and so are those without data', () => {
    fc.assert(
      fc.property(longCurve, fc.nat(), (curve, at) => {
        const pyramid = buildPyramid(curve.counts, curve.states);
        const end = (curve.bounds.at(-1) ?? 0) + 1;
        for (const now of [end, at % end]) {
          expect(missingSpans(curve, now, pyramid)).toEqual(missingSpans(curve, now));
          expect(uncoveredSpans(curve, now, pyramid)).toEqual(uncoveredSpans(curve, now));
        }
      }),
      { numRuns: runs(300) },
    );
  });
});
