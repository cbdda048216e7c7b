import { readDashboardBackup, writeDashboardBackup } from '#app/counts/files/backup.ts';
import { openArchive } from '#app/counts/files/archive.ts';
import { check, Manifest, type BundleSeriesEntry } from '#app/counts/files/archive-schema.ts';
import { readFixed, writtenFixed } from '#app/counts/files/fixed-part.ts';
import { readSeries } from '#app/counts/files/series-part.ts';
import { seriesRowOf } from '#app/counts/cache/series-row.ts';
import type { SeriesContents } from '#app/counts/cache/records.ts';
import { cellSpan, intersect, union, type Span } from '#core/time/span.ts';
import type { Note } from '#app/counts/cache/saved-board.ts';
import { flattened, type CarriedSeries } from './fixed.ts';
import { writeArchive, type Part } from '#app/counts/files/write-archive.ts';
import { seriesParts } from '#app/counts/files/write-series.ts';

/** A series to be packed into a bundle. */
interface Packing {
  /** Its position on the board, 0-based. */
  readonly place: number;
  readonly label: string;
  readonly counts:
    | {
        /** Its pages are in {@link BundleInput.cache}. */
        readonly from: 'cache';
        readonly key: string;
        /** Time from the end of a day until its counts are settled, ms. */
        readonly settleMs: number;
        /** The times for which the source has data, ascending. */
        readonly covered: readonly Span[];
      }
    | { readonly from: 'fixed'; readonly series: CarriedSeries };
}

export interface BundleInput {
  /** The board's name; empty if it has none. */
  readonly name: string;
  /** In the form of the URL, with a fixed range, because a preset would move with the clock. */
  readonly view: string;
  readonly notes: readonly Note[];
  /** The time in view. */
  readonly span: Span;
  /** The time that its changes are computed from. Pages outside it and the view are omitted. */
  readonly past: readonly Span[];
  /** By ascending place. */
  readonly series: readonly Packing[];
  /** A backup that contains the series of the cache; null if there are none. */
  readonly cache: Blob | null;
}

/** An opened bundle, which shows the same chart without any request. */
export interface OpenedBundle {
  readonly name: string;
  readonly view: string;
  readonly notes: readonly Note[];
  readonly series: readonly { readonly place: number; readonly series: CarriedSeries }[];
  /** The platform's pages as a backup for `CacheInventory.import`; null if there are none. */
  readonly platform: Blob | null;
}

/**
 * The part of a series that a bundle contains: its counts over spans and their receipts, but not when it was shown,
 * what was approved, or what is being bought.
 */
function carried(
  { row, store, receipts, records }: SeriesContents,
  spans: readonly Span[],
): SeriesContents {
  const inSpans = records.filter(({ key: [, , cell] }) =>
    spans.some((span) => intersect(cellSpan(cell), span)),
  );
  const named = new Set(inSpans.flatMap((record) => Object.keys(record.receipts)));
  // The store invalidates own posts, and the user those of the platform.
  const raised =
    row.source === 'platform' ? row.invalidated : (store?.invalidated ?? row.invalidated);
  const inside = raised.flatMap((invalidation) =>
    spans.flatMap((span) => {
      const part = intersect(invalidation, span);
      return part ? [{ ...part, generation: invalidation.generation }] : [];
    }),
  );
  return {
    row: { ...row, usedAt: 0, fullHead: 0, invalidated: inside },
    store: null,
    run: null,
    requests: [],
    receipts: receipts.filter(({ id }) => named.has(id)),
    records: inSpans,
  };
}

async function* each<T>(all: Iterable<T>): AsyncGenerator<T> {
  yield* all;
}

/**
 * A file has one set of pages per key. If a series of the cache has the same key as one from a bundle, the latter is
 * written as the buckets that the board shows.
 */
function apart({ series, span }: BundleInput): readonly Packing[] {
  const live = new Set(series.flatMap(({ counts }) => (counts.from === 'cache' ? counts.key : [])));
  return series.map((packing) => {
    const { counts } = packing;
    if (counts.from === 'cache' || counts.series.from === 'file') return packing;
    if (!live.has(counts.series.contents.row.key)) return packing;
    const { label, query, source, ...curve } = flattened(counts.series, span);
    return {
      ...packing,
      counts: { from: 'fixed', series: { from: 'file', label, query, source, curve } },
    };
  });
}

/** Pages by ascending keys of their series, cut to the time in view and what its changes need. */
async function pagesOf(input: BundleInput): Promise<Map<string, SeriesContents>> {
  const pages = new Map<string, SeriesContents>();
  const spans = union([input.span, ...input.past]);
  const cached = new Set<string>();
  for (const { counts } of input.series) {
    if (counts.from === 'cache') cached.add(counts.key);
    else if (counts.series.from === 'bundle') {
      const { contents } = counts.series;
      pages.set(contents.row.key, carried(contents, spans));
    }
  }
  if (input.cache) {
    for await (const contents of readDashboardBackup(input.cache)) {
      if (!('row' in contents)) continue;
      const { key } = contents.row;
      if (cached.has(key)) pages.set(key, carried(contents, spans));
    }
  }
  return new Map([...pages].sort(([a], [b]) => (a < b ? -1 : 1)));
}

/** Key of a series' pages, when they settle, and what their source covers. */
function cellsOf(counts: Packing['counts']): {
  readonly key: string;
  readonly settleMs: number;
  readonly covered?: readonly Span[] | undefined;
} {
  if (counts.from === 'cache') return counts;
  if (counts.series.from === 'bundle') {
    const { contents, settleMs, covered } = counts.series;
    return { key: contents.row.key, settleMs, covered };
  }
  throw new TypeError('expected a series with pages, got one from a file');
}

/**
 * Writes a bundle. The same board with the same counts gives the same bytes, even if it was opened from a bundle.
 *
 * @throws {Fault} of type `BAD_BACKUP` if `cache` is not a backup.
 */
export async function writeBundle(given: BundleInput): Promise<Blob> {
  const { name, view, notes, ...input } = { ...given, series: apart(given) };
  const pages = await pagesOf({ ...given, ...input });
  const fixed: Part[] = [];
  const series = input.series.map(({ place, label, counts }): BundleSeriesEntry => {
    if (counts.from === 'fixed' && counts.series.from === 'file') {
      const { query, source, curve } = counts.series;
      const { entry, part } = writtenFixed({ label, query, source, ...curve }, fixed.length + 1);
      fixed.push(part);
      return { from: 'file', place, ...entry };
    }
    const { key, settleMs, covered } = cellsOf(counts);
    const { query, source } = pages.get(key)?.row ?? seriesRowOf(key, 0);
    const cover = covered && {
      covered: covered.map(({ start, end }) => ({ start, end: end === Infinity ? null : end })),
    };
    return { from: 'cells', place, label, query, source, key, settleMs, ...cover };
  });
  const full = [...pages.values()].filter(({ records }) => records.length > 0);
  const parts = function* (): Generator<Part> {
    yield* fixed;
    for (const [i, contents] of full.entries()) yield* seriesParts(contents, i + 1);
  };
  const manifest = {
    groundswell: 'bundle',
    version: 1,
    name,
    view,
    notes: [...notes],
    series,
  } as const;
  const result = check(Manifest, manifest);
  if ('wrong' in result)
    throw new TypeError(`the board has something that a bundle cannot contain: ${result.wrong}`);
  return await writeArchive(result.output, parts());
}

/** The end of the pages' data, epoch ms. */
function reportedUntil({ records }: SeriesContents): number {
  return Math.max(0, ...records.map(({ segments }) => segments.at(-1)?.to ?? 0));
}

/** Opens a series from the pages of its key. */
function openedCells(
  {
    label,
    query,
    source,
    key,
    settleMs,
    covered: cover,
  }: Extract<BundleSeriesEntry, { from: 'cells' }>,
  pages: ReadonlyMap<string, SeriesContents>,
): CarriedSeries {
  const none = { store: null, run: null, requests: [], receipts: [], records: [] };
  const contents = pages.get(key) ?? { ...none, row: seriesRowOf(key, 0) };
  const spans = cover && [cover].flat();
  const covered = spans && {
    covered: spans.map(({ start, end }) => ({ start, end: end ?? Infinity })),
  };
  const asOf = reportedUntil(contents);
  return { from: 'bundle', label, query, source, contents, settleMs, asOf, ...covered };
}

/**
 * Reads a bundle and checks all of it.
 *
 * Every series is fixed, because counting again here, from another store of Posts or days later, would give a different
 * chart.
 *
 * @throws {Fault} of type `BAD_BUNDLE` that says what is wrong.
 */
export async function readBundle(file: Blob): Promise<OpenedBundle> {
  const { archive, manifest } = await openArchive(file, 'bundle');
  const { name, view, notes } = manifest;
  const pages = new Map<string, SeriesContents>();
  for await (const contents of readSeries(archive)) pages.set(contents.row.key, contents);
  const series: { place: number; series: CarriedSeries }[] = [];
  for (const entry of manifest.series) {
    const { place } = entry;
    if (entry.from === 'cells') {
      series.push({ place, series: openedCells(entry, pages) });
      continue;
    }
    const where = `The series “${entry.label}” from a file`;
    const { label, query, source, ...curve } = await readFixed(archive, entry, where);
    series.push({ place, series: { from: 'file', label, query, source, curve } });
  }
  archive.finish();
  const platform = [...pages.values()].filter(({ row }) => row.source === 'platform');
  // Pages that the sender marked to buy again are not bought here.
  const valid = platform.map((contents) => ({
    ...contents,
    row: { ...contents.row, invalidated: [] },
  }));
  const backup = platform.length > 0 ? await writeDashboardBackup(each(valid)) : null;
  return { name, view, notes, series, platform: backup };
}
