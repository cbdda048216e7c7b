import type { Formatter } from '#app/format/formatter.ts';
import { nounFor } from '#core/format/plural.ts';
import { sliceOf } from '#core/series/basis.ts';
import { heatMap } from '#core/series/heat-map.ts';
import type { Curve } from '#core/series/series.ts';
import { bucketsIn } from '#core/series/window.ts';
import type { WeekStart } from '#core/time/resolution.ts';
import { DAY_MS, type Span } from '#core/time/span.ts';
import type { ZoneTable } from '#core/time/zone.ts';
import { shade } from './colour-scale.ts';

/** An hour of a weekday. */
export interface HeatCell {
  readonly hour: number;
  /** Posts per occurrence, short; a dash if the hour was never complete. */
  readonly text: string;
  /** The number of occurrences: `52 times`. */
  readonly times: string;
  /** `Mon 09–10: 1,204 Posts on average, 52 times`. */
  readonly title: string;
  /** 0 to 1; NaN without a value. */
  readonly level: number;
}

export interface HeatRow {
  readonly day: string;
  readonly cells: readonly HeatCell[];
  /** Posts of the weekday in complete hours. */
  readonly sum: string;
}

/** An hour × weekday map as a table. */
export interface HeatTable {
  readonly rows: readonly HeatRow[];
  /** Posts by hour, and all of them, in complete hours. */
  readonly sums: readonly string[];
  readonly total: string;
  /** The highest mean; 0 if there is none. */
  readonly most: number;
  /** The sentence about hours in view that are left out, also of the totals; empty if none are. */
  readonly leftOut: string;
}

/** Names of the weekdays, from the first day of the week. @param name - Names the UTC weekday of an instant. */
export function weekdays(weekStart: WeekStart, name: (utc: number) => string): string[] {
  // 1970-01-04 was a Sunday.
  return Array.from({ length: 7 }, (_, i) => name((3 + weekStart + i) * DAY_MS));
}

/** `09–10`. */
export function hourName(hour: number): string {
  const two = (value: number): string => String(value).padStart(2, '0');
  return `${two(hour)}–${two(hour + 1)}`;
}

function omittedText(hours: number, format: Formatter): string {
  if (hours === 0) return '';
  const [are, is] = hours === 1 ? ['is', 'it is'] : ['are', 'they are'];
  return `${format.mean(hours)} ${nounFor(hours, 'hour')} ${are} left out, because ${is} not complete.`;
}

/**
 * Posts by hour and weekday of a window, as a table.
 *
 * @param curve - By hours of the zone or by minutes.
 * @param days - Names of the weekdays in the order of the week.
 * @throws {RangeError} as {@link heatMap}.
 */
export function heatTable(
  curve: Curve,
  of: {
    readonly window: Span;
    readonly table: ZoneTable;
    readonly weekStart: WeekStart;
    readonly now: number;
  },
  days: readonly string[],
  format: Formatter,
): HeatTable {
  const { sums, occurrences, means, leftOut } = heatMap(
    sliceOf(curve, bucketsIn(curve.bounds, of.window.start, of.window.end)),
    of.table,
    of.weekStart,
    of.now,
  );
  const most = means.reduce((high, mean) => (mean > high ? mean : high), 0);
  // The same number of decimals everywhere, so that cells compare by eye.
  const decimals = most < 10 ? 2 : most < 100 ? 1 : 0;
  const sumOver = (cells: readonly number[]): string =>
    format.count(cells.reduce((sum, cell) => sum + (sums[cell] ?? 0), 0));
  const hours = Array.from({ length: 24 }, (_, hour) => hour);
  const rows = days.map((day, row) => ({
    day,
    sum: sumOver(hours.map((hour) => row * 24 + hour)),
    cells: hours.map((hour) => {
      const cell = row * 24 + hour;
      const [mean = Number.NaN, often = 0, out = 0] = [
        means[cell],
        occurrences[cell],
        leftOut[cell],
      ];
      const times = `${format.mean(often)} ${nounFor(often, 'time')}`;
      const incomplete = out > 0 ? `, ${format.mean(out)} more not complete` : '';
      const name = `${day} ${hourName(hour)}`;
      const none = Number.isNaN(mean);
      return {
        hour,
        text: none ? '–' : mean >= 10_000 ? format.short(mean) : format.fixed(mean, decimals),
        times: none ? 'never complete' : times,
        title: none
          ? `${name}: never complete`
          : `${name}: ${format.mean(mean)} Posts a time, ${times}${incomplete}`,
        level: shade(mean, most),
      };
    }),
  }));
  return {
    rows,
    sums: hours.map((hour) => sumOver(days.map((_, row) => row * 24 + hour))),
    total: sumOver(Array.from(sums.keys())),
    most,
    leftOut: omittedText(
      leftOut.reduce((sum, hour) => sum + hour, 0),
      format,
    ),
  };
}
