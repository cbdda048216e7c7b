/** A half-open stretch of time `[start, end)` in epoch milliseconds UTC. */
export interface Span {
  readonly start: number;
  readonly end: number;
}

/** @throws {@link RangeError} for a span that does not end after its start. */
export function checkSpan({ start, end }: Span): void {
  if (start < end) return;
  throw new RangeError(`expected a span that ends after its start, got ${start}–${end}`);
}

export const SECOND_MS = 1_000;
export const MINUTE_MS = 60_000;
export const HOUR_MS = 3_600_000;
export const DAY_MS = 86_400_000;

/**
 * First instant of the archive, 2006-03-21T00:00Z (platform-facts 1.7: bound of `start_time` on
 * counts/all).
 */
export const ARCHIVE_START = Date.UTC(2006, 2, 21);

/** All time that Posts may have, with room for clocks that are fast. */
export const ALL_TIME: Span = { start: ARCHIVE_START, end: 2 ** 32 * 1000 };

/** Maximum number of days in one page of counts, at every granularity (specification, Post counts). */
export const PAGE_DAYS = 31;

/** Length of a cell, the unit in which counts are stored: 31 days counted from {@link ARCHIVE_START}. */
export const CELL_MS = PAGE_DAYS * DAY_MS;

/** Number of the cell that contains an instant; cell 0 begins at {@link ARCHIVE_START}. */
export function cellOf(instant: number): number {
  return Math.floor((instant - ARCHIVE_START) / CELL_MS);
}

export function cellSpan(cell: number): Span {
  const start = ARCHIVE_START + cell * CELL_MS;
  return { start, end: start + CELL_MS };
}

/** The common part of two spans, or null if they do not overlap. */
export function intersect(a: Span, b: Span): Span | null {
  const start = Math.max(a.start, b.start);
  const end = Math.min(a.end, b.end);
  return start < end ? { start, end } : null;
}

/**
 * The fewest disjoint spans that cover the same time, ascending; touching spans are joined, empty ones
 * dropped.
 */
export function union(spans: readonly Span[]): Span[] {
  const sorted = spans.filter((s) => s.start < s.end).sort((a, b) => a.start - b.start);
  const out: { start: number; end: number }[] = [];
  for (const span of sorted) {
    const last = out.at(-1);
    if (last && span.start <= last.end) last.end = Math.max(last.end, span.end);
    else out.push({ start: span.start, end: span.end });
  }
  return out;
}

/** True if a span lies in another. */
export const within = (inner: Span, outer: Span): boolean =>
  inner.start >= outer.start && inner.end <= outer.end;

/** Spans without the parts that others cover; all of them ascending. */
export function without(spans: readonly Span[], covered: readonly Span[]): Span[] {
  const out: Span[] = [];
  let first = 0;
  for (const { start, end } of spans) {
    while ((covered[first]?.end ?? Infinity) <= start) first += 1;
    let from = start;
    for (let i = first; from < end; i += 1) {
      const next = covered[i];
      const to = Math.min(end, next?.start ?? end);
      if (from < to) out.push({ start: from, end: to });
      if (!next || next.start >= end) break;
      from = Math.max(from, next.end);
    }
  }
  return out;
}
