import { firstAfter } from '#core/time/edges.ts';
import { RESOLUTIONS, type Resolution, type WeekStart } from '#core/time/resolution.ts';
import { DAY_MS, HOUR_MS, MINUTE_MS, intersect, type Span } from '#core/time/span.ts';
import { sameBuckets, STATE, type Curve } from '#core/series/series.ts';
import { aboutBuckets, drawnResolution } from '#core/time/range.ts';

/** A part of the range, and the resolution of its buckets. */
export interface Detail {
  readonly span: Span;
  readonly resolution: Resolution;
}

/** Buckets that are shown. */
export interface ShownBuckets {
  readonly bounds: Float64Array;
  readonly resolution: Resolution;
}

/** The most buckets shown for a zoom: more take seconds and megabytes. */
const MOST_BUCKETS = 200_000;

/** The step to which the part is rounded outward, so that a small move needs no new load. */
const STEP_MS: Partial<Record<Resolution, number>> = {
  minute: HOUR_MS,
  hour: DAY_MS,
};

/** True if buckets of one resolution are shorter than those of another. */
export function finer(resolution: Resolution, other: Resolution): boolean {
  return RESOLUTIONS.indexOf(resolution) < RESOLUTIONS.indexOf(other);
}

/**
 * The buckets for a zoom, with as much again on either side to move into.
 *
 * @param fine - `auto` takes the resolution that fits the zoom.
 * @returns Null if they are no finer than `coarse`, or too many to show.
 */
export function detailOf(at: {
  readonly zoom: Span;
  readonly range: Span;
  readonly coarse: Resolution;
  readonly fine: Resolution | 'auto';
  readonly zone: string;
  readonly weekStart: WeekStart;
  readonly narrow?: boolean;
}): Detail | null {
  const { zoom, range, coarse, fine, narrow = false } = at;
  const resolution = fine === 'auto' ? drawnResolution(zoom, narrow) : fine;
  if (!finer(resolution, coarse) || aboutBuckets(zoom, resolution) > MOST_BUCKETS) {
    return null;
  }
  const width = zoom.end - zoom.start;
  const step = STEP_MS[resolution] ?? 7 * DAY_MS;
  // Rounded by the width, so that turning the wheel loads a few parts, not one for each turn.
  const unit = Math.max(step, 2 ** Math.ceil(Math.log2(Math.max(width, MINUTE_MS) / step)) * step);
  const span = intersect(range, {
    start: (Math.floor(zoom.start / unit) - 1) * unit,
    end: (Math.ceil(zoom.end / unit) + 1) * unit,
  });
  return span && { span, resolution };
}

/** The resolution of buckets, by how long they are (days of 21 to 27 hours, months of 28 to 31 days). */
export function resolutionOf(bounds: Float64Array): Resolution {
  const middle = Math.floor((bounds.length - 1) / 2);
  const width = (bounds[middle + 1] ?? 0) - (bounds[middle] ?? 0);
  if (width <= MINUTE_MS) return 'minute';
  if (width <= 2 * HOUR_MS) return 'hour';
  if (width <= 2 * DAY_MS) return 'day';
  if (width <= 8 * DAY_MS) return 'week';
  if (width <= 32 * DAY_MS) return 'month';
  return width <= 93 * DAY_MS ? 'quarter' : 'year';
}

/** True if a curve knows every bucket of a window that has begun, but for those that its source does not cover. */
function covers({ bounds, states }: Curve, window: Span, now: number): boolean {
  const until = Math.min(window.end, now);
  if (!((bounds[0] ?? Infinity) <= window.start && (bounds.at(-1) ?? 0) >= until)) return false;
  for (let i = firstAfter(bounds, window.start); (bounds[i] ?? Infinity) < until; i += 1) {
    if ((states[i] ?? 0) < STATE.uncovered) return false;
  }
  return true;
}

/**
 * The finer buckets that all curves share over a window; null if one has none, has others, or lacks a part of
 * the window that can be fetched.
 *
 * @param coarse - The resolution that they must be finer than.
 */
export function detailShown(
  curves: readonly (Curve | null)[],
  window: Span,
  now: number,
  coarse: Resolution,
): ShownBuckets | null {
  const [first] = curves;
  if (!first) return null;
  const { bounds } = first;
  const same = curves.every(
    (curve) => curve && sameBuckets(curve, first) && covers(curve, window, now),
  );
  const resolution = resolutionOf(bounds);
  return same && finer(resolution, coarse) ? { bounds, resolution } : null;
}
