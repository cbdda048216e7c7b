import { bucketAt } from '#app/insight/summary.ts';
import type { Pyramid } from '#core/series/pyramid.ts';
import type { Curve } from '#core/series/series.ts';
import type { Span } from '#core/time/span.ts';
import { lineParts, MOST_COLUMNS, type LineParts } from './line.ts';
import type { Plot } from './option.ts';
import { countScale } from './scale.ts';
import type { SeriesStyle } from './style.ts';
import { panBy, settled, windowOf, zoomAbout } from './zoom.ts';

/** One series as the chart is given it. */
export interface ChartSeries {
  readonly id: number;
  readonly name: string;
  readonly style: SeriesStyle;
  readonly curve: Curve;
  readonly pyramid: Pyramid | null;
}

/** What the chart is about, read anew whenever it changes. */
export interface ChartInput {
  readonly series: readonly ChartSeries[];
  readonly range: Span;
  readonly window: Span;
  /** Called with a window to show, null for the whole range. */
  onzoom(window: Span | null): void;
}

/** Height kept under the plot for the axis, and above it. */
const BELOW_PX = 28;
const ABOVE_PX = 14;
const LEFT_PX = 52;
/** Space at the right for the names of lines, by their length; a narrow chart names them in its legend only. */
const NAMES_PX = { least: 72, most: 136, letter: 7, beside: 18 };
const NARROW_PX = 620;
/** A drag shorter than this is a click. */
const CLICK_PX = 5;

/** Behaviour of the chart: where things are, what the pointer is on, which window is shown. */
export class ChartState {
  readonly #input: () => ChartInput;
  width = $state(0);
  height = $state(0);
  /** Instant under the pointer or the keys. */
  cursor = $state<number | null>(null);
  /** Whether the keys put it there: then it is read out. */
  byKeys = $state(false);
  /** The stretch being dragged over, in px from the left of the chart. */
  drag = $state.raw<{ from: number; to: number } | null>(null);
  #panFrom: { x: number; window: Span } | null = null;
  #touches = new Map<number, number>();

  readonly #names = $derived.by(() => {
    const longest = Math.max(0, ...this.#input().series.map((one) => one.name.length));
    const { least, most, letter, beside } = NAMES_PX;
    return Math.min(most, Math.max(least, longest * letter + beside));
  });
  readonly plot: Plot = $derived.by(() => ({
    left: LEFT_PX,
    right: this.width > NARROW_PX ? this.#names : 14,
    top: ABOVE_PX,
    bottom: BELOW_PX,
  }));
  readonly plotWidth = $derived.by(() =>
    Math.max(1, this.width - this.plot.left - this.plot.right),
  );
  readonly plotHeight = $derived.by(() => Math.max(1, this.height - ABOVE_PX - BELOW_PX));
  readonly window = $derived.by(() => this.#input().window);
  readonly parts: ReadonlyMap<number, LineParts> = $derived.by(() => {
    const most = Math.min(MOST_COLUMNS, Math.max(40, Math.round(this.plotWidth)));
    const { series } = this.#input();
    return new Map(
      series.map((one) => [one.id, lineParts(one.curve, one.pyramid, this.window, most)]),
    );
  });
  readonly scale = $derived.by(() => {
    const peak = Math.max(0, ...[...this.parts.values()].map((parts) => parts.peak));
    return countScale(peak, Math.max(2, Math.round(this.plotHeight / 90)));
  });
  /** The bucket under the cursor; where a pixel holds many, the one with the highest count among them. */
  readonly pointed: { readonly at: number } | null = $derived.by(() => {
    if (this.cursor === null) return null;
    const { series } = this.#input();
    const reach = this.byKeys ? 0 : (this.window.end - this.window.start) / this.plotWidth / 2;
    let best = -1;
    let at = this.cursor;
    for (const { curve } of series) {
      const first = bucketAt(curve.bounds, Math.max(this.cursor - reach, curve.bounds[0] ?? 0));
      const last = bucketAt(
        curve.bounds,
        Math.min(this.cursor + reach, (curve.bounds.at(-1) ?? 0) - 1),
      );
      for (let i = Math.max(0, first); i <= last; i += 1) {
        const count = curve.counts[i] ?? Number.NaN;
        if (count > best) {
          best = count;
          at = ((curve.bounds[i] ?? 0) + (curve.bounds[i + 1] ?? 0)) / 2;
        }
      }
    }
    return { at };
  });

  constructor(input: () => ChartInput) {
    this.#input = input;
  }

  /** Place of an instant in px from the left of the chart. */
  x(at: number): number {
    const { start, end } = this.window;
    return this.plot.left + ((at - start) / (end - start)) * this.plotWidth;
  }

  /** Place of a count in px from the top of the chart. */
  y(count: number): number {
    return this.plot.top + (1 - count / this.scale.max) * this.plotHeight;
  }

  /** The instant at a place in px from the left of the chart. */
  at(x: number): number {
    const { start, end } = this.window;
    const share = Math.min(1, Math.max(0, (x - this.plot.left) / this.plotWidth));
    return start + share * (end - start);
  }

  #show(window: Span): void {
    const { range, onzoom } = this.#input();
    onzoom(settled(window, range));
  }

  back(): void {
    this.drag = null;
    this.#input().onzoom(null);
  }

  down(event: PointerEvent, x: number): void {
    if (event.pointerType === 'touch') this.#touches.set(event.pointerId, x);
    else if (event.button === 0) {
      if (event.shiftKey) this.#panFrom = { x, window: this.window };
      else this.drag = { from: x, to: x };
    }
    this.move(event, x);
  }

  move(event: PointerEvent, x: number): void {
    this.byKeys = false;
    const other = [...this.#touches].find(([id]) => id !== event.pointerId)?.[1];
    const before = this.#touches.get(event.pointerId);
    if (before !== undefined && other !== undefined) {
      const spread = Math.abs(before - other) / Math.max(8, Math.abs(x - other));
      const middle = this.at((x + other) / 2);
      this.#touches.set(event.pointerId, x);
      this.cursor = null;
      this.#show(zoomAbout(this.window, this.#input().range, middle, spread));
      return;
    }
    if (before !== undefined) this.#touches.set(event.pointerId, x);
    if (this.#panFrom) {
      const share = (this.#panFrom.x - x) / this.plotWidth;
      this.#show(panBy(this.#panFrom.window, this.#input().range, share));
      return;
    }
    if (this.drag) this.drag = { from: this.drag.from, to: x };
    const inside = x >= this.plot.left - 8 && x <= this.plot.left + this.plotWidth + 8;
    this.cursor = inside ? this.at(x) : null;
  }

  up(event: PointerEvent): void {
    this.#touches.delete(event.pointerId);
    this.#panFrom = null;
    const { drag } = this;
    this.drag = null;
    if (!drag || Math.abs(drag.to - drag.from) < CLICK_PX) return;
    const window = windowOf(this.at(drag.from), this.at(drag.to), this.#input().range);
    if (window) this.#show(window);
  }

  /** A finger that lifts leaves its reading; a mouse that goes takes it along. */
  leave(event: PointerEvent): void {
    if (!this.drag && !this.byKeys && event.pointerType !== 'touch') this.cursor = null;
  }

  /** Turning a wheel zooms about the pointer; sideways, or with shift, it pans. */
  wheel(deltaX: number, deltaY: number, shift: boolean, x: number): void {
    const { range } = this.#input();
    const sideways = shift ? deltaY || deltaX : Math.abs(deltaX) > Math.abs(deltaY) ? deltaX : 0;
    if (sideways !== 0) this.#show(panBy(this.window, range, sideways / this.plotWidth));
    else this.#show(zoomAbout(this.window, range, this.at(x), 1.0015 ** deltaY));
  }

  /** @returns Whether the key means something here. */
  key(key: string, shift: boolean): boolean {
    const { range } = this.#input();
    const middle = (this.window.start + this.window.end) / 2;
    if (key === '+' || key === '=')
      this.#show(zoomAbout(this.window, range, this.cursor ?? middle, 0.6));
    else if (key === '-' || key === '_') {
      this.#show(zoomAbout(this.window, range, this.cursor ?? middle, 1 / 0.6));
    } else if (key === 'Escape' || key === '0') {
      if (this.cursor === null && this.window === range) return false;
      if (this.cursor !== null && key === 'Escape' && this.byKeys) this.cursor = null;
      else this.back();
    } else if (key === 'ArrowLeft' || key === 'ArrowRight') {
      const by = key === 'ArrowLeft' ? -1 : 1;
      if (shift) this.#show(panBy(this.window, range, by * 0.2));
      else this.#step(by);
    } else if (key === 'Home' || key === 'End') {
      this.byKeys = true;
      this.#put(key === 'Home' ? this.window.start : this.window.end - 1);
    } else return false;
    return true;
  }

  /** Puts the cursor on the bucket that holds an instant. */
  #put(at: number): void {
    const bounds = this.#input().series[0]?.curve.bounds;
    const i = bounds ? bucketAt(bounds, at) : -1;
    if (bounds && i >= 0) this.cursor = ((bounds[i] ?? 0) + (bounds[i + 1] ?? 0)) / 2;
  }

  /** Moves the cursor by buckets; it takes the window along. */
  #step(by: number): void {
    const bounds = this.#input().series[0]?.curve.bounds;
    if (!bounds) return;
    this.byKeys = true;
    const start = this.cursor ?? (by > 0 ? this.window.start - 1 : this.window.end);
    const i = Math.min(bounds.length - 2, Math.max(0, bucketAt(bounds, start) + by));
    this.cursor = ((bounds[i] ?? 0) + (bounds[i + 1] ?? 0)) / 2;
    if (this.cursor > this.window.end || this.cursor < this.window.start) {
      this.#show(panBy(this.window, this.#input().range, by * 0.5));
    }
  }
}
