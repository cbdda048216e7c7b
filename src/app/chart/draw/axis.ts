import { clockText, dayText, monthText, type LeadingDatePart } from '#core/format/date-text.ts';
import { boundaries } from '#core/time/boundary.ts';
import { daysBetween } from '#core/time/calendar.ts';
import type { Resolution, WeekStart } from '#core/time/resolution.ts';
import { DAY_MS, HOUR_MS, MINUTE_MS, type Span } from '#core/time/span.ts';
import { wallTime, type ZoneTable } from '#core/time/zone.ts';

/** A tick on the time axis; `strong` if a longer unit begins there: a day, a month, a year. */
export interface Tick {
  readonly at: number;
  readonly text: string;
  readonly strong: boolean;
}

interface Step {
  readonly unit: Resolution;
  readonly every: number;
  /** Approximate length. */
  readonly ms: number;
}

const steps = (unit: Resolution, unitMs: number, every: readonly number[]): Step[] =>
  every.map((n) => ({ unit, every: n, ms: n * unitMs }));

const STEPS: readonly Step[] = [
  ...steps('minute', MINUTE_MS, [1, 5, 15, 30]),
  ...steps('hour', HOUR_MS, [1, 3, 6, 12]),
  ...steps('day', DAY_MS, [1, 2]),
  ...steps('week', 7 * DAY_MS, [1]),
  ...steps('month', 30.4 * DAY_MS, [1, 3, 6]),
  ...steps('year', 365 * DAY_MS, [1, 2, 5, 10]),
];

/** Instants in a window at which a step of the zone's calendar begins. */
function marks(
  window: Span,
  { unit, every }: Step,
  table: ZoneTable,
  weekStart: WeekStart,
): number[] {
  const inner = boundaries(
    { start: window.start - 1, end: window.end + 1 },
    unit,
    table,
    weekStart,
  );
  return [...inner.subarray(1, -1)].filter((at) => {
    const local = new Date(wallTime(table, at));
    if (unit === 'minute') return local.getUTCMinutes() % every === 0;
    if (unit === 'hour') return local.getUTCMinutes() === 0 && local.getUTCHours() % every === 0;
    if (unit === 'day') {
      const [month, date] = [local.getUTCMonth(), local.getUTCDate()];
      // The 31st and 29 February are too close to the next first.
      return every === 1 || (date % every === 1 && date < (month === 1 ? 29 : 31));
    }
    if (unit === 'month') return local.getUTCMonth() % every === 0;
    return unit === 'week' || local.getUTCFullYear() % every === 0;
  });
}

/**
 * Chooses the ticks of a time axis in the zone: as many as fit.
 *
 * @param width - Width of the axis, px.
 * @param room - Width of a label, px.
 * @param order - Of the labels' dates.
 */
export function timeTicks(
  window: Span,
  width: number,
  table: ZoneTable,
  weekStart: WeekStart,
  order: LeadingDatePart,
  room = 72,
): Tick[] {
  const most = Math.max(1, width / room);
  const step = STEPS.find(({ ms }) => (window.end - window.start) / ms <= most) ?? STEPS.at(-1);
  if (!step) return [];
  const words = (at: number): { text: string; strong: boolean } => {
    const wall = wallTime(table, at);
    const local = new Date(wall);
    const year = String(local.getUTCFullYear());
    const newDay = local.getUTCHours() < 3 && offsetDayStart(at, table);
    const newYear = newDay && local.getUTCMonth() === 0 && local.getUTCDate() === 1;
    if (newYear && step.ms >= DAY_MS) return { text: year, strong: true };
    if (step.unit === 'minute' || step.unit === 'hour') {
      return newDay
        ? { text: dayText(wall, order), strong: true }
        : { text: clockText(wall), strong: false };
    }
    if (step.unit === 'month') {
      return { text: monthText(local.getUTCMonth(), order), strong: false };
    }
    if (step.unit === 'year') return { text: year, strong: true };
    return { text: dayText(wall, order), strong: false };
  };
  return marks(window, step, table, weekStart).map((at) => ({ at, ...words(at) }));
}

/** True if a local day begins here, that is, the minute before has another date. */
function offsetDayStart(at: number, table: ZoneTable): boolean {
  return daysBetween(wallTime(table, at - MINUTE_MS), wallTime(table, at)) !== 0;
}
