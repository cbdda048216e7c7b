import { floorTo } from '#core/time/bucket.ts';
import { startOf } from '#core/time/calendar.ts';
import { DAY_MS, union, type Span } from '#core/time/span.ts';
import type { CachedSeries } from '#app/counts/cache/records.ts';

/** The known time of a series, over all its granularities. */
export interface SeriesCoverage {
  /** Ascending, disjoint. */
  readonly settled: readonly Span[];
  /** Known but fetched before it settled, so it will be fetched again. Ascending, disjoint, without settled time. */
  readonly provisional: readonly Span[];
  /** UTC days with known counts, and how many of them are not settled. */
  readonly days: number;
  readonly provisionalDays: number;
  /** From the first known instant to the last; null if nothing is known. */
  readonly span: Span | null;
}

/** The parts of `spans` outside `taken`; both ascending and disjoint. */
function without(spans: readonly Span[], taken: readonly Span[]): Span[] {
  const out: Span[] = [];
  for (const { start, end } of spans) {
    let from = start;
    for (const hole of taken) {
      if (hole.end <= from || hole.start >= end) continue;
      if (hole.start > from) out.push({ start: from, end: hole.start });
      from = Math.max(from, hole.end);
    }
    if (from < end) out.push({ start: from, end });
  }
  return out;
}

/** UTC days that spans touch. */
function daysOf(spans: readonly Span[]): number {
  const whole = union(
    spans.map(({ start, end }) => ({
      start: floorTo(start, 'day'),
      end: floorTo(end - 1, 'day') + DAY_MS,
    })),
  );
  return whole.reduce((sum, { start, end }) => sum + (end - start) / DAY_MS, 0);
}

/**
 * Sums up the known time of a series.
 *
 * @param settleMs - The time from the end of a UTC day until its counts are settled.
 */
export function seriesCoverage(
  coverage: CachedSeries['coverage'],
  settleMs: number,
): SeriesCoverage {
  const all = coverage.flatMap(({ known }) => known);
  const known = union(all.map(({ from, to }) => ({ start: from, end: to })));
  const settled = union(
    all.map(({ from, to, at }) => ({
      start: from,
      end: Math.min(to, floorTo(at - settleMs, 'day')),
    })),
  );
  const provisional = without(known, settled);
  const [first, last] = [known[0], known.at(-1)];
  return {
    settled,
    provisional,
    days: daysOf(known),
    provisionalDays: daysOf(provisional),
    span: first && last ? { start: first.start, end: last.end } : null,
  };
}

/** The SVG path of spans in a strip one unit high and `width` wide over `axis`, from `top` down to the bottom. */
export function stripPath(spans: readonly Span[], axis: Span, width: number, top: number): string {
  const x = (at: number): number =>
    Math.round(((at - axis.start) / (axis.end - axis.start)) * width * 100) / 100;
  return spans.map(({ start, end }) => `M${x(start)} ${top}H${x(end)}V1H${x(start)}Z`).join('');
}

/** One axis for all strips: from the year of the first known instant to now. */
export function stripAxis(coverages: readonly SeriesCoverage[], now: number): Span {
  const first = Math.min(now, ...coverages.flatMap(({ span }) => (span ? [span.start] : [])));
  return { start: startOf('year', first), end: now };
}
