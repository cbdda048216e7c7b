import { fragmentOf, instantText } from '#core/format/view-address.ts';
import { DAY_MS, type Span } from '#core/time/span.ts';
import { wallTime, zoneTable } from '#core/time/zone.ts';
import type { WatchUnit } from './local-day.ts';

/** The time that is shown before and after the beginning of an event, ms. */
const AROUND_MS = { hour: DAY_MS, day: 14 * DAY_MS } as const;
/** The days before it that a board may be zoomed out to. */
const RANGE_DAYS = 56;

/**
 * The time in which an event is seen with what came before and after it.
 *
 * @param onset - Its beginning, epoch ms.
 * @param now - Epoch ms; of an event that has just begun, not half of the time is still to come.
 */
export function eventSpan(unit: WatchUnit, onset: number, now: number): Span {
  const around = AROUND_MS[unit];
  const end = Math.min(onset + around, Math.max(now, onset + around / 8));
  return { start: onset - around, end };
}

/**
 * The part after `#` of the address of a board that shows a topic at an event, whenever it is opened.
 *
 * @param onset - As of {@link eventSpan}, and `now` too.
 */
export function eventFragment(
  { source, query, name, zone }: Readonly<Record<'source' | 'query' | 'name' | 'zone', string>>,
  unit: WatchUnit,
  onset: number,
  now: number,
): string {
  const { start, end } = eventSpan(unit, onset, now);
  const first = onset - RANGE_DAYS * DAY_MS;
  const table = zoneTable(zone, { start: first, end: end + DAY_MS });
  const dateOf = (at: number): string => new Date(wallTime(table, at)).toISOString().slice(0, 10);
  return fragmentOf(
    new URLSearchParams({
      source,
      from: dateOf(first),
      to: dateOf(end),
      zone,
      zoom: `${instantText(start)}/${instantText(end)}`,
      q: query,
      ...(name !== query && { name }),
    }),
  );
}
