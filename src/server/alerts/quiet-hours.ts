import type { QuietHours } from '#contract/alerts/alerts.ts';
import { DAY_MS, MINUTE_MS } from '#core/time/span.ts';
import { localInstant, wallTime, zoneTable } from '#core/time/zone.ts';

/** `22:30` as ms since midnight. */
function clockMs(text: string): number {
  const [hour = 0, minute = 0] = text.split(':').map(Number);
  return (hour * 60 + minute) * MINUTE_MS;
}

/**
 * The time at which something that rings may be sent: then, or at the end of quiet hours that it falls into.
 *
 * @param quiet - Local times; over midnight if they end before they begin, none if both are equal.
 * @param zone - IANA name.
 * @param at - Epoch ms.
 */
export function sendingTime(quiet: QuietHours | null, zone: string, at: number): number {
  if (!quiet) return at;
  const [from, to] = [clockMs(quiet.from), clockMs(quiet.to)];
  const table = zoneTable(zone, { start: at - DAY_MS, end: at + 2 * DAY_MS });
  const wall = wallTime(table, at);
  const midnight = Math.floor(wall / DAY_MS) * DAY_MS;
  const clock = wall - midnight;
  const isQuiet = from <= to ? from <= clock && clock < to : clock >= from || clock < to;
  if (!isQuiet) return at;
  return localInstant(table, midnight + (to <= clock ? DAY_MS : 0) + to);
}
