import { boundaries } from '#core/time/boundary.ts';
import { dayOfWeek } from '#core/time/calendar.ts';
import { DAY_MS, HOUR_MS } from '#core/time/span.ts';
import { localInstant, offsetAt, wallTime, type ZoneTable } from '#core/time/zone.ts';

/** The buckets by which a topic is watched. */
export type WatchUnit = 'hour' | 'day';

/** A local day and its buckets. */
export interface LocalDay {
  readonly start: number;
  readonly end: number;
  /** Of its buckets, one more than them, epoch ms. */
  readonly edges: Float64Array;
  /** The hour that the clock shows at the start of each bucket, 0 to 23; 0 for a whole day. */
  readonly slots: Uint8Array;
  /** 0 is Monday. */
  readonly weekday: number;
}

const HOURS = Uint8Array.from({ length: 24 }, (_, hour) => hour);
const WHOLE = Uint8Array.of(0);

/**
 * The local day of an instant: 23 or 25 hours long where the clock changes, and with a shorter hour where it changes by
 * half of one.
 *
 * @param table - Covering the day.
 */
export function localDay(table: ZoneTable, instant: number, unit: WatchUnit): LocalDay {
  const wall = Math.floor(wallTime(table, instant) / DAY_MS) * DAY_MS;
  const start = localInstant(table, wall);
  const end = localInstant(table, wall + DAY_MS);
  const weekday = dayOfWeek(wall, 1);
  if (unit === 'day') {
    return { start, end, edges: Float64Array.of(start, end), slots: WHOLE, weekday };
  }
  const isEven = end - start === DAY_MS && offsetAt(table, start) === offsetAt(table, end - 1);
  if (isEven) {
    const edges = new Float64Array(25);
    for (let i = 0; i <= 24; i += 1) edges[i] = start + i * HOUR_MS;
    return { start, end, edges, slots: HOURS, weekday };
  }
  const edges = boundaries({ start, end }, 'hour', table, 1);
  const slots = Uint8Array.from({ length: edges.length - 1 }, (_, i) =>
    Math.floor((wallTime(table, edges[i] ?? NaN) - wall) / HOUR_MS),
  );
  return { start, end, edges, slots, weekday };
}
