import type { Formatter } from '#app/format/formatter.ts';
import type { Strength } from '#core/text/keyness.ts';
import { resolutionOf } from '#app/board/state/zoom-resolution.ts';
import { boundaries, isBoundary } from '#core/time/boundary.ts';
import type { Resolution, WeekStart } from '#core/time/resolution.ts';
import type { Span } from '#core/time/span.ts';
import type { ZoneTable } from '#core/time/zone.ts';
import type { Subject } from './inspected.ts';

/** The calendar bucket that a span is all of, whatever the chart shows; null where it is none. */
function bucketOf(span: Span, table: ZoneTable, weekStart: WeekStart): Resolution | null {
  const resolution = resolutionOf(Float64Array.of(span.start, span.end));
  const whole = [span.start, span.end].every((at) => isBoundary(at, resolution, table, weekStart));
  return whole && boundaries(span, resolution, table, weekStart).length === 2 ? resolution : null;
}

/** A calendar bucket by its name, `Sun, 8 Mar 2026`, `July 2026`; any other span by its ends. */
export function spanName(
  span: Span,
  table: ZoneTable,
  weekStart: WeekStart,
  words: Formatter,
): string {
  const bucket = bucketOf(span, table, weekStart);
  return bucket ? words.bucket(span.start, span.end, bucket) : words.span(span);
}

const UNITS: readonly (readonly [string, number])[] = [
  ['minute', 60_000],
  ['hour', 3_600_000],
  ['day', 86_400_000],
];

/** How long, in the largest unit of which there are two or more, or one exactly: `41 minutes`, `1 day`. */
export function lasting(ms: number, words: Formatter): string {
  const fits = ([, unit]: readonly [string, number]): boolean => ms >= unit * 2 || ms === unit;
  const [name, unit] = UNITS.findLast(fits) ?? ['minute', 60_000];
  const many = Math.round((ms / unit) * 10) / 10;
  return `${words.mean(many)} ${many === 1 ? name : `${name}s`}`;
}

/** Fewer expected Posts than this are none. */
const NONE = 0.5;

/** `4.1 ×`: to a tenth, from ten on whole. Empty where there is nothing to be a multiple of. */
export function timesWords(count: number, expected: number, words: Formatter): string {
  if (!(expected >= NONE)) return '';
  const factor = count / expected;
  return `${words.mean(factor >= 10 ? Math.round(factor) : Math.round(factor * 10) / 10)} ×`;
}

/** Expected Posts: whole, a tenth below ten. */
function expectedWords(expected: number, words: Formatter): string {
  return expected >= 10 ? words.count(expected) : words.mean(Math.round(expected * 10) / 10);
}

/** How many Posts, and how many that is against expectation. */
export function sizeWords(
  {
    count,
    counting = false,
    expected,
    partial,
    uncovered = false,
  }: Pick<Subject, 'count' | 'counting' | 'expected' | 'partial'> &
    Partial<Pick<Subject, 'uncovered'>>,
  words: Formatter,
): { readonly posts: string; readonly against: string } {
  if (counting) return { posts: 'Counting …', against: '' };
  if (uncovered) return { posts: 'No data', against: 'The source has no data of this time.' };
  if (Number.isNaN(count)) return { posts: 'Not counted', against: 'This time was not asked yet.' };
  const posts = `${words.count(count)} ${count === 1 ? 'Post' : 'Posts'}${partial ? ' so far' : ''}`;
  if (expected === null) {
    return { posts, against: 'Too little is known around it to say what was to be expected.' };
  }
  if (expected < NONE) return { posts, against: 'Next to none was to be expected.' };
  const due = expectedWords(expected, words);
  const ratio = count / expected;
  if (ratio >= 0.9 && ratio < 1.1) return { posts, against: `About the ${due} to be expected.` };
  if (ratio >= 1.1)
    return { posts, against: `${timesWords(count, expected, words)} the ${due} to be expected.` };
  // A part of a time against the whole of it says nothing.
  if (partial) return { posts, against: `Of ${due} to be expected in the whole time.` };
  return { posts, against: `${words.share(ratio)} of the ${due} to be expected.` };
}

/** How sure a word is, as a heading over words; the odds are those of chance alone. */
export const STRENGTH_WORDS: Readonly<Record<Strength, string>> = {
  decisive: 'Almost surely not by chance',
  strong: 'Very unlikely by chance',
  fair: 'Unlikely by chance',
  weak: 'Could be chance',
};

/** What a button that reads Posts says: what it does, then what that costs. */
export function offerWords(
  what: string,
  price: { readonly posts: number; readonly money: number } | null,
  words: Formatter,
): string {
  return price ? `${what} · up to ${words.money(price.money)}` : what;
}
