import type { SourceId, SourceInfo } from '#contract/source.ts';
import { firstAfter } from '#app/chart/line.ts';
import { viewOf } from '#app/counts/view.ts';
import type { Resolution, WeekStart } from '#core/time/resolution.ts';
import { ARCHIVE_START, DAY_MS, type Span } from '#core/time/span.ts';
import { offsetAt, zoneTable } from '#core/time/zone.ts';
import { fittingResolution, spanOf, type ViewRange } from './range.ts';

/** What a board looks at: a range of a source in a zone, cut into buckets, and the part of it on screen. */
export class Frame {
  /** Null until it is known what there is. */
  sources = $state.raw<readonly SourceInfo[] | null>(null);
  sourceId = $state<SourceId>('sample');
  range = $state.raw<ViewRange>({ preset: '3y' });
  zone = $state('UTC');
  /** Null: the one that fits the range. */
  chosenResolution = $state<Resolution | null>(null);
  weekStart = $state<WeekStart>(1);
  #zoom = $state.raw<Span | null>(null);
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
  readonly resolution: Resolution = $derived.by(
    () => this.chosenResolution ?? fittingResolution(this.asked),
  );
  /** Edges of the buckets shown: the range, its ends moved outward to what a source can tell apart. */
  readonly bounds: Float64Array = $derived.by(() => {
    const { asked: span, resolution, zone, weekStart } = this;
    const { bounds, span: wide } = viewOf({ span, resolution, zone, weekStart });
    bounds[0] = wide.start;
    bounds[bounds.length - 1] = wide.end;
    return bounds;
  });
  readonly span: Span = $derived.by(() => ({
    start: this.bounds[0] ?? 0,
    end: this.bounds.at(-1) ?? 0,
  }));
  /** First bucket on screen, and the one after the last that has begun: the rows of tables and files. */
  readonly rows: { from: number; to: number } = $derived.by(() => {
    const { bounds, window, now } = this;
    const from = firstAfter(bounds, window.start);
    const to = firstAfter(bounds, Math.min(window.end, Math.max(now, window.start + 1)) - 1) + 1;
    return { from, to };
  });
  /** The part of the range that is looked at; null where all of it is. */
  readonly #part: Span | null = $derived.by(() => {
    if (!this.#zoom) return null;
    const start = Math.max(this.#zoom.start, this.span.start);
    const end = Math.min(this.#zoom.end, this.span.end);
    return start < end ? { start, end } : null;
  });
  /** What is on screen: the zoom, else the range. */
  readonly window: Span = $derived.by(() => this.zoom ?? this.span);

  get zoom(): Span | null {
    return this.#part;
  }

  set zoom(window: Span | null) {
    this.#zoom = window;
  }

  #span(): Span {
    // A range is checked before it is taken; another zone can still push it over an end of the archive.
    return spanOf(this.range, this) ?? (spanOf({ preset: '3y' }, this) as Span);
  }

  /** A window as one would type it: days where both ends are midnights, else to the minute. */
  rangeText(window: Span = this.asked): { from: string; to: string } {
    const local = (at: number): string =>
      new Date(at + offsetAt(this.table, at)).toISOString().slice(0, 16).replace('T', ' ');
    const [from, to] = [local(window.start), local(window.end)];
    if (!from.endsWith('00:00') || !to.endsWith('00:00')) return { from, to };
    // A day as the end is meant with all of it.
    return { from: from.slice(0, 10), to: local(window.end - 1).slice(0, 10) };
  }
}
