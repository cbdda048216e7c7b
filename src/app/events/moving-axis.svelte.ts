import { untrack } from 'svelte';
import type { EventAxis } from './layout.ts';

/** The pause in moving after which events are placed for the window as it is, ms. */
const RESTING_MS = 160;
/** Time placed on either side of the window, in windows. */
const MARGIN = 0.25;
/** The most by which a placement is stretched or shrunk. */
const MOST = 1.3;

const scaleOf = ({ width, window }: EventAxis): number => width / (window.end - window.start);

function same(a: EventAxis, b: EventAxis): boolean {
  return (
    a.left === b.left &&
    a.width === b.width &&
    a.window.start === b.window.start &&
    a.window.end === b.window.end
  );
}

/** The same axis over more time, on both sides of the plot. */
function widened(axis: EventAxis): EventAxis {
  const { left, width, window, x } = axis;
  const more = (window.end - window.start) * MARGIN;
  return {
    left: left - width * MARGIN,
    width: width * (1 + 2 * MARGIN),
    window: { start: window.start - more, end: window.end + more },
    x,
  };
}

/**
 * The axis by which events are placed while the window moves. Placing thousands at every frame would cost more than the
 * chart, so a placement is stretched and shifted with the window, and made again only where it no longer fits, and once
 * the window rests.
 */
export class MovingAxis {
  /** The axis as it is. */
  #now = $state.raw() as EventAxis;
  /** The axis of the last placement. A state: what depends on it is not checked while only the window moves. */
  placed = $state.raw() as EventAxis;
  /** The placement as it is drawn now, and how much of it is outside the plot, px. */
  readonly drawn: {
    readonly left: number;
    readonly width: number;
    readonly before: number;
    readonly after: number;
  } = $derived.by(() => {
    const [now, placed] = [this.#now, this.placed];
    const left = now.x(placed.window.start);
    const width = now.x(placed.window.end) - left;
    const after = left + width - now.left - now.width;
    return { left, width, before: now.left - left, after };
  });

  /** @param axis - Read as a component's state, in which this is created. */
  constructor(axis: () => EventAxis) {
    this.#now = this.placed = untrack(axis);
    $effect.pre(() => {
      const next = axis();
      untrack(() => this.#move(next));
    });
    $effect(() => {
      const now = this.#now;
      const timer = setTimeout(() => (this.placed = now), RESTING_MS);
      return () => clearTimeout(timer);
    });
  }

  #move(next: EventAxis): void {
    const now = this.#now;
    // The chart makes an axis for each place of the cursor too.
    if (same(now, next)) return;
    this.#now = next;
    const scale = scaleOf(next) / scaleOf(this.placed);
    const { start, end } = this.placed.window;
    const isInside = start <= next.window.start && next.window.end <= end;
    const fits = isInside && scale <= MOST && scale >= 1 / MOST;
    // Another plot has other edges.
    if (next.left !== now.left || next.width !== now.width) this.placed = next;
    // More time is needed only by a window that becomes longer or moves on.
    else if (!fits) this.placed = isInside && scale > 1 ? next : widened(next);
  }
}
