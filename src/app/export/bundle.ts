import { readBackup, writeBackup } from '#app/counts/files/backup.ts';
import { openArchive, writeArchive, type Part } from '#app/counts/files/archive.ts';
import { check, Manifest, type BundleSeriesEntry } from '#app/counts/files/archive-schema.ts';
import { readFixed, writtenFixed } from '#app/counts/files/fixed-part.ts';
import { readSeries, seriesParts } from '#app/counts/files/series-part.ts';
import { seriesRowOf } from '#app/counts/cache/series-row.ts';
import type { SeriesContents } from '#app/counts/cache/records.ts';
import { cellSpan, intersect, type Span } from '#core/time/span.ts';
import type { Note } from '#app/counts/cache/saved-board.ts';
import { flattened, type CarriedSeries } from './fixed.ts';

/** A series on its way into a bundle. */
export interface Packing {
  /** Its place on the board, 0-based. */
  readonly place: number;
  readonly label: string;
  readonly counts:
    | {
        /** Its pages are in {@link BundleInput.cache}. */
        readonly from: 'cache';
        readonly key: string;
        /** How long after its end a day's counts are settled, ms. */
        readonly settleMs: number;
        /** The time of which the source has data. */
        readonly covered: Span;
      }
    | { readonly from: 'fixed'; readonly series: CarriedSeries };
}

export interface BundleInput {
  /** Of the board; empty where it has none. */
  readonly name: string;
  /** As the address holds it, with a range of its own and no preset: that would move with the clock. */
  readonly view: string;
  readonly notes: readonly Note[];
  /** Pages of cells that it does not touch are left out. */
  readonly span: Span;
  /** By rising place. */
  readonly series: readonly Packing[];
  /** A backup that holds the series of the cache; null where there is none. */
  readonly cache: Blob | null;
}

/** A bundle, opened: what shows the same picture without a request. */
export interface OpenedBundle {
  readonly name: string;
  readonly view: string;
  readonly notes: readonly Note[];
  readonly series: readonly { readonly place: number; readonly series: CarriedSeries }[];
  /** The platform's pages as a backup for `CacheInventory.import`; null where it has none. */
  readonly platform: Blob | null;
}

/**
 * What of a series is carried elsewhere: what tells its counts over a span, and nothing of when it was looked
 * at, what was agreed to, or what is being bought.
 */
function carried({ row, store, receipts, records }: SeriesContents, span: Span): SeriesContents {
  const kept = records.filter(({ key: [, , cell] }) => intersect(cellSpan(cell), span));
  const named = new Set(kept.flatMap((record) => Object.keys(record.receipts)));
  // Own posts are raised by their store, the platform's by the user.
  const raised = row.source === 'platform' ? row.raised : (store?.raised ?? row.raised);
  const inside = raised.flatMap((one) => {
    const part = intersect(one, span);
    return part ? [{ ...part, generation: one.generation }] : [];
  });
  return {
    row: { ...row, usedAt: 0, fullHead: 0, raised: inside },
    store: null,
    run: null,
    asks: [],
    receipts: receipts.filter(({ id }) => named.has(id)),
    records: kept,
  };
}

async function* each<T>(all: Iterable<T>): AsyncGenerator<T> {
  yield* all;
}

/**
 * A file has one set of pages for a key. Where a series of the cache has that of one that a bundle brought, the
 * latter goes as the buckets it stands on the board by.
 */
function apart({ series, span }: BundleInput): readonly Packing[] {
  const live = new Set(series.flatMap(({ counts }) => (counts.from === 'cache' ? counts.key : [])));
  return series.map((one) => {
    const { counts } = one;
    if (counts.from === 'cache' || counts.series.from === 'file') return one;
    if (!live.has(counts.series.contents.row.key)) return one;
    const { label, query, source, bounds, ...told } = flattened(counts.series, span);
    const curve = { bounds, ...told };
    return {
      ...one,
      counts: { from: 'fixed', series: { from: 'file', label, query, source, curve } },
    };
  });
}

/** Pages by the keys of their series, rising: of each what is carried. */
async function pagesOf(input: BundleInput): Promise<Map<string, SeriesContents>> {
  const pages = new Map<string, SeriesContents>();
  const cached = new Set<string>();
  for (const { counts } of input.series) {
    if (counts.from === 'cache') cached.add(counts.key);
    else if (counts.series.from === 'bundle') {
      const { contents } = counts.series;
      pages.set(contents.row.key, carried(contents, input.span));
    }
  }
  if (input.cache) {
    for await (const contents of readBackup(input.cache)) {
      if (!('row' in contents)) continue;
      const { key } = contents.row;
      if (cached.has(key)) pages.set(key, carried(contents, input.span));
    }
  }
  return new Map([...pages].sort(([a], [b]) => (a < b ? -1 : 1)));
}

/** Under which key the pages of a series are, when they settle, and what their source covers. */
function cellsOf(counts: Packing['counts']): {
  readonly key: string;
  readonly settleMs: number;
  readonly covered?: Span | undefined;
} {
  if (counts.from === 'cache') return counts;
  if (counts.series.from === 'bundle') {
    const { contents, settleMs, covered } = counts.series;
    return { key: contents.row.key, settleMs, covered };
  }
  throw new TypeError('expected a series with pages, got one from a file');
}

/**
 * Writes a bundle: the same board with the same counts gives the same bytes, also when it was opened from a bundle.
 *
 * @throws {Fault} of type `BAD_BACKUP` where the cache's file is not one.
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
    const end = covered?.end === Infinity ? null : (covered?.end ?? null);
    const cover = covered && { covered: { start: covered.start, end } };
    return { from: 'cells', place, label, query, source, key, settleMs, ...cover };
  });
  const full = [...pages.values()].filter(({ records }) => records.length > 0);
  const parts = function* (): Generator<Part> {
    yield* fixed;
    for (const [i, contents] of full.entries()) yield* seriesParts(contents, i + 1);
  };
  const plain = notes.map(({ id, start, end, text }) => ({ id, start, end, text }));
  const manifest = { groundswell: 'bundle', version: 1, name, view, notes: plain, series } as const;
  const result = check(Manifest, manifest);
  if ('wrong' in result) throw new TypeError(`the board has what no bundle can: ${result.wrong}`);
  return await writeArchive(result.output, parts());
}

/** The end of what pages report, epoch ms. */
function reportedUntil({ records }: SeriesContents): number {
  return Math.max(0, ...records.map(({ segments }) => segments.at(-1)?.to ?? 0));
}

/** A series as it opens, from the pages of its key. */
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
  const none = { store: null, run: null, asks: [], receipts: [], records: [] };
  const contents = pages.get(key) ?? { ...none, row: seriesRowOf(key, 0) };
  const covered = cover && { covered: { start: cover.start, end: cover.end ?? Infinity } };
  const asOf = reportedUntil(contents);
  return { from: 'bundle', label, query, source, contents, settleMs, asOf, ...covered };
}

/**
 * Reads a bundle, all of it checked before anything is given.
 *
 * Every series comes fixed: what this browser could count itself, of another store of posts or days later, would
 * be another picture.
 *
 * @throws {Fault} of type `BAD_BUNDLE` in words that name what is wrong.
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
  // What the user who made it wanted bought again is for that user to buy.
  const valid = platform.map((one) => ({ ...one, row: { ...one.row, raised: [] } }));
  const backup = platform.length > 0 ? await writeBackup(each(valid)) : null;
  return { name, view, notes, series, platform: backup };
}
