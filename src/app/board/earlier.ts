import type { Comparison } from '#app/chart/form.ts';
import type { Resolution, WeekStart } from '#core/time/resolution.ts';
import { ARCHIVE_START, type Span } from '#core/time/span.ts';
import type { ZoneTable } from '#core/time/zone.ts';

/** An earlier time, cut as what is held against it. */
export interface Earlier {
  readonly span: Span;
  readonly resolution: Resolution;
}

/**
 * The time that a stretch is held against: the one chosen, else the period before.
 *
 * @returns Null where some of it lies before the archive.
 */
export function earlierOf(
  span: Span,
  at: {
    readonly comparison: Comparison;
    readonly table: ZoneTable;
    readonly weekStart: WeekStart;
    readonly now: number;
    readonly resolution: Resolution;
  },
): Earlier | null {
  const width = span.end - span.start;
  const earlier = { start: span.start - width, end: span.start };
  return earlier.start < ARCHIVE_START ? null : { span: earlier, resolution: at.resolution };
}
