import { flushSync } from 'svelte';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
// Imported here so that the test server finds the modules that the chart loads late.
import '#app/chart/draw/echarts.ts';
import '#app/chart/draw/bar-chart.ts';
import type { ChartSeries, ChartStyle } from '#app/chart/chart-props.ts';
import { seriesStyle } from '#app/ui/series-style.ts';
import { STATE } from '#core/series/series.ts';
import { MINUTE_MS, type Span } from '#core/time/span.ts';
import { growth, MAX_GROWTH } from '#tests/support/growth.ts';
import { chartOn, START } from './chart-rig.svelte.ts';
import { buildPyramid } from '#core/series/pyramid/build-pyramid.ts';

const SERIES = 5;
/** Minutes of ten weeks and of nineteen years. */
const FEW = 100_000;
const MANY = 10_000_000;

/** Five series of minutes, of which the last tenth is not known yet, and the minute before that is unfinished. */
function minutes(size: number): { series: ChartSeries[]; range: Span; now: number } {
  const known = Math.floor(size * 0.9);
  const bounds = Float64Array.from({ length: size + 1 }, (_, i) => START + i * MINUTE_MS);
  const states = new Uint8Array(size).fill(STATE.settled, 0, known);
  states[known - 1] = STATE.partial;
  const counts = new Float64Array(size).fill(Number.NaN, known);
  for (let i = 0; i < known; i += 1) counts[i] = (i * 31 + (i >> 8) * 17) % 97;
  const fetchedAt = new Float64Array(size);
  const pyramid = buildPyramid(counts, states);
  const series = Array.from({ length: SERIES }, (_, n): ChartSeries => {
    const curve = { bounds, counts, states, fetchedAt };
    return { id: n + 1, name: `Series ${n + 1}`, style: seriesStyle(n), curve, pyramid };
  });
  const range = { start: START, end: START + size * MINUTE_MS };
  return { series, range, now: START + known * MINUTE_MS - 30_000 };
}

/** Runs animation callbacks when the test says so. */
const callbacks = new Map<number, FrameRequestCallback>();
const native = [window.requestAnimationFrame, window.cancelAnimationFrame] as const;
beforeAll(() => {
  let id = 0;
  window.requestAnimationFrame = (act) => {
    callbacks.set(++id, act);
    return id;
  };
  window.cancelAnimationFrame = (id) => void callbacks.delete(id);
});
afterAll(() => {
  [window.requestAnimationFrame, window.cancelAnimationFrame] = native;
});
function paint(): void {
  flushSync();
  const due = [...callbacks.values()];
  callbacks.clear();
  for (const act of due) act(performance.now());
  flushSync();
}

type Data = ReturnType<typeof minutes>;

/** A chart with what a user does to it. */
async function chartOf({ series, range, now }: Data) {
  const chart = chartOn({
    data: { series, now },
    view: { range, window: range, resolution: 'minute' },
  });
  const isDrawn = (): boolean => {
    paint();
    return chart.target.querySelector('.image.drawn canvas') !== null;
  };
  await vi.waitUntil(isDrawn, { timeout: 100_000 });
  const plot = chart.target.querySelector('.chart') as HTMLElement;
  const show = (share: number): void => {
    const length = (range.end - range.start) * share;
    const start = range.start + (range.end - range.start - length) * 0.6;
    chart.set('view', { window: { start, end: start + length } });
    paint();
  };
  return {
    end: chart.end,
    style: (style: Partial<ChartStyle>) => {
      chart.set('style', { ...PLAIN, ...style });
      show(1);
    },
    drawing: () => {
      for (const share of [0.93, 0.6, 1]) show(share);
    },
    hover: () => {
      for (let x = 100; x < 700; x += 120) {
        plot.dispatchEvent(
          new PointerEvent('pointermove', { clientX: x, clientY: 60, pointerId: 1, bubbles: true }),
        );
        paint();
      }
      expect(chart.target.querySelector('.tip')).not.toBeNull();
    },
    keystroke: () => {
      for (const key of ['Home', 'ArrowRight', 'ArrowRight', 'ArrowLeft', '+', '-', '0']) {
        plot.dispatchEvent(new KeyboardEvent('keydown', { key, bubbles: true }));
        paint();
      }
    },
  };
}

const PLAIN: Partial<ChartStyle> = {
  form: 'line',
  trend: { kind: 'none' },
  trendLine: false,
  target: null,
};
const STYLES: Readonly<Record<string, Partial<ChartStyle>>> = {
  lines: {},
  'a stack': { form: 'stack' },
  bars: { form: 'bars' },
  'a running total and its target': {
    trend: { kind: 'cumulative' },
    target: { value: 1_000_000, label: '' },
  },
  'an index': { trend: { kind: 'index' } },
  'a trend line and a target': { trendLine: true, target: { value: 90, label: '' } },
};

describe('a chart of five series', () => {
  let short: Awaited<ReturnType<typeof chartOf>>;
  let long: Awaited<ReturnType<typeof chartOf>>;
  beforeAll(async () => {
    short = await chartOf(minutes(FEW));
    long = await chartOf(minutes(MANY));
  });
  afterAll(async () => {
    await short.end();
    await long.end();
  });

  describe.each(Object.keys(STYLES))('with %s', (name) => {
    beforeAll(() => {
      for (const chart of [short, long]) chart.style(STYLES[name] ?? {});
    });

    it.each(['drawing', 'hover', 'keystroke'] as const)(
      `costs at most ${MAX_GROWTH} times as much for a %s over ${MANY} buckets as over ${FEW}`,
      async (action) => {
        expect(await growth(short[action], long[action])).toBeLessThanOrEqual(MAX_GROWTH);
      },
    );
  });
});
