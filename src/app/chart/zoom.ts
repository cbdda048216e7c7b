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

/** Where two fingers are, as a share of the plot's width. */
export interface Fingers {
  readonly a: number;
  readonly b: number;
}

/** Fingers closer than this share of the plot are taken to be so far apart. */
const CLOSEST = 0.02;

/**
 * The window after two fingers moved: what was under each stays under it, so that they zoom by their distance and
 * pan by their middle.
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

/** One end of a window put elsewhere; it stops where the window is narrowest, and at the end of the range. */
export function resized(window: Span, range: Span, end: 'start' | 'end', at: number): Span {
  const least = Math.min(NARROWEST_MS, range.end - range.start);
  return end === 'start'
    ? { ...window, start: Math.max(range.start, Math.min(at, window.end - least)) }
    : { ...window, end: Math.min(range.end, Math.max(at, window.start + least)) };
}

/** The window moved so that an instant is in its middle, as far as the range goes. */
export function centred(window: Span, range: Span, at: number): Span {
  const half = (window.end - window.start) / 2;
  return within({ start: at - half, end: at + half }, range);
}
