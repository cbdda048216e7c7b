import type { Span } from '#core/time/span.ts';
import { panBy, pinched, windowOf, type Fingers } from './zoom.ts';

/** A drag shorter than this is a click. */
const CLICK_PX = 5;

/** The used part of a pointer event. */
export interface Press {
  readonly pointerId: number;
  readonly pointerType: string;
  readonly button: number;
  readonly shiftKey: boolean;
}

/** The part of the chart that pointers use. Positions are px from its left. */
export interface Ground {
  readonly window: Span;
  readonly range: Span;
  /** Instant at a position; `share` gives the position as a share of the plot. */
  at(x: number): number;
  share(x: number): number;
  /** The selection being dragged. */
  drag: { from: number; to: number } | null;
  /** Moves the cursor to a position; null removes it. */
  point(x: number | null): void;
  /** `held` during a gesture. */
  show(window: Span, held?: boolean): void;
  rest(): void;
  /** A mouse selected a span. */
  select(window: Span): void;
  /** A click, not a drag; `again` if the cursor was already there. */
  click(x: number, again: boolean): void;
}

type Deed =
  /** A mouse that selects a span. */
  | { readonly kind: 'select'; readonly from: number }
  | { readonly kind: 'pan'; readonly from: number; readonly window: Span }
  | { readonly kind: 'pinch'; readonly from: Fingers; readonly window: Span };

/**
 * Interprets pointers on the chart. Dragging with a mouse zooms into a span, or pans with Shift. One finger moves the
 * cursor, or pans if zoomed in. Two fingers zoom and pan.
 */
export class Pointers {
  readonly #ground: Ground;
  readonly #touches = new Map<number, number>();
  #deed: Deed | null = null;
  /** The position at which the pointer went down, whether it has moved since, and whether the cursor was there. */
  #start: { x: number; moved: boolean; read: boolean } | null = null;

  constructor(ground: Ground) {
    this.#ground = ground;
  }

  #fingers(): Fingers | null {
    const [a, b] = [...this.#touches.values()];
    if (a === undefined || b === undefined) return null;
    return { a: this.#ground.share(a), b: this.#ground.share(b) };
  }

  get #zoomed(): boolean {
    const { window, range } = this.#ground;
    return window.start > range.start || window.end < range.end;
  }

  /** @param read - Whether the cursor was already there. */
  down(event: Press, x: number, read: boolean): void {
    const ground = this.#ground;
    const { window } = ground;
    if (event.pointerType !== 'touch' && event.button !== 0) return;
    this.#start = { x, moved: false, read };
    if (event.pointerType === 'touch') {
      this.#touches.set(event.pointerId, x);
      const from = this.#fingers();
      if (from) {
        this.#start = null;
        this.#deed = { kind: 'pinch', from, window };
        ground.point(null);
        return;
      }
      this.#deed = this.#zoomed ? { kind: 'pan', from: x, window } : null;
    } else if (event.shiftKey) this.#deed = { kind: 'pan', from: x, window };
    else {
      this.#deed = { kind: 'select', from: x };
      ground.drag = { from: x, to: x };
    }
    ground.point(x);
  }

  move(event: Press, x: number): void {
    const ground = this.#ground;
    if (this.#touches.has(event.pointerId)) this.#touches.set(event.pointerId, x);
    if (this.#start && Math.abs(x - this.#start.x) >= CLICK_PX) this.#start.moved = true;
    const deed = this.#deed;
    if (deed?.kind === 'pinch') {
      const to = this.#fingers();
      if (to) ground.show(pinched(deed.window, ground.range, deed.from, to), true);
      return;
    }
    if (deed?.kind === 'pan') {
      if (this.#start && !this.#start.moved) return;
      ground.point(null);
      const by = ground.share(deed.from) - ground.share(x);
      ground.show(panBy(deed.window, ground.range, by), true);
      return;
    }
    if (deed?.kind === 'select') ground.drag = { from: deed.from, to: x };
    ground.point(x);
  }

  /** A pointer was lifted; a remaining finger continues alone. */
  up(event: Press, x: number): void {
    const ground = this.#ground;
    this.#touches.delete(event.pointerId);
    const [start, deed] = [this.#start, this.#deed];
    this.#start = null;
    const [left] = this.#touches.values();
    const stays = left !== undefined && this.#zoomed;
    this.#deed = stays ? { kind: 'pan', from: left, window: ground.window } : null;
    ground.drag = null;
    ground.rest();
    if (start && !start.moved) {
      ground.click(x, start.read);
      return;
    }
    if (deed?.kind !== 'select') return;
    const window = windowOf(ground.at(deed.from), ground.at(x), ground.range);
    if (window) ground.select(window);
  }

  /** The browser took over the pointer, so the gesture has no effect. */
  cancel(event: Press): void {
    this.#touches.delete(event.pointerId);
    this.#start = null;
    this.#deed = null;
    this.#ground.drag = null;
    this.#ground.rest();
  }
}
