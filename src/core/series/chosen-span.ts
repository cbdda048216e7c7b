import { startOf } from '#core/time/calendar.ts';
import { parseLocal } from '#core/time/local-text.ts';
import type { Resolution } from '#core/time/resolution.ts';
import { DAY_MS, HOUR_MS, type Span } from '#core/time/span.ts';
import { localDayAfter, localInstant, wallTime, type ZoneTable } from '#core/time/zone.ts';
import { isDayStart, WEEK_MS, type ChosenPeriod } from './comparison.ts';

/**
 * The part of a chosen period that a view of a range is compared with.
 *
 * The period lies as far from the view as its start lies from the start of the range: whole days on the zone's calendar
 * if both have the same time of day, are compared by weekday, or are shown by days; otherwise the same time by a
 * stopwatch, in whole hours if it is compared by hours. It ends with the typed end at the latest.
 *
 * @param view - The span that is shown: the range, or a part of it.
 * @param by - The buckets from which the figures are computed, or those shown if these are coarser.
 * @param table - The zone, covering both spans.
 * @returns Null if a typed time cannot be read, or if nothing is left.
 */
export function chosenSpan(
  view: Span,
  range: Span,
  period: ChosenPeriod,
  by: Resolution,
  table: ZoneTable,
): { readonly span: Span; readonly earlier: 'days' | 'weeks' | 'elapsed' } | null {
  const from = parseLocal(period.from, table);
  const to = period.to === '' ? null : parseLocal(period.to, table);
  if (!from.ok || to?.ok === false) return null;
  const latest = to ? (to.wholeDay ? localDayAfter(table, to.instant, 1) : to.instant) : Infinity;
  const [first, start] = [wallTime(table, range.start), wallTime(table, from.instant)];
  const weekday = period.by === 'weekday';
  const fine = by === 'hour' || by === 'minute';
  const sameTime = from.wholeDay ? isDayStart(table, range.start) : (start - first) % DAY_MS === 0;
  const byDays = weekday || sameTime || !fine;
  const days = startOf('day', start) - startOf('day', first);
  const apart = weekday ? Math.ceil(days / WEEK_MS) * WEEK_MS : days;
  const elapsed = from.instant - (by === 'hour' ? start % HOUR_MS : 0) - range.start;
  const moved = (at: number): number =>
    byDays ? localInstant(table, wallTime(table, at) + apart) : at + elapsed;
  const span = { start: moved(view.start), end: Math.min(moved(view.end), latest) };
  const earlier = weekday ? 'weeks' : byDays ? 'days' : 'elapsed';
  return span.start < span.end ? { span, earlier } : null;
}
