import { flushSync, type Snippet } from 'svelte';
import uPlot from 'uplot';
import type { ChartSeries, EventGround } from '#app/chart/chart-props.ts';
import { seriesStyle } from '#app/ui/series-style.ts';
import { extentOf, type Pyramid } from '#core/series/pyramid/pyramid.ts';
import { STATE, type Curve } from '#core/series/series.ts';
import { ARCHIVE_START, MINUTE_MS, type Span } from '#core/time/span.ts';
import { chartOn } from '#tests/app/chart/chart-rig.svelte.ts';
import { buildPyramid } from '#core/series/pyramid/build-pyramid.ts';

/** Turns of the wheel: half of them zoom in, the others out. */
const STEPS = 120;
const COLUMNS = 760;

/** Milliseconds of JavaScript for each turn of the wheel. */
export interface TurnTimes {
  readonly frames: readonly number[];
  readonly uplot: readonly number[];
}

export const took = (work: () => unknown): number => {
  const start = performance.now();
  work();
  return performance.now() - start;
};

export function seriesOf(
  all: readonly { readonly curve: Curve; readonly pyramid: Pyramid }[],
): ChartSeries[] {
  return all.map(({ curve, pyramid }, n) => ({
    id: n + 1,
    name: `Series ${n + 1}`,
    style: seriesStyle(n),
    curve,
    pyramid,
  }));
}

/** Series of minutes without a cache. */
export function minutesOf(buckets: number, series: number): { all: ChartSeries[]; span: Span } {
  const bounds = new Float64Array(buckets + 1).map((_, i) => ARCHIVE_START + i * MINUTE_MS);
  const states = new Uint8Array(buckets).fill(STATE.settled);
  const fetchedAt = new Float64Array(buckets);
  const all = Array.from({ length: series }, (_, n) => {
    const counts = new Float64Array(buckets).map(
      (_, i) => (i * 31 + Math.floor(i / 44_640) * 17 + n * 7) % 97,
    );
    return { curve: { bounds, counts, states, fetchedAt }, pyramid: buildPyramid(counts, states) };
  });
  return {
    all: seriesOf(all),
    span: { start: ARCHIVE_START, end: ARCHIVE_START + buckets * MINUTE_MS },
  };
}

/** The windows of the turns of the wheel. */
export function windowsOf(span: Span): Span[] {
  return Array.from({ length: STEPS }, (_, i) => {
    const part = 0.93 ** (i < STEPS / 2 ? i : STEPS - i);
    const from = span.start + (span.end - span.start) * (1 - part) * 0.6;
    return { start: from, end: from + (span.end - span.start) * part };
  });
}

/** uPlot over the same pyramids, which draws at once. */
function uplotOf(all: readonly ChartSeries[], span: Span) {
  const target = document.createElement('div');
  document.body.append(target);
  const plot = new uPlot(
    {
      width: 1000,
      height: 400,
      series: [{}, ...all.map(() => ({ stroke: '#05a', width: 1.5 }))],
      scales: { x: { time: true } },
    },
    [[0, 1], ...all.map(() => [0, 1])] as uPlot.AlignedData,
    target,
  );
  const extent = new Float64Array(2);
  return {
    draw: (window: Span): void => {
      const from = Math.floor((window.start - span.start) / MINUTE_MS);
      const to = Math.ceil((window.end - span.start) / MINUTE_MS);
      const edgeOf = (k: number): number => from + Math.round((k * (to - from)) / COLUMNS);
      const xs: number[] = [];
      for (let k = 0; k < COLUMNS; k += 1) {
        const x = (span.start + edgeOf(k) * MINUTE_MS) / 1000;
        xs.push(x, x + 1);
      }
      const ys = all.map(({ pyramid }) => {
        const values: number[] = [];
        if (!pyramid) return values;
        for (let k = 0; k < COLUMNS; k += 1) {
          extentOf(pyramid, edgeOf(k), edgeOf(k + 1), extent);
          values.push(extent[0] ?? 0, extent[1] ?? 0);
        }
        return values;
      });
      // A batch draws synchronously, not in a microtask after the timing.
      plot.batch(() => plot.setData([xs, ...ys] as uPlot.AlignedData));
    },
    end: (): void => {
      plot.destroy();
      target.remove();
    },
  };
}

/** Charts of which every turn of the wheel can be timed. */
export interface TurningCharts {
  /**
   * Turns the wheel of some charts, which take turns, so that a busy moment is every chart's.
   *
   * @returns Milliseconds of JavaScript a turn, for each of them.
   */
  turn(charts: readonly number[]): readonly (readonly number[])[];
  end(): Promise<void>;
}

/**
 * Opens charts of minutes, and draws them.
 *
 * @param unders - The content under each chart; null for a line of text.
 */
export async function turningCharts(
  all: readonly ChartSeries[],
  span: Span,
  unders: readonly (Snippet<[EventGround]> | null)[],
): Promise<TurningCharts> {
  // Runs animation callbacks immediately, so that only JavaScript is timed.
  const nativeRequest = window.requestAnimationFrame;
  const nativeCancel = window.cancelAnimationFrame;
  let ids = 0;
  const queue = new Map<number, FrameRequestCallback>();
  window.requestAnimationFrame = (act) => {
    queue.set(++ids, act);
    return ids;
  };
  window.cancelAnimationFrame = (id) => void queue.delete(id);
  const run = (): void => {
    const due = [...queue.values()];
    queue.clear();
    for (const act of due) act(performance.now());
  };
  const charts = unders.map((under) =>
    chartOn({
      data: { series: [...all], now: span.end },
      view: { range: span, window: span, resolution: 'minute' },
      ...(under && { under }),
    }),
  );
  const isDrawn = (): boolean =>
    charts.every(({ target }) => target.querySelector('.image.drawn') !== null);
  for (let i = 0; i < 20 && !isDrawn(); i += 1) {
    await new Promise((resolve) => setTimeout(resolve, 50));
    run();
    flushSync();
  }
  const timeTurn = (chart: number, window: Span): number => {
    const time = took(() => {
      charts[chart]?.set('view', { window });
      flushSync();
      run();
      run();
    });
    // As a browser does after each frame: otherwise the next text that is drawn pays for it.
    document.body.getBoundingClientRect();
    return time;
  };
  return {
    turn: (chosen) => {
      const turns = windowsOf(span).map((at) => chosen.map((chart) => timeTurn(chart, at)));
      return chosen.map((_, i) => turns.map((times) => times[i] ?? Number.NaN));
    },
    end: async () => {
      for (const chart of charts) await chart.end();
      window.requestAnimationFrame = nativeRequest;
      window.cancelAnimationFrame = nativeCancel;
    },
  };
}

/** Times turns of the wheel over minutes, and uPlot with the same windows. */
export async function timeTurns(all: readonly ChartSeries[], span: Span): Promise<TurnTimes> {
  const charts = await turningCharts(all, span, [null]);
  const [frames = []] = charts.turn([0]);
  await charts.end();
  const plot = uplotOf(all, span);
  const uplot = windowsOf(span).map((at) => took(() => plot.draw(at)));
  plot.end();
  return { frames, uplot };
}
