import type { SeriesStyle } from '#app/ui/series-style.ts';
import { STATE, type Curve } from '#core/series/series.ts';
import { DAY_MS, type Span } from '#core/time/span.ts';
import { peaksOf, type PeakSeries, type SeriesPeak } from '#app/insight/peaks/peaks-found.ts';

/** The subject of the drawer: a peak, or a bucket of a series. */
export interface Subject {
  /** Unique. */
  readonly key: string;
  /** Number of the peak; null for a bucket. */
  readonly number: number | null;
  /** True if a peak lies in it, at least in part. */
  readonly hasPeak: boolean;
  readonly name: string;
  readonly style: SeriesStyle;
  /** Empty if its Posts cannot be searched. */
  readonly query: string;
  readonly span: Span;
  /** Width of the buckets in which it was found, ms; absent if it was found in none. */
  readonly foundBy?: number;
  /** Posts counted in exactly the span; NaN if unknown. */
  readonly count: number;
  /** True if the count is still loading. */
  readonly counting?: boolean;
  /** Expected Posts; null if too little is known. */
  readonly expected: number | null;
  /** True if part of the time is not counted: it is not over yet, or cut off by the range or the source. */
  readonly partial: boolean;
  /** The position of the time relative to now. */
  readonly time: 'over' | 'running' | 'to come';
  /** True if the source has no data for any of it. */
  readonly uncovered: boolean;
  /** The preceding time that its words are compared with, and its number of Posts; NaN if unknown. */
  readonly before: Span;
  readonly countBefore: number;
}

/** A subject regardless of what time it is. */
type Timeless = Omit<Subject, 'time'>;

/** The position of a span relative to now, epoch ms. */
export function timeOf({ start, end }: Span, now: number): Subject['time'] {
  return now < start ? 'to come' : now < end ? 'running' : 'over';
}

/** Enough preceding Posts for a comparison. */
const ENOUGH = 300;
/** The longest preceding time, unless the time itself is longer. */
const BACK_MS = 28 * DAY_MS;

/**
 * The time before a bucket: as long as the time itself, or longer until it has enough Posts for a comparison. It may
 * begin before the curve does.
 */
function timeBefore(curve: Curve, from: number, length: number): { span: Span; count: number } {
  const end = curve.bounds[from] ?? 0;
  let start = end;
  let count = 0;
  for (let i = from - 1; i >= 0; i -= 1) {
    const covered = end - start;
    if (covered >= Math.max(length, BACK_MS) || (covered >= length && count >= ENOUGH)) break;
    const posts = curve.counts[i] ?? NaN;
    if (Number.isNaN(posts)) break;
    count += posts;
    start = curve.bounds[i] ?? start;
  }
  if (end - start >= length) return { span: { start, end }, count };
  return { span: { start: end - length, end }, count: NaN };
}

function subject(
  series: PeakSeries,
  curve: Curve,
  from: number,
  to: number,
): Omit<Timeless, 'key' | 'number' | 'hasPeak' | 'count' | 'expected'> {
  const span = { start: curve.bounds[from] ?? 0, end: curve.bounds[to] ?? 0 };
  const before = timeBefore(curve, from, span.end - span.start);
  let partial = false;
  let uncovered = 0;
  for (let i = from; i < to; i += 1) {
    partial ||= curve.states[i] === STATE.partial;
    if (curve.states[i] === STATE.uncovered) uncovered += 1;
  }
  return {
    name: series.name,
    style: series.style,
    query: series.shown,
    span,
    foundBy: (span.end - span.start) / (to - from),
    partial,
    uncovered: uncovered === to - from,
    before: before.span,
    countBefore: before.count,
  };
}

/** The least time on either side that shows what is usual. */
const AROUND_MS = 4 * DAY_MS;

/** The time around a subject whose counts show its course: four days on either side, or twice its length. */
export function surroundings({ start, end }: Span): Span {
  const margin = Math.max(AROUND_MS, 2 * (end - start));
  return { start: start - margin, end: end + margin };
}

/** The subject of a peak. */
export function peakSubject({ number, series, curve, peak, span }: SeriesPeak): Timeless {
  const { count, expected } = peak;
  const key = spanKey(series.id, span);
  const { from, to } = peak;
  return { ...subject(series, curve, from, to), key, number, hasPeak: true, count, expected };
}

/** A subject whose counts are unknown. @param counting - Whether they are loading. */
export function unknownSubject(series: PeakSeries, span: Span, counting: boolean): Timeless {
  return {
    key: spanKey(series.id, span),
    number: null,
    hasPeak: false,
    name: series.name,
    style: series.style,
    query: series.shown,
    span,
    count: Number.NaN,
    counting,
    expected: null,
    partial: false,
    uncovered: false,
    before: { start: span.start - (span.end - span.start), end: span.start },
    countBefore: Number.NaN,
  };
}

/** Identifies a span of a series, regardless of its buckets. */
function spanKey(id: number, { start, end }: Span): string {
  return `${id}=${start}-${end}`;
}

/** The subject of the buckets `[from, to)`. */
export function bucketSubject(
  series: PeakSeries,
  curve: Curve,
  from: number,
  to: number,
  zone: string,
): Timeless {
  const { baseline, peaks } = peaksOf(curve, zone);
  let count = 0;
  let expected = 0;
  let covered = 0;
  for (let i = from; i < to; i += 1) {
    if (curve.states[i] === STATE.uncovered) continue;
    covered += 1;
    count += curve.counts[i] ?? NaN;
    expected += baseline?.expected(i) ?? NaN;
  }
  return {
    ...subject(series, curve, from, to),
    key: spanKey(series.id, { start: curve.bounds[from] ?? 0, end: curve.bounds[to] ?? 0 }),
    number: null,
    hasPeak: peaks.some((peak) => peak.from < to && peak.to > from),
    count: covered === 0 ? NaN : count,
    expected: covered === 0 || Number.isNaN(expected) ? null : expected,
  };
}
