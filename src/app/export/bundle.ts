import { sectionsOf } from '#app/counts/files/backup-file.ts';
import { crc32 } from '#app/counts/files/crc32.ts';
import { read } from '#app/counts/files/backup-form.ts';
import { readBackup, writeBackup } from '#app/counts/files/backup.ts';
import { seriesRowOf } from '#app/counts/cache/series-row.ts';
import type { SeriesContents } from '#app/counts/cache/records.ts';
import { Fault } from '#contract/fault.ts';
import { parseJson } from '#core/text/bounded-json.ts';
import { cellSpan, intersect, type Span } from '#core/time/span.ts';
import type { Note } from '#app/counts/cache/saved-board.ts';
import { BundleForm, curveFrom, plainCurve } from './bundle-form.ts';
import { flattened, type CarriedSeries } from './fixed.ts';

/*
 * The file of a bundle: MAGIC, the version of its form, the length of its head, the head (gzip of JSON), its
 * pages (a backup file), CRC-32 of everything before it; numbers are little-endian. Magic, version and checksum
 * stay where they are in every later form, so that each version can tell what it cannot read.
 */

const MAGIC = new TextEncoder().encode('GRNDBNDL');
const FORM = 1;
const FIXED_BYTES = MAGIC.length + 8;
const SUM_BYTES = 4;
/** A file beyond is refused unread. */
const MAX_FILE = 2 ** 29;
/** What may come out of what is packed: of the head, and of the pages. */
const MAX_HEAD = 2 ** 27;
const MAX_PAGES = 2 ** 30;

/** Type of the fault for a file that is no bundle, or a damaged one. */
export const BAD_BUNDLE = 'groundswell:bad-bundle';

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

function badBundle(detail: string): Fault {
  return new Fault(0, { title: 'This file cannot be read as a bundle', detail, type: BAD_BUNDLE });
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

function u32(value: number): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(4);
  new DataView(bytes.buffer).setUint32(0, value, true);
  return bytes;
}

async function gathered(
  stream: ReadableStream<Uint8Array<ArrayBuffer>>,
  most: number,
): Promise<Uint8Array<ArrayBuffer> | null> {
  const chunks: Uint8Array<ArrayBuffer>[] = [];
  let size = 0;
  for (const reader = stream.getReader(); ;) {
    const { done, value } = await reader.read();
    if (done) break;
    chunks.push(value);
    size += value.length;
    if (size <= most) continue;
    await reader.cancel();
    return null;
  }
  return new Uint8Array(await new Blob(chunks).arrayBuffer());
}

async function sumOf(file: Blob): Promise<number> {
  let sum = 0;
  for (const reader = file.stream().getReader(); ;) {
    const { done, value } = await reader.read();
    if (done) return sum;
    sum = crc32(value, sum);
  }
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
 * Writes a bundle: the same board with the same counts gives the same bytes, opened and written again too.
 *
 * @throws {Fault} of type `BAD_BACKUP` where the cache's file is none.
 */
export async function writeBundle(given: BundleInput): Promise<Blob> {
  const input = { ...given, series: apart(given) };
  const pages = await pagesOf(input);
  const series = input.series.map(({ place, label, counts }): BundleForm['series'][number] => {
    if (counts.from === 'fixed' && counts.series.from === 'file') {
      const { query, source, curve } = counts.series;
      return { from: 'file', place, label, query, source, curve: plainCurve(curve) };
    }
    const { key, settleMs, covered } = cellsOf(counts);
    const { query, source } = pages.get(key)?.row ?? seriesRowOf(key, 0);
    const end = covered?.end === Infinity ? null : covered?.end;
    const cover = covered && { covered: { start: covered.start, end: end ?? null } };
    return { from: 'bundle', place, label, query, source, key, settleMs, ...cover };
  });
  const notes = input.notes.map(({ id, start, end, text }) => ({ id, start, end, text }));
  const form = read(BundleForm, { name: input.name, view: input.view, notes, series });
  if ('wrong' in form) throw new TypeError(`the board holds what no bundle can: ${form.wrong}`);
  const json = new Blob([JSON.stringify(form.output)]);
  const packed = json.stream().pipeThrough(new CompressionStream('gzip'));
  const head = await gathered(packed as ReadableStream<Uint8Array<ArrayBuffer>>, Infinity);
  if (!head) throw new RangeError('expected a head of any size');
  const full = [...pages.values()].filter(({ records }) => records.length > 0);
  const body = new Blob([MAGIC, u32(FORM), u32(head.length), head, await writeBackup(each(full))]);
  if (body.size + SUM_BYTES > MAX_FILE) {
    throw new RangeError(
      `The bundle would have ${body.size} bytes; one has at most ${MAX_FILE}. Take a shorter range or fewer series.`,
    );
  }
  return new Blob([body, u32(await sumOf(body))], { type: 'application/octet-stream' });
}

/** Checks that a file is a whole bundle of this form. @returns Its head, packed, and its pages. */
async function checked(file: Blob): Promise<{ head: Blob; pages: Blob }> {
  if (file.size > MAX_FILE) {
    throw badBundle(`It has ${file.size} bytes; a bundle has at most ${MAX_FILE}.`);
  }
  const start = new Uint8Array(await file.slice(0, FIXED_BYTES).arrayBuffer());
  if (start.length < FIXED_BYTES || MAGIC.some((byte, i) => start[i] !== byte)) {
    throw badBundle('It is no bundle of Groundswell: its first bytes are other ones.');
  }
  const end = Math.max(FIXED_BYTES, file.size - SUM_BYTES);
  const tail = new Uint8Array(await file.slice(end).arrayBuffer());
  const number = (bytes: Uint8Array, at: number): number =>
    new DataView(bytes.buffer, bytes.byteOffset).getUint32(at, true);
  if (tail.length < SUM_BYTES || (await sumOf(file.slice(0, end))) !== number(tail, 0)) {
    throw badBundle('It is damaged or was cut off: its checksum is not that of its bytes.');
  }
  const form = number(start, MAGIC.length);
  if (form !== FORM) {
    throw badBundle(
      `A newer version of Groundswell wrote it, in form ${form}; this one reads form ${FORM}.`,
    );
  }
  const pagesAt = FIXED_BYTES + number(start, MAGIC.length + 4);
  if (pagesAt > end) throw badBundle('Its head is longer than the file.');
  return { head: file.slice(FIXED_BYTES, pagesAt), pages: file.slice(pagesAt, end) };
}

async function headOf(packed: Blob): Promise<BundleForm> {
  let value: unknown;
  try {
    const stream = packed.stream().pipeThrough(new DecompressionStream('gzip'));
    const bytes = await gathered(stream as ReadableStream<Uint8Array<ArrayBuffer>>, MAX_HEAD);
    if (bytes === null) throw new RangeError(`it unpacks to more than ${MAX_HEAD} bytes`);
    value = parseJson(new TextDecoder('utf-8', { fatal: true }).decode(bytes));
  } catch (error) {
    throw badBundle(`Its head cannot be read: ${error instanceof Error ? error.message : 'why'}.`);
  }
  const form = read(BundleForm, value);
  if ('wrong' in form) throw badBundle(`Its head is not in order: ${form.wrong}.`);
  return form.output;
}

async function contentsOf(pages: Blob): Promise<Map<string, SeriesContents>> {
  let size = 0;
  for await (const { payload } of sectionsOf(pages)) {
    size += payload.length;
    if (size > MAX_PAGES) throw badBundle(`Its pages unpack to more than ${MAX_PAGES} bytes.`);
  }
  const out = new Map<string, SeriesContents>();
  for await (const contents of readBackup(pages)) {
    if ('row' in contents) out.set(contents.row.key, contents);
  }
  return out;
}

/** Up to where pages tell, epoch ms. */
function toldUntil({ records }: SeriesContents): number {
  return Math.max(0, ...records.map(({ segments }) => segments.at(-1)?.to ?? 0));
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
  const { head, pages } = await checked(file);
  const { name, view, notes, series } = await headOf(head);
  let held: Map<string, SeriesContents>;
  try {
    held = await contentsOf(pages);
  } catch (error) {
    if (error instanceof Fault && error.body.type !== BAD_BUNDLE) {
      throw badBundle(`Its pages are not in order: ${error.message}`);
    }
    throw error;
  }
  const opened = series.map((one) => {
    const { place, label, query, source } = one;
    if (one.from === 'file') {
      const curve = curveFrom(one.curve);
      return { place, series: { from: 'file', label, query, source, curve } as const };
    }
    const none = { store: null, run: null, asks: [], receipts: [], records: [] };
    const contents = held.get(one.key) ?? { ...none, row: seriesRowOf(one.key, 0) };
    const { settleMs } = one;
    const asOf = toldUntil(contents);
    const covered = one.covered && {
      covered: { start: one.covered.start, end: one.covered.end ?? Infinity },
    };
    const told = { label, query, source, contents, settleMs, asOf } as const;
    const fixed = { from: 'bundle', ...told, ...covered } as const;
    return { place, series: fixed };
  });
  const platform = [...held.values()].filter(({ row }) => row.source === 'platform');
  // What its owner wants bought again is for its owner to buy.
  const unraised = platform.map((one) => ({ ...one, row: { ...one.row, raised: [] } }));
  return {
    name,
    view,
    notes,
    series: opened,
    platform: platform.length > 0 ? await writeBackup(each(unraised)) : null,
  };
}
