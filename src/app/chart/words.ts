import type { ChartLayout } from './layout.ts';
import type { Form, Scale, Trend, Unit } from './form.ts';

/** Numbers and times of the chart in words. */
export interface ChartWords {
  /** A count, a value on the axis, a mean, and a share of 1. */
  count(value: number): string;
  short(value: number): string;
  mean(value: number): string;
  share(value: number): string;
  /** A part of 1 to three digits, however small. */
  percent(value: number): string;
  /** A bucket's name, a stretch of several, and a day. */
  bucket(start: number, end: number): string;
  span(start: number, end: number): string;
  date(at: number): string;
}

/** A value of a figure in words. */
export function valueText(
  value: number,
  form: Form,
  trend: Trend,
  mean: boolean,
  say: ChartWords,
): string {
  if (form === 'share') return say.share(value);
  const counts = !mean && (trend.kind === 'none' || trend.kind === 'cumulative');
  return counts ? say.count(value) : say.mean(value);
}

/** A quotient in words. */
export function quotientText(value: number, unit: Unit, say: ChartWords): string {
  if (unit !== 'part') return say.mean(value);
  return Math.abs(value) < 0.001 ? say.percent(value) : say.share(value);
}

/** A value on an axis of a unit in words. */
export function axisText(value: number, unit: Unit, form: Form, say: ChartWords): string {
  if (unit === 'part') return say.percent(value);
  return unit === 'count' && form === 'share' ? say.share(value) : say.short(value);
}

/** `+12 %`; empty where there is nothing to compare with. */
export function changeText(now: number, before: number, say: ChartWords): string {
  if (!(before > 0) || Number.isNaN(now)) return '';
  const change = now / before - 1;
  return `${change < 0 ? '−' : '+'}${say.share(Math.abs(change))}`;
}

interface Asked {
  readonly form: Form;
  readonly scale: Scale;
  readonly trend: Trend;
  readonly resolution: string;
  /** Name of what rates are told of. */
  readonly baseline: string | null;
  /** Names of what are quotients. */
  readonly quotients: readonly string[];
}

/** How quotients are drawn where that is not what was asked for, and against which axis. */
function quotientNotes({ right }: ChartLayout, { form, trend, quotients }: Asked): string[] {
  if (quotients.length === 0) return [];
  const as = [
    ...(trend.kind === 'none' ? [] : ['as they are']),
    ...(form === 'line' || form === 'area' ? [] : ['as lines']),
  ];
  const names = quotients.length > 2 ? `${quotients.length} quotients` : quotients.join(', ');
  return [
    ...(right ? [`Axis at the right: ${names}`] : []),
    ...(as.length > 0 ? [`Quotients do not add up: drawn ${as.join(', ')}`] : []),
  ];
}

/** What is to be known of a figure, in few words each. */
export function figureNotes(figure: ChartLayout, asked: Asked): string[] {
  const { form, scale, trend, resolution, baseline } = asked;
  if (figure.left.unit !== 'count') return quotientNotes(figure, asked);
  const { grid, gaps, stacked } = figure;
  const step = grid?.step ?? 1;
  const notes: string[] = [];
  if (trend.kind === 'average') {
    notes.push(`Mean of ${Math.max(step, trend.buckets)} ${resolution}s up to each point`);
  } else if (trend.kind === 'cumulative') {
    const begun = [...figure.parts.values()].some(({ end }) => end !== null);
    notes.push(
      begun || figure.parts.size === 0
        ? 'Summed from the start of the view'
        : 'No sum: the start of the view is missing',
    );
  } else if (trend.kind === 'index') notes.push(`100: first ${resolution} in view with Posts`);
  else if (trend.kind === 'per') {
    notes.push(baseline ? `Posts per 100,000 of ${baseline}` : 'No series to tell rates of');
  }
  const columns = figure.form === 'bars' ? 'Each bar' : 'Each point';
  const means = trend.kind === 'none' || trend.kind === 'index';
  if (step > 1 && means) notes.push(`${columns} the mean of ${step} ${resolution}s`);
  if (figure.form !== form) {
    const what = trend.kind === 'index' ? 'An index' : 'A rate';
    notes.push(`${what} is no part of a whole: drawn as lines`);
  }
  if (stacked && scale === 'log') notes.push('Linear: a logarithm cannot be stacked');
  if (gaps.missing) notes.push('Left out where a series is missing');
  if (gaps.negative) notes.push('Left out where a value is below zero');
  return [...notes, ...quotientNotes(figure, asked)];
}
