import { describe, expect, it } from 'vitest';
import type { DrawnCurve } from '#app/chart/draw/curve.ts';
import { optionSvg } from '#app/export/chart-svg.ts';

const line = { color: '#123456', width: 2 };

/** The curves as SVG on a plot of 100 × 100 px at (10, 20), over the values 0 to 10 and the heights -2 to 8. */
function drawn(...curves: readonly DrawnCurve[]): string {
  const axis = { type: 'value' as const, axisLabel: { show: false }, splitLine: { show: false } };
  return optionSvg(
    {
      animation: false,
      grid: { left: 10, right: 10, top: 20, bottom: 20, outerBoundsMode: 'none' },
      xAxis: { ...axis, min: 0, max: 10 },
      yAxis: [
        { ...axis, min: -2, max: 8 },
        { ...axis, min: 0, max: 1 },
      ],
      series: [],
      curves: { of: () => curves },
    },
    120,
    140,
  );
}

/** The paths with an attribute, as they are drawn. */
const pathsWith = (svg: string, attribute: string): string[] =>
  [...svg.matchAll(/<path d="([^"]*)"([^>]*)>/g)]
    .filter(([, , attributes]) => attributes?.includes(attribute))
    .map(([, path = '']) => path.replaceAll(/\s+/g, ' ').trim());
const strokes = (svg: string): string[] => pathsWith(svg, 'stroke="#123456"');

describe('a curve', () => {
  it('goes through its points, and has a gap at each unknown height', () => {
    const points = Float64Array.of(0, 8, 5, -2, 6, NaN, 7, NaN, 8, 3, 10, 3);
    const svg = drawn({ id: 'a', points, line });
    expect(strokes(svg)).toEqual(['M10 20L60 120M90 70L110 70']);
  });

  it('is on the axis at the right if it belongs there', () => {
    const points = Float64Array.of(0, 0.5, 10, 1);
    const svg = drawn({ id: 'a', points, line }, { id: 'b', points, line, right: true });
    expect(strokes(svg)).toEqual(['M10 95L110 90', 'M10 70L110 20']);
  });

  it('is filled down to zero, each stretch by itself', () => {
    const points = Float64Array.of(0, 3, 1, 8, 2, NaN, 3, 3, 4, NaN);
    const svg = drawn({ id: 'a', points, fill: { color: '#abcdef', opacity: 0.5 } });
    expect(pathsWith(svg, 'fill="#abcdef"')).toEqual(['M10 70L20 20L20 100L10 100ZM40 70L40 100Z']);
  });

  it('is filled to other heights at its points', () => {
    const fill = { color: '#abcdef', opacity: 1, to: Float64Array.of(0, 0, 10, 2) };
    const svg = drawn({ id: 'a', points: Float64Array.of(0, 4, 10, 6), fill });
    expect(pathsWith(svg, 'fill="#abcdef"')).toEqual(['M10 60L110 40L110 80L10 100Z']);
  });

  it('has marks and labels of points, but no mark outside the plot', () => {
    const mark = { symbol: 'rect', size: 4, fill: '#fedcba' } as const;
    const marks = [mark, mark].map((each, i) => ({ ...each, at: [i * 20, 3] as const }));
    const label = {
      at: [5, 3],
      text: 'Goal',
      offset: [6, 0],
      align: 'left',
      verticalAlign: 'middle',
      color: '#111111',
      fontFamily: 'Inter',
      fontSize: 10,
    } as const;
    const svg = drawn({ id: 'a', marks, label });
    expect(svg.match(/fill="#fedcba"/g)).toHaveLength(1);
    expect(svg).toMatch(/<text[^>]*(?:x="66"|translate\(66)[^>]*>Goal</);
  });

  it('is behind those of a higher number, whatever their order', () => {
    const points = Float64Array.of(0, 3, 10, 3);
    const back = { id: 'b', points, line: { ...line, color: '#000001' }, z: 1 };
    const front = { id: 'a', points, line: { ...line, color: '#000002' } };
    const svg = drawn(front, back);
    expect(svg.indexOf('#000001')).toBeLessThan(svg.indexOf('#000002'));
  });
});
