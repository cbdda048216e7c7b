import { describe, expect, it } from 'vitest';
import { lineParts } from '#app/chart/decimate.ts';
import { chartOption, mixed, type ChartPicture } from '#app/chart/option.ts';
import { STATE } from '#core/series/series.ts';

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
      parts: { ...lineParts(curve, null, { start: 0, end: 30 }), earlier: null },
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

describe('the option for ECharts', () => {
  it('has no animation and ignores the pointer', () => {
    expect(option.animation).toBe(false);
    for (const series of option.series)
      expect(series).toMatchObject({ animation: false, silent: true });
  });

  it('has one interleaved array per line, with NaN at gaps', () => {
    const [line] = option.series;
    expect([...(line?.data ?? [])]).toEqual([5, 1, 15, Number.NaN]);
    expect(line).toMatchObject({ lineStyle: { color: '#123456', width: 1.6, type: [6, 3] } });
  });

  it('has one series for the marked points of all lines, because each costs as much as a line', () => {
    const [line] = picture.lines;
    if (!line) throw new Error('expected a line');
    const other = { ...line, id: '8', colour: '#abcdef', marker: 'circle' } as const;
    const { series } = chartOption({ ...picture, lines: [line, other] });
    expect(series.map(({ id }) => id)).toEqual(['7', '8', 'marks 0']);
    const ring = { color: '#fff', borderWidth: 1.6 };
    expect(series[2]?.data).toEqual([
      { value: [25, 3], symbol: 'rect', itemStyle: { ...ring, borderColor: '#123456' } },
      { value: [5, 1], symbol: 'rect', itemStyle: { color: '#123456' } },
      { value: [25, 3], symbol: 'circle', itemStyle: { ...ring, borderColor: '#abcdef' } },
      { value: [5, 1], symbol: 'circle', itemStyle: { color: '#abcdef' } },
    ]);
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
  const { yAxis, series } = chartOption({ ...picture, right, lines: [line, quotient] });

  it('is at the right with its own format, and has no grid lines', () => {
    expect(yAxis).toMatchObject([
      { max: 4, splitLine: { show: true } },
      { max: 1, splitLine: { show: false }, axisLabel: { customValues: [0, 0.5, 1] } },
    ]);
    const label = (yAxis as { axisLabel: { formatter: (y: number) => string } }[])[1]?.axisLabel;
    expect(label?.formatter(0.5)).toBe('50 %');
  });

  it('applies to all parts of its lines', () => {
    const axes = series.map(({ id, yAxisIndex }) => `${id}: ${yAxisIndex}`);
    expect(axes).toEqual(['7: 0', '8: 1', 'marks 0: 0', 'marks 1: 1']);
    expect(series.slice(2).map(({ data }) => data.length)).toEqual([2, 2]);
  });
});

describe('a log scale', () => {
  const option = chartOption({
    ...picture,
    scale: { kind: 'log', low: 0, high: 2, one: 1, ticks: [0, 1, 10] },
  });
  it('has heights as data on a linear axis, labelled with the values', () => {
    const { yAxis, series } = option;
    expect(series[0]?.data[1]).toBeCloseTo(Math.log10(2), 12);
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
    const areaOf = (fill: 'light' | 'solid' | 'none') => {
      const lines = picture.lines.map((line) => ({ ...line, fill }));
      const [line] = chartOption({ ...picture, lines }).series;
      return line?.type === 'line' ? line.areaStyle : undefined;
    };
    expect(areaOf('none')).toBeUndefined();
    expect(areaOf('light')?.opacity).toBeLessThan(0.2);
    expect(areaOf('solid')?.opacity).toBe(1);
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
