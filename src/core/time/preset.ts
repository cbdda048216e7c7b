import type { WeekStart } from './resolution.ts';
import { DAY_MS, HOUR_MS, type Span } from './span.ts';
import { localDate, localDayStart, type LocalDate, type ZoneTable } from './zone.ts';

export const PRESETS = [
  '1h',
  '24h',
  '7d',
  '30d',
  '90d',
  '1y',
  '3y',
  'all',
  'this-week',
  'last-week',
  'this-month',
  'last-month',
  'this-quarter',
  'last-quarter',
  'this-year',
  'last-year',
] as const;
export type Preset = (typeof PRESETS)[number];

/** Local days with today of the presets that count days (ledger rule 6: 30 local days are one page in every zone). */
const DAYS: Partial<Record<Preset, number>> = { '7d': 7, '30d': 30, '90d': 90 };

function moved(date: LocalDate, by: { years?: number; months?: number; days?: number }): LocalDate {
  return {
    year: date.year + (by.years ?? 0),
    month: date.month + (by.months ?? 0),
    day: date.day + (by.days ?? 0),
  };
}

/**
 * The range a preset stands for.
 *
 * @param now - Epoch ms.
 * @param reach - What `all` stands for: the source's whole span.
 * @returns Whole local days, weeks, months, quarters or years of the zone, the running one to its end (the
 *   caller knows that nothing is known after now); `1h` and `24h` end now, to the minute.
 */
export function presetSpan(
  preset: Preset,
  now: number,
  table: ZoneTable,
  weekStart: WeekStart,
  reach: Span,
): Span {
  if (preset === 'all') return reach;
  if (preset === '1h' || preset === '24h') {
    const end = Math.ceil(now / 60_000) * 60_000;
    return { start: end - (preset === '1h' ? HOUR_MS : DAY_MS), end };
  }
  const today = localDate(table, now);
  const days = (start: LocalDate, end: LocalDate): Span => ({
    start: localDayStart(table, start),
    end: localDayStart(table, end),
  });
  const tomorrow = moved(today, { days: 1 });
  const counted = DAYS[preset];
  if (counted) return days(moved(tomorrow, { days: -counted }), tomorrow);
  if (preset === '1y') return days(moved(tomorrow, { years: -1 }), tomorrow);
  if (preset === '3y') return days(moved(tomorrow, { years: -3 }), tomorrow);

  const weekday = new Date(Date.UTC(today.year, today.month - 1, today.day)).getUTCDay();
  const week = moved(today, { days: -((weekday - weekStart + 7) % 7) });
  const month = { year: today.year, month: today.month, day: 1 };
  const quarter = moved(month, { months: -((today.month - 1) % 3) });
  const year = { year: today.year, month: 1, day: 1 };
  switch (preset) {
    case 'this-week':
      return days(week, moved(week, { days: 7 }));
    case 'last-week':
      return days(moved(week, { days: -7 }), week);
    case 'this-month':
      return days(month, moved(month, { months: 1 }));
    case 'last-month':
      return days(moved(month, { months: -1 }), month);
    case 'this-quarter':
      return days(quarter, moved(quarter, { months: 3 }));
    case 'last-quarter':
      return days(moved(quarter, { months: -3 }), quarter);
    case 'this-year':
      return days(year, moved(year, { years: 1 }));
    case 'last-year':
      return days(moved(year, { years: -1 }), year);
    default:
      throw new RangeError(`expected the name of a preset, got "${String(preset)}"`);
  }
}
