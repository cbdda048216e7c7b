import { describe, expect, it } from 'vitest';
import { unsettledTail } from '#app/chart/settled-tail.ts';
import { STATE, type Curve } from '#core/series/series.ts';

const { provisional, settled } = STATE;

function curveOf(counts: number[], states: number[]): Curve {
  return {
    bounds: Float64Array.from({ length: counts.length + 1 }, (_, i) => i * 10),
    counts: Float64Array.from(counts),
    states: Uint8Array.from(states),
    fetchedAt: new Float64Array(counts.length),
  };
}

describe('unsettledTail', () => {
  it('begins after the last settled bucket, and ends at the given instant', () => {
    const curve = curveOf([1, 2, 3], [settled, provisional, provisional]);
    expect(unsettledTail([curve], 25)).toEqual({ start: 10, end: 25 });
  });

  it('is null if all buckets are settled', () => {
    expect(unsettledTail([curveOf([1, 2], [settled, settled])], 99)).toBeNull();
  });
});
