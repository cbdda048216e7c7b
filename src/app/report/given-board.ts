import { parseView, type View } from '#app/board/state/view.ts';
import type { Note, SavedBoard } from '#app/counts/cache/saved-board.ts';
import { readDashboardBackup } from '#app/counts/files/backup.ts';
import { readBoard } from '#app/counts/files/board-file.ts';
import { readBundle, type OpenedBundle } from '#app/export/bundle.ts';
import { fileKind, HEAD_BYTES, type FileKind } from '#app/import/file-kind.ts';
import { BoardError, type GivenBoard } from '#contract/counts/report.ts';
import { Fault } from '#contract/fault.ts';
import type { FixedSeries } from '#core/series/imported-series.ts';

/** The content of a report. */
export interface ReportContent {
  /** Empty if it has none. */
  readonly name: string;
  readonly view: View;
  /** One sentence for each part of the view that could not be read. */
  readonly problems: readonly string[];
  readonly notes: readonly Note[];
  readonly fixed: readonly FixedSeries[];
  /** The bundle it came from; null for a board or a link, whose queries are counted. */
  readonly bundle: OpenedBundle | null;
}

const OTHERS: Readonly<Record<Exclude<FileKind, 'board' | 'bundle'>, string>> = {
  posts: 'is not a file that Groundswell wrote',
  counts: 'is a file of counts, not a board',
  workbook: 'is a workbook of counts, not a board',
  report: 'is already a report',
  json: 'is a file of counts, not a board',
  backup: 'is a backup of a browser’s counts, not a board',
  calendar: 'is a calendar, not a board',
};
const INSTEAD = 'Give a board file, a bundle, or the address of a view.';

/** A view from its address. @throws {@link BoardError} if the address has none. */
function linked(link: string): ReportContent {
  const at = link.indexOf('#');
  const text = at < 0 ? '' : link.slice(at + 1);
  const { view, problems } = parseView(text);
  if (Object.keys(view).length === 0 && problems.length === 0) {
    throw new BoardError(`The address has no view after its #. ${INSTEAD}`);
  }
  return { name: '', view, problems, notes: [], fixed: [], bundle: null };
}

/** The message of a file that cannot be read. */
function messageOf(name: string, error: unknown): string {
  if (!(error instanceof Fault)) throw error;
  return `“${name}” cannot be read: ${error.message}`;
}

function contentOf({ name, view, notes, fixed }: SavedBoard): ReportContent {
  return { name, ...parseView(view), notes, fixed, bundle: null };
}

/** The board in a bundle. */
export function bundleContent(bundle: OpenedBundle): ReportContent {
  const { name, view, notes } = bundle;
  return { name, ...parseView(view), notes, fixed: [], bundle };
}

/** The board that the service stores: a backup with it alone. */
async function readStored(bytes: Uint8Array<ArrayBuffer>): Promise<ReportContent> {
  try {
    for await (const part of readDashboardBackup(new Blob([bytes]))) {
      if ('view' in part) return contentOf(part);
    }
  } catch (error) {
    throw new BoardError(messageOf('The stored board', error));
  }
  throw new BoardError('The stored board is empty.');
}

/**
 * Reads what a report is made of.
 *
 * @throws {@link BoardError} for another file, a damaged one, and an address without a view.
 */
export async function readGiven(given: GivenBoard): Promise<ReportContent> {
  if ('link' in given) return linked(given.link);
  if ('stored' in given) return await readStored(given.stored);
  const { name, bytes } = given;
  const kind = fileKind(name, bytes.subarray(0, HEAD_BYTES));
  const file = new Blob([bytes]);
  try {
    if (kind === 'board') return contentOf(await readBoard(file));
    if (kind === 'bundle') return bundleContent(await readBundle(file));
  } catch (error) {
    throw new BoardError(messageOf(name, error));
  }
  throw new BoardError(`“${name}” ${OTHERS[kind]}. ${INSTEAD}`);
}
