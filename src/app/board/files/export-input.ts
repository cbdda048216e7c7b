import { coveredSpans } from '#app/counts/source-policy.ts';
import type { StoredReceipt } from '#app/counts/cache/records.ts';
import type { ExportJob, ExportSeries } from '#core/export/csv.ts';
import type { CsvOptions } from '#app/export/csv-options.ts';
import type { JsonJob } from '#core/export/json.ts';
import type { NoteInput, NoteSeries } from '#app/export/note.ts';
import { isTimed } from '#core/time/resolution.ts';
import { usd } from '#core/counts/price.ts';
import { fetchedBetween } from '#core/series/fetch-times.ts';
import { without } from '#core/time/span.ts';
import type { FileEvent } from '#app/events/event-file.ts';
import type { Board } from '#app/board/state/board.svelte.ts';
import type { XlsxJob } from '#app/export/xlsx/counts-sheet.ts';

/** Buckets of a file: those in view that have begun, with every visible series that has a loaded query. */
interface BucketsInView {
  readonly bounds: Float64Array;
  readonly series: readonly ExportSeries[];
}

/** Copies the buckets in view. Counts that have not loaded are missing (NaN), not zero. */
export function bucketsInView(board: Board): BucketsInView {
  const {
    source: { id: sourceId },
  } = board;
  const bounds = board.time.edges.all;
  const { from, to } = board.time.rows;
  const series = board.series.loaded.map((loaded): ExportSeries => {
    const curve = loaded.curveOf(bounds);
    const missing = (): Float64Array<ArrayBuffer> => new Float64Array(to - from).fill(Number.NaN);
    return {
      query: loaded.kind === 'query' ? loaded.shown : (loaded.fixed?.query ?? ''),
      label: loaded.name,
      source: loaded.fixed ? loaded.fixed.source : sourceId,
      counts: curve ? curve.counts.slice(from, to) : missing(),
      states: curve ? curve.states.slice(from, to) : new Uint8Array(to - from),
      fetchedAt: curve ? fetchedBetween(curve, from, to) : missing(),
    };
  });
  return { bounds: bounds.slice(from, to + 1), series };
}

/** The job that writes a CSV. */
export function csvJob(board: Board, form: ExportJob['form'], options: CsvOptions): ExportJob {
  return { form, ...options, timed: isTimed(board.time.resolution), ...bucketsInView(board) };
}

/** The job that writes a workbook. */
export function xlsxJob(
  board: Board,
  shape: XlsxJob['shape'],
  { method, events }: Pick<XlsxJob, 'method' | 'events'>,
): XlsxJob {
  const timed = isTimed(board.time.resolution);
  return { form: 'xlsx', shape, timed, method, events, ...bucketsInView(board) };
}

/** The job that writes a JSON file. */
export function jsonJob(board: Board): JsonJob {
  const {
    time: { zone, resolution },
  } = board;
  return { form: 'json', zone, resolution, ...bucketsInView(board) };
}

/** File name for the buckets in view, without extension: source, days, resolution. */
export function fileName(board: Board): string {
  const { from, to } = board.time.rangeText(board.time.window);
  const days = `${from.slice(0, 10)}_${to.slice(0, 10)}`;
  return `groundswell_${board.source.id}_${days}_${board.time.resolution}`;
}

/**
 * Input of the method note.
 *
 * @param receipts - Reads the receipts of a cached series by its key.
 * @param events - Those that the note lists.
 */
export async function noteInput(
  board: Board,
  receipts: (key: string) => Promise<readonly StoredReceipt[]>,
  events: readonly FileEvent[] = [],
): Promise<NoteInput> {
  const {
    time: { zone, resolution, window, zoom, span },
    source: { endpoint, info: source, id: sourceId },
    clock: now,
  } = board;
  const shown = bucketsInView(board).series;
  const all = board.series.loaded;
  const noted = shown.map(async (given, i): Promise<NoteSeries> => {
    const { run, kind = 'query', shown = '' } = all[i] ?? {};
    const { key = '', changes = [], seams = [], upperBounds = false } = run ?? {};
    const query = kind === 'formula' ? shown : given.query;
    const bought =
      sourceId === 'platform' && key !== '' ? await receipts(key).catch(() => null) : null;
    const paid = bought && {
      pages: bought.filter(({ price }) => price > 0).length,
      money: usd(bought.reduce((sum, { price }) => sum + price, 0)),
    };
    return { ...given, query, kind, paid, changes, seams, upperBounds };
  });
  const series = await Promise.all(noted);
  const posts = source?.posts ?? null;
  const spans = source && coveredSpans(source.coverage);
  const past = { start: window.start, end: Math.min(window.end, now) };
  const covered = spans && without([past], spans).length > 0 ? spans : null;
  return {
    source: sourceId,
    posts,
    store: sourceId === 'platform' ? null : source,
    covered,
    window,
    range: zoom && span,
    zone,
    resolution,
    endpoint,
    now,
    events,
    series,
  };
}
