import { lengthRatio } from '#core/series/change.ts';
import { COUNTING, isClear } from '#core/series/confidence.ts';
import { STATE } from '#core/series/series.ts';
import type { Formatter } from '#app/format/formatter.ts';
import type { Resolution } from '#core/time/resolution.ts';
import type { InsightSeries } from '#app/insight/insight.ts';
import { bucketAt } from '#core/series/window.ts';
import { roundedPercent, roundedValue } from '#app/format/rounded.ts';
import { valueWords } from '#app/insight/summary/summary.ts';

/** A column of the bucket table: a series' counts, its earlier counts, or the change between them. */
export interface BucketColumn {
  readonly key: string;
  readonly of: InsightSeries;
  readonly shows: 'count' | 'earlier' | 'change';
  /** The earlier period, 0 for the latest. */
  readonly period: number;
  readonly head: string;
}

/** The buckets of a table. */
export interface BucketsOf {
  readonly bounds: Float64Array;
  readonly now: number;
  readonly per: Resolution;
  readonly format: Formatter;
}

/** A count with its note. */
export interface BucketCell {
  readonly text: string;
  /** As the text rounds it; NaN if there is none. */
  readonly value: number;
  readonly note: string;
  /** An explanation for hover and screen readers; such a value is drawn fainter. */
  readonly why: string;
}

/** The most rows that can be copied: a spreadsheet takes a million, a clipboard less. */
export const MOST_COPIED = 100_000;

function cellOf(text: string, value: number, note = '', why = ''): BucketCell {
  return { text, value, note, why };
}

function none(note = ''): BucketCell {
  return cellOf('–', Number.NaN, note);
}

/**
 * The columns of each series: its counts and, with a comparison, its earlier counts; those of one period with the change.
 *
 * @param earlier - Headings of the earlier periods, the latest first.
 */
export function bucketColumns(
  series: readonly InsightSeries[],
  earlier: readonly string[],
): readonly BucketColumn[] {
  return series.flatMap((of): BucketColumn[] => {
    const count = { key: `${of.id}`, of, shows: 'count', head: of.name, period: 0 } as const;
    if (of.kind !== 'query') return [count];
    return [
      count,
      ...earlier.map(
        (head, period) =>
          ({ key: `${of.id} earlier ${period}`, of, shows: 'earlier', head, period }) as const,
      ),
      ...(earlier.length === 1
        ? [{ key: `${of.id} change`, of, shows: 'change', head: 'Change', period: 0 } as const]
        : []),
    ];
  });
}

/** The reason a bucket has no count. */
function noCount(state: number): string {
  if (state === STATE.uncovered) return 'no data';
  return state >= STATE.partial ? 'divisor zero' : 'not known';
}

/** The cell of a column for one bucket. */
export function bucketCell(
  { of, shows, period }: BucketColumn,
  at: number,
  { bounds, now, format }: BucketsOf,
): BucketCell {
  const [start = 0, end = 0] = bounds.subarray(at, at + 2);
  const { curve } = of;
  const i = curve ? bucketAt(curve.bounds, (start + end) / 2) : -1;
  const count = curve?.counts[i] ?? Number.NaN;
  if (start >= now) return none('not yet');
  const state = curve?.states[i] ?? 0;
  if (shows !== 'count') {
    const before = period === 0 ? of.before : of.befores?.[period];
    const was = before?.curve.counts[i] ?? Number.NaN;
    if (shows === 'earlier')
      return Number.isNaN(was)
        ? none(noCount(before?.curve.states[i] ?? 0))
        : cellOf(format.count(was), was);
    const whole = state >= STATE.provisional && (before?.curve.states[i] ?? 0) >= STATE.provisional;
    if (!whole || Number.isNaN(was) || Number.isNaN(count)) return none();
    const { starts, ends, noise = COUNTING } = before ?? {};
    const ratio = lengthRatio(end - start, (ends?.[i] ?? 0) - (starts?.[i] ?? 0));
    const change = count / was / ratio - 1;
    const text = was === 0 && count === 0 ? '=' : format.change(change);
    const why = isClear(was, count, ratio, noise) ? '' : 'within noise';
    return cellOf(text, roundedPercent(change), '', why);
  }
  if (Number.isNaN(count)) return none(noCount(state));
  const note =
    state === STATE.partial ? 'unfinished' : state === STATE.provisional ? 'may change' : '';
  const unit = of.summary?.unit ?? 'posts';
  return cellOf(valueWords(count, unit, format), roundedValue(count, unit), note);
}

/** The rows `[from, to)` for the clipboard, newest first, with a header; counts and changes are numbers. */
export function copiedBucketRows(
  columns: readonly BucketColumn[],
  per: string,
  from: number,
  to: number,
  of: BucketsOf,
): (string | number)[][] {
  const rows = Array.from({ length: Math.max(0, to - from) }, (_, k) => {
    const at = to - 1 - k;
    const cells = columns.map((column) => bucketCell(column, at, of));
    const open = columns.filter((_, k) => cells[k]?.note === 'unfinished').map(({ head }) => head);
    const [start = 0, end = 0] = of.bounds.subarray(at, at + 2);
    const values = cells.map(({ text, value }) => (value === Infinity ? text : value));
    return [of.format.bucket(start, end, of.per), ...values, open.join('; ')];
  });
  return [[per, ...columns.map(({ head }) => head), 'unfinished'], ...rows];
}
