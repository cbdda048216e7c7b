import { MINUTE_MS, type Span } from '#core/time/span.ts';

/** Minimum length of a window. */
export const NARROWEST_MS = 5 * MINUTE_MS;

/** Moves a window into `range` without resizing it; a wider one becomes the range. */
function within(window: Span, range: Span): Span {
  const width = window.end - window.start;
  if (width >= range.end - range.start) return range;
  if (window.start < range.start) return { start: range.start, end: range.start + width };
  if (window.end > range.end) return { start: range.end - width, end: range.end };
  return window;
}

/**
 * Zooms around an instant, which stays at its position on the screen.
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

/** Moves the window by a share of its width, at most to the end of the range. */
export function panBy(window: Span, range: Span, share: number): Span {
  const by = (window.end - window.start) * share;
  return within({ start: window.start + by, end: window.end + by }, range);
}

/** Makes a window of two instants in any order, inside the range; null if they are too close. */
export function windowOf(a: number, b: number, range: Span): Span | null {
  const start = Math.max(range.start, Math.min(a, b));
  const end = Math.min(range.end, Math.max(a, b));
  return end - start < Math.min(NARROWEST_MS, range.end - range.start) ? null : { start, end };
}

/** Rounds the window outward to whole minutes; null if it is the whole range. */
export function settled(window: Span, range: Span): Span | null {
  const start = Math.max(range.start, Math.floor(window.start / MINUTE_MS) * MINUTE_MS);
  const end = Math.min(range.end, Math.ceil(window.end / MINUTE_MS) * MINUTE_MS);
  return start <= range.start && end >= range.end ? null : { start, end };
}

/** Positions of two fingers as shares of the plot's width. */
export interface Fingers {
  readonly a: number;
  readonly b: number;
}

/** Minimum distance of fingers, as a share of the plot; closer ones count as this far apart. */
const CLOSEST = 0.02;

/**
 * The window after two fingers moved. Each keeps its instant, so that their distance zooms and their middle pans.
 */
export function pinched(window: Span, range: Span, from: Fingers, to: Fingers): Span {
  const width = window.end - window.start;
  const apart = (fingers: Fingers): number => Math.max(CLOSEST, Math.abs(fingers.a - fingers.b));
  const full = range.end - range.start;
  const wanted = (width * apart(from)) / apart(to);
  const next = Math.min(full, Math.max(Math.min(NARROWEST_MS, full), wanted));
  const held = window.start + ((from.a + from.b) / 2) * width;
  const start = held - ((to.a + to.b) / 2) * next;
  return within({ start, end: start + next }, range);
}

/** Moves one end of a window, limited by the minimum window and the range. */
export function resized(window: Span, range: Span, end: 'start' | 'end', at: number): Span {
  const least = Math.min(NARROWEST_MS, range.end - range.start);
  return end === 'start'
    ? { ...window, start: Math.max(range.start, Math.min(at, window.end - least)) }
    : { ...window, end: Math.min(range.end, Math.max(at, window.start + least)) };
}

/** Centres the window on an instant, as far as the range allows. */
export function centred(window: Span, range: Span, at: number): Span {
  const half = (window.end - window.start) / 2;
  return within({ start: at - half, end: at + half }, range);
}
