import type { Resolution } from '#core/time/resolution.ts';
import { DAY_MS, type Span } from '#core/time/span.ts';
import {
  localDate,
  localDayStart,
  localInstant,
  offsetAt,
  stretchAt,
  type LocalDate,
  type ZoneTable,
} from '#core/time/zone.ts';

/** The earlier time that a span is held against: the one just before, the latest that is whole weeks before, a year before. */
export const EARLIER = ['previous', 'weekdays', 'year'] as const;
export type Earlier = (typeof EARLIER)[number];

const WEEK_MS = 7 * DAY_MS;

function utcOf({ year, month, day }: LocalDate): number {
  return Date.UTC(year, month - 1, day);
}

function moved(date: LocalDate, days: number): LocalDate {
  return { ...date, day: date.day + days };
}

/** The same date a year before; of 29 February 28 February. */
function yearBefore({ year, month, day }: LocalDate): LocalDate {
  return { year: year - 1, month, day: month === 2 ? Math.min(day, 28) : day };
}

function isDayStart(table: ZoneTable, instant: number): boolean {
  return localDayStart(table, localDate(table, instant)) === instant;
}

function earlierDays(span: Span, earlier: Earlier, table: ZoneTable): Span {
  const start = localDate(table, span.start);
  const end = localDate(table, span.end);
  const days = (utcOf(end) - utcOf(start)) / DAY_MS;
  if (earlier === 'weekdays') {
    const back = Math.ceil(days / 7) * 7;
    return {
      start: localDayStart(table, moved(start, -back)),
      end: localDayStart(table, moved(end, -back)),
    };
  }
  if (earlier === 'year') {
    const last = new Date(utcOf(end) - DAY_MS);
    const lastDate = {
      year: last.getUTCFullYear(),
      month: last.getUTCMonth() + 1,
      day: last.getUTCDate(),
    };
    return {
      start: localDayStart(table, yearBefore(start)),
      end: localDayStart(table, moved(yearBefore(lastDate), 1)),
    };
  }
  const months = (end.year - start.year) * 12 + end.month - start.month;
  const first =
    start.day === 1 && end.day === 1
      ? { ...start, month: start.month - months }
      : moved(start, -days);
  return { start: localDayStart(table, first), end: span.start };
}

/**
 * The earlier span that a span is held against, by the zone's own calendar.
 *
 * A span of whole local days stays one: `previous` is as many days before it, and of whole months (so of
 * quarters and years) as many months; `weekdays` is moved by the fewest whole weeks that clear it; `year` has
 * the same first and last date a year before, of 29 February 28 February. Any other span: `previous` is as
 * long before it in time; the other two keep the time of day and the length that the clock shows.
 *
 * @param table - The zone, reaching over both spans.
 * @returns The span, which may lie before what a source reaches and, of `year`, overlap a span longer than a
 *   year; null where the zone's clock skipped all of it.
 * @throws {RangeError} if the span is empty.
 */
export function earlierSpan(span: Span, earlier: Earlier, table: ZoneTable): Span | null {
  if (!(span.start < span.end)) {
    throw new RangeError(
      `expected a span that ends after its start, got ${span.start}–${span.end}`,
    );
  }
  const found =
    isDayStart(table, span.start) && isDayStart(table, span.end)
      ? earlierDays(span, earlier, table)
      : earlierClock(span, earlier, table);
  return found.start < found.end ? found : null;
}

function earlierClock(span: Span, earlier: Earlier, table: ZoneTable): Span {
  const elapsed = span.end - span.start;
  if (earlier === 'previous') return { start: span.start - elapsed, end: span.start };
  const wall = span.start + offsetAt(table, span.start);
  const shown = span.end + offsetAt(table, span.end) - wall;
  // The clock, turned back, may show the end before the start.
  const length = shown > 0 ? shown : elapsed;
  const day = Math.floor(wall / DAY_MS) * DAY_MS;
  const start =
    earlier === 'year'
      ? utcOf(yearBefore(localDate(table, span.start))) + wall - day
      : wall - Math.ceil(length / WEEK_MS) * WEEK_MS;
  return { start: localInstant(table, start), end: localInstant(table, start + length) };
}

/** Goes through buckets by what the zone's clock shows at their start. */
class LocalWalk {
  index = -1;
  /** Local time at the start as if it were UTC; of days their date. */
  at = NaN;
  /** Whether the clock had already shown this time: it was turned back. */
  again = false;
  readonly #bounds: Float64Array;
  readonly #table: ZoneTable;
  readonly #byDate: boolean;
  #stretch: number;
  /** The stretch's offset and end. */
  #offset = 0;
  #until = -Infinity;
  #shown = -Infinity;

  constructor(bounds: Float64Array, table: ZoneTable, byDate: boolean) {
    this.#bounds = bounds;
    this.#table = table;
    this.#byDate = byDate;
    this.#stretch = stretchAt(table, bounds[0] ?? 0);
  }

  /** Goes to the next bucket; false after the last. */
  next(): boolean {
    if (this.index + 2 >= this.#bounds.length) return false;
    this.index++;
    const start = this.#bounds[this.index] ?? 0;
    if (start >= this.#until) {
      const { starts, offsets } = this.#table;
      while ((starts[this.#stretch + 1] ?? Infinity) <= start) this.#stretch++;
      this.#offset = offsets[this.#stretch] ?? 0;
      this.#until = starts[this.#stretch + 1] ?? Infinity;
    }
    const wall = start + this.#offset;
    if (this.#byDate) {
      this.at = Math.floor(wall / DAY_MS) * DAY_MS;
      return true;
    }
    this.at = wall;
    this.again = wall < this.#shown;
    const end = wall + (this.#bounds[this.index + 1] ?? 0) - start;
    if (end > this.#shown) this.#shown = end;
    return true;
  }

  /** Goes to the next bucket that shows a time for the first time, or again, from `at` on; whether it shows `at`. */
  reach(at: number, again: boolean): boolean {
    while (this.index < 0 || this.again !== again || this.at < at) if (!this.next()) return false;
    return this.at === at;
  }
}

/** Moves a local time a year back by its date; reckons each date once. */
function byDates(): (at: number) => number {
  let day = NaN;
  let back = 0;
  return (at) => {
    if (Math.floor(at / DAY_MS) !== day) {
      day = Math.floor(at / DAY_MS);
      const date = new Date(day * DAY_MS);
      const local = {
        year: date.getUTCFullYear(),
        month: date.getUTCMonth() + 1,
        day: date.getUTCDate(),
      };
      back = day * DAY_MS - utcOf(yearBefore(local));
    }
    return at - back;
  };
}

/**
 * Which earlier bucket is drawn under which.
 *
 * Minutes, hours and days stand over what the clock showed as far into the earlier span (`year`, of whole
 * days: on the same date), so that a change of the clock shifts nothing: an hour shown twice has one that was
 * too, or none; days that the shorter month lacks have none; 29 February has 28 February if that is free.
 * Weeks and longer, and spans that begin at different times of day, go by their order.
 *
 * @param bounds - Edges of the buckets in view, as `boundaries` gives them for the span or a curve has them.
 * @param earlierBounds - The same of {@link earlierSpan}.
 * @param table - The zone, reaching over both.
 * @returns Per bucket the number of the earlier one or -1. Those that are not -1 ascend; none comes twice.
 */
export function alignEarlier(
  bounds: Float64Array,
  earlierBounds: Float64Array,
  earlier: Earlier,
  resolution: Resolution,
  table: ZoneTable,
): Int32Array {
  const size = Math.max(0, bounds.length - 1);
  const sizeEarlier = Math.max(0, earlierBounds.length - 1);
  const out = new Int32Array(size).fill(-1);
  if (size === 0 || sizeEarlier === 0) return out;
  const byDate = resolution === 'day';
  const view = new LocalWalk(bounds, table, byDate);
  const firsts = new LocalWalk(earlierBounds, table, byDate);
  const agains = new LocalWalk(earlierBounds, table, byDate);
  view.next();
  firsts.next();
  const fine = byDate || resolution === 'hour' || resolution === 'minute';
  const wholeDays = isDayStart(table, bounds[0] ?? 0) && isDayStart(table, bounds[size] ?? 0);
  const apart = view.at - firsts.at;
  const days = Math.round(apart / DAY_MS) * DAY_MS;
  // Whole days apart on the calendar, though the clock may have skipped the first time of either span.
  const byClock = fine && (apart === days || wholeDays || earlier !== 'previous');
  if (!byClock) {
    for (let i = 0; i < size && i < sizeEarlier; i++) out[i] = i;
    return out;
  }
  const sameDates = earlier === 'year' && wholeDays;
  const back = sameDates ? byDates() : (at: number): number => at - days;
  let free = 0;
  do {
    const walk = view.again ? agains : firsts;
    if (walk.reach(back(view.at), view.again) && walk.index >= free) {
      out[view.index] = walk.index;
      free = walk.index + 1;
    }
  } while (view.next());
  return out;
}

/** Earlier values in the places of the buckets that they are drawn under; NaN where there is none. */
export function placed(values: Float64Array, aligned: Int32Array): Float64Array {
  const out = new Float64Array(aligned.length);
  for (let i = 0; i < out.length; i++) out[i] = values[aligned[i] ?? -1] ?? NaN;
  return out;
}
