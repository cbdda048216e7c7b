import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { endIn, spreadLabels } from '#app/chart/draw/end-labels.ts';
import { stillOf } from '#app/chart/draw/still.ts';
import { textWidth } from '#app/chart/draw/text-width.ts';
import { slide } from '#tests/support/data/slides.ts';

const end = { x: 210, y: 7 };
const line = { line: Float64Array.of(30, 1, 90, 2, 150, 3, 210, 7), end };

describe('the end of a line in view', () => {
  it.each([
    ['can be between points', 180, { x: 180, y: 5 }],
    ['is its last point if that is in view', 250, end],
    ['can be at a point', 90, { x: 90, y: 2 }],
  ])('%s', (_, until, wanted) => {
    expect(endIn(line, until)).toEqual(wanted);
  });

  it('is before a gap', () => {
    const gap = { line: Float64Array.of(30, 1, 90, 2, 150, Number.NaN, 210, 7), end };
    expect(endIn(gap, 130)).toEqual({ x: 90, y: 2 });
  });
});

describe('labels at the ends of lines', () => {
  it('have room for the names of several earlier periods', () => {
    const earlier = ['1–31 May 2016', '1–30 Apr 2016'];
    const { shown } = slide({ names: ['tea'], earlier: 'x' });
    const series = shown.data.series.map((drawn) => ({
      ...drawn,
      earlier: earlier.flatMap((_, period) =>
        (drawn.earlier ?? []).map((past) => ({ ...past, period })),
      ),
    }));
    for (const form of ['line', 'multiples'] as const) {
      const style = { ...shown.style, form };
      const format = { ...shown.format, earlier };
      const { names, width } = stillOf(
        { ...shown, data: { ...shown.data, series }, style, format },
        900,
        400,
      );
      expect(names.map(({ text }) => text)).toEqual(['tea', ...earlier]);
      for (const { x, text } of names) expect(x + textWidth(text, 12)).toBeLessThanOrEqual(width);
    }
  });

  it('do not move if none overlap', () => {
    expect(spreadLabels([10, 50, 90], 16, 0, 100)).toEqual([10, 50, 90]);
  });

  it('never overlap, keep their order and stay inside the chart', () => {
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 0, max: 400 }), { maxLength: 20 }), (wanted) => {
        const placed = spreadLabels(wanted, 17, 0, 400);
        const order = wanted
          .map((_, i) => i)
          .sort((a, b) => (wanted[a] ?? 0) - (wanted[b] ?? 0) || a - b);
        for (const [k, i] of order.entries()) {
          const y = placed[i] ?? Number.NaN;
          expect(y).toBeGreaterThanOrEqual(8.5 - 1e-9);
          expect(y).toBeLessThanOrEqual(391.5 + 1e-9);
          const before = order[k - 1];
          if (before !== undefined)
            expect(y - (placed[before] ?? 0)).toBeGreaterThanOrEqual(17 - 1e-9);
        }
      }),
    );
  });
});
