import { add, startOf, type CalendarUnit } from './calendar.ts';
import type { WeekStart } from './resolution.ts';
import { DAY_MS, HOUR_MS, type Span } from './span.ts';
import { localInstant, wallTime, type ZoneTable } from './zone.ts';

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

type DatedPreset = Exclude<Preset, '1h' | '24h' | 'all'>;

/** Wall-time midnights: of the first day, and of the one after the last. */
type Dates = (today: number, weekStart: WeekStart) => Span;

/** The last days including today (ledger rule 6: 30 local days are one page in every zone). */
function lastDays(days: number): Dates {
  return (today) => ({ start: add('day', today, 1 - days), end: add('day', today, 1) });
}

/** From the day after today's date in an earlier year; 28 February for 29 February. */
function lastYears(years: number): Dates {
  return (today) => ({
    start: add('day', add('year', today, -years), 1),
    end: add('day', today, 1),
  });
}

function running(unit: CalendarUnit): Dates {
  return (today, weekStart) => {
    const start = startOf(unit, today, weekStart);
    return { start, end: add(unit, start, 1) };
  };
}

function last(unit: CalendarUnit): Dates {
  return (today, weekStart) => {
    const end = startOf(unit, today, weekStart);
    return { start: add(unit, end, -1), end };
  };
}

const DATES: Readonly<Record<DatedPreset, Dates>> = {
  '7d': lastDays(7),
  '30d': lastDays(30),
  '90d': lastDays(90),
  '1y': lastYears(1),
  '3y': lastYears(3),
  'this-week': running('week'),
  'last-week': last('week'),
  'this-month': running('month'),
  'last-month': last('month'),
  'this-quarter': running('quarter'),
  'last-quarter': last('quarter'),
  'this-year': running('year'),
  'last-year': last('year'),
};

/**
 * The range of a preset.
 *
 * @param now - Epoch ms.
 * @param reach - The source's whole span, for `all`.
 * @returns Whole local days, weeks, months, quarters or years of the zone, the running one to its end,
 *   which is after now; `1h` and `24h` end now, to the minute.
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
  const dates = DATES[preset];
  if (!dates) throw new RangeError(`expected the name of a preset, got "${String(preset)}"`);
  const { start, end } = dates(startOf('day', wallTime(table, now)), weekStart);
  return { start: localInstant(table, start), end: localInstant(table, end) };
}
