import { add, startOf, type CalendarUnit } from './calendar.ts';
import type { WeekStart } from './resolution.ts';
import { HOUR_MS, type Span } from './span.ts';
import { localInstant, wallTime, type ZoneTable } from './zone.ts';

/** Whole days in wall time: midnight of the first day, and of the day after the last. */
type Dates = (today: number, weekStart: WeekStart) => Span;

/** A number of days, today included (ledger rule 6: 30 local days are one page in every zone). */
function lastDays(days: number): Dates {
  return (today) => ({ start: add('day', today, 1 - days), end: add('day', today, 1) });
}

/**
 * From the day after the same date some months earlier, or after the last day of a shorter month: three
 * months before 31 May is 28 or 29 February.
 */
function lastMonths(months: number): Dates {
  return (today) => ({
    start: add('day', add('month', today, -months), 1),
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

/** A number of hours up to the end of the current minute. */
function lastHours(hours: number): (now: number) => Span {
  return (now) => {
    const end = Math.ceil(now / 60_000) * 60_000;
    return { start: end - hours * HOUR_MS, end };
  };
}

interface PresetRow {
  /** Its name in links, saved boards and the URL. */
  readonly id: string;
  /** In a menu. */
  readonly label: string;
  /** Inside a sentence: `range changed to the last 7 days`. */
  readonly phrase: string;
  /** Its button, and the rows of buttons that contain it; without one it is only in the menu. */
  readonly button?: { readonly text: string; readonly on: readonly ('toolbar' | 'plan')[] };
  /** A preset has `dates`, `hours`, or neither: then it covers the whole source. */
  readonly dates?: Dates;
  readonly hours?: (now: number) => Span;
}

const TABLE = [
  { id: '1h', label: 'Last hour', phrase: 'the last hour', hours: lastHours(1) },
  {
    id: '24h',
    label: 'Last 24 hours',
    phrase: 'the last 24 hours',
    hours: lastHours(24),
  },
  {
    id: '7d',
    label: 'Last 7 days',
    phrase: 'the last 7 days',
    button: { text: '7 d', on: ['toolbar'] },
    dates: lastDays(7),
  },
  {
    id: '30d',
    label: 'Last 30 days',
    phrase: 'the last 30 days',
    button: { text: '30 d', on: ['toolbar', 'plan'] },
    dates: lastDays(30),
  },
  {
    id: '90d',
    label: 'Last 90 days',
    phrase: 'the last 90 days',
    button: { text: '90 d', on: ['plan'] },
    dates: lastDays(90),
  },
  {
    id: '1y',
    label: 'Last 12 months',
    phrase: 'the last 12 months',
    button: { text: '1 y', on: ['toolbar', 'plan'] },
    dates: lastMonths(12),
  },
  {
    id: '3y',
    label: 'Last 3 years',
    phrase: 'the last 3 years',
    button: { text: '3 y', on: ['toolbar', 'plan'] },
    dates: lastMonths(36),
  },
  {
    id: 'all',
    label: 'All time',
    phrase: 'all time',
    button: { text: 'All', on: ['toolbar', 'plan'] },
  },
  { id: 'this-week', label: 'This week', phrase: 'this week', dates: running('week') },
  { id: 'last-week', label: 'Last week', phrase: 'last week', dates: last('week') },
  { id: 'this-month', label: 'This month', phrase: 'this month', dates: running('month') },
  { id: 'last-month', label: 'Last month', phrase: 'last month', dates: last('month') },
  { id: 'this-quarter', label: 'This quarter', phrase: 'this quarter', dates: running('quarter') },
  { id: 'last-quarter', label: 'Last quarter', phrase: 'last quarter', dates: last('quarter') },
  { id: 'this-year', label: 'This year', phrase: 'this year', dates: running('year') },
  { id: 'last-year', label: 'Last year', phrase: 'last year', dates: last('year') },
] as const satisfies readonly PresetRow[];

export type Preset = (typeof TABLE)[number]['id'];

/** The named ranges, in the order of the menu. Every part of the app takes its texts from here. */
export const PRESETS: readonly (PresetRow & { readonly id: Preset })[] = TABLE;

/** @throws {RangeError} if no preset has this name. */
export function presetOf(id: Preset): PresetRow {
  const preset = PRESETS.find((row) => row.id === id);
  if (!preset) throw new RangeError(`expected the name of a preset, got "${String(id)}"`);
  return preset;
}

/**
 * The span of a preset.
 *
 * @param now - Epoch ms.
 * @param reach - The source's whole span, used for `all`.
 * @returns Whole local days, weeks, months, quarters or years of the zone; the current one runs to its end, in
 *   the future. `1h` and `24h` end with the current minute.
 * @throws {RangeError} if no preset has this name.
 */
export function presetSpan(
  preset: Preset,
  now: number,
  table: ZoneTable,
  weekStart: WeekStart,
  reach: Span,
): Span {
  const { dates, hours } = presetOf(preset);
  if (hours) return hours(now);
  if (!dates) return reach;
  const { start, end } = dates(startOf('day', wallTime(table, now)), weekStart);
  return { start: localInstant(table, start), end: localInstant(table, end) };
}

/** The presets of a row of buttons. */
export function presetButtons(
  on: 'toolbar' | 'plan',
): readonly { value: Preset; text: string; title: string }[] {
  return PRESETS.flatMap(({ id, label, button }) =>
    button?.on.includes(on) ? [{ value: id, text: button.text, title: label }] : [],
  );
}
