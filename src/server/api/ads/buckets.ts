import { DAY_MS, HOUR_MS, type Span } from '#core/time/span.ts';
import { dayOnly } from '#contract/ads/ad-fields.ts';
import {
  localDayAfter,
  localInstant,
  offsetAt,
  zoneTable,
  type ZoneTable,
} from '#core/time/zone.ts';
import { advertiserFault, type AdvertiserCode } from '#server/ads/advertiser-fault.ts';

/** The window of a request, epoch ms. */
interface TimeWindow {
  readonly start_time: number;
  readonly end_time: number;
}

/** The offsets of a zone around a window. */
export function tableAround(
  zone: string,
  { start_time: start, end_time: end }: TimeWindow,
): ZoneTable {
  return zoneTable(zone, {
    start: Math.min(start, end) - DAY_MS,
    end: Math.max(start, end) + 2 * DAY_MS,
  });
}

/**
 * The window of a request, and the table of its zone. A day without a time begins at midnight in that zone: SDKs send days
 * where they ask for days.
 *
 * @param zone - Of the ad account.
 * @param sent - The window with such days at midnight UTC.
 * @param texts - The parameters as sent.
 * @param mostDays - Longest window, in days of the zone.
 * @throws {@link Fault} 400 INVALID_PARAMETER for a time within an hour, INVALID_TIME_WINDOW for a window that is empty or
 *   too long.
 */
export function localWindow(
  zone: string,
  sent: TimeWindow,
  texts: Readonly<Record<string, string>>,
  mostDays: number,
): { readonly table: ZoneTable; readonly window: TimeWindow } {
  const table = tableAround(zone, sent);
  const local = (name: keyof TimeWindow): number =>
    dayOnly(texts[name] ?? '') === null ? sent[name] : localInstant(table, sent[name]);
  const window = { start_time: local('start_time'), end_time: local('end_time') };
  checkWindow(table, window, texts, mostDays);
  return { table, window };
}

function refuse(
  code: AdvertiserCode,
  message: string,
  parameter: keyof TimeWindow,
  texts: Readonly<Record<string, string>>,
): never {
  throw advertiserFault(400, code, message, { parameter, value: texts[parameter] ?? '' });
}

/** Checks a window as {@link localWindow} says. */
function checkWindow(
  table: ZoneTable,
  window: TimeWindow,
  texts: Readonly<Record<string, string>>,
  mostDays: number,
): void {
  for (const name of ['start_time', 'end_time'] as const) {
    const at = window[name];
    // Hours of a zone may begin at half past one of UTC.
    if (at % HOUR_MS === 0 || (at + offsetAt(table, at)) % HOUR_MS === 0) continue;
    refuse(
      'INVALID_PARAMETER',
      `Expected a whole hour, got "${texts[name]}" for ${name}`,
      name,
      texts,
    );
  }
  const { start_time: start, end_time: end } = window;
  if (end <= start) {
    refuse('INVALID_TIME_WINDOW', 'end_time must be after start_time', 'end_time', texts);
  }
  // Days around a clock change have an hour more.
  const most = Math.max(start + mostDays * DAY_MS, dayAfter(table, start, mostDays));
  if (end > most) {
    const message = `The time from start_time to end_time must be at most ${mostDays} days`;
    refuse('INVALID_TIME_WINDOW', message, 'end_time', texts);
  }
}

/** The instant at the same time of a later local day. */
function dayAfter(table: ZoneTable, at: number, days: number): number {
  const wall = (at + offsetAt(table, at)) % DAY_MS;
  return localDayAfter(table, at, days) + wall;
}

/**
 * The buckets of a window, oldest first: the whole, its hours, or its days from midnight to midnight in the account's
 * time zone, which have 23 or 25 hours at a clock change.
 *
 * @throws {@link Fault} 400 INVALID_PARAMETER for days of a window that does not begin and end at midnight.
 */
export function bucketsOf(
  table: ZoneTable,
  granularity: 'TOTAL' | 'DAY' | 'HOUR',
  { start_time: start, end_time: end }: TimeWindow,
  texts: Readonly<Record<string, string>>,
): Span[] {
  if (granularity === 'TOTAL') return [{ start, end }];
  const next = (at: number): number =>
    granularity === 'HOUR' ? at + HOUR_MS : localDayAfter(table, at, 1);
  if (granularity === 'DAY') {
    for (const [name, at] of [
      ['start_time', start],
      ['end_time', end],
    ] as const) {
      if (localDayAfter(table, at, 0) === at) continue;
      const zone = `midnight in ${table.zone}`;
      refuse(
        'INVALID_PARAMETER',
        `Expected ${zone}, got "${texts[name]}" for ${name}`,
        name,
        texts,
      );
    }
  }
  const buckets: Span[] = [];
  for (let at = start; at < end; at = next(at))
    buckets.push({ start: at, end: Math.min(next(at), end) });
  return buckets;
}
