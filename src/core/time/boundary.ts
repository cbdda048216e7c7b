import type { Granularity } from './bucket.ts';
import { add, startOf } from './calendar.ts';
import type { Resolution, WeekStart } from './resolution.ts';
import { checkSpan, DAY_MS, HOUR_MS, MINUTE_MS, type Span } from './span.ts';
import { localInstant, stretchAt, wallTime, type ZoneTable } from './zone.ts';

/**
 * Boundaries of the zone's clock hours strictly inside a span. A change of offset is one if either
 * clock shows a full hour.
 */
function hourBoundaries(span: Span, table: ZoneTable, push: (instant: number) => void): void {
  for (let i = stretchAt(table, span.start); i < table.starts.length; i++) {
    const start = Math.max(table.starts[i] ?? 0, span.start);
    const end = Math.min(table.starts[i + 1] ?? Infinity, span.end);
    if (start >= span.end) break;
    const offset = table.offsets[i] ?? 0;
    let at = Math.ceil((start + offset) / HOUR_MS) * HOUR_MS - offset;
    const before = table.offsets[i - 1];
    if (at !== start && before !== undefined && start === table.starts[i]) {
      if ((start + before) % HOUR_MS === 0) push(start);
    }
    for (; at < end; at += HOUR_MS) push(at);
  }
}

/**
 * The edges of a zone's buckets over a span: days begin at the first instant of the local day, hours
 * where the clock shows a full hour, so that days of 23 or 25 hours and repeated hours are as they
 * were.
 *
 * @param weekStart - First day of a week.
 * @returns Ascending instants in epoch ms: `span.start`, every boundary inside, `span.end`; bucket i is
 *   `[out[i], out[i + 1])`, the first and last cut by the span.
 * @throws {RangeError} if the span is empty.
 */
export function boundaries(
  span: Span,
  resolution: Resolution,
  table: ZoneTable,
  weekStart: WeekStart,
): Float64Array {
  checkSpan(span);
  const out = [span.start];
  const push = (instant: number): void => {
    if (instant > (out.at(-1) ?? 0) && instant < span.end) out.push(instant);
  };
  if (resolution === 'minute') {
    const first = Math.ceil((span.start + 1) / MINUTE_MS) * MINUTE_MS;
    const inside = Math.max(0, Math.ceil((span.end - first) / MINUTE_MS));
    const minutes = new Float64Array(inside + 2);
    minutes[0] = span.start;
    for (let i = 0; i < inside; i++) minutes[i + 1] = first + i * MINUTE_MS;
    minutes[inside + 1] = span.end;
    return minutes;
  }
  if (resolution === 'hour') hourBoundaries(span, table, push);
  else {
    let wall = startOf(resolution, wallTime(table, span.start), weekStart);
    for (;;) {
      // Wall time has no clock changes: all days are equally long, so none needs looking up.
      if (resolution === 'day') wall += DAY_MS;
      else if (resolution === 'week') wall += 7 * DAY_MS;
      else wall = add(resolution, wall, 1);
      const at = localInstant(table, wall);
      if (at >= span.end) break;
      push(at);
    }
  }
  out.push(span.end);
  return Float64Array.from(out);
}

/** True if a bucket of the zone begins exactly here, so that a span from or to here cuts none. */
export function isBoundary(
  instant: number,
  resolution: Resolution,
  table: ZoneTable,
  weekStart: WeekStart,
): boolean {
  return boundaries(
    { start: instant - 1, end: instant + 1 },
    resolution,
    table,
    weekStart,
  ).includes(instant);
}

/**
 * The coarsest granularity whose UTC buckets can be summed to these buckets: the one that divides every
 * edge, judged by the instants and not by the zone's name (ledger rule 7).
 */
export function neededGranularity(edges: Float64Array): Granularity {
  let granularity: Granularity = 'day';
  for (const edge of edges) {
    if (edge % HOUR_MS !== 0) return 'minute';
    if (edge % DAY_MS !== 0) granularity = 'hour';
  }
  return granularity;
}
