import { add, intlOffset, startOf } from './calendar.ts';
import { ARCHIVE_START, DAY_MS, MINUTE_MS, type Span } from './span.ts';
import { isZone } from './zone-name.ts';

/**
 * The offsets of one IANA zone. Stretch i begins at `starts[i]` (epoch ms; the first at -Infinity), and
 * its local time is UTC plus `offsets[i]` milliseconds. Valid within `[from, to)`.
 */
export interface ZoneTable {
  readonly zone: string;
  readonly from: number;
  readonly to: number;
  readonly starts: Float64Array;
  readonly offsets: Float64Array;
}

/** A local calendar date; month 1 to 12. */
export interface LocalDate {
  readonly year: number;
  readonly month: number;
  readonly day: number;
}

/** Since 2006 no zone has changed its offset and changed it back within this time (ledger rule 22). */
const PROBE_MS = 14 * DAY_MS;
/** More than any offset from UTC, so that a local time is certainly within it. */
const REACH_MS = 2 * DAY_MS;

const tables = new Map<string, ZoneTable>();

/** Reads a zone's offset in milliseconds from Intl: slow, so only for building a table. */
function offsetProbe(zone: string): (instant: number) => number {
  // date-fns would read an offset from a name that Intl does not know.
  if (!isZone(zone)) throw new RangeError(`expected the name of a time zone, got "${zone}"`);
  return (instant) => {
    const offset = intlOffset(zone, instant);
    if (Number.isNaN(offset))
      throw new RangeError(`the offset of ${zone} cannot be read from Intl`);
    return offset;
  };
}

/**
 * The offset table of a zone that covers a span; cached.
 *
 * @param zone - IANA name, `UTC` included.
 * @throws {RangeError} if the zone is unknown.
 */
export function zoneTable(zone: string, span: Span): ZoneTable {
  const known = tables.get(zone);
  if (known && known.from <= span.start && known.to >= span.end) return known;
  const probe = offsetProbe(zone);
  const first = startOf('year', Math.min(ARCHIVE_START, span.start));
  const from = Math.min(known?.from ?? first, first) - REACH_MS;
  const to = Math.max(known?.to ?? 0, add('year', startOf('year', span.end), 2)) + REACH_MS;
  const starts = [-Infinity];
  const offsets = [probe(from)];
  let before = offsets[0] ?? 0;
  for (let at = from; at < to; at += PROBE_MS) {
    const next = Math.min(at + PROBE_MS, to);
    const after = probe(next);
    if (after === before) continue;
    let low = Math.floor(at / MINUTE_MS);
    let high = Math.ceil(next / MINUTE_MS);
    while (high - low > 1) {
      const middle = Math.floor((low + high) / 2);
      if (probe(middle * MINUTE_MS) === before) low = middle;
      else high = middle;
    }
    starts.push(high * MINUTE_MS);
    offsets.push(probe(high * MINUTE_MS));
    before = offsets.at(-1) ?? 0;
    // Two changes between probes: continue from the first.
    if (before !== after) at = high * MINUTE_MS - PROBE_MS;
  }
  const table: ZoneTable = {
    zone,
    from: from + REACH_MS,
    to: to - REACH_MS,
    starts: Float64Array.from(starts),
    offsets: Float64Array.from(offsets),
  };
  tables.set(zone, table);
  return table;
}

/** Index of the stretch that contains an instant. */
export function stretchAt(table: ZoneTable, instant: number): number {
  let low = 0;
  let high = table.starts.length;
  while (high - low > 1) {
    const middle = (low + high) >> 1;
    if ((table.starts[middle] ?? 0) <= instant) low = middle;
    else high = middle;
  }
  return low;
}

export function offsetAt(table: ZoneTable, instant: number): number {
  return table.offsets[stretchAt(table, instant)] ?? 0;
}

/** The time that the zone's clock shows at an instant, as if it were UTC, epoch ms. */
export function wallTime(table: ZoneTable, instant: number): number {
  return instant + offsetAt(table, instant);
}

export function dateOf(wall: number): LocalDate {
  const date = new Date(wall);
  return { year: date.getUTCFullYear(), month: date.getUTCMonth() + 1, day: date.getUTCDate() };
}

/** The zone's date at an instant. */
export function localDate(table: ZoneTable, instant: number): LocalDate {
  return dateOf(wallTime(table, instant));
}

/**
 * The first instant at which the zone's clock shows a time or has passed it: the first of two, or the
 * instant of the skip.
 *
 * @param wall - The local time as if it were UTC, epoch ms.
 */
export function localInstant(table: ZoneTable, wall: number): number {
  let i = stretchAt(table, wall - REACH_MS);
  for (; i < table.starts.length; i++) {
    const start = table.starts[i] ?? 0;
    const offset = table.offsets[i] ?? 0;
    if (wall < start + offset) return start;
    if (wall < (table.starts[i + 1] ?? Infinity) + offset) return wall - offset;
  }
  throw new RangeError(`the local time ${wall} of ${table.zone} was not found`);
}

/**
 * First instant of a local day; `month` and `day` may overflow, as in `Date.UTC` (month is 1 to 12
 * otherwise).
 */
export function localDayStart(table: ZoneTable, date: LocalDate): number {
  return localInstant(table, Date.UTC(date.year, date.month - 1, date.day));
}

/** First instant of the local day that is `days` after the one of an instant. */
export function localDayAfter(table: ZoneTable, instant: number, days: number): number {
  return localInstant(table, add('day', startOf('day', wallTime(table, instant)), days));
}

/** Formats an instant in the zone's wall time with its offset: `2026-03-08T03:00:00-04:00`. */
export function isoLocal(table: ZoneTable, instant: number): string {
  const offset = offsetAt(table, instant);
  const minutes = Math.abs(offset) / MINUTE_MS;
  const pad = (n: number): string => String(n).padStart(2, '0');
  const sign = offset < 0 ? '-' : '+';
  const local = new Date(instant + offset).toISOString().slice(0, 19);
  return `${local}${sign}${pad(Math.floor(minutes / 60))}:${pad(minutes % 60)}`;
}
