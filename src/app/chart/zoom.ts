import { MINUTE_MS, type Span } from '#core/time/span.ts';

/** Narrowest window that a zoom reaches. */
export const NARROWEST_MS = 5 * MINUTE_MS;

/** A window moved, not resized, so that it lies in `range`; one wider than the range becomes the range. */
function within(window: Span, range: Span): Span {
  const width = window.end - window.start;
  if (width >= range.end - range.start) return range;
  if (window.start < range.start) return { start: range.start, end: range.start + width };
  if (window.end > range.end) return { start: range.end - width, end: range.end };
  return window;
}

/**
 * The window after zooming about an instant, which stays at its place on the screen.
 *
 * @param factor - Below 1 zooms in, above 1 out.
 */
export function zoomAbout(window: Span, range: Span, at: number, factor: number): Span {
  const width = window.end - window.start;
  const full = range.end - range.start;
  const next = Math.min(full, Math.max(Math.min(NARROWEST_MS, full), width * factor));
  const share = width > 0 ? (at - window.start) / width : 0.5;
  const start = at - share * next;
  return within({ start, end: start + next }, range);
}

/** The window moved by a share of its width; it stops at the ends of the range. */
export function panBy(window: Span, range: Span, share: number): Span {
  const by = (window.end - window.start) * share;
  return within({ start: window.start + by, end: window.end + by }, range);
}

/** Two instants in any order as a window inside the range, or null where they are too close to mean one. */
export function windowOf(a: number, b: number, range: Span): Span | null {
  const start = Math.max(range.start, Math.min(a, b));
  const end = Math.min(range.end, Math.max(a, b));
  return end - start < Math.min(NARROWEST_MS, range.end - range.start) ? null : { start, end };
}

/** The window as it is kept: on whole minutes outward, or null where it is the whole range. */
export function settled(window: Span, range: Span): Span | null {
  const start = Math.max(range.start, Math.floor(window.start / MINUTE_MS) * MINUTE_MS);
  const end = Math.min(range.end, Math.ceil(window.end / MINUTE_MS) * MINUTE_MS);
  return start <= range.start && end >= range.end ? null : { start, end };
}
