import { createRawSnippet, flushSync, mount, unmount } from 'svelte';
import Chart from '#app/chart/Chart.svelte';
import type { ChartProps } from '#app/chart/chart-props.ts';
import * as tips from '#app/chart/tips.ts';
import { seriesStyle } from '#app/ui/series-style.ts';
import type { ChartSeries } from '#app/chart/chart.svelte.ts';
import type { LaneGround } from '#app/chart/marks.ts';
import { buildPyramid } from '#core/series/pyramid.ts';
import { STATE } from '#core/series/series.ts';
import { DAY_MS, type Span } from '#core/time/span.ts';
import { zoneTable } from '#core/time/zone.ts';

export const START = Date.UTC(2026, 0, 1);
export const DAYS = 100;
export const RANGE: Span = { start: START, end: START + DAYS * DAY_MS };

export function seriesOf(id: number, count: (day: number) => number): ChartSeries {
  const counts = Float64Array.from({ length: DAYS }, (_, i) => count(i));
  const bounds = Float64Array.from({ length: DAYS + 1 }, (_, i) => START + i * DAY_MS);
  const states = new Uint8Array(DAYS).fill(STATE.settled);
  const curve = { bounds, counts, states, fetchedAt: new Float64Array(DAYS) };
  const pyramid = buildPyramid(counts);
  return { id, name: `Series ${id}`, style: seriesStyle(id), curve, pyramid };
}

class Cell {
  value = $state.raw<unknown>();
}

/** Props that can be set one by one, as a component's are: what they hold is not looked into. */
function settable(given: ChartProps): ChartProps {
  const cells = new Map<string | symbol, Cell>();
  const cellOf = (key: string | symbol): Cell => {
    const cell = cells.get(key) ?? new Cell();
    cells.set(key, cell);
    return cell;
  };
  for (const [key, value] of Object.entries(given)) cellOf(key).value = value;
  return new Proxy(given, {
    get: (_, key) => cellOf(key).value,
    set: (target, key, value) => {
      cellOf(key).value = value;
      return Reflect.set(target, key, value);
    },
  });
}

/** A chart on a page of its own, 1000 px wide, whose window follows what it asks for. */
export function chartOn(over: Partial<ChartProps> = {}) {
  const told = {
    zooms: [] as (Span | null)[],
    picks: [] as (Span | null)[],
    peaks: [] as number[],
  };
  const grounds: LaneGround[] = [];
  const props: ChartProps = settable({
    tips,
    series: [
      seriesOf(1, (i) => 50 + (i % 7)),
      seriesOf(2, (i) => (i === 40 ? 300 : 20)),
      seriesOf(3, (i) => 10 + i),
    ],
    range: RANGE,
    window: RANGE,
    resolution: 'day',
    table: zoneTable('UTC', RANGE),
    weekStart: 1,
    now: RANGE.end,
    marks: [],
    notes: [],
    gaps: [],
    summary: 'Posts per day',
    locale: 'en-GB',
    say: {
      count: (value: number) => String(value),
      short: (value: number) => String(value),
      mean: (value: number) => value.toFixed(1),
      share: (value: number) => `${Math.round(value * 100)} %`,
      percent: (value: number) => `${Number((value * 100).toPrecision(3))} %`,
      bucket: (start: number) => new Date(start).toISOString().slice(0, 10),
      span: (start: number) => new Date(start).toISOString().slice(0, 10),
      date: (at: number) => new Date(at).toISOString().slice(0, 10),
    },
    look: {
      base: {
        ink: '#000000',
        quiet: '#666666',
        hairline: '#eeeeee',
        axis: '#cccccc',
        ground: '#ffffff',
        font: 'sans-serif',
        fontSize: 11,
      },
      series: ['#0067b8', '#b84a08', '#08795a', '#a3338b'],
    },
    overview: true,
    lanes: createRawSnippet<[LaneGround]>((ground) => ({
      render: () => '<p class="lane">Notes</p>',
      setup: () => {
        $effect(() => {
          grounds.push(ground());
        });
      },
    })),
    onzoom: (window: Span | null) => {
      told.zooms.push(window);
      props.window = window ?? RANGE;
    },
    onpick: (span: Span | null) => told.picks.push(span),
    onpeak: (number: number) => told.peaks.push(number),
    ...over,
  });
  const target = document.createElement('main');
  target.style.cssText = 'position:absolute;top:0;left:0;width:1000px;height:400px';
  document.body.append(target);
  const app = mount(Chart, { target, props });
  flushSync();
  const end = async (): Promise<void> => {
    await unmount(app);
    target.remove();
  };
  return { props, target, told, grounds, end };
}
