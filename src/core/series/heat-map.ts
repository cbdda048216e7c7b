import { boundaries, isBoundary } from '#core/time/boundary.ts';
import { dayOfWeek } from '#core/time/calendar.ts';
import type { WeekStart } from '#core/time/resolution.ts';
import { DAY_MS, HOUR_MS, type Span } from '#core/time/span.ts';
import { stretchAt, type ZoneTable } from '#core/time/zone.ts';
import { STATE, stateOfParts, type Curve } from './series.ts';
import { bucketAt, bucketsIn } from './window.ts';

/** Cells of an hour × weekday map: 7 rows of 24 hours. */
export const HEAT_CELLS = 7 * 24;

/**
 * Posts by hour and weekday of a zone's clock; row r (0 is the first day of the week) and hour h are
 * cell `r * 24 + h`.
 */
export interface HeatMap {
  /** Posts in the complete hours. */
  readonly sums: Float64Array;
  /**
   * The number of complete occurrences of the cell, in hours of time: an hour that the clock shows twice counts
   * as two, one it skips as none, and a half hour (Lord Howe) as 0.5.
   */
  readonly occurrences: Float64Array;
  /** Posts per occurrence; NaN if the cell never occurred completely. */
  readonly means: Float64Array;
  /**
   * Hours before now that are left out of the cell, because a part is missing, cut by the range or
   * running; without those that the source does not cover.
   */
  readonly leftOut: Float64Array;
}

/**
 * The edges of a clock's hours, with extra edges where it changes within one (at 00:01 in Goose Bay
 * until 2011), and the changes that fall inside a bucket.
 */
function hoursOf(
  bounds: Float64Array,
  span: Span,
  table: ZoneTable,
  weekStart: WeekStart,
): { edges: Float64Array; blurred: number[] } {
  const hours = boundaries(span, 'hour', table, weekStart);
  const isEdge = (edges: Float64Array, at: number): boolean => edges[bucketAt(edges, at)] === at;
  const turns = [...table.starts].filter(
    (at) => span.start < at && at < span.end && !isEdge(hours, at),
  );
  const exact = turns.filter((at) => isEdge(bounds, at));
  return {
    edges: exact.length === 0 ? hours : Float64Array.from([...hours, ...exact]).sort(),
    blurred: turns.filter((at) => !isEdge(bounds, at)),
  };
}

/**
 * Sums a curve by hour and weekday. An hour lasts from one full hour, or change of the clock, to the
 * next. It counts only if the curve contains it completely, and its buckets are cut at the change.
 *
 * @param curve - Each bucket within one such hour: hours of the zone, or minutes.
 * @param table - The zone, covering the curve.
 * @param now - Hours that begin later are ignored.
 * @throws {RangeError} if a bucket spans two hours of the zone: coarser than hours, or hours of another
 *   zone (half-hour zones need minutes).
 */
export function heatMap(
  curve: Curve,
  table: ZoneTable,
  weekStart: WeekStart,
  now: number,
): HeatMap {
  const { bounds, counts, states } = curve;
  const sums = new Float64Array(HEAT_CELLS);
  const occurrences = new Float64Array(HEAT_CELLS);
  const leftOut = new Float64Array(HEAT_CELLS);
  const means = new Float64Array(HEAT_CELLS).fill(NaN);
  const { end } = bucketsIn(bounds, -Infinity, now);
  if (end === 0) return { sums, occurrences, means, leftOut };
  const span = { start: bounds[0] ?? 0, end: bounds[counts.length] ?? 0 };
  const { edges, blurred } = hoursOf(bounds, span, table, weekStart);
  const last = edges.length - 2;
  const isEdge = (at: number): boolean => isBoundary(at, 'hour', table, weekStart);
  const epochRow = dayOfWeek(0, weekStart);
  let stretch = stretchAt(table, span.start);
  let i = 0;
  for (let hour = 0; hour <= last && i < end; hour++) {
    const from = edges[hour] ?? 0;
    const to = edges[hour + 1] ?? 0;
    let sum = 0;
    let weakest: number = STATE.settled;
    let uncovered = 0;
    const firstPart = i;
    for (; i < counts.length && (bounds[i] ?? 0) < to; i++) {
      if ((bounds[i + 1] ?? 0) > to) {
        throw new RangeError(
          `expected buckets within hours of ${table.zone}, got one over ${new Date(to).toISOString()}: ask for hours of that zone or for minutes`,
        );
      }
      const state = states[i] ?? 0;
      if (state === STATE.uncovered) {
        uncovered++;
        continue;
      }
      sum += counts[i] ?? NaN;
      if (state < weakest) weakest = state;
    }
    weakest = stateOfParts(weakest, uncovered, i - firstPart);
    while ((table.starts[stretch + 1] ?? Infinity) <= from) stretch++;
    const local = from + (table.offsets[stretch] ?? 0);
    const day = Math.floor(local / DAY_MS);
    // Plain division instead of date-fns: twenty years have 175,000 hours.
    const row = (((day + epochRow) % 7) + 7) % 7;
    const cell = row * 24 + Math.floor((local - day * DAY_MS) / HOUR_MS);
    const length = (to - from) / HOUR_MS;
    const cut = (hour === 0 && !isEdge(from)) || (hour === last && !isEdge(to));
    const blur = blurred.some((at) => from < at && at < to);
    if (weakest === STATE.uncovered && i > firstPart) continue;
    if (cut || blur || weakest < STATE.provisional || sum !== sum) {
      leftOut[cell] = (leftOut[cell] ?? 0) + length;
    } else {
      sums[cell] = (sums[cell] ?? 0) + sum;
      occurrences[cell] = (occurrences[cell] ?? 0) + length;
    }
  }
  for (let cell = 0; cell < HEAT_CELLS; cell++) {
    const times = occurrences[cell] ?? 0;
    if (times > 0) means[cell] = (sums[cell] ?? 0) / times;
  }
  return { sums, occurrences, means, leftOut };
}
