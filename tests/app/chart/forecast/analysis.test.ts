import { describe, expect, it } from 'vitest';
import { analyse } from '#app/chart/forecast/analysis.ts';
import type { ChartSeries, ChartStyle } from '#app/chart/chart-props.ts';
import { forecastAt, forecastStep, withProjections } from '#app/chart/forecast/forecast-tip.ts';
import type { Trend } from '#app/chart/draw/form.ts';
import { toHeight, valueScale } from '#app/chart/draw/scale.ts';
import { measureOf } from '#app/chart/draw/values.ts';
import { seriesStyle } from '#app/ui/series-style.ts';
import { Formatter } from '#app/format/formatter.ts';
import { STATE } from '#core/series/series.ts';
import type { Resolution } from '#core/time/resolution.ts';
import { DAY_MS, HOUR_MS } from '#core/time/span.ts';
import { zoneTable } from '#core/time/zone.ts';
import { curveOf } from '#tests/core/series/a-curve.ts';

const START = Date.UTC(2026, 0, 5);
const DAYS = 112;
const END = START + DAYS * DAY_MS;
const formatter = new Formatter('en-US');
const base = {
  ink: '#000000',
  quiet: '#666666',
  hairline: '#eeeeee',
  axis: '#cccccc',
  ground: '#ffffff',
  font: 'sans-serif',
  fontSize: 11,
};
const WEEK = [90, 120, 100, 110, 130, 40, 30];
const rhythm = (i: number): number => WEEK[i % 7] ?? 0;

function seriesOf(
  id: number,
  count: (day: number) => number,
  more: Partial<ChartSeries> = {},
): ChartSeries {
  const curve = curveOf(
    Array.from({ length: DAYS }, (_, i) => count(i)),
    START,
    DAY_MS,
  );
  return { id, name: `s${id}`, style: seriesStyle(id - 1), curve, pyramid: null, ...more };
}

interface Given extends Partial<ChartStyle> {
  readonly series?: readonly ChartSeries[];
  readonly window?: { start: number; end: number };
  readonly now?: number;
  readonly resolution?: 'day' | 'minute';
}

function analysed({
  series = [seriesOf(1, rhythm)],
  window,
  now = END,
  resolution = 'day',
  ...style
}: Given) {
  const range = { start: START, end: END };
  const table = zoneTable('UTC', range);
  return analyse(
    { series, now },
    { range, window: window ?? range, resolution, table, weekStart: 1 },
    {
      form: 'line',
      scale: 'linear',
      trend: { kind: 'none' },
      dashed: false,
      overview: true,
      colours: { base, series: ['#0067b8', '#b84a08'] },
      ...style,
    },
    { formatter },
  );
}
const scale = valueScale({ low: 0, peak: 150, kind: 'linear', lines: 4, whole: true });
const idsOf = (given: Given): unknown[] =>
  analysed(given)
    .lines(scale)
    .map(({ id }) => id);
const place = { formatter, resolution: 'day', zone: 'UTC' } as const;

describe('what a chart draws in addition to counts', () => {
  it('is nothing unless it is chosen', () => {
    const { end, peak, notes, lines } = analysed({});
    expect([end, peak, notes, lines(scale)]).toEqual([0, 0, [], []]);
  });

  it('is a forecast from the last whole bucket on, over four weeks at most and a quarter of the view', () => {
    const made = analysed({ forecast: true });
    expect(made.end).toBe(END + 28 * DAY_MS);
    const lines = made.lines(scale);
    const line = lines.find(({ id }) => id === '1 forecast');
    const points = Array.from(line?.points ?? []);
    const last = END - DAY_MS / 2;
    expect(points.slice(0, 2)).toEqual([last, rhythm(DAYS - 1)]);
    expect(points[2]).toBe(last + DAY_MS);
    expect(points[3]).toBeCloseTo(rhythm(DAYS), 6);
    expect(points).toHaveLength(2 * 29);
    expect(analysed({ forecast: true, window: { start: END - 20 * DAY_MS, end: END } }).end).toBe(
      END + 5 * DAY_MS,
    );
  });

  it('fills the interval between its ends, also on a log scale', () => {
    const noisy = seriesOf(1, (i) => rhythm(i) + ((i * 37) % 50));
    const log = valueScale({ low: 0, peak: 300, kind: 'log', lines: 4, whole: true });
    const made = analysed({ series: [noisy], forecast: true });
    const forecast = made.series[0]?.forecast;
    const interval = made.lines(log).find(({ id }) => id === '1 interval');
    for (const [ends, points] of [
      [forecast?.high, interval?.points],
      [forecast?.low, interval?.fill?.to],
    ] as const) {
      expect(ends?.length).toBeGreaterThan(0);
      for (const [h, value] of (ends ?? []).entries())
        expect(points?.[2 * (h + 1) + 1]).toBe(toHeight('log', value));
    }
  });

  it.each<[string, Given, string]>([
    ['stacked', { form: 'stack' }, 'not for stacked curves'],
    ['a share', { form: 'share' }, 'not for stacked curves'],
    ['bars', { form: 'bars' }, 'only for lines and areas'],
    ['a running total', { trend: { kind: 'cumulative' } }, 'only for plain counts'],
    ['an index', { trend: { kind: 'index' } }, 'only for plain counts'],
    ['minutes', { resolution: 'minute' }, 's1: not by minutes'],
    [
      'zoomed away',
      { window: { start: START, end: END - DAY_MS } },
      'the view ends before the range',
    ],
    ['few days', { series: [short(40)] }, 's1: needs 56 final days, has 40'],
    ['quotients', { series: [seriesOf(1, rhythm, { unit: 'ratio' })] }, 'not for ratios'],
  ])('has no forecast if %s, and says why', (_, given, why) => {
    const { end, notes, lines } = analysed({ ...given, forecast: true });
    expect([end, notes, lines(scale)]).toEqual([0, [`No forecast: ${why}`], []]);
  });

  it('does not forecast what is already counted, though it may still change', () => {
    const late = short(100, STATE.provisional);
    const made = analysed({ series: [late], forecast: true });
    expect(made.series[0]?.forecast?.bounds[0]).toBe(END);
    expect(made.end).toBe(START + 125 * DAY_MS);
  });

  it('puts the tooltip and the arrow keys into the forecast', () => {
    const made = analysed({
      forecast: true,
      series: [seriesOf(1, rhythm), seriesOf(2, (i) => 2 * rhythm(i))],
    });
    expect(forecastAt(made, END - 1, place)).toBeNull();
    const first = forecastAt(made, END + 1, place);
    expect(first).toMatchObject({
      at: END + DAY_MS / 2,
      tip: { title: 'Forecast, Mon, Apr 27, 2026' },
    });
    expect(first?.tip.rows.map(({ name, value, note }) => [name, value, note])).toEqual([
      ['s2', '180', '80% between 180 and 180'],
      ['s1', '90', '80% between 90 and 90'],
    ]);
    expect(forecastAt(made, made.end, place)).toBeNull();
    const middle = (day: number): number => END + (day + 0.5) * DAY_MS;
    expect(forecastStep(made, middle(-1), 1)).toBe(middle(0));
    expect(forecastStep(made, middle(0), 1)).toBe(middle(1));
    expect(forecastStep(made, middle(1), -1)).toBe(middle(0));
    expect(forecastStep(made, middle(27), 1)).toBe(middle(27));
    for (const [from, by] of [
      [middle(0), -1],
      [middle(-2), 1],
      [middle(-1), -1],
      [null, 1],
    ] as const)
      expect(forecastStep(made, from, by)).toBeNull();
  });

  it('has a trend line with its slope in words', () => {
    const made = analysed({
      trendLine: true,
      series: [seriesOf(1, (i) => 100 + 3.1 * i), seriesOf(2, () => 9)],
    });
    expect(made.notes).toEqual(['Trend: s1 +3.1 a day, s2 flat']);
    const line = made.lines(scale).find(({ id }) => id === '1 trend');
    expect(line?.points?.[1]).toBeCloseTo(100, 6);
    expect(line?.points?.at(-1)).toBeCloseTo(100 + 3.1 * (DAYS - 1), 6);
    expect(analysed({ trendLine: true, form: 'stack' }).notes).toEqual([
      'No trend line: not for stacked curves',
    ]);
  });

  it('never draws a falling trend below zero', () => {
    const { lines } = analysed({
      trendLine: true,
      series: [seriesOf(1, (i) => Math.max(0, 50 - i))],
    });
    const [line] = lines(scale);
    expect(Math.min(...(line?.points?.filter((_, i) => i % 2 === 1) ?? []))).toBe(0);
  });

  const target = { value: 120, label: '' };
  it.each<[string, Given, string]>([
    ['one series', {}, 'Target 120 reached on 32 of 112 days'],
    [
      'a label',
      { target: { value: 1234.5, label: 'Goal' } },
      'Goal 1,235 reached on none of 112 days',
    ],
    [
      'its own resolution',
      { target: { ...target, per: 'day' } },
      'Target 120 per day reached on 32 of 112 days',
    ],
    [
      'two series',
      { series: [seriesOf(1, rhythm), seriesOf(2, () => 500)] },
      'Target 120 reached: s1 on 32, s2 on 112 of 112 days',
    ],
    [
      'two series, of which one never does',
      { series: [seriesOf(1, rhythm), seriesOf(2, () => 0)] },
      'Target 120 reached: s1 on 32 of 112 days; no other series reached it',
    ],
    [
      'a stack',
      { form: 'stack', series: [seriesOf(1, rhythm), seriesOf(2, () => 20)] },
      'Target 120 reached: together on 64 of 112 days',
    ],
    ['a running total', { trend: { kind: 'cumulative' } }, 'Target 120: reached Jan 6, 2026'],
    [
      'a running total below it',
      { trend: { kind: 'cumulative' }, target: { value: 1e6, label: '' } },
      'Target 1,000,000: not reached',
    ],
    [
      'a zoom',
      { window: { start: START, end: START + 7 * DAY_MS } },
      'Target 120 reached on 2 of 7 days',
    ],
    [
      'an unfinished day below it',
      { series: [short(111, STATE.partial)] },
      'Target 120 reached on 32 of 111 days',
    ],
  ])('says how many buckets of %s reach a target', (_, given, note) => {
    const made = analysed({ target, ...given });
    expect(made.notes).toEqual([note]);
    expect(made.peak).toBe(given.target?.value ?? 120);
  });

  it.each<[string, Given & { per?: Resolution }, string]>([
    ['100 %', { form: 'share' }, '100 % is not in Posts'],
    ['an index', { trend: { kind: 'index' } }, 'an index is not in Posts'],
    ['days, if it is for weeks', { per: 'week' }, 'it is per week'],
    ['rates, if it is for days', { trend: { kind: 'per', of: 2 }, per: 'day' }, 'it is per day'],
    ['a sum, if it is for days', { trend: { kind: 'cumulative' }, per: 'day' }, 'it is per day'],
    ['quotients', { series: [seriesOf(1, rhythm, { unit: 'part' })] }, 'ratios are not Posts'],
  ])('draws no target over %s, and says why', (_, { per, ...given }, why) => {
    const made = analysed({ ...given, target: { ...target, ...(per && { per }) } });
    expect([made.notes, made.peak, made.lines(scale)]).toEqual([[`No target line: ${why}`], 0, []]);
  });

  it.each<Trend>([{ kind: 'none' }, { kind: 'average', buckets: 3 }, { kind: 'cumulative' }])(
    'finds the buckets of any window that reach a target, over $kind',
    (trend) => {
      const series = seriesOf(1, (i) => (i % 17 === 0 ? Number.NaN : (i * 31) % 97));
      for (let first = 0; first < DAYS - 3; first += 5) {
        const window = { start: START + first * DAY_MS, end: END - (first % 3) * DAY_MS };
        const end = DAYS - (first % 3);
        const { now } = measureOf(series, null, trend, window);
        const values = Array.from({ length: end - first }, (_, k) => now(first + k, first + k + 1));
        const known = values.filter((value) => !Number.isNaN(value)).length;
        const high = values.filter((value) => value >= 60);
        const at = values.findIndex((value) => value >= 60);
        const { notes } = analysed({
          trend,
          target: { value: 60, label: '' },
          series: [series],
          window,
        });
        expect(notes).toEqual([
          trend.kind === 'cumulative'
            ? `Target 60: ${at < 0 ? 'not reached' : `reached ${formatter.date(START + (first + at) * DAY_MS, 'UTC')}`}`
            : `Target 60 reached on ${high.length || 'none'} of ${known} days`,
        ]);
      }
    },
  );

  it('draws a target at its height, on a log scale too', () => {
    const log = valueScale({ low: 0, peak: 300, kind: 'log', lines: 4, whole: true });
    const line = analysed({ target, scale: 'log' })
      .lines(log)
      .find(({ id }) => id === 'target');
    expect(Array.from(line?.points ?? [])).toEqual([
      START,
      toHeight('log', 120),
      END,
      toHeight('log', 120),
    ]);
    expect(idsOf({ target })).toEqual(['target', 'target label']);
  });

  it('has a faint ring where an unfinished day ends at this pace, and the words for it', () => {
    const hours = curveOf(
      Array.from({ length: 8 * 24 }, () => 10),
      END - 8 * DAY_MS,
      HOUR_MS,
    );
    hours.states.fill(STATE.never, 7 * 24 + 6);
    hours.counts.fill(NaN, 7 * 24 + 6);
    const today = short(111, STATE.partial, [hours]);
    today.curve.counts[111] = 60;
    const now = END - 18 * HOUR_MS;
    const made = analysed({ series: [today], now });
    expect(made.series[0]?.projection).toMatchObject({ projected: 240, bucket: 111 });
    expect(made.peak).toBe(240);
    expect(idsOf({ series: [today], now })).toEqual(['1 pace', '1 projected']);
    const row = {
      id: 1,
      name: 's1',
      style: today.style,
      value: '60',
      count: '',
      earlier: [],
      note: 'not over yet',
      top: 60,
    };
    const tip = { title: '', earlier: '', rows: [row], total: '' };
    const noteAt = (from: number) =>
      withProjections(tip, made, { from, to: from + 1, at: 0 }, formatter).rows[0]?.note;
    expect([noteAt(111), noteAt(110)]).toEqual([
      'not over yet, at this pace about 240',
      'not over yet',
    ]);
    expect(idsOf({ series: [today], now: END })).toEqual([]);
    expect(idsOf({ series: [today], now, form: 'stack' })).toEqual([]);
    expect(idsOf({ series: [short(111, STATE.partial)], now })).toEqual([]);
  });
});

/** Days of which only the first are settled; the others have a state, or no count. */
function short(
  settled: number,
  rest: number = STATE.never,
  finer: ChartSeries['curve'][] = [],
): ChartSeries {
  const series = seriesOf(1, rhythm, { finer });
  series.curve.states.fill(rest, settled);
  if (rest === STATE.never) series.curve.counts.fill(NaN, settled);
  return series;
}
