import type { Formatter } from '#app/format/formatter.ts';
import { resolutionOf } from '#app/board/state/zoom-resolution.ts';
import { nounFor } from '#core/format/plural.ts';
import { boundaries, isBoundary } from '#core/time/boundary.ts';
import type { Resolution, WeekStart } from '#core/time/resolution.ts';
import type { Span } from '#core/time/span.ts';
import type { ZoneTable } from '#core/time/zone.ts';
import type { Subject } from './inspected.ts';

/** The resolution of the calendar bucket that equals a span; null if there is none. */
function bucketOf(span: Span, table: ZoneTable, weekStart: WeekStart): Resolution | null {
  const resolution = resolutionOf(Float64Array.of(span.start, span.end));
  const whole = [span.start, span.end].every((at) => isBoundary(at, resolution, table, weekStart));
  return whole && boundaries(span, resolution, table, weekStart).length === 2 ? resolution : null;
}

/** The name of a calendar bucket, such as `Sun, 8 Mar 2026` or `July 2026`; other spans by their ends. */
export function spanName(
  span: Span,
  table: ZoneTable,
  weekStart: WeekStart,
  format: Formatter,
): string {
  const bucket = bucketOf(span, table, weekStart);
  return bucket ? format.bucket(span.start, span.end, bucket) : format.span(span);
}

const UNITS: readonly (readonly [string, number])[] = [
  ['minute', 60_000],
  ['hour', 3_600_000],
  ['day', 86_400_000],
];

/** A duration in the largest unit that fits twice, or exactly once: `41 minutes`, `1 day`. */
export function durationWords(ms: number, format: Formatter): string {
  const fits = ([, unit]: readonly [string, number]): boolean => ms >= unit * 2 || ms === unit;
  const [name, unit] = UNITS.findLast(fits) ?? ['minute', 60_000];
  const many = Math.round((ms / unit) * 10) / 10;
  return `${format.mean(many)} ${nounFor(many, name)}`;
}

/** Fewer expected Posts than this count as none. */
const NONE = 0.5;

/** `4.1×`: to a tenth, from ten on whole. Empty if next to nothing was expected. */
export function timesWords(count: number, expected: number, format: Formatter): string {
  if (!(expected >= NONE)) return '';
  const factor = count / expected;
  return `${format.mean(factor >= 10 ? Math.round(factor) : Math.round(factor * 10) / 10)}×`;
}

/** Expected Posts: whole, a tenth below ten. */
function expectedWords(expected: number, format: Formatter): string {
  return expected >= 10 ? format.count(expected) : format.mean(Math.round(expected * 10) / 10);
}

/** The number of Posts, and how it compares with the expected number. */
export function sizeWords(
  {
    count,
    counting = false,
    expected,
    partial,
    uncovered = false,
    time,
  }: Pick<Subject, 'count' | 'counting' | 'expected' | 'partial' | 'time'> &
    Partial<Pick<Subject, 'uncovered'>>,
  format: Formatter,
): { readonly posts: string; readonly against: string } {
  if (time === 'to come') return { posts: 'Not yet', against: 'This time is in the future.' };
  if (counting) return { posts: 'Counting…', against: '' };
  if (uncovered) return { posts: 'No data', against: 'The source has no data for this time.' };
  if (Number.isNaN(count))
    return { posts: 'Not counted', against: 'This time has not been loaded yet.' };
  const posts = `${format.counted(count, 'Post')}${time === 'running' ? ' so far' : ''}`;
  if (partial && time === 'over') {
    return {
      posts,
      against: 'Only part of this time is counted: the range or the data ends within it.',
    };
  }
  if (expected === null) {
    return { posts, against: 'Not enough data around it to say what is usual.' };
  }
  if (expected < NONE) return { posts, against: 'Usually almost none.' };
  const due = expectedWords(expected, format);
  const ratio = count / expected;
  if (ratio >= 0.9 && ratio < 1.1) return { posts, against: `About the usual ${due}.` };
  if (ratio >= 1.1)
    return { posts, against: `${timesWords(count, expected, format)} the usual ${due}.` };
  // Comparing part of a time with the whole of it says nothing.
  if (time === 'running')
    return { posts, against: `The usual total for the whole time is ${due}.` };
  return { posts, against: `${format.share(ratio)} of the usual ${due}.` };
}

/** The text of a button that loads Posts: its action, then its price. */
export function offerWords(
  what: string,
  price: { readonly posts: number; readonly money: number } | null,
  format: Formatter,
): string {
  return price ? `${what} · up to ${format.money(price.money)}` : what;
}
