import { coveredSpan, policyOf } from '#app/counts/source-policy.ts';
import type { StoredReceipt } from '#app/counts/cache/records.ts';
import type { ChartSnapshot } from '#app/chart/chart-props.ts';
import type { BundleInput } from '#app/export/bundle.ts';
import type { ExportJob, ExportSeries } from '#app/export/csv.ts';
import type { CarriedSeries } from '#app/export/fixed.ts';
import type { Note } from '#app/counts/cache/saved-board.ts';
import type { CsvOptions } from '#app/export/csv-options.ts';
import type { ImageInput } from '#app/export/image.ts';
import type { JsonJob } from '#app/export/json.ts';
import type { NoteInput, NoteSeries } from '#app/export/note.ts';
import { omit } from '#core/omit.ts';
import { usd } from '#core/counts/price.ts';
import { fetchedBetween } from '#core/series/fetch-times.ts';
import { bucketsIn } from '#core/series/window.ts';
import type { Span } from '#core/time/span.ts';
import type { Board } from '#app/board/state/board.svelte.ts';
import { toldSeries } from '#app/board/state/told.ts';
import { formatView } from '#app/board/state/view.ts';
import { zoneCity, type Formatter } from '#app/format/formatter.ts';

const SOURCE_WORDS = { sample: 'Sample', posts: 'Your posts', platform: 'The platform' } as const;

/** Buckets of a file: those in sight that have begun, with a series for each that is visible and was asked. */
interface BucketsInView {
  readonly bounds: Float64Array;
  readonly series: readonly ExportSeries[];
}

/** What is in sight: counts of buckets that are not here yet are missing, not zero. The arrays are copies. */
export function bucketsInView(board: Board): BucketsInView {
  const {
    source: { id: sourceId },
  } = board;
  const bounds = board.time.edges.all;
  const { from, to } = board.time.rows;
  const series = toldSeries(board).map((one): ExportSeries => {
    const curve = one.curveOf(bounds);
    const missing = (): Float64Array<ArrayBuffer> => new Float64Array(to - from).fill(Number.NaN);
    return {
      query: one.kind === 'query' ? one.shown : (one.fixed?.query ?? ''),
      label: one.name,
      source: one.fixed ? one.fixed.source : sourceId,
      counts: curve ? curve.counts.slice(from, to) : missing(),
      states: curve ? curve.states.slice(from, to) : new Uint8Array(to - from),
      fetchedAt: curve ? fetchedBetween(curve, from, to) : missing(),
    };
  });
  return { bounds: bounds.slice(from, to + 1), series };
}

/** What a CSV is made of. */
export function csvJob(board: Board, form: ExportJob['form'], options: CsvOptions): ExportJob {
  return { form, ...options, ...bucketsInView(board) };
}

/** What a JSON file is made of. */
export function jsonJob(board: Board): JsonJob {
  const {
    time: { zone, resolution },
  } = board;
  return { form: 'json', zone, resolution, ...bucketsInView(board) };
}

/** Name of a file of what is in sight, without its ending: source, days, resolution. */
export function fileName(board: Board): string {
  const { from, to } = board.time.rangeText(board.time.window);
  const days = `${from.slice(0, 10)}_${to.slice(0, 10)}`;
  return `groundswell_${board.source.id}_${days}_${board.time.resolution}`;
}

/** What the method note tells. @param receipts - Of a series of the cache, by its key. */
export async function noteInput(
  board: Board,
  receipts: (key: string) => Promise<readonly StoredReceipt[]>,
): Promise<NoteInput> {
  const {
    time: { zone, resolution, window },
    source: { endpoint, info: source, id: sourceId },
    clock: now,
  } = board;
  const shown = bucketsInView(board).series;
  const all = toldSeries(board);
  const noted = shown.map(async (one, i): Promise<NoteSeries> => {
    const { run, kind = 'query', shown = '' } = all[i] ?? {};
    const { key = '', changes = [], seams = [], upperBounds = false } = run ?? {};
    const query = kind === 'formula' ? shown : one.query;
    const bought =
      sourceId === 'platform' && key !== '' ? await receipts(key).catch(() => null) : null;
    const paid = bought && {
      pages: bought.filter(({ price }) => price > 0).length,
      money: usd(bought.reduce((sum, { price }) => sum + price, 0)),
    };
    return { ...one, query, kind, paid, changes, seams, upperBounds };
  });
  const series = await Promise.all(noted);
  const posts = source?.posts ?? null;
  const { start, end } = coveredSpan(source?.coverage ?? null);
  const whole = start <= window.start && Math.min(end, now) >= Math.min(window.end, now);
  const covered =
    whole || !Number.isFinite(start) ? null : { start, end: end === Infinity ? null : end };
  return { source: sourceId, posts, covered, window, zone, resolution, endpoint, now, series };
}

/** What of a board is not in its view. */
export interface BoardExtras {
  /** Empty where it was not saved. */
  readonly name: string;
  readonly notes: readonly Note[];
  /** Names of the lanes that are switched off. */
  readonly lanesHidden?: readonly string[];
}

/** What is on screen, to the edges of its buckets. */
function inSight({ time: { zoom, edges, span } }: Board): Span {
  if (!zoom) return span;
  const bounds = edges.all;
  const { first, end } = bucketsIn(bounds, zoom.start, zoom.end);
  return { start: bounds[first] ?? zoom.start, end: bounds[end] ?? zoom.end };
}

/** What a bundle is made of. @param pages - A backup of series of the cache. */
export async function bundleInput(
  board: Board,
  { name, notes, lanesHidden = [] }: BoardExtras,
  pages: (series: readonly string[]) => Promise<Blob>,
): Promise<BundleInput> {
  const { settleMs } = policyOf(board.source.id, board.source.platform);
  const covered = coveredSpan(board.source.info?.coverage ?? null);
  const told = board.series.withViews(true);
  const series = told.flatMap(({ one }, place): BundleInput['series'][number][] => {
    const { fixed, run } = one;
    const label = one.name;
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
  const { zoom, ...shown } = omit(board.view(), 'fine', 'comparison');
  // A range of its own in a preset's place, so that it shows the same on every day; of a zoom its own buckets.
  const span = inSight(board);
  const view = {
    ...shown,
    range: board.time.rangeText(zoom ? span : undefined),
    ...(zoom && { resolution: board.time.resolution }),
    ...(lanesHidden.length > 0 && { lanesHidden }),
  };
  return {
    name,
    view: formatView({ ...view, series: told.map((each) => each.view) }),
    notes,
    span,
    series,
    cache: keys.length > 0 ? await pages([...new Set(keys)]) : null,
  };
}

/** What a picture of the chart says around it. */
export function imageInput(board: Board, chart: ChartSnapshot, words: Formatter): ImageInput {
  const {
    time: { resolution, window, zone, now },
    source: { id: sourceId },
  } = board;
  const drawn = board.series.visible.filter((one) => one.curve);
  const legend = drawn.map(({ name, style }) => ({
    name,
    colour: chart.colours.series[style.colour - 1] ?? chart.colours.base.ink,
    dash: style.dash,
  }));
  return {
    chart,
    title: `Posts per ${resolution}`,
    subtitle: `${words.span(window, zone)} · ${zone.includes('/') ? `${zoneCity(zone)} (${zone})` : zone}`,
    legend,
    foot: `${SOURCE_WORDS[sourceId]} · as of ${words.moment(now, zone)} · Groundswell`,
  };
}
