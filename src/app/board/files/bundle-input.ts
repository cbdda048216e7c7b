import { coveredSpans, policyOf } from '#app/counts/source-policy.ts';
import type { BundleInput } from '#app/export/bundle.ts';
import type { CarriedSeries } from '#app/export/fixed.ts';
import type { Note } from '#app/counts/cache/saved-board.ts';
import { omit } from '#core/omit.ts';
import type { Span } from '#core/time/span.ts';
import { timeBefore } from '#app/board/state/compare-with.ts';
import type { BoardEvent } from '#app/events/event.ts';
import { fileEvents, type FileEvent } from '#app/events/event-file.ts';
import type { Board } from '#app/board/state/board.svelte.ts';
import { wholeBuckets } from '#app/board/state/whole-buckets.ts';
import { formatView } from '#app/board/state/view.ts';

/** The parts of a board outside its view. */
export interface BoardExtras {
  /** Empty if the board is not saved. */
  readonly name: string;
  readonly notes: readonly Note[];
  /** The events that the page shows. */
  readonly events: readonly BoardEvent[];
  /** See {@link View}. */
  readonly switched?: readonly string[];
}

/** The events on screen, as files have them. */
export function eventsInView({ time }: Board, events: readonly BoardEvent[]): readonly FileEvent[] {
  return fileEvents(events, time.window, time.zone);
}

/** The span on screen, extended to the edges of its buckets. */
function inSight(board: Board): Span {
  const { zoom, span } = board.time;
  return zoom ? wholeBuckets(board, zoom) : span;
}

/** Input of a bundle. @param pages - Makes a backup of cached series. */
export async function bundleInput(
  board: Board,
  { name, notes, switched = [] }: Omit<BoardExtras, 'events'>,
  pages: (series: readonly string[]) => Promise<Blob>,
): Promise<BundleInput> {
  const { settleMs } = policyOf(board.source.id, board.source.platform);
  const covered = coveredSpans(board.source.info?.coverage ?? []);
  const entries = board.series.withViews(true);
  const series = entries.flatMap(({ series: listed }, place): BundleInput['series'][number][] => {
    const { fixed, run } = listed;
    const label = listed.name;
    if (fixed) {
      const { query, source, origin } = fixed;
      const series = (origin as CarriedSeries) ?? {
        from: 'file',
        label,
        query,
        source,
        curve: fixed,
      };
      return [{ place, label, counts: { from: 'fixed', series } }];
    }
    return run.key === ''
      ? []
      : [{ place, label, counts: { from: 'cache', key: run.key, settleMs, covered } }];
  });
  const keys = series.flatMap(({ counts }) => (counts.from === 'cache' ? [counts.key] : []));
  const { zoom, ...shown } = omit(board.view(), 'fine');
  // Fixed dates replace a preset, so that the bundle shows the same on every day; a zoom becomes the range.
  const span = inSight(board);
  const view = {
    ...shown,
    range: board.time.rangeText(zoom ? span : undefined),
    ...(zoom && { resolution: board.time.resolution }),
    ...(switched.length > 0 && { events: switched }),
  };
  return {
    name,
    view: formatView({ ...view, series: entries.map((each) => each.view) }),
    notes,
    span,
    past: timeBefore(board.periods),
    series,
    cache: keys.length > 0 ? await pages([...new Set(keys)]) : null,
  };
}
