import type { SourceId, SourceInfo } from '#contract/source.ts';
import { policyOf } from '#app/counts/source-policy.ts';
import { viewOf, type View } from '#app/counts/bucket-layout.ts';
import type { Cut } from '#core/series/rollup.ts';
import { Edges } from '#core/time/edges.ts';
import type { Resolution, WeekStart } from '#core/time/resolution.ts';
import { ARCHIVE_START, DAY_MS, type Span } from '#core/time/span.ts';
import { localText } from '#core/time/local-text.ts';
import { zoneTable } from '#core/time/zone.ts';
import { detailOf, type Detail, type Shown } from './zoom-resolution.ts';
import { fittingResolution, spanOf, type ViewRange } from './range.ts';

/** The edges of a need's buckets, their ends moved outward to what a source can tell apart. */
function edgesOf(need: Parameters<typeof viewOf>[0]): Edges {
  const { edges, span } = viewOf(need);
  if (edges.start === span.start && edges.end === span.end) return edges;
  const moved = edges.all.slice();
  [moved[0], moved[moved.length - 1]] = [span.start, span.end];
  return Edges.of(moved);
}

/** What a time window reads of its board. */
interface WindowContext {
  readonly source: { readonly id: SourceId; readonly info: SourceInfo | null };
  /** Finer buckets by which the zoom is shown; null while it is shown by those of the range. */
  readonly shownDetail: Shown | null;
  /** Called after every change of the zoom. */
  zoomed(): void;
}

/**
 * The time on a board: a range in a zone, cut into buckets, and the zoom, which may be cut finer than the range.
 */
export class TimeWindow {
  readonly #board: WindowContext;
  range = $state.raw<ViewRange>({ preset: '3y' });
  zone = $state('UTC');
  /** Of the range; null: the one that fits it. */
  chosenResolution = $state<Resolution | null>(null);
  weekStart = $state<WeekStart>(1);
  /** How a zoom is cut: by the resolution that fits it, by a chosen one, or as the range is. */
  fine = $state<Resolution | 'auto' | 'off'>('auto');
  #zoom = $state.raw<Span | null>(null);
  /** The zoom once it rests: cutting it for every turn of the wheel would be too slow. */
  #rest = $state.raw<Span | null>(null);
  /** Now, for the chart: every load moves it on, not the clock. */
  now = $state(0);

  /** The zone's offsets over the archive and a year on both sides. */
  readonly table = $derived.by(() =>
    zoneTable(this.zone, { start: ARCHIVE_START - 400 * DAY_MS, end: this.now + 400 * DAY_MS }),
  );
  /** The range as chosen. */
  readonly asked: Span = $derived.by(() => this.#span());
  readonly rangeResolution: Resolution = $derived.by(
    () => this.chosenResolution ?? fittingResolution(this.asked),
  );
  readonly #rangeCut = $derived.by(() => this.cutBy(this.rangeResolution));
  /** Of the buckets of the whole range. */
  readonly rangeEdges: Edges = $derived.by(() => this.#rangeCut.edges);
  readonly span: Span = $derived.by(() => ({
    start: this.rangeEdges.start,
    end: this.rangeEdges.end,
  }));
  /** Buckets for the zoom and some time around it; null where they would be no finer than the range's. */
  readonly detail: Detail | null = $derived.by(() => {
    const zoom = this.#within(this.#rest);
    const { fine, rangeResolution, span, zone, weekStart } = this;
    return zoom && fine !== 'off'
      ? detailOf({ zoom, range: span, coarse: rangeResolution, fine, zone, weekStart })
      : null;
  });
  /** Of the buckets shown: the zoom's where it has its own, else the range's. */
  readonly resolution: Resolution = $derived.by(
    () => this.#board.shownDetail?.resolution ?? this.rangeResolution,
  );
  /** Of the buckets shown. */
  readonly edges: Edges = $derived.by(() => {
    const detail = this.#board.shownDetail;
    return detail ? Edges.of(detail.bounds) : this.rangeEdges;
  });
  /** Which outer buckets the range cuts; those around a zoom are off screen. */
  get cut(): Cut {
    return this.#board.shownDetail ? { first: false, last: false } : this.#rangeCut.cut;
  }
  /** What figures of the whole range are computed from, at every resolution. */
  get basis(): View['basis'] {
    return this.#rangeCut.basis;
  }
  /** First bucket on screen, and the one after the last that has begun: the rows of tables and files. */
  readonly rows: { from: number; to: number } = $derived.by(() => {
    const { edges, window, now } = this;
    const from = edges.firstAfter(window.start);
    const to = edges.firstAfter(Math.min(window.end, Math.max(now, window.start + 1)) - 1) + 1;
    return { from, to };
  });
  /** The zoom within the range; null where the whole range is on screen. */
  readonly #part: Span | null = $derived.by(() => this.#within(this.#zoom));
  /** What is on screen: the zoom, else the range. */
  readonly window: Span = $derived.by(() => this.zoom ?? this.span);

  /** The zoom once it rests, for figures that read every bucket of it. */
  readonly rested: Span | null = $derived.by(() => this.#within(this.#rest));
  /** What is on screen once it rests. */
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

  /** Whether a range to the minute is counted to the minute, at every resolution: own posts cost nothing. */
  get exact(): boolean {
    return this.#board.source.id !== 'platform';
  }

  /** The whole range's buckets at any resolution. */
  cutBy(resolution: Resolution): Pick<View, 'edges' | 'cut' | 'basis'> {
    const { asked: span, zone, weekStart, exact } = this;
    const policy = policyOf(this.#board.source.id, null);
    const need = { span, resolution, zone, weekStart, exact, policy };
    const { cut, basis } = viewOf(need);
    return { edges: edgesOf(need), cut, basis };
  }

  /** Marks the zoom as resting, so that it is shown in its finer buckets. */
  rest(): void {
    this.#rest = this.#zoom;
  }

  /** The part of a window inside the range; null where there is none. */
  #within(window: Span | null): Span | null {
    if (!window) return null;
    const start = Math.max(window.start, this.span.start);
    const end = Math.min(window.end, this.span.end);
    return start < end ? { start, end } : null;
  }

  #span(): Span {
    // A range is checked when it is chosen; another zone can still push it past an end of the archive.
    const { table, weekStart, now } = this;
    const context = { table, weekStart, now, source: this.#board.source.info };
    return spanOf(this.range, context) ?? (spanOf({ preset: '3y' }, context) as Span);
  }

  /** A window as a user would type it: days where both ends are midnights, else to the minute. */
  rangeText(window: Span = this.asked): { from: string; to: string } {
    const local = (at: number): string => localText(at, this.table);
    const [from, to] = [local(window.start), local(window.end)];
    if (!from.endsWith(' 00:00') || !to.endsWith(' 00:00')) return { from, to };
    // A day as the end includes all of it.
    return { from: from.slice(0, 10), to: local(window.end - 1).slice(0, 10) };
  }
}
