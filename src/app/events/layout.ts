import type { BoardEvent } from './event.ts';

/** The time axis that the row of events shares with the chart, in px from its left edge. */
export interface EventAxis {
  readonly left: number;
  readonly width: number;
  readonly window: { readonly start: number; readonly end: number };
  /** Position of an instant, also outside the window. */
  x(at: number): number;
}

/** An axis whose plot begins at `left` and is `width` wide. */
export function eventAxis(left: number, width: number, window: EventAxis['window']): EventAxis {
  const { start, end } = window;
  return { left, width, window, x: (at) => left + ((at - start) / (end - start)) * width };
}

/** The place at which one event, or several that are too dense to tell apart, are drawn; px. */
export interface PlacedEvents {
  /** The first of them. */
  readonly event: BoardEvent;
  readonly count: number;
  /** Index of the last of them in the list; those between that are of the other shape are not among them. */
  readonly last: number;
  readonly isBar: boolean;
  /** Start of the window; bars between that end before it are not among them. */
  readonly from: number;
  readonly left: number;
  readonly width: number;
  /** Room for words from `left` on, or after the shape of a moment; 0 if there is none. */
  readonly room: number;
  /** The time they take, for the curve; a moment ends where it starts. */
  readonly span: { readonly start: number; readonly end: number };
}

/** Width of the shape of a moment, which is also the least width of a bar. */
export const SHAPE_PX = 14;
const GAP_PX = 4;
/** Less room than this has no words. */
const LEAST_WORDS_PX = 26;

/**
 * Places the events of a window in one row. Bars never overlap bars, nor moments moments: those too close to tell apart
 * are merged into one place with their number. A moment may lie on a bar, whose words then end before it.
 *
 * @param events - By start; those outside the window are left out.
 */
export function placeEvents(events: readonly BoardEvent[], axis: EventAxis): PlacedEvents[] {
  const { left, width, window } = axis;
  const right = left + width;
  const scale = width / (window.end - window.start);
  type Open = {
    event: BoardEvent;
    count: number;
    last: number;
    isBar: boolean;
    from: number;
    to: number;
    start: number;
    end: number;
  };
  const placed: Open[] = [];
  let bar: Open | null = null;
  let moment: Open | null = null;
  for (let i = 0; i < events.length; i += 1) {
    const event = events[i];
    if (!event || event.start >= window.end) break;
    const end = event.end ?? event.start;
    if (event.end === null ? event.start < window.start : end <= window.start) continue;
    const isBar = event.end !== null;
    const at = left + (event.start - window.start) * scale;
    // A shape lies on its moment, inside the plot.
    const from = isBar ? Math.max(left, at) : at - SHAPE_PX / 2;
    const to = isBar
      ? Math.max(from + SHAPE_PX, Math.min(right, left + (end - window.start) * scale))
      : from + SHAPE_PX;
    const last: Open | null = isBar ? bar : moment;
    if (last && from < last.to) {
      last.count += 1;
      last.last = i;
      last.end = Math.max(last.end, end);
      if (isBar) last.to = Math.max(last.to, to);
      continue;
    }
    const open: Open = { event, count: 1, last: i, isBar, from, to, start: event.start, end };
    placed.push(open);
    if (isBar) bar = open;
    else moment = open;
  }
  // The words of merged moments move by at most half a shape, so that the order of their places holds.
  placed.sort((a, b) => a.from - b.from);
  return placed.map(({ event, count, last, isBar, from, to, start, end }, i) => {
    const at = Math.max(left, Math.min(from, right - SHAPE_PX));
    const next = placed[i + 1]?.from ?? right;
    const words = isBar ? at : at + SHAPE_PX;
    const room = Math.min(right, next) - words - GAP_PX;
    return {
      event,
      count,
      last,
      isBar,
      from: window.start,
      left: at,
      width: Math.min(right, to) - at < SHAPE_PX ? SHAPE_PX : Math.min(right, to) - at,
      room: room < LEAST_WORDS_PX ? 0 : room,
      span: { start, end },
    };
  });
}

/** The events of a place, by start. */
export function eventsAt(
  { event, last, isBar, from }: PlacedEvents,
  events: readonly BoardEvent[],
): readonly BoardEvent[] {
  return events
    .slice(events.indexOf(event), last + 1)
    .filter(({ end }) => (end !== null) === isBar && (end === null || end > from));
}

/** The place whose time or shape holds an instant; null if none does. Moments lie on bars, so they come first. */
export function placeAt(
  places: readonly PlacedEvents[],
  axis: EventAxis,
  at: number,
): PlacedEvents | null {
  const x = axis.x(at);
  const holds = ({ left, width }: PlacedEvents): boolean => left <= x && x < left + width;
  return (
    places.find((place) => !place.isBar && holds(place)) ??
    places.find((place) => place.isBar && holds(place)) ??
    null
  );
}
