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

/**
 * What a board looks at: a range of a source in a zone, cut into buckets, and the part of it on screen, which
 * may be cut finer than the range is.
 */
export class TimeWindow {
  /** Null until it is known what there is. */
  sources = $state.raw<readonly SourceInfo[] | null>(null);
  sourceId = $state<SourceId>('sample');
  range = $state.raw<ViewRange>({ preset: '3y' });
  zone = $state('UTC');
  /** Of the range; null: the one that fits it. */
  chosenResolution = $state<Resolution | null>(null);
  weekStart = $state<WeekStart>(1);
  /** How a zoom is cut: by what fits it, by one that was chosen for it, or as the range is. */
  fine = $state<Resolution | 'auto' | 'off'>('auto');
  #zoom = $state.raw<Span | null>(null);
  /** The zoom once it rests: what it is cut into is not worked out for every turn of the wheel. */
  #rest = $state.raw<Span | null>(null);
  /** Now, as far as the picture goes: moved on by every look, not by the clock. */
  now = $state(0);

  readonly source = $derived.by(
    () => this.sources?.find((source) => source.id === this.sourceId) ?? null,
  );
  /** Offsets of the zone over everything there can be. */
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
  /** What the zoom and some of its surroundings would be cut into; null where that is no finer than the range. */
  readonly detail: Detail | null = $derived.by(() => {
    const zoom = this.#within(this.#rest);
    const { fine, rangeResolution, span, zone, weekStart } = this;
    return zoom && fine !== 'off'
      ? detailOf({ zoom, range: span, coarse: rangeResolution, fine, zone, weekStart })
      : null;
  });
  /** Of the buckets shown: the range's own, or those of the part that is looked at. */
  readonly resolution: Resolution = $derived.by(
    () => this.shownDetail()?.resolution ?? this.rangeResolution,
  );
  /** Of the buckets shown. */
  readonly edges: Edges = $derived.by(() => {
    const detail = this.shownDetail();
    return detail ? Edges.of(detail.bounds) : this.rangeEdges;
  });
  /** Which of the outer buckets shown are cut by the range; what lies around a zoom is none of the picture. */
  get cut(): Cut {
    return this.shownDetail() ? { first: false, last: false } : this.#rangeCut.cut;
  }
  /** What figures of the whole range are computed from, whatever the resolution. */
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
  /** The part of the range that is looked at; null where all of it is. */
  readonly #part: Span | null = $derived.by(() => this.#within(this.#zoom));
  /** What is on screen: the zoom, else the range. */
  readonly window: Span = $derived.by(() => this.zoom ?? this.span);

  /** The zoom once it rests: figures that read every bucket of it are not worked out for every turn of the wheel. */
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
    this.zoomed();
  }

  /** Whether a range to the minute is counted to the minute, at every resolution: own posts cost nothing. */
  get exact(): boolean {
    return this.sourceId !== 'platform';
  }

  /** The whole range's buckets at any resolution. */
  cutBy(resolution: Resolution): Pick<View, 'edges' | 'cut' | 'basis'> {
    const { asked: span, zone, weekStart, exact } = this;
    const policy = policyOf(this.sourceId, null);
    const need = { span, resolution, zone, weekStart, exact, policy };
    const { cut, basis } = viewOf(need);
    return { edges: edgesOf(need), cut, basis };
  }

  /** Takes the zoom for one that stays: from now on it is shown as finely as it can be. */
  rest(): void {
    this.#rest = this.#zoom;
  }

  /** The finer buckets that the part which is looked at is shown by; null while it is shown by those of the range. */
  protected shownDetail(): Shown | null {
    return null;
  }

  /** Told of every zoom. */
  protected zoomed(): void {}

  /** What of a window lies in the range; null where nothing does. */
  #within(window: Span | null): Span | null {
    if (!window) return null;
    const start = Math.max(window.start, this.span.start);
    const end = Math.min(window.end, this.span.end);
    return start < end ? { start, end } : null;
  }

  #span(): Span {
    // A range is checked before it is taken; another zone can still push it over an end of the archive.
    return spanOf(this.range, this) ?? (spanOf({ preset: '3y' }, this) as Span);
  }

  /** A window as one would type it: days where both ends are midnights, else to the minute. */
  rangeText(window: Span = this.asked): { from: string; to: string } {
    const local = (at: number): string => localText(at, this.table);
    const [from, to] = [local(window.start), local(window.end)];
    if (!from.endsWith(' 00:00') || !to.endsWith(' 00:00')) return { from, to };
    // A day as the end is meant with all of it.
    return { from: from.slice(0, 10), to: local(window.end - 1).slice(0, 10) };
  }
}
