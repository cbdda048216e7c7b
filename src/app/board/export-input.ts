import { policyOf } from '#app/counts/policy.ts';
import type { StoredReceipt } from '#app/counts/cache-port.ts';
import type { ChartSnapshot } from '#app/chart/snapshot.ts';
import type { BundleInput } from '#app/export/bundle.ts';
import type { ExportJob, ExportSeries } from '#app/export/csv.ts';
import type { CsvOptions } from '#app/export/csv-options.ts';
import type { ImageInput } from '#app/export/image.ts';
import type { JsonJob } from '#app/export/json.ts';
import type { NoteInput, NoteSeries } from '#app/export/note.ts';
import type { Cells } from '#app/export/table.ts';
import { usd } from '#core/counts/price.ts';
import { isoLocal } from '#core/time/zone.ts';
import type { Board } from './board.svelte.ts';
import type { BoardSeries } from './series.svelte.ts';
import { formatView } from './view.ts';
import { zoneCity, type Words } from './words.ts';

const SOURCE_WORDS = { sample: 'Sample', posts: 'Your posts', platform: 'The platform' } as const;

/** Buckets of a file: those in sight that have begun, with a series for each that is visible and was asked. */
interface Told {
  readonly bounds: Float64Array;
  readonly series: readonly ExportSeries[];
}

/** The visible series that have been asked. */
export function toldSeries(board: Board): readonly BoardSeries[] {
  return board.visible.filter((one) => one.shown !== '');
}

/** What is in sight: counts of buckets that are not here yet are missing, not zero. The arrays are copies. */
export function toldOf(board: Board): Told {
  const { bounds, sourceId } = board;
  const { from, to } = board.rows;
  const series = toldSeries(board).map((one): ExportSeries => {
    const curve = one.curveOf(bounds);
    const missing = (): Float64Array<ArrayBuffer> => new Float64Array(to - from).fill(Number.NaN);
    return {
      query: one.shown,
      label: one.name,
      source: sourceId,
      counts: curve ? curve.counts.slice(from, to) : missing(),
      states: curve ? curve.states.slice(from, to) : new Uint8Array(to - from),
      fetchedAt: curve ? curve.fetchedAt.slice(from, to) : missing(),
    };
  });
  return { bounds: bounds.slice(from, to + 1), series };
}

/** What a CSV is made of. */
export function csvJob(board: Board, form: ExportJob['form'], options: CsvOptions): ExportJob {
  return { form, ...options, ...toldOf(board) };
}

/** What a JSON file is made of. */
export function jsonJob(board: Board): JsonJob {
  const { zone, resolution } = board;
  return { form: 'json', zone, resolution, ...toldOf(board) };
}

/** Name of a file of what is in sight, without its ending: source, days, resolution. */
export function fileName(board: Board): string {
  const { from, to } = board.rangeText(board.window);
  const days = `${from.slice(0, 10)}_${to.slice(0, 10)}`;
  return `groundswell_${board.sourceId}_${days}_${board.resolution}`;
}

/** What the method note tells. @param receipts - Of a series of the cache, by its key. */
export async function noteInput(
  board: Board,
  receipts: (key: string) => Promise<readonly StoredReceipt[]>,
): Promise<NoteInput> {
  const { zone, resolution, window, now, endpoint, source, sourceId } = board;
  const told = toldOf(board).series;
  const runs = toldSeries(board).map((one) => one.run);
  const noted = told.map(async (one, i): Promise<NoteSeries> => {
    const { key = '', changes = [], seams = [], upperBounds = false } = runs[i] ?? {};
    const bought = sourceId === 'platform' ? await receipts(key).catch(() => null) : null;
    const paid = bought && {
      pages: bought.filter(({ price }) => price > 0).length,
      money: usd(bought.reduce((sum, { price }) => sum + price, 0)),
    };
    return { ...one, kind: 'query', paid, changes, seams, upperBounds };
  });
  const series = await Promise.all(noted);
  const posts = source?.posts ?? null;
  return { source: sourceId, posts, window, zone, resolution, endpoint, now, series };
}

/** The summary as a table: numbers bare, the beginning of the peak's bucket in the zone, shares as parts of 1. */
export function summaryTable(board: Board): Cells {
  const { resolution, table } = board;
  const names = ['series', 'total', `mean per ${resolution}`, 'peak', 'peak start', 'complete'];
  const rows = toldSeries(board).map(({ name, summary, curve }) => {
    if (!summary || !curve || summary.known === 0) return [name, null, null, null, null, null];
    const { total, mean, peak, share } = summary;
    const at = peak ? isoLocal(table, curve.bounds[peak.index] ?? 0) : null;
    return [name, total, mean, peak?.count ?? null, at, share];
  });
  return [names, ...rows];
}

/** The view with a range of its own in a preset's place, so that it shows the same on every day. */
export function fixedView(board: Board): string {
  const { weekStart } = board;
  return formatView({ ...board.view(), range: board.rangeText(), weekStart });
}

/** What a bundle is made of. @param pages - A backup of series of the cache. */
export async function bundleInput(
  board: Board,
  pages: (series: readonly string[]) => Promise<Blob>,
): Promise<BundleInput> {
  const { settleMs } = policyOf(board.sourceId, board.platform);
  const series = board.series
    .filter((one) => one.text.trim() !== '')
    .flatMap((one, place): BundleInput['series'][number][] =>
      one.run.key === ''
        ? []
        : [{ place, label: one.name, counts: { from: 'cache', key: one.run.key, settleMs } }],
    );
  const keys = series.flatMap(({ counts }) => (counts.from === 'cache' ? [counts.key] : []));
  return {
    name: '',
    view: fixedView(board),
    notes: [],
    span: board.span,
    series,
    cache: keys.length > 0 ? await pages([...new Set(keys)]) : null,
  };
}

/** What a picture of the chart says around it. */
export function imageInput(board: Board, chart: ChartSnapshot, words: Words): ImageInput {
  const { resolution, window, zone, now, sourceId } = board;
  const drawn = board.visible.filter((one) => one.curve);
  const legend = drawn.map(({ name, style }) => ({
    name,
    colour: chart.look.series[style.colour - 1] ?? chart.look.base.ink,
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
