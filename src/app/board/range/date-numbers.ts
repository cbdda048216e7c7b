import type { DateContext, DatePart } from './date-context.ts';

const YEAR_FIRST = /^(\d{4})(?:[-/.] ?|年)(\d{1,2})(?:(?:[-/.] ?|月)(\d{1,2}))?[.日月]?$/;
const MONTH_DAY = /^(?:(\d{1,2})月)?(?:(\d{1,2})日)?$/;
const YEAR_LAST = /^(\d{1,2})([-/.]) ?(\d{1,2})\2 ?(\d{4}|\d{2})$/;
const WITHOUT_YEAR = /^(\d{1,2})[/.] ?(\d{1,2})\.?$/;
const MONTH_YEAR = /^(\d{1,2})[-/.] ?(\d{4})$/;

const optional = (text: string | undefined): number | undefined =>
  text === undefined ? undefined : Number(text);

/** The years that two digits can mean: from the first Posts to the next year. */
function fullYear(text: string, now: number): number | null {
  const year = text.length === 2 ? 2000 + Number(text) : Number(text);
  return text.length === 4 || (year >= 2006 && year <= new Date(now).getUTCFullYear() + 1)
    ? year
    : null;
}

/** Two numbers as day and month; null where the order does not allow them. */
function inOrder(
  a: number,
  b: number,
  order: DateContext['order'],
): { day: number; month: number } | null {
  const first = order === 'day-month' || (order === 'any' && a > 12);
  const [day, month] = first ? [a, b] : [b, a];
  return month >= 1 && month <= 12 && day >= 1 && day <= 31 ? { day, month } : null;
}

/** A date of numbers. */
export function numericDate(text: string, { order, now }: DateContext): DatePart | null {
  const [, year, month, day] = YEAR_FIRST.exec(text) ?? [];
  if (year) return { kind: 'date', year: Number(year), month: Number(month), day: optional(day) };
  const [, theMonth, theDay] = MONTH_DAY.exec(text) ?? [];
  if (theMonth ?? theDay) return { kind: 'date', month: optional(theMonth), day: optional(theDay) };
  const [, only, of] = MONTH_YEAR.exec(text) ?? [];
  if (only) return { kind: 'date', year: Number(of), month: Number(only) };
  const [, a, , b, typed] = YEAR_LAST.exec(text) ?? [];
  if (a) {
    const found = inOrder(Number(a), Number(b), order);
    const full = fullYear(typed ?? '', now);
    return found && full !== null ? { kind: 'date', year: full, ...found } : null;
  }
  const [, c, d] = WITHOUT_YEAR.exec(text) ?? [];
  const found = c ? inOrder(Number(c), Number(d), order) : null;
  return found && { kind: 'date', ...found };
}
