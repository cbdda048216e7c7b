import { coveredSpans, policyOf } from '#app/counts/source-policy.ts';
import type { StoredReceipt } from '#app/counts/cache/records.ts';
import type { BundleInput } from '#app/export/bundle.ts';
import type { ExportJob, ExportSeries } from '#core/export/csv.ts';
import type { CarriedSeries } from '#app/export/fixed.ts';
import type { Note } from '#app/counts/cache/saved-board.ts';
import type { CsvOptions } from '#app/export/csv-options.ts';
import type { SlideContext } from '#app/export/slide-input.ts';
import type { JsonJob } from '#core/export/json.ts';
import type { NoteInput, NoteSeries } from '#app/export/note.ts';
import { isTimed } from '#core/time/resolution.ts';
import { omit } from '#core/omit.ts';
import { usd } from '#core/counts/price.ts';
import { fetchedBetween } from '#core/series/fetch-times.ts';
import { without, type Span } from '#core/time/span.ts';
import { lengthsOf } from '#app/insight/summary/change-words.ts';
import { timeBefore } from '#app/board/state/compare-with.ts';
import { againstPeriod, periodNames } from '#app/board/state/against.ts';
import { boardFinding } from '#app/board/state/board-finding.ts';
import type { BoardEvent } from '#app/events/event.ts';
import { fileEvents, type FileEvent } from '#app/events/event-file.ts';
import { boardPeaks } from '#app/board/state/board-peaks.ts';
import type { HeadedCauses } from '#app/insight/breakdown/causes-text.ts';
import { spanName } from '#app/insight/drawer/drawer-text.ts';
import { drawnWords } from '#app/board/state/headings.ts';
import type { Board } from '#app/board/state/board.svelte.ts';
import type { BoardSeries } from '#app/board/state/series.svelte.ts';
import { wholeBuckets } from '#app/board/state/whole-buckets.ts';
import { formatView } from '#app/board/state/view.ts';
import { peaksNamed } from '#core/finding/finding.ts';
import type { Formatter } from '#app/format/formatter.ts';
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

/** The words for the earlier curves, with both lengths where they differ; empty if none are drawn. */
function comparedText(board: Board, series: readonly BoardSeries[], format: Formatter): string {
  if (board.chart.comparison === 'none') return '';
  const [lengths] = lengthsOf(series);
  const several = board.periods.length > 1;
  const periods = several ? periodNames(board, format).join(', ') : againstPeriod(board, format);
  return [`compared with ${periods}`, lengths].filter(Boolean).join(', ');
}

/** The causes of the picked peak, else of the one that the finding names, else of the largest; null if none are known. */
export function offeredCauses(board: Board, format: Formatter): HeadedCauses | null {
  const { table, weekStart, zone } = board.time;
  const peaks = boardPeaks(board)
    .peaks.filter(({ causes }) => (causes?.groups.length ?? 0) > 0)
    .toSorted((a, b) => b.peak.excess - a.peak.excess);
  const named = peaksNamed(boardFinding(board, format));
  const { picked } = board;
  const peak =
    peaks.find(
      ({ span, seriesId }) => seriesId === picked?.of && span.start === picked.span.start,
    ) ??
    peaks.find(({ key }) => named.includes(key)) ??
    peaks[0];
  if (!peak?.causes) return null;
  const {
    span,
    series,
    causes,
    peak: { count },
  } = peak;
  const when = spanName(span, table, weekStart, format.in(zone));
  return { title: `${when} · ${series.name}`, colour: series.style.colour, count, causes };
}

/** Reads the causes of the peaks that a report of the board lists, and that its finding names. */
export async function readCauses(
  board: Board,
  format: Formatter,
  signal: AbortSignal,
): Promise<void> {
  const named = peaksNamed(boardFinding(board, format));
  const listed = boardPeaks(board).peaks.filter(
    ({ key, number }) => number !== null || named.includes(key),
  );
  await board.causes?.readAll(listed, signal);
}

/** The statements of a slide of the board about its chart. */
export function slideContext(board: Board, format: Formatter): SlideContext {
  const { zone, resolution, window, now } = board.time;
  const series = board.series.visible.filter((each) => each.curve);
  const drawn = drawnWords(board);
  const compared = comparedText(board, series, format);
  return {
    source: board.source.id,
    zone,
    resolution,
    drawn,
    window,
    compared,
    now,
    series,
    format,
    finding: boardFinding(board, format),
  };
}
