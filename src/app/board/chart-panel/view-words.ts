import type { Trend } from '#app/chart/draw/form.ts';
import {
  EARLIER_WORDS,
  earlierWords,
  parseNamed,
  type Earlier,
  type NamedPeriods,
} from '#core/series/comparison.ts';
import type { Board } from '#app/board/state/board.svelte.ts';
import type { Resolution } from '#core/time/resolution.ts';
import type { Formatter } from '#app/format/formatter.ts';
import { againstPeriod } from '#app/board/state/against.ts';

const COMPARISON_WORDS: Readonly<Record<Earlier, string>> = {
  previous: 'previous period',
  weekdays: 'same weekdays',
  year: EARLIER_WORDS.year,
};

/** Lengths of the moving averages on offer, in buckets of each resolution. */
const AVERAGES: Readonly<Record<Resolution, readonly number[]>> = {
  minute: [5, 15, 60],
  hour: [6, 24, 168],
  day: [7, 28, 91],
  week: [4, 13, 52],
  month: [3, 6, 12],
  quarter: [2, 4, 8],
  year: [2, 3, 5],
};

/** Lengths of moving averages that make sense at a resolution, in buckets, shortest first. */
export function averagesOf(resolution: Resolution): readonly number[] {
  return AVERAGES[resolution];
}

function trendWords(trend: Trend, { time, series }: Board): string[] {
  if (trend.kind === 'none') return [];
  if (trend.kind === 'average') return [`${trend.buckets}-${time.resolution} average`];
  if (trend.kind === 'cumulative') return ['running total'];
  if (trend.kind === 'index') return ['index'];
  return [`per 100,000 of ${series.find(trend.of)?.name ?? 'a removed series'}`];
}

/** A comparison to choose. */
export function comparisonChoice(comparison: NamedPeriods | 'none'): string {
  const named = parseNamed(comparison);
  return named ? `With ${earlierWords(named.earlier, named.periods)}` : 'Off';
}

/** The period that a board is compared with, as in `vs. the year before`; empty if there is none. */
export function comparisonWords(board: Board, format: Formatter): string {
  const { comparison } = board.chart;
  if (comparison === 'none') return '';
  if (typeof comparison !== 'string') return `vs. ${againstPeriod(board, format)}`;
  const { earlier, periods } = parseNamed(comparison) ?? { earlier: 'previous', periods: 1 };
  const one = periods === 1;
  return `vs. ${one ? COMPARISON_WORDS[earlier] : earlierWords(earlier, periods)}`;
}

/** The other parts of a view that are not the default, a few words each. */
export function viewWords(board: Board): string[] {
  const { trend, scale, forecast, trendLine, target } = board.chart;
  return [
    ...trendWords(trend, board),
    ...(scale === 'log' ? ['log'] : []),
    ...(forecast ? ['forecast'] : []),
    ...(trendLine ? ['trend line'] : []),
    ...(target ? ['target'] : []),
    ...(board.source.id === 'platform' && board.source.endpoint === 'recent' ? ['recent'] : []),
  ];
}
