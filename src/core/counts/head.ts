import { ceilTo, floorTo, type Granularity } from '#core/time/bucket.ts';
import {
  ARCHIVE_START,
  DAY_MS,
  HOUR_MS,
  MINUTE_MS,
  SECOND_MS,
  type Span,
} from '#core/time/span.ts';
import type { CountsEndpoint } from './endpoint.ts';
import { dayOf, type DayWindow } from './day-windows.ts';

/**
 * The time before the source's own time at which the newest counts end: its lag of 10 s (platform-facts 1.2) and
 * a margin.
 */
export const HEAD_MARGIN_MS = 12 * SECOND_MS;

/** The time after a UTC midnight in which a request for the newest counts ends at that midnight. */
const MIDNIGHT_MS = 2 * MINUTE_MS;

/** Reach of counts/recent (platform-facts 1.2). */
const RECENT_MS = 7 * DAY_MS;

/** Ages at which the newest counts are stale: a tenth of the shown bucket, at least a minute. */
const FRESH_MS = { minute: MINUTE_MS, hour: HOUR_MS / 10, day: DAY_MS / 10 } as const;

/** The age at which the newest counts are stale for a shown bucket; weeks and longer count as days. */
export function freshness(shown: string): number {
  return shown === 'minute' ? FRESH_MS.minute : shown === 'hour' ? FRESH_MS.hour : FRESH_MS.day;
}

/** The end of the newest counts. */
export interface Head {
  /** The last UTC day that a request covers. */
  readonly day: number;
  /** The instant up to which a request is expected to cover. */
  readonly end: number;
  /** The end to send. Null lets the source choose: it refuses an end from a clock that is a second fast. */
  readonly send: number | null;
}

/**
 * The end of the newest counts.
 *
 * @param now - The source's own time, epoch ms (a clock corrected by the Date of its answers).
 */
export function headOf(now: number): Head {
  const midnight = floorTo(now, 'day');
  const since = now - midnight;
  if (since >= HEAD_MARGIN_MS && since < MIDNIGHT_MS) {
    return { day: dayOf(midnight) - 1, end: midnight, send: midnight };
  }
  const end = now - HEAD_MARGIN_MS;
  return { day: dayOf(end), end, send: null };
}

/**
 * The time that an endpoint covers now. Recent begins a minute inside its seven days, at a bucket, so
 * that a request in flight is not refused and no bucket is cut at its start.
 */
export function reachOf(endpoint: CountsEndpoint, now: number, granularity: Granularity): Span {
  const { end } = headOf(now);
  if (endpoint === 'all') return { start: ARCHIVE_START, end };
  return { start: ceilTo(now - RECENT_MS + MINUTE_MS, granularity), end };
}

/** The bounds to send for a window; with `end` null the source chooses. */
export interface Bounds {
  readonly start: number;
  readonly end: number | null;
}

/** The bounds of a window at the time of sending; null if the source no longer covers any of it. */
export function boundsOf(window: DayWindow, reach: Span, head: Head): Bounds | null {
  const start = Math.max(window.from * DAY_MS, reach.start);
  const end = window.to > head.day ? head.send : window.to * DAY_MS;
  return start < (end ?? head.end) ? { start, end } : null;
}

/**
 * Lengthens the window with the newest counts, since it costs one request whatever its length. A full
 * page lets its settled part be compared for free; where bytes count, one extra day forms a seam.
 *
 * @param windows - Newest first, as planned.
 * @param first - The first day that it may reach.
 */
export function lengthenHead<W extends DayWindow>(
  windows: readonly W[],
  head: Head,
  length: 'page' | 'seam',
  first: number,
  pageDays: number,
): W[] {
  const [newest, ...older] = windows;
  if (!newest || newest.to <= head.day) return [...windows];
  const page = newest.to - pageDays;
  const wanted = length === 'page' ? page : newest.from - 1;
  const from = Math.max(wanted, page, older[0]?.to ?? -Infinity, first);
  return [{ ...newest, from: Math.min(from, newest.from) }, ...older];
}
