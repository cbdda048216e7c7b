import type { Granularity } from './bucket.ts';
import type { Resolution, WeekStart } from './resolution.ts';
import { DAY_MS, HOUR_MS, MINUTE_MS, type Span } from './span.ts';
import { localDate, localDayStart, stretchAt, type LocalDate, type ZoneTable } from './zone.ts';

/** The date on which the calendar bucket that holds `date` begins. */
function bucketDate(date: LocalDate, resolution: Resolution, weekStart: WeekStart): LocalDate {
  const { year, month, day } = date;
  if (resolution === 'year') return { year, month: 1, day: 1 };
  if (resolution === 'quarter') return { year, month: month - ((month - 1) % 3), day: 1 };
  if (resolution === 'month') return { year, month, day: 1 };
  if (resolution === 'week') {
    const weekday = new Date(Date.UTC(year, month - 1, day)).getUTCDay();
    return { year, month, day: day - ((weekday - weekStart + 7) % 7) };
  }
  return date;
}

/** The date on which the next calendar bucket begins. */
function nextDate({ year, month, day }: LocalDate, resolution: Resolution): LocalDate {
  if (resolution === 'year') return { year: year + 1, month, day };
  if (resolution === 'quarter') return { year, month: month + 3, day };
  if (resolution === 'month') return { year, month: month + 1, day };
  const next = new Date(Date.UTC(year, month - 1, day + (resolution === 'week' ? 7 : 1)));
  return { year: next.getUTCFullYear(), month: next.getUTCMonth() + 1, day: next.getUTCDate() };
}

/** Boundaries of the zone's clock hours strictly inside a span. A change of offset is one where either clock shows a full hour. */
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
 * The edges of a zone's own buckets over a span: days begin at the first instant of the local day, hours
 * where its clock shows a full hour, so that days of 23 or 25 hours and repeated hours come out as they are.
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
  if (!(span.start < span.end)) {
    throw new RangeError(
      `expected a span that ends after its start, got ${span.start}–${span.end}`,
    );
  }
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
    let date = bucketDate(localDate(table, span.start), resolution, weekStart);
    for (;;) {
      date = nextDate(date, resolution);
      const at = localDayStart(table, date);
      if (at >= span.end) break;
      push(at);
    }
  }
  out.push(span.end);
  return Float64Array.from(out);
}

/** Whether a bucket of the zone begins exactly here: the edge of a span that cuts none. */
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
 * edge, from the instants themselves and not from the zone's name (ledger rule 7).
 */
export function neededGranularity(edges: Float64Array): Granularity {
  let granularity: Granularity = 'day';
  for (const edge of edges) {
    if (edge % HOUR_MS !== 0) return 'minute';
    if (edge % DAY_MS !== 0) granularity = 'hour';
  }
  return granularity;
}
