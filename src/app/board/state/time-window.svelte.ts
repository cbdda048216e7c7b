import type { SourceId, SourceInfo } from '#contract/counts/source.ts';
import { endsOf, policyOf } from '#app/counts/source-policy.ts';
import { edgesOf, rowsOf, viewOf, type BucketView } from '#core/series/bucket-layout.ts';
import type { Cut } from '#core/series/rollup.ts';
import { Edges } from '#core/time/edges.ts';
import type { Resolution, WeekStart } from '#core/time/resolution.ts';
import { ARCHIVE_START, DAY_MS, type Span } from '#core/time/span.ts';
import { localText } from '#core/time/local-text.ts';
import { zoneTable } from '#core/time/zone.ts';
import { detailOf, finer, type Detail, type ShownBuckets } from './zoom-resolution.ts';
import { drawnResolution, spanOf, type ViewRange } from '#core/time/range.ts';

/** The members of its board that a time window reads. */
interface WindowContext {
  readonly source: { readonly id: SourceId; readonly info: SourceInfo | null };
  /** Finer buckets by which the zoom is shown; null while it is shown by those of the range. */
  readonly shownDetail: ShownBuckets | null;
  /** Called after every change of the zoom. */
  zoomed(): void;
}

/**
 * The time on a board: a range in a zone, cut into buckets, and a zoom, which may have finer buckets.
 */
export class TimeWindow {
  readonly #board: WindowContext;
  range = $state.raw<ViewRange>({ preset: '3y' });
  zone = $state('UTC');
  /** Resolution of the range; null for the one that fits. */
  chosenResolution = $state<Resolution | null>(null);
  weekStart = $state<WeekStart>(1);
  /** True if the chart has the width of a phone. */
  narrow = $state(false);
  /** The way a zoom is cut: `auto` by the resolution that fits, a chosen one, or `off` for the range's. */
  fine = $state<Resolution | 'auto' | 'off'>('auto');
  #zoom = $state.raw<Span | null>(null);
  /** The zoom once it has stopped moving: cutting it on every turn of the wheel would be too slow. */
  #rest = $state.raw<Span | null>(null);
  /** The chart's "now": each load updates it, not the clock. */
  now = $state(0);

  /** The zone's offsets over the archive and 400 days on both sides. */
  readonly table = $derived.by(() =>
    zoneTable(this.zone, { start: ARCHIVE_START - 400 * DAY_MS, end: this.now + 400 * DAY_MS }),
  );
  /** The range as chosen. */
  readonly asked: Span = $derived.by(() => this.#span());
  readonly #fitting: Resolution = $derived.by(() => drawnResolution(this.asked, this.narrow));
  readonly rangeResolution: Resolution = $derived.by(() => this.chosenResolution ?? this.#fitting);
  /** The resolution that fits the time on screen: finer than the range's in a zoom. */
  readonly autoResolution: Resolution = $derived.by(() => {
    const zoomed = this.zoom && drawnResolution(this.zoom, this.narrow);
    return zoomed && finer(zoomed, this.#fitting) ? zoomed : this.#fitting;
  });
  readonly #rangeCut = $derived.by(() => this.cutBy(this.rangeResolution));
  /** Edges of the whole range's buckets. */
  readonly rangeEdges: Edges = $derived.by(() => this.#rangeCut.edges);
  readonly span: Span = $derived.by(() => ({
    start: this.rangeEdges.start,
    end: this.rangeEdges.end,
  }));
  /** Buckets for the zoom and some time around it; null if they would be no finer than the range's. */
  readonly detail: Detail | null = $derived.by(() => {
    const zoom = this.#within(this.#rest);
    const { fine, rangeResolution, span, zone, weekStart, narrow } = this;
    return zoom && fine !== 'off'
      ? detailOf({ zoom, range: span, coarse: rangeResolution, fine, zone, weekStart, narrow })
      : null;
  });
  /** Resolution of the buckets shown: the zoom's if it has finer ones, otherwise the range's. */
  readonly resolution: Resolution = $derived.by(
    () => this.#board.shownDetail?.resolution ?? this.rangeResolution,
  );
  /** Edges of the buckets shown. */
  readonly edges: Edges = $derived.by(() => {
    const detail = this.#board.shownDetail;
    return detail ? Edges.of(detail.bounds) : this.rangeEdges;
  });
  /** The outer buckets that the range cuts off; around a zoom they are off screen. */
  get cut(): Cut {
    return this.#board.shownDetail ? { first: false, last: false } : this.#rangeCut.cut;
  }
  /** The basis from which figures of the whole range are computed, at every resolution. */
  get basis(): BucketView['basis'] {
    return this.#rangeCut.basis;
  }
  /** The first bucket on screen, and the one after the last that has begun: the rows of tables and exports. */
  readonly rows = $derived.by(() => rowsOf(this.edges, this.window, this.now));
  /** The zoom within the range; null if the whole range is on screen. */
  readonly #part: Span | null = $derived.by(() => this.#within(this.#zoom));
  /** The span on screen: the zoom, otherwise the range. */
  readonly window: Span = $derived.by(() => this.zoom ?? this.span);

  /** The zoom once it has stopped moving, for figures that read all its buckets. */
  readonly rested: Span | null = $derived.by(() => this.#within(this.#rest));
  /** The span on screen, once the zoom has stopped moving. */
  readonly resting: Span = $derived.by(() => this.rested ?? this.span);

  get zoom(): Span | null {
    return this.#part;
  }

  set zoom(window: Span | null) {
    this.#zoom = window;
    if (!window) {
      this.fine = 'auto';
      this.#rest = null;
    }
    this.#board.zoomed();
  }

  constructor(board: WindowContext) {
    this.#board = board;
  }

  /** True to count a range to the exact minute at every resolution: the user's own posts cost nothing. */
  get exact(): boolean {
    return this.#board.source.id !== 'platform';
  }

  /** The whole range's buckets at any resolution. */
  cutBy(resolution: Resolution): Pick<BucketView, 'edges' | 'cut' | 'basis'> {
    const { asked: span, zone, weekStart, exact } = this;
    const policy = policyOf(this.#board.source.id, null);
    const need = { span, resolution, zone, weekStart, exact, policy };
    const { cut, basis } = viewOf(need);
    return { edges: edgesOf(need), cut, basis };
  }

  /** Marks the zoom as at rest, so that its finer buckets load. */
  rest(): void {
    this.#rest = this.#zoom;
  }

  /** Moves the zoom, if there is one, so that some of a span is on screen. */
  showSpan({ start, end }: Span): void {
    const { zoom } = this;
    if (!zoom || (start < zoom.end && end > zoom.start)) return;
    const length = Math.max(zoom.end - zoom.start, end - start);
    const from = Math.min(
      this.span.end - length,
      Math.max(this.span.start, (start + end - length) / 2),
    );
    this.zoom = { start: from, end: from + length };
    this.rest();
  }

  /** The part of a window inside the range; null if there is none. */
  #within(window: Span | null): Span | null {
    if (!window) return null;
    const start = Math.max(window.start, this.span.start);
    const end = Math.min(window.end, this.span.end);
    return start < end ? { start, end } : null;
  }

  #span(): Span {
    // A range is checked when chosen; another zone can still push it past an end of the archive.
    const { table, weekStart, now } = this;
    const context = { table, weekStart, now, source: endsOf(this.#board.source.info) };
    return spanOf(this.range, context) ?? (spanOf({ preset: '3y' }, context) as Span);
  }

  /** A preset range as a user would type it. */
  presetText(range: ViewRange): { from: string; to: string } {
    const { table, weekStart, now } = this;
    const context = { table, weekStart, now, source: endsOf(this.#board.source.info) };
    return this.rangeText(spanOf(range, context) ?? this.asked);
  }

  /** A window as a user would type it: days if both ends are midnights, otherwise to the minute. */
  rangeText(window: Span = this.asked): { from: string; to: string } {
    const local = (at: number): string => localText(at, this.table);
    const [from, to] = [local(window.start), local(window.end)];
    if (!from.endsWith(' 00:00') || !to.endsWith(' 00:00')) return { from, to };
    // A day as the end includes all of it.
    return { from: from.slice(0, 10), to: local(window.end - 1).slice(0, 10) };
  }
}
