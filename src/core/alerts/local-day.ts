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
  /** Length of each bucket in hours. */
  readonly hours: Float64Array;
  /** The hour that the clock shows at the start of each bucket, 0 to 23; 0 for a whole day. */
  readonly slots: Uint8Array;
  /** 0 is Monday. */
  readonly weekday: number;
}

const EVEN_SLOTS = Uint8Array.from({ length: 24 }, (_, hour) => hour);
const EVEN_HOURS = new Float64Array(24).fill(1);
const WHOLE = Uint8Array.of(0);

/** Alerts of a zone read the same days, eight weeks of them each time one begins. */
const read = new WeakMap<ZoneTable, Record<WatchUnit, Map<number, LocalDay>>>();

/**
 * The local day of an instant: 23 or 25 hours long where the clock changes, and with a shorter hour where it changes by
 * half of one.
 *
 * @param table - Covering the day.
 */
export function localDay(table: ZoneTable, instant: number, unit: WatchUnit): LocalDay {
  const wall = Math.floor(wallTime(table, instant) / DAY_MS) * DAY_MS;
  let days = read.get(table);
  if (!days) read.set(table, (days = { hour: new Map(), day: new Map() }));
  let day = days[unit].get(wall);
  if (!day) days[unit].set(wall, (day = readDay(table, wall, unit)));
  return day;
}

function readDay(table: ZoneTable, wall: number, unit: WatchUnit): LocalDay {
  const start = localInstant(table, wall);
  const end = localInstant(table, wall + DAY_MS);
  const weekday = dayOfWeek(wall, 1);
  if (unit === 'day') {
    const hours = Float64Array.of((end - start) / HOUR_MS);
    return { start, end, edges: Float64Array.of(start, end), hours, slots: WHOLE, weekday };
  }
  const isEven = end - start === DAY_MS && offsetAt(table, start) === offsetAt(table, end - 1);
  if (isEven) {
    const edges = Float64Array.from({ length: 25 }, (_, i) => start + i * HOUR_MS);
    return { start, end, edges, hours: EVEN_HOURS, slots: EVEN_SLOTS, weekday };
  }
  const edges = boundaries({ start, end }, 'hour', table, 1);
  const hours = new Float64Array(edges.length - 1);
  const slots = new Uint8Array(edges.length - 1);
  for (let i = 0; i < slots.length; i += 1) {
    const [from = NaN, to = NaN] = [edges[i], edges[i + 1]];
    hours[i] = (to - from) / HOUR_MS;
    slots[i] = Math.floor((wallTime(table, from) - wall) / HOUR_MS);
  }
  return { start, end, edges, hours, slots, weekday };
}
