import ICAL from 'ical.js';
import { localInstant, offsetAt, wallTime, zoneTable, type ZoneTable } from '#core/time/zone.ts';
import { DAY_MS } from '#core/time/span.ts';
import { WINDOWS_ZONES } from './windows-zones.ts';

/** A time zone of a calendar. Local times are as if they were UTC, epoch ms. */
export interface CalendarZone {
  /**
   * The instant of a local time: the first of two. One that the clocks skip is meant by the offset before the skip
   * (RFC 5545, section 3.3.5).
   */
  instant(wall: number): number;
  wall(instant: number): number;
}

export const UTC_ZONE: CalendarZone = { instant: (wall) => wall, wall: (instant) => instant };

/** Outside of these years a zone has the offset of the nearest: its table would grow for birthdays of 1604. */
const FIRST = Date.UTC(1950, 0, 1);
const LAST = Date.UTC(2100, 0, 1);
/** More than any offset from UTC. */
const REACH_MS = 2 * DAY_MS;

/** A zone by its IANA name; null if there is none of that name. */
export function namedZone(name: string): CalendarZone | null {
  const tableAt = (at: number): ZoneTable =>
    zoneTable(name, { start: at - REACH_MS, end: at + REACH_MS });
  const near = (at: number): number => Math.min(Math.max(at, FIRST), LAST);
  try {
    tableAt(FIRST);
  } catch {
    return null;
  }
  return {
    instant: (wall) => {
      const close = near(wall);
      const table = tableAt(close);
      const at = localInstant(table, close);
      const isSkipped = wallTime(table, at) !== close;
      return wall - offsetAt(table, isSkipped ? at - 1 : at);
    },
    wall: (at) => at + offsetAt(tableAt(near(at)), near(at)),
  };
}

/**
 * A zone by a name that is not IANA's: one of Windows, or one that ends with IANA's, such as
 * `/mozilla.org/20050126_1/Europe/Berlin`; null if it is neither.
 */
export function otherZone(name: string): CalendarZone | null {
  const windows = WINDOWS_ZONES[name];
  if (windows !== undefined) return namedZone(windows);
  const parts = name.split('/');
  for (const length of [3, 2, 1]) {
    const zone = parts.length > length && namedZone(parts.slice(-length).join('/'));
    if (zone) return zone;
  }
  return null;
}

/** A local time as the library has it, in no zone. */
export function floatingTime(wall: number, isDate = false): ICAL.Time {
  const at = new Date(wall);
  return ICAL.Time.fromData({
    year: at.getUTCFullYear(),
    month: at.getUTCMonth() + 1,
    day: at.getUTCDate(),
    hour: at.getUTCHours(),
    minute: at.getUTCMinutes(),
    second: at.getUTCSeconds(),
    isDate,
  });
}

/** A local time of the library, as if it were UTC, epoch ms. */
export function wallOf({ year, month, day, hour, minute, second }: ICAL.Time): number {
  return Date.UTC(year, month - 1, day, hour, minute, second);
}

/** A zone as a calendar defines it, for names that are not IANA's. */
export function definedZone(component: ICAL.Component): CalendarZone {
  const zone = new ICAL.Timezone(component);
  const offset = (wall: number): number => zone.utcOffset(floatingTime(wall)) * 1000;
  const instant = (wall: number): number => {
    // At a change of the clocks, the library takes the second of two times, and the offset after a skip.
    const jump = Math.abs(offset(wall) - offset(wall - DAY_MS));
    return wall - offset(wall - jump);
  };
  return {
    instant,
    wall: (at) => {
      const early = at + offset(at - DAY_MS);
      return instant(early) === at ? early : at + offset(at + DAY_MS);
    },
  };
}
