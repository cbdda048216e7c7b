import { LineChart } from 'echarts/charts';
import { init, use } from 'echarts/core';
import { CountsCache } from '#app/counts/cache/counts-cache.ts';
import { CACHE_NAME, CountsDatabase } from '#app/counts/cache/database.ts';
import { seriesKey } from '#app/counts/cache/records.ts';
import type { Rendered } from '#app/counts/worker/messages.ts';
import { connect, type StoreClient } from '#app/counts/worker/client.ts';
import { viewOf } from '#core/series/bucket-layout.ts';
import '#app/chart/draw/echarts.ts';
import { unsettledTail } from '#app/chart/draw/incomplete.ts';
import { findPeaksOf } from '#app/insight/peaks/peaks-found.ts';
import { searchHoursElsewhere } from '#app/insight/peaks/peak-search.ts';
import { summarize } from '#app/insight/summary/summary.ts';
import { missingSpans, uncoveredSpans } from '#core/series/gaps.ts';
import type { Curve } from '#core/series/series.ts';
import type { Resolution } from '#core/time/resolution.ts';
import { ARCHIVE_START, CELL_MS, DAY_MS, MINUTE_MS, type Span } from '#core/time/span.ts';
import { chartOn } from '#tests/app/chart/chart-rig.svelte.ts';
import { eventsUnder } from './events-under.svelte.ts';
import { allRaw, cellPage, openRaw, putRaw } from './raw-store.ts';
import {
  minutesOf,
  seriesOf,
  timeTurns,
  took,
  turningCharts,
  windowsOf,
  type TurningCharts,
  type TurnTimes,
} from './turns.ts';

const SERIES = 5;
const WIDTH = CELL_MS / MINUTE_MS;
const keyOf = (n: number): string => seriesKey('posts', 'bench', `bench ${n}`, 1);

/** Milliseconds, except for `buckets`. */
export interface BoardTimes extends TurnTimes {
  readonly buckets: number;
  /** From the start of the worker to five curves of days. */
  readonly days: number;
  readonly daysRaw: number;
  /** From the start of the worker to the drawn canvas. */
  readonly drawn: number;
  readonly minutes: number;
  readonly minutesRaw: number;
  /** Longest task of the main thread while it receives minutes and derives figures from them. */
  readonly longest: number;
  readonly another: number;
  readonly anotherRaw: number;
  /** ECharts with every point of a single series: five would not fit into memory. */
  readonly echarts: readonly number[];
  /** Computations of the main thread over one curve of all minutes. */
  readonly derived: Readonly<Record<string, number>>;
}

const counted = (n: number, cell: number): Uint32Array<ArrayBuffer> =>
  Uint32Array.from({ length: WIDTH }, (_, i) => (i * 31 + cell * 17 + n * 7) % 97);

/** Fills the cache as runs do, and a raw object store with the same arrays. */
export async function fill(cells: number): Promise<void> {
  const cache = new CountsCache(new CountsDatabase(CACHE_NAME));
  const at = ARCHIVE_START + cells * CELL_MS + 2 * DAY_MS;
  const raw = await rawStore();
  for (let n = 0; n < SERIES; n += 1) {
    for (let cell = 0; cell < cells; cell += 1) {
      const { records, receipt } = cellPage(keyOf(n), cell, counted(n, cell), `r${n}-${cell}`, at);
      await cache.write(records, receipt, DAY_MS);
      await putRaw(raw, 'pages', [n, cell], records[0]?.counts);
    }
    const range = { series: keyOf(n), granularity: 'minute' as const, from: 0, to: cells };
    for (const [cell, summary] of (await cache.summaries(range)).entries()) {
      await putRaw(raw, 'summaries', [n, cell], summary);
    }
  }
  raw.close();
  cache.close();
}

const rawStore = (): Promise<IDBDatabase> => openRaw('bench-raw', ['pages', 'summaries']);

async function readRaw(store: string): Promise<unknown[]> {
  const raw = await rawStore();
  const all = await allRaw(raw, store);
  raw.close();
  return all;
}

let opened = 0;
/** Number of the loaded series that each series has open, as its run has. */
const openNumbers = new Map<number, number>();
/** Renders the five curves as the board's runs do. */
async function curves(
  store: StoreClient,
  span: Span,
  resolution: Resolution,
  zone: string,
): Promise<Rendered[]> {
  return await Promise.all(
    Array.from({ length: SERIES }, async (_, n) => {
      const number = ++opened;
      const before = openNumbers.get(n) ?? null;
      openNumbers.set(n, number);
      const view = viewOf({ span, resolution, zone, weekStart: 1 });
      const { edges, granularity, cut } = view;
      await store.open(number, {
        series: {
          key: keyOf(n),
          source: 'posts',
          store: 'bench',
          query: `bench ${n}`,
          usedAt: span.end,
          fullHead: 0,
          invalidated: [],
        },
        granularity,
        knownBy: granularity,
        span: view.span,
        invalidated: [],
        invalidatedIfApproved: null,
        settleMs: DAY_MS,
        before,
      });
      if (before !== null) await store.close(before);
      return await store.render(number, {
        edges,
        cut,
        basis: view.basis,
        reach: span,
        covered: [span],
        failed: [],
      });
    }),
  );
}

const now = (): number => performance.now();

/** Milliseconds per window for ECharts' own sampling: it receives all points once and reduces them for every window. */
function everyPoint({ curve }: Rendered, windows: readonly Span[]): number[] {
  const { bounds, counts } = curve;
  const data = new Float64Array(2 * counts.length);
  for (let i = 0; i < counts.length; i += 1) {
    data[2 * i] = bounds[i] ?? 0;
    data[2 * i + 1] = counts[i] ?? Number.NaN;
  }
  const target = document.createElement('div');
  target.style.cssText = 'width:1000px;height:400px';
  document.body.append(target);
  // After our frames: the board's chart has no lines of ECharts.
  use(LineChart);
  const chart = init(target, null, { renderer: 'canvas' });
  const line = {
    type: 'line',
    dimensions: ['x', 'y'],
    sampling: 'minmax',
    showSymbol: false,
    data,
  };
  const axes = { xAxis: { type: 'value' }, yAxis: { type: 'value' } };
  chart.setOption({ animation: false, ...axes, series: [line] });
  const times = windows.map(({ start, end }) =>
    took(() => chart.setOption({ xAxis: { min: start, max: end } }, { silent: true })),
  );
  chart.dispose();
  target.remove();
  return times;
}

/** Milliseconds that finding peaks takes on the main thread, which a worker helps. */
async function peakTimes(curve: Curve): Promise<Record<string, number>> {
  const steps: number[] = [];
  const elsewhere = async <T>(work: () => Promise<T>): Promise<T> => {
    steps.push(now() - start);
    const result = await work();
    start = now();
    return result;
  };
  let start = now();
  await findPeaksOf(curve, 'UTC', {
    pause: () => elsewhere(() => new Promise((resolve) => setTimeout(resolve))),
    search: (...of) => elsewhere(() => searchHoursElsewhere(...of)),
  });
  steps.push(now() - start);
  return {
    peaks: steps.reduce((sum, step) => sum + step, 0),
    'peaks, longest step': Math.max(...steps),
  };
}

/** Measures once, on a freshly loaded page. */
export async function measure(cells: number): Promise<BoardTimes> {
  const span = { start: ARCHIVE_START, end: ARCHIVE_START + cells * CELL_MS };
  const tasks: number[] = [];
  const observer = new PerformanceObserver((list) => {
    for (const { duration } of list.getEntries()) tasks.push(duration);
  });
  observer.observe({ type: 'longtask' });

  let start = now();
  const worker = new Worker(new URL('../../src/app/counts/worker/worker.ts', import.meta.url), {
    type: 'module',
  });
  const ignore = (): void => undefined;
  const listener = { onOutdated: ignore, onBlocked: ignore, onDeleted: ignore };
  const { store } = connect(worker, listener);
  const daily = await curves(store, span, 'day', 'UTC');
  const days = now() - start;
  const first = chartOn({
    data: { series: seriesOf(daily), now: span.end },
    view: { range: span, window: span },
  });
  await new Promise<void>((resolve) => {
    const check = (): void =>
      first.target.querySelector('.image.drawn') ? resolve() : void requestAnimationFrame(check);
    check();
  });
  const drawn = now() - start;
  await first.end();

  start = now();
  await readRaw('summaries');
  const daysRaw = now() - start;

  tasks.length = 0;
  start = now();
  const all = await curves(store, span, 'minute', 'UTC');
  const minutes = now() - start;
  await new Promise((resolve) => setTimeout(resolve, 200));
  const longest = Math.max(0, ...tasks);

  start = now();
  const pages = (await readRaw('pages')) as Uint8Array[];
  const minutesRaw = now() - start;

  start = now();
  await curves(store, span, 'day', 'America/New_York');
  const another = now() - start;
  const anotherRaw = took(() => {
    let sum = 0;
    for (const page of pages) for (let i = 0; i < page.length; i += 1) sum += page[i] ?? 0;
    if (sum < 0) throw new Error('never');
  });

  const [rendered] = all;
  if (!rendered) throw new Error('no curve');
  const { curve, pyramid } = rendered;
  const derived = {
    'edges of the range': took(
      () => viewOf({ span, resolution: 'minute', zone: 'UTC', weekStart: 1 }).edges.all,
    ),
    summary: took(() => summarize(curve, span.end, { pyramid })),
    'missing spans': took(() => missingSpans(curve, span.end, pyramid)),
    'spans without data': took(() => uncoveredSpans(curve, span.end, pyramid)),
    'unsettled tail': took(() => unsettledTail([curve], span.end)),
    ...(await peakTimes(curve)),
  };

  const { frames, uplot } = await timeTurns(seriesOf(all), span);
  const echarts = everyPoint(
    rendered,
    windowsOf(span).filter((_, i) => i % 30 === 0),
  );
  worker.terminate();
  observer.disconnect();
  const buckets = (cells * CELL_MS) / MINUTE_MS;
  return {
    buckets,
    days,
    daysRaw,
    drawn,
    minutes,
    minutesRaw,
    longest,
    another,
    anotherRaw,
    frames,
    uplot,
    echarts,
    derived,
  };
}

/** Times only the frames, over minutes that are in no cache. */
export async function frames(buckets: number): Promise<TurnTimes> {
  const { all, span } = minutesOf(buckets, SERIES);
  return await timeTurns(all, span);
}

let turning: TurningCharts | null = null;

/** Opens a chart of five series of minutes, and one like it over a row of events. */
export async function openEvents(buckets: number, count: number): Promise<void> {
  await turning?.end();
  const { all, span } = minutesOf(buckets, SERIES);
  turning = await turningCharts(all, span, [null, eventsUnder(count, span)]);
}

/** Turns the wheel of some of the two, in turns. @returns Milliseconds of JavaScript a turn, for each chart. */
export function turnEvents(charts: readonly number[]): readonly (readonly number[])[] {
  return turning?.turn(charts) ?? [];
}

Object.assign(window, { bench: { fill, measure, frames, openEvents, turnEvents } });
