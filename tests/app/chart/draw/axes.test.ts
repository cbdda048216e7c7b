import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { figureOf } from '#app/chart/draw/layout.ts';
import { FORMS, type Form, type Trend } from '#app/chart/draw/form.ts';
import type { Unit } from '#core/series/formula.ts';
import { linesOf } from '#app/chart/draw/line-series.ts';
import type { FigureSeries } from '#app/chart/draw/values.ts';
import { overviewShape } from '#app/chart/draw/overview.ts';
import { fromHeight, toHeight, valueScale, withOneZero } from '#app/chart/draw/scale.ts';
import { sidesOf, spreadOf } from '#app/chart/draw/axes.ts';
import { seriesStyle } from '#app/ui/series-style.ts';
import { STATE } from '#core/series/series.ts';
import type { ChartLayout } from '#app/chart/draw/layout-lines.ts';

const NONE: Trend = { kind: 'none' };
const series = (id: number, values: readonly number[], unit?: Unit): FigureSeries => ({
  id,
  unit,
  curve: {
    bounds: Float64Array.from({ length: values.length + 1 }, (_, i) => i * 10),
    counts: Float64Array.from(values),
    states: new Uint8Array(values.length).fill(STATE.settled),
    fetchedAt: new Float64Array(values.length),
  },
  pyramid: null,
});
function figure(
  list: readonly FigureSeries[],
  form: Form = 'line',
  trend: Trend = NONE,
  width = 700,
): ChartLayout {
  const window = { start: 0, end: list[0]?.curve.bounds.at(-1) ?? 0 };
  const baseline = list[0] ?? null;
  return figureOf({ series: list, baseline, window, form, trend, width });
}
const ys = (drawn: ChartLayout, id: number): number[] =>
  [...(drawn.parts.get(id)?.line ?? [])].filter((_, i) => i % 2 === 1);
const [one, two] = [series(1, [30, 10, 20]), series(2, [10, 10, 60])];
const part = series(3, [0.75, 0.5, 0.25], 'part');
const ratio = series(4, [3, 1, Number.NaN], 'ratio');

describe('quotients drawn with counts', () => {
  it.each(FORMS)(
    'have a separate axis at the right of %s, and do not change the left one',
    (form) => {
      const [drawn, without] = [figure([one, part, two], form), figure([one, two], form)];
      expect(drawn.right).toEqual({ unit: 'part', peak: 0.75, low: 0, least: 0.25 });
      expect([...drawn.onRight]).toEqual([3]);
      expect([drawn.left, drawn.form, drawn.stacked, drawn.gaps, drawn.grid]).toEqual([
        without.left,
        without.form,
        without.stacked,
        without.gaps,
        without.grid,
      ]);
      for (const { id } of [one, two]) expect(drawn.parts.get(id)).toEqual(without.parts.get(id));
      expect(drawn.read(1, 2).filter(({ id }) => id !== 3)).toEqual(without.read(1, 2));
      expect(ys(drawn, 3)).toEqual([0.75, 0.5, 0.25]);
    },
  );

  it.each<Trend>([
    { kind: 'average', buckets: 2 },
    { kind: 'cumulative' },
    { kind: 'index' },
    { kind: 'per', of: 1 },
  ])('without known parts do not change with the trend %j', (trend) => {
    const drawn = figure([one, part, two], 'line', trend);
    expect(ys(drawn, 3)).toEqual([0.75, 0.5, 0.25]);
    expect(drawn.read(2, 3).find(({ id }) => id === 3)?.value).toBe(0.25);
  });

  it('average as sum over sum, not as the mean of quotients, alone and over counts', () => {
    const [of, by] = [series(5, [1, 0, 30, 2]), series(6, [10, 0, 30, 8])];
    const formula = {
      kind: 'quotient',
      a: { kind: 'series', of: of.curve },
      b: { kind: 'series', of: by.curve },
    } as const;
    const values = [0.1, Number.NaN, 1, 0.25];
    const share = { ...series(7, values, 'part'), parts: formula };
    const trend = { kind: 'average', buckets: 2 } as const;
    for (const list of [[share], [by, share]]) {
      const drawn = figure(list, 'line', trend);
      expect(ys(drawn, 7)).toEqual([Number.NaN, 1 / 10, 1, 32 / 38]);
      expect(drawn.read(3, 4).find(({ id }) => id === 7)?.value).toBe(32 / 38);
    }
  });

  it('are on the left axis if nothing else is drawn, and are never stacked', () => {
    expect(FORMS.map((form) => figure([part], form).form)).toEqual([
      'line',
      'area',
      'line',
      'line',
      'line',
      'line',
    ]);
    expect(figure([part], 'share')).toMatchObject({
      left: { unit: 'part', peak: 0.75 },
      right: null,
      stacked: false,
    });
    expect(figure([part, one], 'line', { kind: 'per', of: 3 }).right?.unit).toBe('part');
  });

  it('have an axis of parts only if all of them are parts', () => {
    expect(figure([part, ratio, one]).right).toMatchObject({ unit: 'ratio', peak: 3 });
  });

  it('lose no minimum or maximum, and have no mean of several buckets', () => {
    const many = Array.from({ length: 5000 }, (_, i) => (i === 3333 ? 0.9 : 0.1));
    const list = [
      series(
        1,
        many.map(() => 5),
      ),
      series(2, many, 'part'),
    ];
    const drawn = figure(list, 'stack', NONE, 60);
    expect([drawn.right?.peak, drawn.right?.least]).toEqual([0.9, 0.1]);
    expect(drawn.read(10, 12).find(({ id }) => id === 2)?.value).toBe(Number.NaN);
    expect(spreadOf(series(2, many), 3330, 3340)).toEqual({ low: 0.1, high: 0.9 });
    expect(spreadOf(series(2, [Number.NaN]), 0, 1)).toBeNull();
  });

  it('cannot be the denominator of rates', () => {
    const drawn = figureOf({
      series: [one],
      baseline: part,
      window: { start: 0, end: 30 },
      form: 'line',
      trend: { kind: 'per', of: 3 },

      width: 700,
    });
    expect(drawn.read(0, 1)[0]?.value).toBe(Number.NaN);
    expect(sidesOf([one, part, two], one, { kind: 'per', of: 1 })).toEqual({
      counted: [two],
      quotients: [part],
    });
  });

  it('are lines in front of a stack', () => {
    const named = [part, one, two].map((each) => ({
      ...each,
      name: String(each.id),
      style: seriesStyle(each.id),
    }));
    const base = { ink: '#000', quiet: '', hairline: '', axis: '', ground: '', font: '' };
    const look = { dashed: false, colours: { base: { ...base, fontSize: 11 }, series: [] } };
    const of = { figure: figure(named, 'stack'), plotWidth: 700 };
    expect(linesOf(of, named, look).map(({ id, fill, right }) => [id, fill, right])).toEqual([
      ['2', 'solid', false],
      ['1', 'solid', false],
      ['3', 'none', true],
    ]);
    const alone = { figure: figure(named.slice(0, 1), 'area'), plotWidth: 700 };
    expect(linesOf(alone, named, look)).toMatchObject([{ id: '3', fill: 'light', right: false }]);
  });

  it('are not included in the overview', () => {
    const range = { start: 0, end: 30 };
    const shape = overviewShape([one, two], range, 40, 22);
    expect(overviewShape([part, one, ratio, two], range, 40, 22)).toEqual(shape);
    expect(overviewShape([part], range, 40, 22)).toEqual({ whole: '', part: '' });
  });
});

describe('the axis of quotients', () => {
  it.each([
    [0.754, [0, 0.2, 0.4, 0.6, 0.8]],
    [1, [0, 0.25, 0.5, 0.75, 1]],
    [0.000_37, [0, 0.0001, 0.0002, 0.0003, 0.0004]],
    [12.5, [0, 5, 10, 15]],
  ])('has grid lines for a peak of %d at %j', (peak, ticks) => {
    const scale = valueScale({ low: 0, peak, kind: 'linear', lines: 4, whole: false });
    expect(scale.ticks).toEqual(ticks);
  });

  it('with a log scale begins at the smallest value, and includes zero', () => {
    const scale = valueScale({
      low: 0,
      peak: 0.97,
      kind: 'log',
      lines: 5,
      whole: false,
      least: 0.0034,
    });
    expect(scale).toMatchObject({ one: 0.001, ticks: [0, 0.001, 0.01, 0.1, 1] });
    expect(fromHeight('log', scale.high, scale.one)).toBeCloseTo(1, 12);
  });

  it('with a log scale covers at most six powers of ten', () => {
    expect(figure([series(1, [1e-12, 1], 'ratio')]).left.least).toBeCloseTo(1e-6, 12);
    expect(figure([series(1, [0, 0], 'ratio')]).left.least).toBe(1);
  });

  it('has its zero aligned with that of counts, and both still contain their values', () => {
    const value = fc.integer({ min: -1_000_000, max: 1_000_000 }).map((n) => n / 1000);
    const kind = fc.constantFrom('linear' as const, 'log' as const);
    fc.assert(
      fc.property(value, value, value, value, kind, (a, b, c, d, kind) => {
        const scaleOf = (x: number, y: number) =>
          valueScale({
            low: Math.min(0, x, y),
            peak: Math.max(0, x, y),
            kind,
            lines: 4,
            whole: false,
          });
        const before = [scaleOf(a, b), scaleOf(c, d)] as const;
        const after = withOneZero(...before);
        const [left, right] = after.map(({ low, high }) => -low / (high - low));
        expect(left).toBeCloseTo(right ?? Number.NaN, 9);
        for (const [i, scale] of after.entries()) {
          const slack = 1e-9 * (scale.high - scale.low);
          expect(scale.low).toBeLessThanOrEqual((before[i]?.low ?? 0) + slack);
          expect(scale.high).toBeGreaterThanOrEqual((before[i]?.high ?? 0) - slack);
        }
      }),
    );
  });

  it('computes heights relative to its own one', () => {
    expect(toHeight('log', 0.099, 0.001)).toBeCloseTo(2, 12);
    expect(toHeight('linear', 0.099, 0.001)).toBe(0.099);
  });
});
