import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { drawnForm, figureOf, isStacked } from '#app/chart/draw/layout.ts';
import type { Form, Trend } from '#app/chart/draw/form.ts';
import { columnOf, gridOf } from '#app/chart/draw/grid.ts';
import type { FigureSeries } from '#app/chart/draw/values.ts';
import { STATE, type Curve } from '#core/series/series.ts';
import { curveOf as sharedCurve } from '#tests/core/series/curves.ts';
import { trackOf } from '#core/series/trend.ts';
import { stackOf, type ChartLayout } from '#app/chart/draw/layout-lines.ts';

const NONE: Trend = { kind: 'none' };

/** A curve in which null is missing, and the last bucket is unfinished if `open`. */
const curveOf = (counts: readonly (number | null)[], open = false): Curve =>
  sharedCurve(
    counts.map((count) => count ?? Number.NaN),
    { last: open ? STATE.partial : STATE.settled },
  );
const series = (id: number, counts: readonly (number | null)[], open = false): FigureSeries => ({
  id,
  curve: curveOf(counts, open),
  pyramid: null,
});

function figure(
  list: readonly FigureSeries[],
  form: Form,
  over: {
    trend?: Trend;
    width?: number;
    baseline?: FigureSeries;
    from?: number;
    to?: number;
  } = {},
): ChartLayout {
  const end = list[0]?.curve.bounds.at(-1) ?? 0;
  return figureOf({
    series: list,
    baseline: over.baseline ?? null,
    window: { start: over.from ?? 0, end: over.to ?? end },
    form,
    trend: over.trend ?? NONE,
    width: over.width ?? 700,
  });
}
/** Values of a part's line, NaN at gaps. */
const ys = (drawn: ChartLayout, id: number): number[] =>
  [...(drawn.parts.get(id)?.line ?? [])].filter((_, i) => i % 2 === 1);

const lists = fc.integer({ min: 2, max: 300 }).chain((size) => {
  const count = fc.option(fc.nat(900), { nil: null, freq: 40 });
  const list = fc.array(count, { minLength: size, maxLength: size });
  return fc.tuple(list, list, list);
});

describe('a stack', () => {
  it('has the sums of each bucket as tops, and gaps where one is missing', () => {
    fc.assert(
      fc.property(lists, (all) => {
        const drawn = figure(
          all.map((list, i) => series(i, list)),
          'stack',
        );
        const first = all[0] ?? [];
        const last = Math.max(...all.map((list) => list.findLastIndex((count) => count !== null)));
        for (const [k] of all.entries()) {
          const sums = first.slice(0, last + 1).map((_, i) => {
            const here = all.map((list) => list[i] ?? null);
            const fine = here.every((count) => count !== null);
            return fine ? here.slice(0, k + 1).reduce<number>((sum, n) => sum + (n ?? 0), 0) : NaN;
          });
          expect(ys(drawn, k)).toEqual(sums);
        }
      }),
    );
  });

  it('of shares ends at one wherever there are Posts', () => {
    fc.assert(
      fc.property(lists, fc.integer({ min: 40, max: 400 }), (all, width) => {
        const drawn = figure(
          all.map((list, i) => series(i, list)),
          'share',
          { width },
        );
        const tops = ys(drawn, 2).filter((y) => !Number.isNaN(y));
        expect(tops.every((top) => top === 1)).toBe(true);
        const size = all[0]?.length ?? 0;
        for (let i = 0; i < size; i += 1) {
          const sum = drawn.read(i, i + 1).reduce((whole, { value }) => whole + value, 0);
          if (!Number.isNaN(sum)) expect(sum).toBeCloseTo(1, 12);
        }
      }),
    );
  });

  it('omits values below zero, and reports them separately from missing ones', () => {
    const drawn = figure([series(1, [1, 2, -3]), series(2, [4, 5, 6])], 'stack');
    expect(ys(drawn, 2)).toEqual([5, 7, NaN]);
    expect(drawn.gaps).toEqual({ missing: false, negative: true });
    expect(figure([series(1, [1, null]), series(2, [4, 5])], 'stack').gaps.missing).toBe(true);
    expect(figure([series(1, [1, null]), series(2, [4, null])], 'stack').gaps.missing).toBe(false);
  });

  it('draws an unfinished bucket as a point apart from the line', () => {
    const part = figure([series(1, [1, 2, 3], true), series(2, [4, 5, 6])], 'stack').parts.get(2);
    expect([...(part?.line ?? [])]).toEqual([5, 5, 15, 7, 25, NaN]);
    expect([...(part?.rings ?? [])]).toEqual([25, 9]);
  });

  it('is empty without series, and has no shares of zero', () => {
    expect(stackOf([], true)).toEqual([]);
    expect(stackOf([0, 0], true)).toEqual([NaN, NaN]);
    expect(figure([], 'stack').parts.size).toBe(0);
  });
});

describe('a layout in columns', () => {
  const long = fc
    .tuple(
      fc.array(fc.option(fc.nat(900), { nil: null, freq: 400 }), {
        minLength: 300,
        maxLength: 2000,
      }),
      fc.nat(),
      fc.nat(),
    )
    .map(([list, a, b]) => {
      const [from = 0, to = 0] = [a % list.length, b % list.length].sort((x, y) => x - y);
      return { list, from: from * 10, to: Math.max(to, from + 1) * 10 };
    });
  const trends = fc.constantFrom<Trend>(
    NONE,
    { kind: 'average', buckets: 7 },
    { kind: 'average', buckets: 90 },
    { kind: 'cumulative' },
    { kind: 'index' },
    { kind: 'per', of: 1 },
  );

  it('computes every column from its buckets', () => {
    fc.assert(
      fc.property(long, trends, fc.constantFrom<Form>('bars', 'stack'), (given, trend, form) => {
        const { list, from, to } = given;
        const base = series(
          9,
          list.map((count) => (count === null ? null : count + 1)),
        );
        const one = series(1, list);
        const drawn = figure([one], form, { trend, baseline: base, from, to, width: 60 });
        const { grid } = drawn;
        fc.pre(grid !== null);
        const start = Math.ceil(from / 10);
        const value = (i: number): number => list[i] ?? NaN;
        const whole = (a: number, b: number): number => {
          let sum = a < 0 ? NaN : 0;
          for (let i = a; i < b; i += 1) sum += value(i);
          return sum;
        };
        const week = (i: number): number => whole(i, i + 7) / 7;
        const first = list.findIndex(
          (count, i) =>
            i >= start && (count ?? 0) > 0 && i + 7 <= list.length && !Number.isNaN(week(i)),
        );
        for (let k = 0; k + 1 < (grid?.edges.length ?? 0); k += 1) {
          const [a = 0, b = 0] = [grid?.edges[k], grid?.edges[k + 1]];
          const mean = whole(a, b) / (b - a);
          const at = trend.kind === 'average' ? Math.max(b - a, trend.buckets) : 1;
          const wanted = {
            none: mean,
            average: whole(b - at, b) / at,
            cumulative: b > start ? whole(start, b) : NaN,
            index: first >= 0 && (first + 7) * 10 <= to ? (mean / week(first)) * 100 : NaN,
            per: (whole(a, b) / (whole(a, b) + (b - a))) * 100_000,
          }[trend.kind];
          const got = drawn.read(a, b)[0]?.value ?? NaN;
          if (Number.isNaN(wanted)) expect(got).toBe(NaN);
          else expect(Math.abs(got - wanted)).toBeLessThan(1e-9 * Math.max(1, wanted));
        }
      }),
    );
  });

  it('has columns that do not change while the window moves', () => {
    const track = trackOf(curveOf(Array.from({ length: 5000 }, (_, i) => i)), null);
    const edges = (start: number): number[] => [
      ...gridOf([track], { start, end: start + 20_000 }, 100).edges,
    ];
    const [before, after] = [edges(3000), edges(3170)];
    const inner = after.filter((edge) => edge >= (before[0] ?? 0) && edge <= (before.at(-1) ?? 0));
    expect(before).toEqual(expect.arrayContaining(inner));
    expect(inner.length).toBeGreaterThan(95);
  });

  it('finds the column of a bucket, or the bucket itself if it is in none', () => {
    const grid = { edges: Float64Array.of(3, 8, 12), step: 5, open: new Set<number>() };
    expect([3, 7, 8, 11, 12, 2].map((bucket) => columnOf(grid, bucket))).toEqual([
      { from: 3, to: 8 },
      { from: 3, to: 8 },
      { from: 8, to: 12 },
      { from: 8, to: 12 },
      { from: 12, to: 13 },
      { from: 2, to: 3 },
    ]);
    const none = { ...grid, edges: new Float64Array(0) };
    expect(columnOf(none, 4)).toEqual({ from: 4, to: 5 });
  });

  it('has hardly more columns than fit', () => {
    fc.assert(
      fc.property(long, fc.integer({ min: 40, max: 200 }), ({ list, from, to }, width) => {
        const { grid } = figure([series(1, list)], 'stack', { from, to, width });
        expect(grid?.edges.length ?? 0).toBeLessThanOrEqual(width + 3);
      }),
    );
  });
});

describe('a plain line', () => {
  it('loses no peak, not even as an index', () => {
    const list = Array.from({ length: 5000 }, (_, i) => (i === 3333 ? 900 : 10));
    expect(figure([series(1, list)], 'line').left.peak).toBe(900);
    expect(figure([series(1, list)], 'area').left.peak).toBe(900);
    expect(figure([series(1, list)], 'line', { trend: { kind: 'index' } }).left.peak).toBe(9000);
  });

  it('as an index is 100 at the mean of the first seven buckets in view with Posts', () => {
    const one = series(1, [7, 0, 4, 8, 2, 6, 0, 5, 3, 40]);
    const drawn = figure([one], 'line', { trend: { kind: 'index' }, from: 10 });
    expect(ys(drawn, 1).slice(1)).toEqual([0, 100, 200, 50, 150, 0, 125, 75, 1000]);
    const few = series(1, [4, 8, 2, 6, 0, 5]);
    expect(ys(figure([few], 'line', { trend: { kind: 'index' } }), 1)).toEqual([]);
  });

  it('as an index without a Post in view is empty', () => {
    const drawn = figure([series(1, [0, 0])], 'line', { trend: { kind: 'index' } });
    expect([ys(drawn, 1), drawn.left.peak]).toEqual([[], 0]);
  });
});

describe('a rate', () => {
  it('does not draw its denominator', () => {
    const [one, base] = [series(1, [1, 2]), series(2, [10, 10])];
    const drawn = figure([one, base], 'line', { trend: { kind: 'per', of: 2 }, baseline: base });
    expect([...drawn.parts.keys()]).toEqual([1]);
    expect(ys(drawn, 1)).toEqual([10_000, 20_000]);
  });
});

describe('an earlier period', () => {
  const now = series(1, [2, 4, 6]);
  const one = { ...now, earlier: [{ curve: curveOf([1, 4, 9]), pyramid: null, period: 0 }] };

  it('is computed in the same way, and extends the axis', () => {
    const drawn = figure([one], 'line');
    expect([...(drawn.parts.get(1)?.earlier[0]?.line ?? [])]).toEqual([5, 1, 15, 4, 25, 9]);
    expect(drawn.left.peak).toBe(9);
    expect(drawn.read(2, 3)[0]).toMatchObject({ value: 6, earlier: [9] });
    const sums = figure([one], 'line', { trend: { kind: 'cumulative' } });
    expect(sums.read(2, 3)[0]).toMatchObject({ value: 12, earlier: [14] });
  });

  it('is indexed by the current period', () => {
    const counts = [2, 4, 6, 2, 4, 6, 4];
    const past = { curve: curveOf([1, 4, 9, 1, 4, 9, 4]), pyramid: null, period: 0 };
    const long = { ...series(1, counts), earlier: [past] };
    const drawn = figure([long], 'line', { trend: { kind: 'index' } });
    expect(drawn.read(1, 2)[0]).toMatchObject({ value: 100, earlier: [100] });
    expect(drawn.read(0, 1)[0]).toMatchObject({ value: 50, earlier: [25] });
  });

  it('is one of several, each computed in the same way', () => {
    const older = { curve: curveOf([3, 20, 5]), pyramid: null, period: 2 };
    const drawn = figure([{ ...now, earlier: [...one.earlier, older] }], 'line');
    expect(drawn.parts.get(1)?.earlier).toEqual([
      { period: 0, line: Float64Array.of(5, 1, 15, 4, 25, 9) },
      { period: 2, line: Float64Array.of(5, 3, 15, 20, 25, 5) },
    ]);
    expect(drawn.left.peak).toBe(20);
    expect(drawn.read(1, 2)[0]?.earlier).toEqual([4, 20]);
  });

  it('is not drawn with other buckets or in a stack', () => {
    const other = { ...now, earlier: [{ curve: curveOf([1, 4]), pyramid: null, period: 0 }] };
    expect(figure([other], 'line').parts.get(1)?.earlier).toEqual([]);
    expect(figure([one], 'stack').parts.get(1)?.earlier).toEqual([]);
  });
});

describe('bars', () => {
  it('are side by side for up to three series, and stacked for more', () => {
    const list = [1, 2, 3, 4].map((id) => series(id, [id, id]));
    expect(figure(list.slice(0, 3), 'bars')).toMatchObject({ stacked: false, left: { peak: 3 } });
    expect(figure(list, 'bars')).toMatchObject({ stacked: true, left: { peak: 10 } });
    expect(isStacked('bars', { kind: 'index' }, 4)).toBe(false);
  });

  it.each([700, 90])('never overlap or reach into the next bucket in %i px', (width) => {
    const list = [1, 2, 3].map((id) => series(id, [5, 6, 7]));
    const drawn = figure(list, 'bars', { width });
    const pxMs = 30 / width;
    for (let bar = 0; bar < 3; bar += 1) {
      const edges = list.flatMap(({ id }, k) => {
        const { line, barWidth = 0 } = drawn.parts.get(id) ?? { line: [] };
        // The bars are centred in their column.
        const left = (line[2 * bar] ?? Number.NaN) / pxMs + (k - list.length / 2) * barWidth;
        return [left, left + barWidth];
      });
      // Edges are on whole pixels, so that they are crisp.
      for (const edge of edges) expect(edge).toBeCloseTo(Math.round(edge), 6);
      const whole = edges.map((edge) => Math.round(edge));
      expect(whole).toEqual([...whole].sort((a, b) => a - b));
      expect(whole[0]).toBeGreaterThan((bar * width) / 3);
      expect(whole.at(-1)).toBeLessThan(((bar + 1) * width) / 3);
    }
  });

  it('are outlines for buckets that the source covers in part, wherever they are', () => {
    const { settled, partial } = STATE;
    const counts = Array.from({ length: 300 }, (_, i) => i);
    const states = counts.map((i) => (i === 101 ? partial : settled));
    const split = { id: 1, curve: sharedCurve(counts, { states }), pyramid: null };
    for (const [to, whole] of [
      [1200, [100, 102]],
      [3000, [97, 99.5, 103, 106]],
    ] as const) {
      const drawn = figure([split], 'bars', { from: to === 1200 ? 900 : 0, to, width: 400 });
      const part = drawn.parts.get(1);
      const tops = ys(drawn, 1);
      expect([...(part?.outlines ?? [])].filter((_, i) => i % 2 === 1)).toEqual([0, 101, 101, 0]);
      expect(tops).toEqual(expect.arrayContaining([...whole]));
      expect(tops).not.toContain(101);
    }
  });

  it('are outlines for unfinished buckets, and omitted for missing ones', () => {
    const part = figure([series(1, [4, null, 6], true)], 'bars').parts.get(1);
    expect([...(part?.line ?? [])].filter((_, i) => i % 2 === 1)).toEqual([4]);
    expect([...(part?.outlines ?? [])].filter((_, i) => i % 2 === 1)).toEqual([0, 6, 6, 0]);
  });

  it('end where the next one begins when stacked', () => {
    const drawn = figure(
      [1, 2, 3, 4].map((id) => series(id, [id])),
      'bars',
    );
    expect([1, 2, 3, 4].map((id) => ys(drawn, id))).toEqual([[1], [3], [6], [10]]);
  });
});

describe('drawnForm', () => {
  it.each([
    ['stack', { kind: 'index' }, 'line'],
    ['share', { kind: 'per', of: 1 }, 'line'],
    ['share', { kind: 'cumulative' }, 'share'],
    ['bars', { kind: 'index' }, 'bars'],
  ] as const)('draws %s of %j as %s', (form, trend, drawn) => {
    expect(drawnForm(form, trend)).toBe(drawn);
  });
});
