import type { Db } from '#server/db/driver.ts';
import { facetRange, type FacetRange, type FacetCells, type CellTest } from './facet-cells.ts';

/** Keys of a block: its columns take some 400 KB, which every write to it stores again. */
export const BLOCK_KEYS = 8192;

/** Columns in the order in which they are stored; the currency's is 0 where there is no product. */
export const FACET_COLUMNS = [
  'currency',
  'price',
  'sale_price',
  'inventory',
  'product_type',
  'google_product_category',
  'custom_label_0',
  'custom_label_1',
  'custom_label_2',
  'custom_label_3',
  'custom_label_4',
] as const;
export type FacetColumn = (typeof FACET_COLUMNS)[number];

/** A column, and what its cells must pass. */
export type ColumnTest = readonly [FacetColumn, CellTest];

/** Amounts exceed 32 bits. */
const IS_WIDE: ReadonlySet<FacetColumn> = new Set(['price', 'sale_price']);

const IS_NUMBER: ReadonlySet<FacetColumn> = new Set(['price', 'sale_price', 'inventory']);

/** The cell of a missing value: -1 among amounts and numbers, 0 among texts. */
export function missingIn(column: FacetColumn): number {
  return IS_NUMBER.has(column) ? -1 : 0;
}

function cellsOf(column: FacetColumn, bytes: Buffer | null): FacetCells {
  const Kind = IS_WIDE.has(column) ? Float64Array : Int32Array;
  if (!bytes) return new Kind(BLOCK_KEYS).fill(missingIn(column));
  const { buffer, byteOffset, byteLength } = bytes;
  const isAligned = byteOffset % Kind.BYTES_PER_ELEMENT === 0;
  if (isAligned) return new Kind(buffer as ArrayBuffer, byteOffset, BLOCK_KEYS);
  return new Kind(buffer.slice(byteOffset, byteOffset + byteLength) as ArrayBuffer);
}

/** Columns of blocks as stored, each with its range. */
export function facetColumns(db: Db) {
  const load = db.prepare(
    'SELECT cells FROM facet WHERE catalog = ? AND block = ? AND attribute = ?',
  );
  const put = db.prepare(
    'INSERT OR REPLACE INTO facet (catalog, block, attribute, cells) VALUES (?, ?, ?, ?)',
  );
  const blocks = db.prepare(
    'SELECT block FROM facet WHERE catalog = ? AND attribute = 0 AND block >= ? ORDER BY block',
  );
  const ranges = db.prepare(
    'SELECT block, range FROM facet_range WHERE catalog = ? AND attribute = ? AND block >= ?',
  );
  const putRange = db.prepare(
    'INSERT OR REPLACE INTO facet_range (catalog, block, attribute, range) VALUES (?, ?, ?, ?)',
  );
  const remove = ['facet', 'facet_range'].map((table) =>
    db.prepare(`DELETE FROM ${table} WHERE catalog = ?`),
  );
  return {
    /** The cells of a column; those of missing values where the block is new. */
    load: (catalog: number, block: number, column: FacetColumn): FacetCells => {
      const bytes = load.get([catalog, block, FACET_COLUMNS.indexOf(column)])?.[0];
      return cellsOf(column, Buffer.isBuffer(bytes) ? bytes : null);
    },
    put: (catalog: number, block: number, column: FacetColumn, cells: FacetCells): void => {
      const bytes = new Uint8Array(cells.buffer, cells.byteOffset, cells.byteLength);
      const place = [catalog, block, FACET_COLUMNS.indexOf(column)];
      put.run([...place, bytes]);
      putRange.run([...place, JSON.stringify(facetRange(cells))]);
    },
    /** Numbers of the blocks of a catalog from one on, ascending. */
    blocks: (catalog: number, from: number): number[] =>
      blocks.all([catalog, from]).map(([block]) => Number(block)),
    /** Blocks from one on in which no product can pass a test. */
    blocksWithout: (
      catalog: number,
      from: number,
      tests: readonly ColumnTest[],
    ): ReadonlySet<number> => {
      const without = new Set<number>();
      for (const [column, test] of tests) {
        for (const [number, range] of ranges.all([catalog, FACET_COLUMNS.indexOf(column), from])) {
          const block = Number(number);
          if (without.has(block)) continue;
          if (!test.mayPass(JSON.parse(String(range)) as FacetRange)) without.add(block);
        }
      }
      return without;
    },
    /** Removes the blocks of a catalog. */
    remove: (catalog: number): void => {
      for (const statement of remove) statement.run([catalog]);
    },
  };
}
