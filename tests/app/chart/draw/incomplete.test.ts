import { describe, expect, it } from 'vitest';
import { unsettledTail } from '#app/chart/draw/incomplete.ts';
import { stillOf } from '#app/chart/draw/still.ts';
import { chartSvg } from '#app/export/chart-svg.ts';
import { STATE } from '#core/series/series.ts';
import { curveOf } from '#tests/core/series/curves.ts';
import { slide } from '#tests/support/data/slides.ts';

const { provisional, settled } = STATE;

describe('unsettledTail', () => {
  it('begins after the last settled bucket, and ends at the given instant', () => {
    const curve = curveOf([1, 2, 3], { states: [settled, provisional, provisional] });
    expect(unsettledTail([curve], 25)).toEqual({ start: 10, end: 25 });
  });

  it('is null if all buckets are settled', () => {
    expect(unsettledTail([curveOf([1, 2])], 99)).toBeNull();
  });
});

describe('a picture', () => {
  it('shows what is missing or not final as the page does', () => {
    const { shown } = slide({ names: ['a', 'b'] });
    const [a, b] = shown.data.series.map(({ curve }) => curve);
    for (const curve of [a, b]) curve?.states.fill(STATE.uncovered, 0, 20);
    for (const curve of [a, b]) curve?.counts.fill(Number.NaN, 0, 20);
    b?.states.fill(STATE.never, 30, 40);
    b?.counts.fill(Number.NaN, 30, 40);
    a?.states.fill(STATE.provisional, 50);
    const svg = chartSvg(stillOf(shown, 900, 400), shown.style.colours.base, 0, 0);
    expect(svg.match(/fill="url\(#hatch\)"/g)).toHaveLength(1);
    expect(svg).toContain('>no data<');
    expect(svg).toContain('>may still change<');
    expect(svg.match(/stroke-dasharray="1.2 3.4"/g)).toHaveLength(1);
    const whole = slide().shown;
    const plain = chartSvg(stillOf(whole, 900, 400), whole.style.colours.base, 0, 0);
    expect(plain).not.toMatch(/hatch|no data|may still change|1\.2 3\.4/);
  });
});
