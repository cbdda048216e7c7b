import { add, startOf } from './calendar.ts';
import { parseLocal } from './local-text.ts';
import { presetSpan, type Preset } from './presets.ts';
import { RESOLUTIONS, type Resolution, type WeekStart } from './resolution.ts';
import { ARCHIVE_START, DAY_MS, HOUR_MS, MINUTE_MS, type Span } from './span.ts';
import { localDate, localDayAfter, localInstant, wallTime, type ZoneTable } from './zone.ts';

/** A range as chosen: a preset, or typed text in local time of the view's zone. */
export type ViewRange =
  | { readonly preset: Preset }
  | { readonly from: string; readonly to: string };

/** The times at which the oldest and the newest Post of a source were created, epoch ms; null if not known. */
export interface SourceEnds {
  readonly first: number | null;
  readonly last: number | null;
}

/** The longest time from the oldest to the newest Post that is charted by minutes alone: as many as are drawn. */
const SHORT_MS = 6 * HOUR_MS;
/** Every offset from UTC is a multiple of it. */
const QUARTER_MS = 15 * MINUTE_MS;

/**
 * The whole local days from a source's oldest to its newest Post, or the whole quarters of an hour if these are close
 * together; the whole archive if it has no Posts or is not known.
 */
export function sourceReach(source: SourceEnds | null, now: number, table: ZoneTable): Span {
  const first = source?.first ?? ARCHIVE_START;
  const last = Math.max(first, Math.min(now, source?.last ?? now));
  const [start, end] =
    last - first <= SHORT_MS
      ? [
          Math.floor(first / QUARTER_MS) * QUARTER_MS,
          (Math.floor(last / QUARTER_MS) + 1) * QUARTER_MS,
        ]
      : [localDayAfter(table, first, 0), localDayAfter(table, last, 1)];
  return { start: Math.max(ARCHIVE_START, start), end };
}

/** A typed range: its span, or what is wrong with either end. */
export type TypedRange =
  | { readonly ok: true; readonly span: Span }
  | { readonly ok: false; readonly from?: string; readonly to?: string };

/**
 * The span of a range typed in local time. A day as the end includes that day; a time as the end is exclusive.
 * The end may be in the future, as for the current year and its last week.
 *
 * @param table - Offsets of the zone from the archive's start to a day after now.
 */
export function typedRange(from: string, to: string, table: ZoneTable, now: number): TypedRange {
  const a = parseLocal(from, table);
  const b = parseLocal(to, table);
  if (!a.ok || !b.ok) {
    const messageFor = (message: string, text: string): string =>
      text.trim() === ''
        ? 'Enter a date like 2026-03-08, or 2026-03-08 14:30.'
        : `${message.charAt(0).toUpperCase()}${message.slice(1)}.`;
    return {
      ok: false,
      ...(!a.ok && { from: messageFor(a.message, from) }),
      ...(!b.ok && { to: messageFor(b.message, to) }),
    };
  }
  // The archive's first day begins in UTC; in zones east of it, that day began a little earlier.
  const first = a.wholeDay && localDayAfter(table, a.instant, 1) > ARCHIVE_START;
  const start = first ? Math.max(a.instant, ARCHIVE_START) : a.instant;
  const end = b.wholeDay ? localDayAfter(table, b.instant, 1) : b.instant;
  if (start < ARCHIVE_START) {
    return { ok: false, from: 'Posts begin on 2006-03-21. Choose a later start.' };
  }
  if (start >= now) return { ok: false, from: 'This is in the future. Choose an earlier start.' };
  const yearEnd = add('year', startOf('year', wallTime(table, now)), 1);
  if (end > localInstant(table, add('week', yearEnd, 1))) {
    const { year } = localDate(table, now);
    return {
      ok: false,
      to: `Too far in the future. A range can end in ${year} at the latest.`,
    };
  }
  if (end <= start) {
    return {
      ok: false,
      to: b.instant < a.instant ? 'The end is before the start.' : 'The end equals the start.',
    };
  }
  return { ok: true, span: { start, end } };
}

/**
 * The facts that resolving a range needs: the zone's offsets, the first day of the week, now, and the source's span.
 */
export interface RangeContext {
  readonly table: ZoneTable;
  readonly weekStart: WeekStart;
  readonly now: number;
  readonly source: SourceEnds | null;
}

/** The span of a range, never before the archive; null if typed text cannot be counted. */
export function spanOf(
  range: ViewRange,
  { table, weekStart, now, source }: RangeContext,
): Span | null {
  if (!('preset' in range)) {
    const typed = typedRange(range.from, range.to, table, now);
    return typed.ok ? typed.span : null;
  }
  const { start, end } = presetSpan(
    range.preset,
    now,
    table,
    weekStart,
    sourceReach(source, now, table),
  );
  return { start: Math.max(start, ARCHIVE_START), end };
}

/** Average length of a bucket in ms. */
const ABOUT_MS: Readonly<Record<Resolution, number>> = {
  minute: MINUTE_MS,
  hour: HOUR_MS,
  day: DAY_MS,
  week: 7 * DAY_MS,
  month: 30.44 * DAY_MS,
  quarter: 91.3 * DAY_MS,
  year: 365.25 * DAY_MS,
};

/** Roughly how many buckets a span has. */
export function aboutBuckets(span: Span, resolution: Resolution): number {
  return (span.end - span.start) / ABOUT_MS[resolution];
}

/** Most buckets of a chart that is drawn with the width that fits: one in 2.5 pixels of its usual width. */
const MOST_DRAWN = 400;
const MOST_DRAWN_NARROW = 136;

/** The finest resolution in which a span can be drawn with room for each bucket. */
export function drawnResolution(span: Span, narrow = false): Resolution {
  const most = narrow ? MOST_DRAWN_NARROW : MOST_DRAWN;
  return RESOLUTIONS.find((resolution) => aboutBuckets(span, resolution) <= most) ?? 'year';
}

/** The default resolution of a span in a table: some hundred rows. */
export function fittingResolution(span: Span): Resolution {
  const width = span.end - span.start;
  if (width <= 12 * HOUR_MS) return 'minute';
  if (width <= 10 * DAY_MS) return 'hour';
  return width <= 5 * 366 * DAY_MS ? 'day' : width <= 12 * 366 * DAY_MS ? 'week' : 'month';
}
