import type { OpenedBundle } from '#app/export/bundle.ts';
import { flattened } from '#app/export/fixed.ts';
import type { EndpointClient } from '#app/api/endpoint-call.ts';
import type { InventoryClient } from '#app/counts/worker/client.ts';
import type { BoardEvents } from '#app/events/board-events.svelte.ts';
import type { CountsKind, OtherKind } from '#app/import/file-kind.ts';
import type { SavedBoardsState } from '#app/board/saved/saved-boards.svelte.ts';
import type { Toasts } from '#app/ui/toasts.svelte.ts';
import { plural } from '#core/format/plural.ts';
import type { FixedSeries } from '#core/series/imported-series.ts';
import { errorMessage } from '#core/thrown.ts';
import { ARCHIVE_START, DAY_MS } from '#core/time/span.ts';
import { zoneTable } from '#core/time/zone.ts';
import type { Board } from '#app/board/state/board.svelte.ts';
import type { ExportActions } from './export-actions.svelte.ts';
import { typedRange } from '#core/time/range.ts';
import { parseView } from '#app/board/state/view.ts';
import type { Workspace } from '#app/board/state/workspace.svelte.ts';

/** The parts that opening a file uses. */
export interface OpeningContext {
  readonly board: Board;
  readonly workspace: Workspace;
  readonly exports: ExportActions;
  readonly toasts: Toasts;
  readonly counts: {
    /** Imports a backup of the cache. */
    readonly inventory: Pick<InventoryClient, 'import'>;
    /** Adds a calendar to the service. */
    readonly client: EndpointClient;
  };
  /** Null until their code has loaded. */
  readonly events: BoardEvents | null;
  /** Imports a saved board. */
  readonly boards: Pick<SavedBoardsState, 'importFile'>;
}

/**
 * Opens a file that Groundswell made, of any kind, or adds a calendar. Says what it did, or why it could not.
 *
 * @throws {@link Fault} for a calendar that could not be added.
 */
export async function openOtherFile(
  file: File,
  kind: OtherKind,
  context: OpeningContext,
): Promise<void> {
  const {
    board,
    boards,
    counts: { inventory },
    toasts,
  } = context;
  if (kind === 'board') return await boards.importFile(file);
  if (kind === 'calendar') return await addCalendar(file, context);
  if (kind !== 'backup') return await openCounts(file, kind, context);
  try {
    await inventory.import(file);
    toasts.show(`“${file.name}” is now in this browser’s cache.`);
    for (const series of board.series.all) board.fill(series);
  } catch (error) {
    toasts.show(errorMessage(error));
  }
}

/** Adds a calendar to the service, and shows its events. */
async function addCalendar(
  file: File,
  { counts: { client }, events, toasts }: OpeningContext,
): Promise<void> {
  const [{ addCalendarFile, addedText }, { call }, { CALENDARS }, { faultText }] =
    await Promise.all([
      import('#app/settings/calendars/add-calendar.ts'),
      import('#app/api/endpoint-call.ts'),
      import('#contract/accounts/calendars.ts'),
      import('#app/format/fault-text.ts'),
    ]);
  const changed = (): void => {
    if (events) events.calendars += 1;
  };
  const calendar = await addCalendarFile(client, file);
  events?.kinds.turn('calendar', true);
  changed();
  const remove = async (): Promise<void> => {
    try {
      await call(client, CALENDARS.remove, { params: { id: calendar.id } });
      changed();
    } catch (error) {
      toasts.show(faultText(error));
    }
  };
  toasts.say(addedText(calendar), () => void remove());
}

/** Changes the range to that of the series if none of them is in view. */
function bringIntoView(board: Board, series: readonly FixedSeries[]): void {
  const inSight = series.some(
    ({ bounds }) =>
      (bounds[0] ?? Infinity) < board.time.span.end && (bounds.at(-1) ?? 0) > board.time.span.start,
  );
  const [first] = series;
  if (inSight || !first) return;
  const start = Math.min(...series.map(({ bounds }) => bounds[0] ?? Infinity));
  const end = Math.max(...series.map(({ bounds }) => bounds.at(-1) ?? 0));
  const range = board.time.rangeText({ start, end });
  if (typedRange(range.from, range.to, board.time.table, board.time.now).ok)
    board.chooseRange(range);
}

/** The view of a bundle, and its series by their position in it, for a board that shows them next. */
export function bundleView(
  { time }: Board,
  opened: OpenedBundle,
): ReturnType<typeof parseView> & { readonly carried: ReadonlyMap<number, FixedSeries> } {
  const { view, problems } = parseView(opened.view);
  const zone = view.zone ?? time.zone;
  const reach = { start: ARCHIVE_START - DAY_MS, end: time.now + 400 * DAY_MS };
  const typed = view.range && !('preset' in view.range) ? view.range : null;
  const resolved = typed && typedRange(typed.from, typed.to, zoneTable(zone, reach), time.now);
  const span = resolved?.ok ? resolved.span : time.span;
  const carried = new Map(
    opened.series.map(({ place, series }) => [place, flattened(series, span)]),
  );
  return { view, problems, carried };
}

/** Adds the series of a file of counts, or replaces the board by a bundle; an unreadable file changes nothing. */
async function openCounts(
  file: File,
  kind: CountsKind | 'bundle',
  context: OpeningContext,
): Promise<void> {
  const { board, workspace, exports, toasts } = context;
  const opened = await exports.do((files, to) => files.openExported(to, file, kind));
  if (!opened) return;
  if (opened.kind === 'counts') {
    const series = opened.series.map((each) => flattened({ ...each }, board.time.span));
    board.series.addFixed(series);
    bringIntoView(board, series);
    toasts.show(`Opened ${plural(series.length, 'series', 'series')} of “${file.name}”.`);
    return;
  }
  const { view, problems, carried } = bundleView(board, opened);
  workspace.setExtras({ board: null, notes: opened.notes, fixed: [] });
  workspace.applyKinds(view);
  board.apply(view, problems, carried);
  const name = opened.name === '' ? `“${file.name}”` : `“${opened.name}”`;
  const { platform } = opened;
  // Only the bundle's author vouches for these pages, so they join the fetch log only if the user wants.
  toasts.show(
    `Opened the bundle ${name}. Its counts are from when it was made.`,
    platform
      ? {
          text: 'Keep its pages',
          act: () => void exports.do((files, to) => files.importPages(to, platform)),
        }
      : undefined,
  );
}
