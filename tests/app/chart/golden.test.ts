import { flushSync } from 'svelte';
import { describe, expect, it } from 'vitest';
import { timeTicks } from '#app/chart/draw/axis.ts';
import type { ChartData, ChartStyle, ChartSeries } from '#app/chart/chart-props.ts';
import { rowPlace } from '#app/chart/draw/rows.ts';
import { ChartState } from '#app/chart/chart.svelte.ts';
import type { Unit } from '#core/series/formula.ts';
import type { CurveMark } from '#app/chart/draw/curve.ts';
import { linesOf } from '#app/chart/draw/line-series.ts';
import { chartOption } from '#app/chart/draw/option.ts';
import { seriesStyle } from '#app/ui/series-style.ts';
import { STATE } from '#core/series/series.ts';
import { DAY_MS } from '#core/time/span.ts';
import { zoneTable } from '#core/time/zone.ts';
import { buildPyramid } from '#core/series/pyramid/build-pyramid.ts';

const START = Date.UTC(2026, 0, 1);
const colours = {
  base: {
    ink: '#161616',
    quiet: '#6f6f6f',
    hairline: '#e8e8e8',
    axis: '#c6c6c6',
    ground: '#ffffff',
    font: 'Inter',
    fontSize: 11,
  },
  series: ['#0067b8', '#b84a08', '#08795a', '#a3338b'],
};

/** A series of days. NaN is a day that was never fetched; `unfinished` makes the last one partial. */
function seriesOf(
  id: number,
  days: number,
  count: (day: number) => number,
  { unit, unfinished = true }: { unit?: Unit; unfinished?: boolean } = {},
): ChartSeries {
  const counts = Float64Array.from({ length: days }, (_, i) => count(i));
  const curve = {
    bounds: Float64Array.from({ length: days + 1 }, (_, i) => START + i * DAY_MS),
    counts,
    states: Uint8Array.from(counts, (value, i) => {
      if (Number.isNaN(value)) return STATE.never;
      return unfinished && i === days - 1 ? STATE.partial : STATE.settled;
    }),
    fetchedAt: new Float64Array(days),
  };
  const style = seriesStyle(id - 1);
  return { id, name: `Series ${id}`, unit, style, curve, pyramid: buildPyramid(counts) };
}

const DAYS = 12;
const wave = (id: number) => (day: number) => 20 * id + ((day * (7 + id)) % 13) * id;
const [one, two, three, four] = [1, 2, 3, 4].map((id) => seriesOf(id, DAYS, wave(id))) as [
  ChartSeries,
  ChartSeries,
  ChartSeries,
  ChartSeries,
];
const gapped = seriesOf(2, DAYS, (day) => (day > 3 && day < 7 ? Number.NaN : wave(2)(day)));
const lonely = seriesOf(3, DAYS, (day) => (day === 5 ? 90 : day < 9 ? Number.NaN : 40));
const part = seriesOf(4, DAYS, (day) => (day + 1) / 40, { unit: 'part' });
const compared: ChartSeries = {
  ...one,
  earlier: [{ curve: two.curve, pyramid: two.pyramid, period: 0 }],
};

type Given = Pick<ChartData, 'series'> & Partial<ChartStyle>;

const STATES: Readonly<Record<string, Given>> = {
  lines: { series: [one, two] },
  'lines with gaps': { series: [one, gapped, lonely] },
  'lines with an earlier period': { series: [compared] },
  'lines by a logarithm': { series: [one, seriesOf(2, DAYS, (day) => 4 ** day)], scale: 'log' },
  'lines below zero': { series: [seriesOf(1, DAYS, (day) => 10 - 3 * day)] },
  'a moving average': { series: [one, gapped], trend: { kind: 'average', buckets: 3 } },
  'an area': { series: [one], form: 'area' },
  'a stack': { series: [one, two, three], form: 'stack' },
  shares: { series: [one, gapped, three], form: 'share' },
  bars: { series: [one, gapped], form: 'bars' },
  'bars with an earlier period': { series: [compared], form: 'bars' },
  'bars by a logarithm': { series: [one], form: 'bars', scale: 'log' },
  'stacked bars': { series: [one, two, three, four], form: 'bars' },
  'a quotient next to bars': { series: [one, part], form: 'bars' },
  'small multiples': { series: [one, gapped, part], form: 'multiples' },
  'small multiples on one scale': { series: [one, three], form: 'multiples', rows: 'shared' },
};

function optionOf({ series, ...style }: Given) {
  const range = { start: START, end: START + DAYS * DAY_MS };
  const table = zoneTable('UTC', range);
  const chart = new ChartState({
    data: { series, now: range.end },
    view: { range, window: range, resolution: 'day', table, weekStart: 1 },
    style: {
      form: 'line',
      scale: 'linear',
      trend: { kind: 'none' },
      dashed: true,
      colours,
      overview: false,
      ...style,
    },
    format: { earlier: [] },
    on: { zoom: () => undefined },
    notes: [],
    analysis: null,
  });
  [chart.width, chart.height] = [800, 400];
  flushSync();
  return chartOption({
    window: chart.window,
    plot: chart.plot,
    scale: chart.scale,
    ticks: timeTicks(range, chart.plotWidth, table, 1, 'day'),
    lines: linesOf(chart, series, { colours, dashed: true }),
    stacked: chart.figure.stacked,
    colours: colours.base,
    value: (value) => `${value} Posts`,
    rows: chart.rows.map((row) => ({
      ...rowPlace(row, chart.band()),
      id: String(row.id),
      value: (value) => `${value} in its row`,
    })),
    right: chart.rightScale && { scale: chart.rightScale, value: (value) => `${value} each` },
  });
}

/** A value with few digits; an instant as a day of the range. */
const numberText = (value: number): string =>
  value > START / 2
    ? `day ${Number(((value - START) / DAY_MS).toFixed(4))}`
    : String(Number(value.toPrecision(6)));

/** Interleaved pairs of values. */
function pairsText(data: Float64Array): string {
  const rows = Array.from({ length: data.length / 2 }, (_, i) =>
    [...data.subarray(2 * i, 2 * i + 2)].map(numberText).join(' '),
  );
  return rows.join(' | ');
}

/** Marked points as `x y symbol colour`, with the border's colour of hollow ones. */
function marksText(marks: readonly CurveMark[]): string {
  const rows = marks.map(({ at, symbol, fill, stroke = '' }) =>
    [...at.map(numberText), symbol, fill, stroke].join(' ').trim(),
  );
  return rows.join(' | ');
}

/** A value without parts as text; null for an object with parts. */
function leafText(name: string, value: unknown, { customValues }: Parts): string | null {
  if (value instanceof Float64Array) return pairsText(value);
  if (name === 'marks') return marksText(value as CurveMark[]);
  if (typeof value === 'function') {
    if (!Array.isArray(customValues)) return 'a function';
    return customValues.map((at) => String(value(at))).join(' | ');
  }
  if (typeof value === 'number') return numberText(value);
  if (Array.isArray(value) && value.every((each) => typeof each !== 'object'))
    return value.map((each) => (typeof each === 'number' ? numberText(each) : each)).join(', ');
  return value instanceof Object ? null : String(value);
}

type Parts = Readonly<Record<string, unknown>>;

/** An option with a line for each of its parts, so that a difference shows which part changed. */
function linesIn(path: string, parts: Parts): string[] {
  const leaves: string[] = [];
  const rest: string[] = [];
  for (const [name, value] of Object.entries(parts)) {
    const text = path === 'curves' && name === 'of' ? null : leafText(name, value, parts);
    if (text !== null) leaves.push(`${name} ${text}`);
    else if (typeof value === 'function') rest.push(...linesIn(path, value() as Parts));
    else rest.push(...linesIn(path ? `${path}.${name}` : name, value as Parts));
  }
  return [...(leaves.length > 0 ? [`${path || 'option'}: ${leaves.join('; ')}`] : []), ...rest];
}

describe('the option for ECharts', () => {
  it.each(Object.entries(STATES))('matches the file for %s', async (name, given) => {
    const text = linesIn('', { ...optionOf(given) }).join('\n');
    await expect(`${text}\n`).toMatchFileSnapshot(`golden/${name.replaceAll(' ', '-')}.txt`);
  });
});
