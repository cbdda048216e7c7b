import { add } from '#core/time/calendar.ts';
import type { Resolution } from '#core/time/resolution.ts';
import { DAY_MS } from '#core/time/span.ts';
import { stretchAt, type ZoneTable } from '#core/time/zone.ts';
import { isDayStart, WEEK_MS, type Alignment } from './comparison.ts';
import type { Curve } from './series.ts';

/** Walks through buckets by the wall time at their start. */
class LocalWalk {
  index = -1;
  /** Wall time at the start; of days their date. */
  at = NaN;
  /** True if the clock had already shown this time, because it was turned back. */
  again = false;
  readonly #bounds: Float64Array;
  readonly #table: ZoneTable;
  readonly #byDate: boolean;
  #stretch: number;
  /** Offset and end of the stretch. */
  #offset = 0;
  #until = -Infinity;
  #shown = -Infinity;

  constructor(bounds: Float64Array, table: ZoneTable, byDate: boolean) {
    this.#bounds = bounds;
    this.#table = table;
    this.#byDate = byDate;
    this.#stretch = stretchAt(table, bounds[0] ?? 0);
  }

  /** Moves to the next bucket; false after the last. */
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

  /**
   * Moves to the first bucket from `at` on that shows its time first, or again; returns whether it
   * shows `at`.
   */
  reach(at: number, again: boolean): boolean {
    while (this.index < 0 || this.again !== again || this.at < at) if (!this.next()) return false;
    return this.at === at;
  }
}

/** Moves a wall time years back by its date, 29 February to 28 February if need be; computes each date once. */
function byDates(years: number): (at: number) => number {
  let day = NaN;
  let back = 0;
  return (at) => {
    if (Math.floor(at / DAY_MS) !== day) {
      day = Math.floor(at / DAY_MS);
      back = day * DAY_MS - add('year', day * DAY_MS, -years);
    }
    return at - back;
  };
}

/**
 * Decides which earlier bucket is drawn under which.
 *
 * Minutes, hours and days are aligned by wall time, equally far into both spans (for `year` with whole
 * days: by date; for `weekdays` and `weeks`: by weekday), so that a clock change shifts nothing. An hour shown twice matches one that was too,
 * or none. Days that the shorter month lacks match none; 29 February matches 28 February if that is
 * free. Weeks and longer, `elapsed`, and spans that begin at different times of day, are aligned by order.
 *
 * @param bounds - Edges of the buckets in view, from `boundaries` or a curve.
 * @param earlierBounds - The same of the earlier span.
 * @param table - The zone, covering both.
 * @param times - The number of years between the two, for `year`.
 * @returns For each bucket the number of the earlier one or -1. All but -1 ascend, without repeats.
 */
export function alignEarlier(
  bounds: Float64Array,
  earlierBounds: Float64Array,
  earlier: Alignment,
  resolution: Resolution,
  table: ZoneTable,
  times = 1,
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
  const distance = view.at - firsts.at;
  const whole = Math.round(distance / DAY_MS) * DAY_MS;
  const weekly = earlier === 'weekdays' || earlier === 'weeks';
  // Where the zone skipped the first earlier day (Apia, 30 December 2011), the span begins a day late.
  const days = weekly ? Math.ceil(whole / WEEK_MS) * WEEK_MS : whole;
  // Whole days apart on the calendar, even if the clock skipped the first time of either span.
  const byClock =
    fine && earlier !== 'elapsed' && (distance === whole || wholeDays || earlier !== 'previous');
  if (!byClock) {
    for (let i = 0; i < size && i < sizeEarlier; i++) out[i] = i;
    return out;
  }
  const sameDates = earlier === 'year' && wholeDays;
  const back = sameDates ? byDates(times) : (at: number): number => at - days;
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

/** Earlier values at the positions of the buckets they are drawn under; NaN where there is none. */
export function placed(values: Curve['counts'], aligned: Int32Array): Float64Array {
  const out = new Float64Array(aligned.length);
  for (let i = 0; i < out.length; i++) out[i] = values[aligned[i] ?? -1] ?? NaN;
  return out;
}
