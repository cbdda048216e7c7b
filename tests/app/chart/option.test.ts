import { describe, expect, it } from 'vitest';
import { lineParts } from '#app/chart/line.ts';
import { chartOption } from '#app/chart/option.ts';
import { seriesStyle } from '#app/chart/style.ts';
import { STATE } from '#core/series/series.ts';

const curve = {
  bounds: Float64Array.of(0, 10, 20, 30),
  counts: Float64Array.of(1, Number.NaN, 3),
  states: Uint8Array.of(STATE.settled, STATE.never, STATE.partial),
  fetchedAt: new Float64Array(3),
};
const option = chartOption({
  window: { start: 0, end: 30 },
  plot: { left: 50, right: 20, top: 10, bottom: 30 },
  scale: { max: 4, step: 2 },
  ticks: [
    { at: 0, text: '2026', strong: true },
    { at: 20, text: 'Jul', strong: false },
  ],
  lines: [
    {
      id: '7',
      colour: '#123456',
      dash: [6, 3],
      parts: lineParts(curve, null, { start: 0, end: 30 }),
    },
  ],
  look: {
    ink: '#000',
    quiet: '#777',
    hairline: '#eee',
    axis: '#ccc',
    ground: '#fff',
    font: 'Inter',
    fontSize: 11,
  },
  count: (value) => `${value} Posts`,
});

describe('the picture as ECharts is told it', () => {
  it('animates nothing and takes no pointer', () => {
    expect(option.animation).toBe(false);
    for (const series of option.series)
      expect(series).toMatchObject({ animation: false, silent: true });
  });

  it('has one interleaved array a line, with a gap as NaN', () => {
    const [line, open, rings] = option.series;
    expect([...(line?.data ?? [])]).toEqual([5, 1, 15, Number.NaN]);
    expect(line?.lineStyle).toMatchObject({ color: '#123456', width: 1.6, type: [6, 3] });
    expect(open?.lineStyle).toMatchObject({ type: [2, 3] });
    expect([...(rings?.data ?? [])]).toEqual([25, 3]);
  });

  it('shows exactly the window, from zero', () => {
    expect(option.xAxis).toMatchObject({ min: 0, max: 30 });
    expect(option.yAxis).toMatchObject({ min: 0, max: 4, interval: 2 });
  });
});

describe('how series are told apart', () => {
  it('gives 32 in a row as many pairs of colour and dash', () => {
    const pairs = Array.from({ length: 32 }, (_, i) => JSON.stringify(seriesStyle(i)));
    expect(new Set(pairs).size).toBe(32);
  });

  it('begins solid, dashed, dotted, dash-dotted', () => {
    expect([0, 1, 2, 3].map((i) => seriesStyle(i).dash)).toEqual([
      [],
      [6, 3],
      [2, 3],
      [8, 3, 2, 3],
    ]);
  });
});
