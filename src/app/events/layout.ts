import { firstIndex } from '#core/first-index.ts';
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
  /** Distance of the words of a bar from its start: after the shape of a moment on it, or after its end. */
  readonly indent: number;
  /** Room for words from there on, or after the shape of a moment; 0 if there is none. */
  readonly room: number;
  /** Room between its end and the next place. */
  readonly free: number;
  /** The time they take, for the curve; a moment ends where it starts. */
  readonly span: { readonly start: number; readonly end: number };
}

/** Width of the shape of a moment, which is also the least width of a bar. */
export const SHAPE_PX = 14;
const GAP_PX = 4;
/** Less room than this has no words. */
const LEAST_WORDS_PX = 26;
/** About the width of a letter. */
const LETTER_PX = 6;
/** Letters of the words of several events, such as “12 campaigns”. */
const MANY_LETTERS = 12;

/** Starts and ends of a list of events as numbers: thousands are read while the window moves. */
interface Times {
  readonly starts: Float64Array;
  /** NaN for a moment. */
  readonly ends: Float64Array;
  /** The latest instant of all events up to each. */
  readonly reach: Float64Array;
}

const timesMade = new WeakMap<readonly BoardEvent[], Times>();

/** The times of a list of events, read once for each list. */
function timesOf(events: readonly BoardEvent[]): Times {
  const made = timesMade.get(events);
  if (made) return made;
  const times: Times = {
    starts: Float64Array.from(events, ({ start }) => start),
    ends: Float64Array.from(events, ({ end }) => end ?? Number.NaN),
    reach: new Float64Array(events.length),
  };
  let latest = -Infinity;
  for (const [i, { start, end }] of events.entries()) {
    latest = Math.max(latest, end ?? start);
    times.reach[i] = latest;
  }
  timesMade.set(events, times);
  return times;
}

/** A place while events are still being added to it. */
interface OpenPlace {
  readonly first: number;
  count: number;
  last: number;
  readonly isBar: boolean;
  readonly from: number;
  to: number;
  end: number;
}

/** The places of the events of a window, in the order of their first events. */
function openPlaces(
  events: readonly BoardEvent[],
  { left, width, window }: EventAxis,
): OpenPlace[] {
  const { starts, ends, reach } = timesOf(events);
  const right = left + width;
  const scale = width / (window.end - window.start);
  const placed: OpenPlace[] = [];
  let bar: OpenPlace | null = null;
  let moment: OpenPlace | null = null;
  const begin = firstIndex(0, starts.length, (i) => (reach[i] ?? 0) >= window.start);
  for (let i = begin; i < starts.length; i += 1) {
    const start = starts[i] ?? 0;
    if (start >= window.end) break;
    const end = ends[i] ?? 0;
    const isBar = !Number.isNaN(end);
    if (isBar ? end <= window.start : start < window.start) continue;
    const at = left + (start - window.start) * scale;
    // A shape lies on its moment. Each is inside the plot, before those too close are merged.
    const from = Math.max(left, Math.min(isBar ? at : at - SHAPE_PX / 2, right - SHAPE_PX));
    const to = isBar
      ? Math.max(from + SHAPE_PX, Math.min(right, left + (end - window.start) * scale))
      : from + SHAPE_PX;
    const last: OpenPlace | null = isBar ? bar : moment;
    if (last && from < last.to) {
      last.count += 1;
      last.last = i;
      last.end = Math.max(last.end, isBar ? end : start);
      if (isBar) last.to = Math.max(last.to, to);
      continue;
    }
    const open = { first: i, count: 1, last: i, isBar, from, to, end: isBar ? end : start };
    placed.push(open);
    if (isBar) bar = open;
    else moment = open;
  }
  return placed;
}

/**
 * Places the events of a window in one row. Bars never overlap bars, nor moments moments: those too close to tell apart
 * are merged into one place with their number. A moment may lie on a bar, whose words then end before it.
 *
 * @param events - By start; those outside the window are left out.
 */
export function placeEvents(events: readonly BoardEvent[], axis: EventAxis): PlacedEvents[] {
  const { left, width } = axis;
  const right = left + width;
  // The words of merged moments move by at most half a shape, so that the order of their places holds.
  const placed = openPlaces(events, axis).sort((a, b) => a.from - b.from);
  /** The end of the last shape of a moment. */
  let shape = left;
  return placed.flatMap(({ first, count, last, isBar, from, to, end }, i) => {
    const event = events[first];
    if (!event) return [];
    if (!isBar) shape = from + SHAPE_PX;
    const next = Math.min(right, placed[i + 1]?.from ?? right) - GAP_PX;
    const inside = Math.min(to - GAP_PX, next) - Math.max(from, shape);
    const after = next - Math.max(to, shape);
    const needed = LETTER_PX * (count > 1 ? MANY_LETTERS : event.title.length);
    // Words never cross the end of a bar: those that do not fit into it follow it, if there is more room.
    const isInside = isBar && (inside >= needed || inside >= after);
    const words = Math.max(isInside ? from : to, shape);
    const room = isInside ? inside : after;
    return {
      event,
      count,
      last,
      isBar,
      from: axis.window.start,
      left: from,
      width: to - from,
      indent: isBar ? words - from : 0,
      room: room < LEAST_WORDS_PX ? 0 : room,
      free: Math.max(0, next - to),
      span: { start: event.start, end },
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
