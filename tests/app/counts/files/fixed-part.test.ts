import { expect, it } from 'vitest';
import { writtenFixed } from '#app/counts/files/fixed-part.ts';
import { STATE } from '#core/series/series.ts';

it('writes counts as 64-bit floats, however the curve holds them', () => {
  const { part } = writtenFixed(
    {
      label: 'Oat',
      query: 'oat',
      source: 'posts',
      bounds: Float64Array.of(0, 60_000, 120_000),
      counts: Float32Array.of(65_535, Number.NaN),
      states: Uint8Array.of(STATE.settled, STATE.never),
      fetchedAt: Float64Array.of(180_000, Number.NaN),
    },
    1,
  );
  const [, counts] = part.pieces;
  expect([...new Float64Array(counts!.slice().buffer)]).toEqual([65_535, Number.NaN]);
});
