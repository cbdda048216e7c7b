import { describe, expect, it } from 'vitest';
import { lineParts } from '#app/chart/draw/decimate.ts';
import { trackOf } from '#core/series/trend.ts';
import { chartOption } from '#app/chart/draw/option.ts';
import { STATE } from '#core/series/series.ts';
import { mixed } from '#app/chart/draw/chart-curves.ts';
import type { ChartPicture } from '#app/chart/draw/chart-picture.ts';

const curve = {
  bounds: Float64Array.of(0, 10, 20, 30),
  counts: Float64Array.of(1, Number.NaN, 3),
  states: Uint8Array.of(STATE.settled, STATE.never, STATE.partial),
  fetchedAt: new Float64Array(3),
};
const picture: ChartPicture = {
  window: { start: 0, end: 30 },
  plot: { left: 50, right: 20, top: 10, bottom: 30 },
  scale: { kind: 'linear', low: 0, high: 4, one: 1, ticks: [0, 2, 4] },
  ticks: [
    { at: 0, text: '2026', strong: true },
    { at: 20, text: 'Jul', strong: false },
  ],
  stacked: false,
  lines: [
    {
      id: '7',
      colour: '#123456',
      dash: [6, 3],
      marker: 'rect',
      fill: 'light',
      right: false,
      dots: Float64Array.of(5, 1),
      parts: { ...lineParts(trackOf(curve, null), { start: 0, end: 30 }), earlier: [] },
    },
  ],
  colours: {
    ink: '#000',
    quiet: '#777',
    hairline: '#eee',
    axis: '#ccc',
    ground: '#fff',
    font: 'Inter',
    fontSize: 11,
  },
  value: (value) => `${value} Posts`,
  right: null,
};
const option = chartOption(picture);
const curvesOf = (over: Partial<ChartPicture> = {}) =>
  chartOption({ ...picture, ...over }).curves.of();

describe('the option for ECharts', () => {
  it('has one interleaved array per line, with NaN at gaps', () => {
    const [line] = curvesOf();
    expect([...(line?.points ?? [])]).toEqual([5, 1, 15, Number.NaN, 25, Number.NaN]);
    expect(line?.line).toEqual({ color: '#123456', width: 1.35, dash: [6, 3] });
  });

  it('has hollow marks for unfinished points, and filled ones for the others', () => {
    const mark = { symbol: 'rect', size: 5 };
    expect(curvesOf().flatMap(({ marks = [] }) => marks)).toEqual([
      { ...mark, at: [25, 3], fill: '#fff', stroke: '#123456', strokeWidth: 1.35 },
      { ...mark, at: [5, 1], fill: '#123456' },
    ]);
  });

  it('has the names of longer units apart from the labels of the axis', () => {
    const { axisLabel, axisTick } = option.xAxis as {
      axisLabel: { customValues: number[]; formatter: (at: number) => string };
      axisTick: { customValues: number[] };
    };
    expect(axisTick.customValues).toEqual([0, 20]);
    expect(axisLabel.customValues.map((at) => axisLabel.formatter(at))).toEqual(['Jul']);
    const [strong] = curvesOf().flatMap(({ label = [] }) => label);
    expect(strong).toMatchObject({ at: [0, 0], text: '2026', color: '#000' });
  });

  it('shows exactly the window, from zero', () => {
    expect(option.xAxis).toMatchObject({ min: 0, max: 30 });
    expect(option.yAxis).toMatchObject({
      min: 0,
      max: 4,
      axisTick: { customValues: [0, 2, 4] },
    });
  });
});

describe('a second axis', () => {
  const right = {
    scale: { kind: 'linear', low: 0, high: 1, one: 1, ticks: [0, 0.5, 1] } as const,
    value: (value: number) => `${value * 100} %`,
  };
  const [line] = picture.lines;
  if (!line) throw new Error('expected a line');
  const quotient = { ...line, id: '8', right: true };
  const { yAxis, curves } = chartOption({ ...picture, right, lines: [line, quotient] });

  it('is at the right with its own format, and has no grid lines', () => {
    expect(yAxis).toMatchObject([
      { max: 4, splitLine: { show: true } },
      { max: 1, splitLine: { show: false }, axisLabel: { customValues: [0, 0.5, 1] } },
    ]);
    const label = (yAxis as { axisLabel: { formatter: (y: number) => string } }[])[1]?.axisLabel;
    expect(label?.formatter(0.5)).toBe('50 %');
  });

  it('applies to all parts of its lines', () => {
    const parts = curves.of().filter(({ label }) => !label);
    expect(parts.map(({ id, right }) => `${id}: ${right}`)).toEqual([
      '7: false',
      '7 marks: false',
      '8: true',
      '8 marks: true',
    ]);
  });
});

describe('a log scale', () => {
  const option = chartOption({
    ...picture,
    scale: { kind: 'log', low: 0, high: 2, one: 1, ticks: [0, 1, 10] },
  });
  it('has heights as data on a linear axis, labelled with the values', () => {
    const { yAxis, curves } = option;
    expect(curves.of()[0]?.points?.[1]).toBeCloseTo(Math.log10(2), 12);
    const axis = yAxis as { type: string; axisLabel: unknown };
    const label = axis.axisLabel as { customValues: number[]; formatter: (y: number) => string };
    expect(axis.type).toBe('value');
    expect(label.customValues.map((height) => label.formatter(height))).toEqual([
      '0 Posts',
      '1 Posts',
      '10 Posts',
    ]);
  });
});

describe('fills', () => {
  it('blend a colour with the background', () => {
    expect(mixed('#000000', '#ffffff', 0.5)).toBe('#808080');
    expect(mixed('#000', '#fff', 0.2)).toBe('#cccccc');
    expect(mixed('CanvasText', '#ffffff', 0.5)).toBe('CanvasText');
  });

  it('are light under an area, and opaque if they cover something', () => {
    const fillOf = (fill: 'light' | 'solid' | 'none') =>
      curvesOf({ lines: picture.lines.map((line) => ({ ...line, fill })) })[0]?.fill;
    expect(fillOf('none')).toBeUndefined();
    expect(fillOf('light')?.opacity).toBeLessThan(0.2);
    expect(fillOf('solid')?.opacity).toBe(1);
  });
});

describe('bars', () => {
  it('have their width, side by side or stacked', () => {
    const lines = picture.lines.map((line) => ({ ...line, parts: { ...line.parts, barWidth: 9 } }));
    const barsOf = (stacked: boolean) => chartOption({ ...picture, lines, stacked }).series[0];
    expect(barsOf(false)).toMatchObject({ type: 'bar', barWidth: 9, barGap: '0%' });
    expect(barsOf(true)).toMatchObject({ barGap: '-100%' });
  });
});
