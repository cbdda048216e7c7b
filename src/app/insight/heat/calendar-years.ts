import type { Formatter } from '#app/format/formatter.ts';
import { sliceOf } from '#core/series/basis.ts';
import { calendar } from '#core/series/calendar.ts';
import { STATE, type Curve } from '#core/series/series.ts';
import { bucketsIn } from '#core/series/window.ts';
import type { WeekStart } from '#core/time/resolution.ts';
import { intersect, type Span } from '#core/time/span.ts';
import { localDate, type ZoneTable } from '#core/time/zone.ts';
import { shade } from './colour-scale.ts';

/** A day of the calendar. */
export interface DayCell {
  readonly span: Span;
  /** `Mon, 4 May 2026: 1,204 Posts, not over yet`. */
  readonly title: string;
  readonly kind: 'known' | 'partial' | 'missing' | 'uncovered' | 'future';
  /** 0 to 1; NaN without a value. */
  readonly level: number;
  /** True if the day to the left, or above, belongs to another month. */
  readonly edgeBefore: boolean;
  readonly edgeAbove: boolean;
  /** True if the chart's zoom includes it. */
  readonly inView: boolean;
}

/** A year of days: weeks from the left, weekdays from the top; null for places without a day. */
export interface CalendarYear {
  readonly year: number;
  readonly weeks: number;
  readonly rows: readonly (readonly (DayCell | null)[])[];
  /** The months, and how many weeks wide their names are. */
  readonly months: readonly {
    readonly name: string;
    readonly column: number;
    readonly weeks: number;
  }[];
}

/** The facts on which the layout of a calendar depends. */
export interface CalendarOf {
  readonly table: ZoneTable;
  readonly weekStart: WeekStart;
  readonly now: number;
  /** The chart's zoom; null if the whole range is in view. */
  readonly zoom: Span | null;
}

/** Indexes of the buckets that begin a year, and the index after the last bucket. */
function yearStarts({ bounds, counts }: Curve, table: ZoneTable): number[] {
  const out: number[] = [];
  let before = Number.NaN;
  for (let i = 0; i < counts.length; i += 1) {
    const { year } = localDate(table, bounds[i] ?? 0);
    if (year !== before) out.push(i);
    before = year;
  }
  return [...out, counts.length];
}

const NOTES = {
  known: '',
  partial: ', not all of it',
  missing: 'not known',
  uncovered: 'no data',
  future: 'not yet',
} as const;

/** The highest count of any day. */
export function mostOf({ counts }: Curve): number {
  let most = 0;
  for (const count of counts) if (count > most) most = count;
  return most;
}

/**
 * The years of a daily curve, each laid out by weeks and weekdays, newest first.
 *
 * @param value - Formats a value with its unit.
 * @throws {RangeError} as {@link calendar}.
 */
export function calendarYears(
  curve: Curve,
  of: CalendarOf,
  value: (value: number) => string,
  format: Formatter,
): CalendarYear[] {
  const { table, weekStart, now, zoom } = of;
  const most = mostOf(curve);
  const starts = yearStarts(curve, table);
  return starts
    .slice(0, -1)
    .map((first, i) => {
      const span = {
        start: curve.bounds[first] ?? 0,
        end: curve.bounds[starts[i + 1] ?? first] ?? 0,
      };
      const year = sliceOf(curve, bucketsIn(curve.bounds, span.start, span.end));
      const laid = calendar(year, table, weekStart, now);
      const rows = Array.from({ length: 7 }, () =>
        Array.from({ length: laid.weeks }, (): DayCell | null => null),
      );
      for (const { date, bucket, column, row, count, state } of laid.days) {
        const [start = 0, end = 0] = year.bounds.subarray(bucket, bucket + 2);
        const kind =
          state === 'ahead'
            ? 'future'
            : state === 'uncovered'
              ? 'uncovered'
              : STATE[state] < STATE.partial
                ? 'missing'
                : state === 'partial'
                  ? 'partial'
                  : 'known';
        const text = kind === 'known' || kind === 'partial' ? value(count) : '';
        const line = rows[row];
        if (!line) continue;
        line[column] = {
          span: { start, end },
          title: `${format.bucket(start, end, 'day')}: ${text}${NOTES[kind]}`,
          kind,
          level: kind === 'future' ? Number.NaN : shade(count, most),
          edgeBefore: date.day <= 7 && column > 0,
          edgeAbove: date.day === 1 && row > 0,
          inView: zoom !== null && intersect(zoom, { start, end }) !== null,
        };
      }
      // A name starts at the first week that begins in its month, so that names never overlap.
      const named = laid.months.map(({ month, column, row }) => ({
        name: format.month(month),
        column: row === 0 || column === 0 ? column : column + 1,
      }));
      const months = named.map(({ name, column }, k) => ({
        name,
        column,
        weeks: (named[k + 1]?.column ?? laid.weeks) - column,
      }));
      const { year: number } = localDate(table, span.start);
      return {
        year: number,
        weeks: laid.weeks,
        rows,
        months: months.filter(({ weeks }) => weeks > 0),
      };
    })
    .toReversed();
}

/** The position of a day: weekday and week. */
export interface DayPlace {
  readonly row: number;
  readonly column: number;
}

/** Days each arrow key moves by. */
const STEPS: Readonly<Record<string, number>> = {
  ArrowUp: -1,
  ArrowDown: 1,
  ArrowLeft: -7,
  ArrowRight: 7,
};

/** The day an arrow key moves to; null for other keys, or if there is no such day. */
export function neighbouringDay(year: CalendarYear, from: DayPlace, key: string): DayPlace | null {
  const step = STEPS[key];
  if (step === undefined) return null;
  const place = from.column * 7 + from.row + step;
  if (place < 0) return null;
  const next = { row: place % 7, column: Math.floor(place / 7) };
  const day = year.rows[next.row]?.[next.column];
  return day && day.kind !== 'future' ? next : null;
}
