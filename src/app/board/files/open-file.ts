import { flattened } from '#app/export/fixed.ts';
import type { InventoryClient } from '#app/counts/worker/client.ts';
import type { OtherKind } from '#app/import/file-kind.ts';
import type { SavedBoardsState } from '#app/board/saved/saved-boards.svelte.ts';
import type { Toasts } from '#app/ui/toasts.svelte.ts';
import type { FixedSeries } from '#core/series/imported-series.ts';
import { ARCHIVE_START, DAY_MS } from '#core/time/span.ts';
import { zoneTable } from '#core/time/zone.ts';
import type { Board } from '#app/board/state/board.svelte.ts';
import type { ExportActions } from './export-actions.svelte.ts';
import { typedRange } from '#app/board/state/range.ts';
import { parseView, type View } from '#app/board/state/view.ts';
import { plural } from '#app/format/formatter.ts';
import type { Workspace } from '#app/board/state/workspace.svelte.ts';

/** Where files of Groundswell are opened. */
export interface OpeningMeans {
  readonly board: Board;
  readonly workspace: Workspace;
  readonly exports: ExportActions;
  readonly toasts: Toasts;
  /** Takes a backup of the cache. */
  readonly shelf: Pick<InventoryClient, 'import'>;
  /** Takes a saved board. */
  readonly boards: Pick<SavedBoardsState, 'importFile'>;
}

/** Opens a file of Groundswell itself, whatever its kind. */
export async function openFile(file: File, kind: OtherKind, means: OpeningMeans): Promise<void> {
  const { board, boards, shelf, toasts } = means;
  if (kind === 'board') return await boards.importFile(file);
  if (kind !== 'backup') return await openCounts(file, kind, means);
  try {
    await shelf.import(file);
    toasts.show(`“${file.name}” is in the cache of this browser now.`);
    for (const one of board.series.all) board.fill(one);
  } catch (error) {
    toasts.show(error instanceof Error ? error.message : String(error));
  }
}

/** Shows a view with its range in sight, whatever was in sight before. */
function showsAll(board: Board, series: readonly FixedSeries[]): void {
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

/** Opens a CSV of counts on the board, or a bundle in its place; what cannot be read changes nothing. */
async function openCounts(
  file: File,
  kind: 'counts' | 'bundle',
  means: OpeningMeans,
): Promise<void> {
  const { board, workspace, exports, toasts } = means;
  const opened = await exports.do((files, to) => files.openExported(to, file, kind));
  if (!opened) return;
  if (opened.kind === 'csv') {
    const series = opened.series.map((one) => flattened({ ...one }, board.time.span));
    board.series.addFixed(series);
    showsAll(board, series);
    toasts.show(`Opened ${plural(series.length, 'series', 'series')} of “${file.name}”.`);
    return;
  }
  const { view, problems }: { view: View; problems: string[] } = parseView(opened.view);
  const zone = view.zone ?? board.time.zone;
  const reach = { start: ARCHIVE_START - DAY_MS, end: board.time.now + 400 * DAY_MS };
  const typed = view.range && !('preset' in view.range) ? view.range : null;
  const told = typed && typedRange(typed.from, typed.to, zoneTable(zone, reach), board.time.now);
  const span = told?.ok ? told.span : board.time.span;
  const carried = new Map(
    opened.series.map(({ place, series }) => [place, flattened(series, span)]),
  );
  workspace.furnish({ board: null, notes: opened.notes, fixed: [] });
  workspace.light(view);
  board.apply(view, problems, carried);
  const name = opened.name === '' ? `“${file.name}”` : `“${opened.name}”`;
  const { platform } = opened;
  // Whoever made it vouches for them: they become part of the ledger only if that is wanted.
  toasts.show(
    `Opened the bundle ${name}: its counts are those of when it was made.`,
    platform
      ? {
          text: 'Keep its pages',
          act: () => void exports.do((files, to) => files.importPages(to, platform)),
        }
      : undefined,
  );
}
