import { hash } from 'node:crypto';
import { statSync } from 'node:fs';
import { setImmediate } from 'node:timers/promises';
import { ATTRIBUTES } from '#core/catalog/attribute.ts';
import type { FieldNote } from '#core/catalog/product.ts';
import { READING, readProduct, type ProductReading } from '#core/catalog/read-product.ts';
import { FeedError } from '#core/readers/error.ts';
import type { NewProduct } from '#server/catalog/product-table.ts';
import type { CatalogStore } from '#server/catalog/store.ts';
import {
  openFeedSpool,
  packed,
  type FeedSpool,
  type RepeatedRow,
  type SpoolEnd,
  type SpooledBatch,
  type SpooledRow,
} from './feed-spool.ts';
import {
  FEED_BOUNDS,
  openProductFile,
  type FeedBounds,
  type FeedFormat,
  type FeedPlace,
} from './product-file.ts';
import { productId, type ProductRow } from './product-row.ts';
import type { FeedRun, RowNotes } from './run-table.ts';
import { StoreError } from '#server/db/store-error.ts';

export interface FeedRunDeps {
  readonly store: CatalogStore;
  readonly catalog: number;
  /** The feed, complete on this disk, plain or gzipped. */
  readonly path: string;
  /** The declared format of the feed: a file of another kind ends the run. */
  readonly format: FeedFormat;
  /** Encoding that the host states for the file; null or absent if it states none. */
  readonly charset?: string | null;
  /** The identity of the file, the same for the same content: a run of it that did not end continues. */
  readonly source: string;
  /**
   * A file for what the run has read and not yet written: up to the size of the feed, unpacked. It stays until the run
   * ends.
   */
  readonly idFile: string;
  /** Epoch ms. */
  readonly now: () => number;
  /** Stops the run between two batches; it can continue later. */
  readonly signal: AbortSignal;
  /** Called after each block that was read, and after each batch that was written. */
  readonly onProgress?: (progress: FeedReading) => void;
  readonly bounds?: FeedBounds;
}

/** The progress of a run: it reads the whole feed, then writes. */
export type FeedReading =
  | {
      readonly state: 'reading';
      readonly rows: number;
      /** Bytes of the file that are read, and all of them. */
      readonly bytes: number;
      readonly total: number;
    }
  | {
      readonly state: 'writing';
      /** Rows that are written or refused, and all of them. */
      readonly rows: number;
      readonly total: number;
    };

/** Rows of a transaction: enough that its cost hardly counts, and it does not keep other writers waiting. */
const BATCH = 2000;

/** Characters of a transaction, which is in memory as a whole. */
const BATCH_CHARACTERS = 4 * 1024 * 1024;

const NO_ROWS = { created: 0, updated: 0, unchanged: 0, refused: 0 };

/** Characters of an id in the report. */
const MOST_ID = 100;

/** Collects rows into batches. */
class Batches {
  readonly #batch: (rows: readonly ProductRow[]) => void;
  #rows: ProductRow[] = [];
  #characters = 0;

  constructor(batch: (rows: readonly ProductRow[]) => void) {
    this.#batch = batch;
  }

  add(row: ProductRow): void {
    this.#rows.push(row);
    if (row.values) for (const value of row.values) this.#characters += value.length;
    if (this.#rows.length === BATCH || this.#characters > BATCH_CHARACTERS) this.flush();
  }

  flush(): void {
    if (this.#rows.length > 0) this.#batch(this.#rows);
    this.#rows = [];
    this.#characters = 0;
  }
}

/** A digest of a row: 96 bits, of which no two rows of a product have the same. */
function digestOf(text: string): string {
  return hash('sha256', `${READING} ${text}`, 'base64').slice(0, 16);
}

/** Those of a batch that are malformed, or that differ from the rows from which their products were read last. */
function toWrite(
  { store, catalog }: FeedRunDeps,
  first: number,
  rows: readonly ProductRow[],
): SpooledRow[] {
  const texts = rows.map(({ values }) => (values ? packed(values) : ''));
  const digests = rows.map((row, at) => [productId(row), digestOf(texts[at] ?? '')] as const);
  return store.products.differing(catalog, digests).flatMap((at) => {
    const row = rows[at];
    return row
      ? [{ number: first + at, row, text: texts[at] ?? '', digest: digests[at]?.[1] ?? '' }]
      : [];
  });
}

/**
 * Reads the feed into the spool, or the rest of it.
 *
 * @param before - Rows that the run has written already, though the spool has not: one of their batches ends there.
 */
async function read(deps: FeedRunDeps, spool: FeedSpool, before: number): Promise<void> {
  const { path, format, charset = null, bounds = FEED_BOUNDS, signal } = deps;
  const feed = await openProductFile(path, { format, charset }, bounds);
  const added = spool.rows();
  let place: FeedPlace | null = spool.place();
  let number = place?.rows ?? 0;
  let first = added + 1;
  const next = new Batches((rows) => {
    spool.add(rows, toWrite(deps, first, rows), place);
    first += rows.length;
  });
  let fault: string | null = null;
  try {
    for await (const block of feed.rows(signal, place)) {
      for (const row of block.rows) {
        number += 1;
        if (number <= added) continue;
        next.add(row);
        if (number === before) next.flush();
      }
      place = block.place ?? place;
      const rows = Math.max(number, added);
      deps.onProgress?.({ state: 'reading', rows, bytes: block.bytes, total: feed.size });
    }
  } catch (error) {
    if (!(error instanceof FeedError)) throw error;
    fault = faultText(error);
  }
  next.flush();
  spool.finish({ fault, ignored: feed.ignored.names });
}

/** The message of an error without its beginning, a path of this machine. */
function faultText({ message, file }: FeedError): string {
  return message.slice(file.length + 2);
}

function ignoredNote({ ignored }: SpoolEnd): RowNotes[] {
  if (ignored.length === 0) return [];
  const message = 'Columns or elements that are not attributes of a product were ignored';
  const value = ignored.join(', ');
  const warning: FieldNote = { code: 'INVALID_PARAMETER', parameter: 'feed', value, message };
  return [{ number: 0, line: 1, product: null, errors: [], warnings: [warning] }];
}

function refusal(parameter: string, message: string, value?: string): FieldNote {
  return { code: 'INVALID_PARAMETER', parameter, ...(value !== undefined && { value }), message };
}

/** The content of a row, apart from how the catalog has it. */
function readRow({ values, fault }: ProductRow): ProductReading {
  if (!values) return { product: null, errors: [refusal('row', fault)], warnings: [] };
  const raw: Record<string, string> = {};
  for (let place = 0; place < ATTRIBUTES.length; place++) {
    const [name, value] = [ATTRIBUTES[place], values[place]];
    if (name !== undefined && value !== undefined && value !== '') raw[name] = value;
  }
  return readProduct(raw);
}

function repeatedNote({ number, line, id }: RepeatedRow): RowNotes {
  const message = '"id" occurs more than once in the feed; every occurrence was ignored';
  const shown = id.slice(0, MOST_ID);
  return { number, line, product: shown, errors: [refusal('id', message, shown)], warnings: [] };
}

/** Writes a batch and what there is to say about it; within a write. @param feedNotes - On the whole feed. */
function writeBatch(
  { store, catalog, now }: FeedRunDeps,
  run: number,
  { count, rows, repeated }: SpooledBatch,
  feedNotes: readonly RowNotes[],
): void {
  const figures = { ...NO_ROWS, refused: repeated.length };
  const notes = [...feedNotes, ...repeated.map(repeatedNote)];
  const ignored = new Set(repeated.map(({ number }) => number));
  const products: NewProduct[] = [];
  for (const { number, row, digest } of rows) {
    if (ignored.has(number)) continue;
    const { product, errors, warnings } = readRow(row);
    if (product) products.push({ product, digest: warnings.length === 0 ? digest : null });
    else figures.refused += 1;
    if (errors.length + warnings.length === 0) continue;
    const id = productId(row).slice(0, MOST_ID);
    notes.push({ number, line: row.line, product: id === '' ? null : id, errors, warnings });
  }
  for (const { did } of store.products.put(catalog, products, now())) figures[did] += 1;
  const { created, updated, unchanged, refused } = figures;
  // The rows that the spool does not have are as the catalog has them.
  figures.unchanged += count - created - updated - unchanged - refused;
  notes.sort((a, b) => a.number - b.number);
  store.runs.add(run, figures, notes);
}

function rowsOf({ created, updated, unchanged, refused }: FeedRun): number {
  return created + updated + unchanged + refused;
}

/** Writes what the spool has. @returns The rows that the run has read; null if the catalog was removed. */
async function write(
  deps: FeedRunDeps,
  run: FeedRun,
  spool: FeedSpool,
  end: SpoolEnd,
): Promise<number | null> {
  let done = rowsOf(run);
  const total = spool.rows();
  for (const batch of spool.batches(done)) {
    // Lets the signal arrive.
    await setImmediate();
    deps.signal.throwIfAborted();
    const isThere = deps.store.write('feed-batch', () => {
      if (!deps.store.has(deps.catalog)) return false;
      writeBatch(deps, run.id, batch, done === 0 ? ignoredNote(end) : []);
      return true;
    });
    if (!isThere) return null;
    done += batch.count;
    deps.onProgress?.({ state: 'writing', rows: done, total });
  }
  return done;
}

/**
 * Ends a run.
 *
 * @param notes - On the whole feed, unless a batch has them.
 * @returns Null if the catalog was removed.
 */
function end(
  { store, catalog, now }: FeedRunDeps,
  { id }: FeedRun,
  fault: string | null,
  notes: readonly RowNotes[],
): FeedRun | null {
  return store.write('end-run', () => {
    if (!store.has(catalog)) return null;
    store.runs.add(id, NO_ROWS, notes);
    return store.runs.end(id, fault, now());
  });
}

/** Reads what the spool does not have, writes what the run has not written, and ends the run. */
async function carryOut(deps: FeedRunDeps, run: FeedRun, spool: FeedSpool) {
  try {
    if (!spool.end()) await read(deps, spool, rowsOf(run));
    const ended = spool.end() ?? { fault: null, ignored: [] };
    const done = await write(deps, run, spool, ended);
    return done === null ? null : end(deps, run, ended.fault, done === 0 ? ignoredNote(ended) : []);
  } catch (error) {
    if (!(error instanceof FeedError)) throw error;
    return end(deps, run, faultText(error), []);
  }
}

/** The identity of a spool: another file, and rows that are read in another way, need another one. */
function spoolSource({ source, path, format, charset = null }: FeedRunDeps): string {
  const { size, mtimeMs } = statSync(path, { throwIfNoEntry: false }) ?? { size: 0, mtimeMs: 0 };
  return JSON.stringify([READING, source, format, charset, size, mtimeMs]);
}

/**
 * Reads a feed into a catalog: creates and updates its products, and leaves those that it does not have as they are. Every
 * occurrence of an id that the feed has more than once is ignored, so the feed is read to its end before the first product
 * is written; meanwhile a file has what it brings. Memory does not grow with it.
 *
 * @returns The run as it ended; its fault says why a broken feed was read only up to its last complete row. A run of a
 *   catalog that was removed meanwhile ends with it: null.
 * @throws The signal's reason if it aborts, and {@link StoreError}: the run then continues when it is started again,
 *   with the row or the batch at which it was if the file is unchanged.
 */
export async function readProductFeed(deps: FeedRunDeps): Promise<FeedRun | null> {
  const { store, catalog, source, idFile } = deps;
  const run = store.write('begin-run', () =>
    store.has(catalog) ? store.runs.begin(catalog, source, deps.now()) : null,
  );
  if (!run) return null;
  const spool = openFeedSpool(idFile, spoolSource(deps));
  let isOver = false;
  try {
    const ended = await carryOut(deps, run, spool);
    isOver = true;
    return ended;
  } catch (error) {
    // One that is damaged would end every attempt.
    isOver = error instanceof StoreError && error.file === idFile;
    throw error;
  } finally {
    spool.close(isOver);
  }
}
