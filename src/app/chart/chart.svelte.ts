import { trackOf } from '#core/series/trend.ts';
import { bucketAt } from '#core/series/window.ts';
import type { Span } from '#core/time/span.ts';
import { figureOf } from '#app/chart/draw/layout.ts';
import { firstAfter } from '#core/time/edges.ts';
import { columnOf } from '#app/chart/draw/grid.ts';
import type { ChartAnalysis } from '#app/chart/forecast/chart-analysis.ts';
import type { ChartProps } from './chart-props.ts';
import { toHeight, valueScale, withOneZero, type ValueScale } from '#app/chart/draw/scale.ts';
import { axisOf, isQuotient, sidesOf, type FigureAxis } from '#app/chart/draw/axes.ts';
import {
  bandsOf,
  leastHeight,
  ROWS_SCALE,
  type RowBand,
  type ChartRow,
} from '#app/chart/draw/rows.ts';
import { panBy, settled, zoomAbout } from '#app/chart/interact/zoom.ts';
import { firstHighest } from '#core/series/pyramid/pyramid-places.ts';
import type { ChartLayout } from '#app/chart/draw/layout-lines.ts';
import type { Plot } from '#app/chart/draw/chart-picture.ts';

/** Getters of the chart's props, so that each part of the state depends only on what it reads. */
export interface ChartInput extends Pick<ChartProps, 'data' | 'view' | 'style' | 'on'> {
  readonly format: Pick<ChartProps['format'], 'earlier'>;
  /** The rows of notes above the plot. */
  readonly notes: readonly string[];
  readonly analysis: ChartAnalysis | null;
}

/** The buckets `[from, to)` of the first series under the pointer or the keys. */
export interface Pointed {
  readonly from: number;
  readonly to: number;
  /** Instant of the line at the cursor. */
  readonly at: number;
}

/** Height of a row of notes above the plot. */
export const NOTE_PX = 15;
/** Margins of the plot. */
const MARGIN_PX = { left: 52, top: 14, bottom: 28 };
/** Space at the right for the names of lines, by their length. A narrow chart names them only in its legend. */
const NAMES_PX = { min: 72, max: 136, letter: 7, gap: 18 };
const NARROW_PX = 620;
/** Space for the labels of a second axis. */
const RIGHT_PX = 48;

/** State and behaviour of the chart: layout, cursor and the window in view. */
export class ChartState {
  readonly #input: ChartInput;
  width = $state(0);
  height = $state(0);
  /** Instant under the pointer, or chosen by keyboard. */
  cursor = $state<number | null>(null);
  /** True if the keyboard moved the cursor, so that its values are announced. */
  byKeys = $state(false);
  /** True if the tooltip is shown: after keyboard use, only while the chart has the focus. */
  read = $state(true);
  /** The selection being dragged, px from the left of the chart. */
  drag = $state.raw<{ from: number; to: number } | null>(null);

  /** Room for the names of lines and of several earlier periods; the name of a row is above it. */
  readonly #names = $derived.by(() => {
    const { data, format } = this.#input;
    const rowed = this.#rowed.length > 0;
    const several = data.series.some(({ earlier = [] }) => earlier.length > 1);
    if (!this.named || (rowed && !several)) return 14;
    const own = rowed ? [] : data.series.map(({ name }) => name);
    const names = several ? [...own, ...format.earlier] : own;
    const longest = Math.max(0, ...names.map((name) => name.length));
    const { min, max, letter, gap } = NAMES_PX;
    return Math.min(max, Math.max(min, longest * letter + gap));
  });
  readonly #sides = $derived.by(() => {
    const { data, style } = this.#input;
    return sidesOf(data.series, data.baseline ?? null, style.trend);
  });
  /** The series that have a row of their own, in the order of the list; none unless the form is small multiples. */
  readonly #rowed = $derived.by(() => {
    const { data, style } = this.#input;
    if (style.form !== 'multiples') return [];
    const { counted, quotients } = this.#sides;
    return data.series.filter((each) => counted.includes(each) || quotients.includes(each));
  });
  /** True if lines are named at their ends. */
  readonly named = $derived.by(() => this.width > NARROW_PX);
  /** Distance of the names from the plot, px. */
  readonly nameGap = $derived.by(() => {
    const { counted, quotients } = this.#sides;
    const both = counted.length > 0 && quotients.length > 0;
    return both && this.#rowed.length === 0 ? RIGHT_PX : 8;
  });
  readonly #right = $derived.by(() => this.#names + (this.nameGap === RIGHT_PX ? RIGHT_PX - 8 : 0));
  readonly #above = $derived.by(() => MARGIN_PX.top + NOTE_PX * this.notes.length);
  readonly plot: Plot = $derived.by(() => ({
    left: MARGIN_PX.left,
    right: this.#right,
    top: this.#above,
    bottom: MARGIN_PX.bottom,
  }));
  readonly plotWidth = $derived.by(() => Math.max(1, this.width - MARGIN_PX.left - this.#right));
  readonly plotHeight = $derived.by(() =>
    Math.max(1, this.height - this.#above - MARGIN_PX.bottom),
  );
  /** The exact window during a gesture. The rest of the page gets whole minutes. */
  #live = $state.raw<Span | null>(null);
  readonly window = $derived.by(() => this.#live ?? this.#input.view.window);
  readonly range = $derived.by(() => this.#input.view.range);
  /** The analysis that is drawn in addition to the counts; null until its code is loaded. */
  readonly analysis = $derived.by(() => this.#input.analysis);
  /** The time on the axis: a forecast reaches beyond the window. */
  readonly shown: Span = $derived.by(() => {
    const { start, end } = this.window;
    return { start, end: Math.max(end, this.analysis?.end ?? 0) };
  });
  readonly figure: ChartLayout = $derived.by(() => {
    const { series, baseline = null } = this.#input.data;
    const { form, trend } = this.#input.style;
    const { window, plotWidth: width } = this;
    return figureOf({ series, baseline, form, trend, window, width });
  });
  readonly #scales: readonly [ValueScale, ValueScale | null] = $derived.by(() => {
    if (this.#rowed.length > 0) return [ROWS_SCALE, null];
    const { left, right } = this.figure;
    const height = this.plotHeight;
    const room = { height, lines: Math.max(2, Math.round(height / 90)) };
    const scaleOf = (axis: FigureAxis): ValueScale =>
      this.#scaleOf(axis, room, this.analysis?.peak ?? 0);
    return right ? withOneZero(scaleOf(left), scaleOf(right)) : [scaleOf(left), null];
  });
  /** The rows of small multiples, from the top; none in other forms. */
  readonly rows: readonly ChartRow[] = $derived.by(() => {
    const { figure, analysis } = this;
    const bands = bandsOf(this.#rowed.length, this.band());
    return this.#rowed.flatMap((drawn, i): ChartRow[] => {
      const [{ id, unit = 'count' }, band] = [drawn, bands[i]];
      const part = figure.parts.get(id);
      if (!part || !band) return [];
      const shared = this.#input.style.rows === 'shared';
      const axis = isQuotient(drawn) ? (figure.right ?? figure.left) : figure.left;
      const own = analysis?.series.find((each) => each.id === id)?.peak ?? 0;
      const peak = shared ? (analysis?.peak ?? 0) : Math.max(own, analysis?.target?.value ?? 0);
      const { height } = band;
      const room = { height, lines: Math.max(1, Math.round(height / 48)) };
      const scale = this.#scaleOf(shared ? axis : axisOf([part], unit), room, peak);
      return [{ ...band, id, scale, unit }];
    });
  });
  readonly #rowOf = $derived.by(() => new Map(this.rows.map((row) => [row.id, row])));
  /** The least height of the chart, px, with room for two notes, however many there are; 0 where any will do. */
  readonly leastHeight = $derived.by(() => {
    const rows = this.#rowed.length;
    const margins = MARGIN_PX.top + 2 * NOTE_PX + MARGIN_PX.bottom;
    return rows === 0 ? 0 : margins + leastHeight(rows);
  });
  /** True if its rows are higher than their place, so that it scrolls. */
  readonly isTall = $derived.by(() => this.leastHeight > 0 && this.height <= this.leastHeight);
  /** Distance that a chart higher than its place is scrolled, px. */
  scrolled = $state(0);
  readonly scale = $derived.by(() => this.#scales[0]);
  /** Of quotients in a chart with counts; null if there is none. */
  readonly rightScale = $derived.by(() => this.#scales[1]);
  readonly pointed: Pointed | null = $derived.by(() =>
    this.cursor === null ? null : this.#pointedAt(this.cursor),
  );

  constructor(input: ChartInput) {
    this.#input = input;
  }

  /** @param peak - A value of counts that is on the axis in addition to those drawn. */
  #scaleOf(
    { unit, peak: drawn, low, least }: FigureAxis,
    room: { readonly height: number; readonly lines: number },
    peak: number,
  ): ValueScale {
    const { scale, trend } = this.#input.style;
    const { form, stacked } = this.figure;
    const counts = trend.kind === 'none' || trend.kind === 'cumulative';
    return valueScale({
      low,
      // In a chart of shares, parts have the same scale.
      peak: Math.max(
        drawn,
        unit === 'part' && form === 'share' ? 1 : 0,
        unit === 'count' ? peak : 0,
      ),
      kind: stacked ? 'linear' : scale,
      ...room,
      whole: unit === 'count' && counts && form !== 'share',
      least,
    });
  }

  /** The number of rows, which no note changes; 0 unless the form is small multiples. */
  get rowCount(): number {
    return this.#rowed.length;
  }

  /** The height of the plot, or of the row of a series in it. */
  band(id?: number): RowBand {
    const plot = { top: this.plot.top, height: this.plotHeight };
    return id === undefined ? plot : (this.#rowOf.get(id) ?? plot);
  }

  get notes(): readonly string[] {
    return this.#input.notes;
  }

  /** The column at an instant; on a line of minima and maxima, the bucket with the highest count within a pixel. */
  #pointedAt(cursor: number): Pointed | null {
    const { series } = this.#input.data;
    const bounds = series[0]?.curve.bounds ?? new Float64Array(0);
    const i = bucketAt(bounds, cursor);
    if (i < 0) return null;
    const { grid } = this.figure;
    const middle = (from: number, to: number): Pointed => {
      return { from, to, at: ((bounds[from] ?? 0) + (bounds[to] ?? 0)) / 2 };
    };
    if (grid && grid.step > 1) {
      const { from, to } = columnOf(grid, i);
      return middle(from, to);
    }
    const reach = this.byKeys || grid ? 0 : (this.shown.end - this.shown.start) / this.plotWidth;
    let [best, at] = [-1, cursor];
    const { counted, quotients } = this.#sides;
    for (const { curve, pyramid } of counted.length > 0 ? counted : quotients) {
      const [start = 0] = curve.bounds;
      const last = (curve.bounds.at(-1) ?? 0) - 1;
      const from = Math.max(0, bucketAt(curve.bounds, Math.max(cursor - reach / 2, start)));
      const to = bucketAt(curve.bounds, Math.min(cursor + reach / 2, last)) + 1;
      const n = firstHighest(trackOf(curve, pyramid).pyramid, from, to);
      const count = curve.counts[n] ?? Number.NaN;
      if (!(count > best)) continue;
      best = count;
      at = curve.bounds[n] ?? 0;
    }
    const found = Math.max(0, bucketAt(bounds, at));
    return middle(found, found + 1);
  }

  /** Top of a series' line or band in a bucket; NaN if it has none. */
  topOf(id: number, bucket: number): number {
    const { grid } = this.figure;
    const { from, to } = grid ? columnOf(grid, bucket) : { from: bucket, to: bucket + 1 };
    return this.figure.read(from, to).find((each) => each.id === id)?.top ?? Number.NaN;
  }

  spanOf({ from, to }: Pointed): Span {
    const bounds = this.#input.data.series[0]?.curve.bounds;
    return { start: bounds?.[from] ?? 0, end: bounds?.[to] ?? 0 };
  }

  /** Position of an instant, px from the left of the chart. */
  x(at: number): number {
    return this.positions()(at);
  }

  /** The positions of many instants on the plot, which is laid out once; see {@link x}. */
  positions(): (at: number) => number {
    const {
      plotWidth,
      plot: { left },
      shown: { start, end },
    } = this;
    return (at) => left + ((at - start) / (end - start)) * plotWidth;
  }

  /** Position of a value on the axis of a series, px from the top of the chart. */
  y(value: number, id?: number): number {
    return this.heights(id)(value);
  }

  /** The positions of many values on the axis of a series, which is looked up once; see {@link y}. */
  heights(id?: number): (value: number) => number {
    const row = id === undefined ? undefined : this.#rowOf.get(id);
    const right = id !== undefined && this.figure.onRight.has(id) ? this.rightScale : null;
    const { kind, low, high, one } = row?.scale ?? right ?? this.scale;
    const { top, height } = this.band(id);
    return (value) => top + (1 - (toHeight(kind, value, one) - low) / (high - low)) * height;
  }

  /** Converts a position to a share of the plot's width. */
  share(x: number): number {
    return (x - this.plot.left) / this.plotWidth;
  }

  /** The instant at a position, px from the left of the chart. */
  at(x: number): number {
    const { start, end } = this.shown;
    return start + Math.min(1, Math.max(0, this.share(x))) * (end - start);
  }

  /** Shows a window, unless the board takes it as a time. */
  select(window: Span): void {
    if (this.#input.on.select?.(window) !== true) this.show(window);
  }

  /** Shows a window. `held` during a gesture. */
  show(window: Span, held = false): void {
    this.#live = held ? window : null;
    this.#input.on.zoom(settled(window, this.range));
  }

  /** Ends a gesture. */
  rest(): void {
    this.#live = null;
  }

  back(): void {
    this.drag = null;
    this.#live = null;
    this.#input.on.zoom(null);
  }

  /** A double click shows the whole range and undoes the selection by its clicks. */
  doubled(): void {
    this.#input.on.pick?.(null);
    this.back();
  }

  /** True if the cursor is near a position, by the precision of a finger. */
  isNear(x: number): boolean {
    const { pointed } = this;
    return pointed !== null && Math.abs(this.x(pointed.at) - x) < this.plotWidth / 40;
  }

  point(x: number | null): void {
    this.byKeys = false;
    this.read = true;
    const inside = x !== null && this.share(x) * this.plotWidth >= -8 && this.share(x) <= 1.01;
    this.cursor = inside ? this.at(x) : null;
  }

  /** A click selects the bucket. The first tap of a finger only moves the cursor there. */
  click(x: number, again: boolean): void {
    this.point(x);
    if (again) this.#pick();
  }

  #pick(): void {
    const { pointed } = this;
    if (pointed) this.#input.on.pick?.(this.spanOf(pointed));
  }

  /** Hides the tooltip when a mouse leaves, but not when a finger lifts. */
  leave(event: PointerEvent): void {
    if (!this.drag && !this.byKeys && event.pointerType !== 'touch') this.cursor = null;
  }

  /** A wheel zooms around the pointer. Sideways or with Shift, it pans. */
  wheel(deltaX: number, deltaY: number, shift: boolean, x: number): void {
    const sideways = shift ? deltaY || deltaX : Math.abs(deltaX) > Math.abs(deltaY) ? deltaX : 0;
    if (sideways !== 0) this.show(panBy(this.window, this.range, sideways / this.plotWidth));
    else this.show(zoomAbout(this.window, this.range, this.at(x), 1.0015 ** deltaY));
  }

  /** @returns Whether the chart handles the key. */
  key(key: string, shift: boolean): boolean {
    const { range } = this;
    const middle = (this.window.start + this.window.end) / 2;
    if (key === '+') this.show(zoomAbout(this.window, range, this.cursor ?? middle, 0.6));
    else if (key === '-' || key === '_') {
      this.show(zoomAbout(this.window, range, this.cursor ?? middle, 1 / 0.6));
    } else if (key === 'Escape' || key === '0') {
      if (this.cursor === null && this.window === range) return false;
      if (this.cursor !== null && key === 'Escape' && this.byKeys) this.cursor = null;
      else this.back();
    } else if (key === 'Enter' && shift) this.#input.on.pick?.(this.window);
    else if (key === 'Enter') {
      if (!this.pointed) return false;
      this.#pick();
    } else if (key === 'ArrowLeft' || key === 'ArrowRight') {
      const by = key === 'ArrowLeft' ? -1 : 1;
      if (shift) this.#pan(panBy(this.window, range, by * 0.2));
      else this.#step(by);
    } else if (key === 'Home' || key === 'End') {
      this.byKeys = true;
      this.#put(key === 'Home' ? this.window.start : this.window.end - 1);
    } else return false;
    return true;
  }

  /** Moves the window by keyboard, and the cursor with it. */
  #pan(window: Span): void {
    this.show(window);
    if (this.cursor !== null)
      this.#put(Math.min(window.end - 1, Math.max(window.start, this.cursor)));
  }

  /** Moves the cursor to the bucket that contains an instant. */
  #put(at: number): void {
    this.cursor = this.#pointedAt(at)?.at ?? this.cursor;
  }

  /** Moves the cursor by buckets, or by columns if columns are drawn. The window follows. */
  #step(by: number): void {
    const bounds = this.#input.data.series[0]?.curve.bounds;
    if (!bounds) return;
    this.byKeys = true;
    const { pointed } = this;
    const next = pointed
      ? by > 0
        ? pointed.to
        : pointed.from - 1
      : firstAfter(bounds, this.window[by > 0 ? 'start' : 'end'] - 1);
    const i = Math.min(bounds.length - 2, Math.max(0, next));
    this.#put(((bounds[i] ?? 0) + (bounds[i + 1] ?? 0)) / 2);
    if (
      this.cursor !== null &&
      (this.cursor > this.window.end || this.cursor < this.window.start)
    ) {
      this.show(panBy(this.window, this.range, by * 0.5));
    }
  }
}
