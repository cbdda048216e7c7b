import type { FieldNote } from '#core/catalog/product.ts';
import { readProduct } from '#core/catalog/read-product.ts';
import { FeedError, shown } from '#server/readers/error.ts';
import { openFeeds } from '#server/readers/feed.ts';
import type { Feed } from '#server/readers/feed.ts';
import type { Row } from '#server/readers/row.ts';
import type { CatalogStore } from '#server/catalog/store.ts';
import type { FeedSettings } from '#server/catalog/feed-table.ts';
import { openRepeatedIds } from './repeated-ids.ts';
import type { RepeatedIds } from './repeated-ids.ts';
import type { FeedRun, RowNotes } from './run-table.ts';

/** What a feed is declared as. */
export type FeedFormat = FeedSettings['feed_format'];

export interface FeedRunDeps {
  readonly store: CatalogStore;
  readonly catalog: number;
  /** The feed, complete on this disk, plain or gzipped. */
  readonly path: string;
  /** What the feed was declared as: a file of another kind ends the run. */
  readonly format: FeedFormat;
  /** Encoding that the host states for the file; null or absent if it states none. */
  readonly charset?: string | null;
  /** What the file is, the same for the same content: a run of it that did not end continues. */
  readonly source: string;
  /** A file for the ids of the feed while it is read. */
  readonly idFile: string;
  /** Epoch ms. */
  readonly now: () => number;
  /** Stops the run between two batches; it can continue later. */
  readonly signal: AbortSignal;
  /** Called after each batch with the rows that the run has read so far. */
  readonly onProgress?: (rows: number) => void;
}

/** Rows of a transaction: enough that its cost hardly counts, and it does not keep readers waiting. */
const BATCH = 1000;

/** Most columns of a feed. */
const MOST_COLUMNS = 1000;

/** A row of a feed as a product. */
interface FeedRow {
  readonly line: number;
  /** Null for a malformed row, whose reason is `fault`. */
  readonly fields: Readonly<Record<string, string>> | null;
  readonly fault: string;
}

/** A feed and how its rows become products. */
interface ProductFeed {
  rows(signal: AbortSignal): AsyncGenerator<FeedRow[]>;
}

/** Names of the columns, in the order of the file. @throws {@link FeedError} for names that cannot be used. */
function columnsOf({ file, header }: Feed): string[] {
  const names = header.map((name) => name.trim().toLowerCase());
  if (!names.includes('id')) {
    throw new FeedError('columns', file, 'has no column "id" in its header line.');
  }
  if (names.length > MOST_COLUMNS) {
    throw new FeedError('columns', file, `has more than ${MOST_COLUMNS} columns.`);
  }
  const twice = names.find((name, at) => name !== '' && names.indexOf(name) !== at);
  if (twice !== undefined) {
    throw new FeedError('columns', file, `has two columns "${shown(twice)}".`);
  }
  return names;
}

function feedRow(row: Row, columns: readonly string[]): FeedRow {
  const { line } = row;
  if (row.kind === 'bad') return { line, fields: null, fault: `The row ${row.reason}` };
  if (row.kind !== 'columns' || row.fields.length !== columns.length) {
    const fault = 'The row has another number of fields than the header';
    return { line, fields: null, fault };
  }
  const named = row.fields.map((value, at) => [columns[at] ?? '', value] as const);
  return { line, fields: Object.fromEntries(named.filter(([name]) => name !== '')), fault: '' };
}

/** Opens a feed of products. @throws {@link FeedError} for a file of another kind. */
async function openProducts(path: string): Promise<ProductFeed> {
  const [feed, ...others] = await openFeeds(path);
  if (!feed || others.length > 0) {
    throw new FeedError('unknown-kind', path, 'has more than one file with rows.');
  }
  if (feed.kind !== 'csv') throw new FeedError('unknown-kind', path, 'is neither CSV nor TSV.');
  const columns = columnsOf(feed);
  return {
    rows: async function* (signal) {
      for await (const rows of feed.rows({ signal })) {
        yield rows.map((row) => feedRow(row, columns));
      }
    },
  };
}

function idOf({ fields }: FeedRow): string {
  return fields?.['id']?.trim() ?? '';
}

function faultOf(row: FeedRow, ids: RepeatedIds): FieldNote | null {
  const id = idOf(row);
  if (!row.fields) return { code: 'INVALID_PARAMETER', parameter: 'row', message: row.fault };
  if (!ids.has(id)) return null;
  const message = '"id" occurs more than once in the feed; every occurrence was ignored';
  return { code: 'INVALID_PARAMETER', parameter: 'id', value: id.slice(0, 100), message };
}

/** Writes a batch of rows and what there is to say about them, in one transaction. @param first - Number of its first row. */
function writeBatch(
  { store, catalog, now }: FeedRunDeps,
  run: number,
  rows: readonly FeedRow[],
  first: number,
  ids: RepeatedIds,
): void {
  const at = now();
  store.write('feed-batch', () => {
    const figures = { created: 0, updated: 0, unchanged: 0, refused: 0 };
    const notes: RowNotes[] = [];
    for (const [index, row] of rows.entries()) {
      const fault = faultOf(row, ids);
      const read = fault
        ? { product: null, errors: [fault], warnings: [] }
        : readProduct(row.fields ?? {});
      const { product, errors, warnings } = read;
      figures[product ? store.products.put(catalog, product, at).did : 'refused'] += 1;
      if (errors.length + warnings.length === 0) continue;
      const id = idOf(row).slice(0, 100);
      const named = id === '' ? null : id;
      notes.push({ number: first + index, line: row.line, product: named, errors, warnings });
    }
    store.runs.add(run, figures, notes);
  });
}

/** Reads all ids. */
async function collect(feed: ProductFeed, ids: RepeatedIds, signal: AbortSignal): Promise<void> {
  for await (const rows of feed.rows(signal)) {
    ids.add(rows.map(idOf).filter((id) => id !== ''));
  }
}

/** Writes the rows that the run has not read yet. @returns False if the catalog was removed. */
async function write(
  deps: FeedRunDeps,
  run: FeedRun,
  feed: ProductFeed,
  ids: RepeatedIds,
): Promise<boolean> {
  const { created, updated, unchanged, refused } = run;
  const before = created + updated + unchanged + refused;
  let done = before;
  let number = 0;
  let batch: FeedRow[] = [];
  const flush = (): boolean => {
    if (batch.length === 0) return true;
    deps.signal.throwIfAborted();
    if (!deps.store.has(deps.catalog)) return false;
    writeBatch(deps, run.id, batch, done, ids);
    done += batch.length;
    deps.onProgress?.(done);
    batch = [];
    return true;
  };
  for await (const rows of feed.rows(deps.signal)) {
    for (const row of rows) {
      number += 1;
      if (number <= before) continue;
      batch.push(row);
      if (batch.length === BATCH && !flush()) return false;
    }
  }
  return flush();
}

/**
 * Reads a feed into a catalog: creates and updates its products, and leaves those that it does not have as they are. Every
 * occurrence of an id that the feed has more than once is ignored, so the feed is read twice. Memory does not grow with it.
 *
 * @returns The run as it ended; its fault says why a broken feed was read only up to its last complete batch. A run of a
 *   catalog that was removed meanwhile ends with it: null.
 * @throws The signal's reason if it aborts, and {@link StoreError}: the run then continues when it is started again.
 */
export async function runFeed(deps: FeedRunDeps): Promise<FeedRun | null> {
  const { store, catalog, path, source, now, signal } = deps;
  if (!store.has(catalog)) return null;
  const run = store.runs.begin(catalog, source, now());
  const ids = openRepeatedIds(deps.idFile);
  try {
    const feed = await openProducts(path);
    await collect(feed, ids, signal);
    if (!(await write(deps, run, feed, ids))) return null;
    return store.runs.end(run.id, null, now());
  } catch (error) {
    if (!(error instanceof FeedError)) throw error;
    // The message begins with a path of this machine.
    return store.runs.end(run.id, error.message.slice(error.file.length + 2), now());
  } finally {
    ids.close();
  }
}
