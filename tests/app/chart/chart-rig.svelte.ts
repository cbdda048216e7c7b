import { createRawSnippet, flushSync, mount, unmount, type Snippet } from 'svelte';
import Chart from '#app/chart/Chart.svelte';
import type { WholeChartProps } from '#app/chart/draw/chart-parts.ts';
import type { EventGround, ChartSeries } from '#app/chart/chart-props.ts';
import { analyse } from '#app/chart/forecast/analysis.ts';
import { chartCaveats } from '#app/chart/notes/notes.ts';
import { gestures } from '#app/chart/interact/gestures.ts';
import Overlay from '#app/chart/interact/Overlay.svelte';
import Overview from '#app/chart/draw/Overview.svelte';
import { seriesStyle } from '#app/ui/series-style.ts';
import { Formatter } from '#app/format/formatter.ts';
import { STATE } from '#core/series/series.ts';
import { DAY_MS, type Span } from '#core/time/span.ts';
import { zoneTable } from '#core/time/zone.ts';
import { buildPyramid } from '#core/series/pyramid/build-pyramid.ts';

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

/** Props that can be set one by one, like those of a component. Their values are not proxied. */
function settable(given: WholeChartProps): WholeChartProps {
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

/** Members of each group to override. */
export type Over = {
  [Group in 'data' | 'view' | 'style' | 'annotations']?: Partial<WholeChartProps[Group]>;
} & {
  /** The time of an event. */
  readonly pointed?: Span;
  /** Replaces the text under the chart. */
  readonly under?: Snippet<[EventGround]>;
};

/** A chart on its own page, 1000 px wide, whose window follows its zooms. */
export function chartOn(over: Over = {}) {
  const events = {
    zooms: [] as (Span | null)[],
    picks: [] as (Span | null)[],
    peaks: [] as string[],
  };
  const grounds: EventGround[] = [];
  const series = [
    seriesOf(1, (i) => 50 + (i % 7)),
    seriesOf(2, (i) => (i === 40 ? 300 : 20)),
    seriesOf(3, (i) => 10 + i),
  ];
  const props: WholeChartProps = settable({
    data: { series, now: RANGE.end, ...over.data },
    view: {
      range: RANGE,
      window: RANGE,
      resolution: 'day',
      table: zoneTable('UTC', over.view?.range ?? RANGE),
      weekStart: 1,
      ...over.view,
    },
    style: {
      form: 'line',
      scale: 'linear',
      trend: { kind: 'none' },
      dashed: false,
      overview: true,
      colours: {
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
      ...over.style,
    },
    annotations: {
      marks: [],
      peaks: [],
      notes: [],
      gaps: [],
      summary: 'Posts per day',
      ...over.annotations,
    },
    format: { formatter: new Formatter('en-GB'), earlier: ['before'] },
    on: {
      zoom: (window) => {
        events.zooms.push(window);
        set('view', { window: window ?? RANGE });
      },
      pick: (span) => events.picks.push(span),
      peak: (key) => events.peaks.push(key),
    },
    parts: { Overlay, Overview, gestures, analyse, notesOf: chartCaveats },
    pointed: over.pointed,
    events:
      over.under ??
      createRawSnippet<[EventGround]>((ground) => ({
        render: () => '<p class="under">Events</p>',
        setup: () => {
          $effect(() => {
            grounds.push(ground());
          });
        },
      })),
  });
  function set<Group extends Exclude<keyof Over, 'pointed' | 'under'>>(
    group: Group,
    members: NonNullable<Over[Group]>,
  ): void {
    props[group] = { ...props[group], ...members };
  }
  const target = document.createElement('main');
  target.style.cssText = 'position:absolute;top:0;left:0;width:1000px;height:400px';
  document.body.append(target);
  const app = mount(Chart, { target, props });
  flushSync();
  const end = async (): Promise<void> => {
    if (!target.isConnected) return;
    await unmount(app);
    target.remove();
  };
  return { props, set, target, events, grounds, end };
}
