import type { Granularity } from '#core/time/bucket.ts';
import { ceilTo, floorTo } from '#core/time/bucket.ts';
import type { Span } from '#core/time/span.ts';
import { ARCHIVE_START, DAY_MS, HOUR_MS, MINUTE_MS, SECOND_MS } from '#core/time/span.ts';
import type { DayWindow } from './plan.ts';
import { dayOf } from './plan.ts';

/** How long before the source's time the head is taken to end: its own lag of 10 s (platform-facts 1.2) and a margin. */
export const HEAD_MARGIN_MS = 12 * SECOND_MS;

/** How long after a UTC midnight the head is asked to end at that midnight. */
const MIDNIGHT_MS = 2 * MINUTE_MS;

/** Reach of counts/recent (platform-facts 1.2). */
const RECENT_MS = 7 * DAY_MS;

/** Ages at which the head is stale: a tenth of the bucket shown, a minute at least. */
const FRESH_MS = { minute: MINUTE_MS, hour: HOUR_MS / 10, day: DAY_MS / 10 } as const;

/** The age at which the head is stale for a bucket shown; weeks and more as days. */
export function freshness(shown: string): number {
  return shown === 'minute' ? FRESH_MS.minute : shown === 'hour' ? FRESH_MS.hour : FRESH_MS.day;
}

export interface Head {
  /** The last UTC day that a request tells. */
  readonly day: number;
  /** The instant up to which a request is expected to tell. */
  readonly end: number;
  /** The end to send, or null: the source takes its own, for a browser's clock a second fast is refused. */
  readonly send: number | null;
}

/**
 * Where the head ends.
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
 * What an endpoint can tell now. Recent begins a minute inside its seven days, at a bucket, so that a
 * request in flight is not refused and no bucket is cut on the left.
 */
export function reachOf(endpoint: 'recent' | 'all', now: number, granularity: Granularity): Span {
  const { end } = headOf(now);
  if (endpoint === 'all') return { start: ARCHIVE_START, end };
  return { start: ceilTo(now - RECENT_MS + MINUTE_MS, granularity), end };
}

/** The bounds to send for a window; `end` null leaves it to the source. */
export interface Bounds {
  readonly start: number;
  readonly end: number | null;
}

/** The bounds of a window at the time of sending; null where nothing of it can be told any more. */
export function boundsOf(window: DayWindow, reach: Span, head: Head): Bounds | null {
  const start = Math.max(window.from * DAY_MS, reach.start);
  const end = window.to > head.day ? head.send : window.to * DAY_MS;
  return start < (end ?? head.end) ? { start, end } : null;
}

/**
 * Lengthens the window that holds the head: it costs one request whatever it asks. The settled part of a full
 * page is compared for nothing; where bytes count, one day more is taken as a seam.
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
