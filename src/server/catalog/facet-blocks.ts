import type { ProductCondition, Facets } from '#core/catalog/filter.ts';
import type { Db } from '#server/db/driver.ts';
import { between, type FacetCells } from './facet-cells.ts';
import {
  FACET_COLUMNS,
  facetColumns,
  BLOCK_KEYS,
  missingIn,
  type FacetColumn,
  type ColumnTest,
} from './facet-columns.ts';
import { testsOf } from './facet-tests.ts';
import { facetTexts } from './facet-texts.ts';

/**
 * The values of products that filters read, in columns of blocks of keys. A filter reads only its own column, some
 * bytes of each product, which is several times faster than rows, and needs no index to maintain.
 */
export type FacetBlocks = ReturnType<typeof facetBlocks>;

/** A block with changes that are not stored. */
interface Changed {
  readonly catalog: number;
  readonly block: number;
  readonly cells: readonly FacetCells[];
  /** The columns that differ from what is stored. */
  readonly isChanged: boolean[];
}

/** The currency's cell is 0 where there is no product. */
const IS_PRODUCT: ColumnTest = ['currency', between(1, Infinity)];

export function facetBlocks(db: Db) {
  const texts = facetTexts(db);
  const columns = facetColumns(db);
  const pending = new Map<string, Changed>();
  let isWriting = false;

  const changing = (catalog: number, block: number): Changed => {
    const name = `${catalog} ${block}`;
    const known = pending.get(name);
    if (known) return known;
    const cells = FACET_COLUMNS.map((column) => columns.load(catalog, block, column));
    const changed = { catalog, block, cells, isChanged: FACET_COLUMNS.map(() => false) };
    pending.set(name, changed);
    return changed;
  };
  const flush = (): void => {
    for (const { catalog, block, cells, isChanged } of pending.values()) {
      for (const [index, column] of FACET_COLUMNS.entries()) {
        if (isChanged[index]) columns.put(catalog, block, column, cells[index]!);
      }
    }
  };
  const cellOf = (column: FacetColumn, facets: Facets | null): number => {
    const value = facets?.[column];
    if (typeof value === 'string') return texts.numberOf(value);
    return value ?? missingIn(column);
  };

  /** The keys of a block's products that pass all tests, in `places`. @returns Their number. */
  const passing = (
    catalog: number,
    block: number,
    tests: readonly ColumnTest[],
    { places, after }: { readonly places: Int32Array; readonly after: number },
  ): number => {
    let count = 0;
    for (let i = Math.max(0, after + 1 - block * BLOCK_KEYS); i < BLOCK_KEYS; i++)
      places[count++] = i;
    // Places without a product fail most filters, so this is cheapest at the end.
    for (const [column, test] of [...tests, IS_PRODUCT]) {
      if (count === 0) break;
      count = test.select(columns.load(catalog, block, column), places, count);
    }
    return count;
  };

  return {
    /** Runs `work` in one write transaction, like the driver; the outermost one stores the blocks that it changed. */
    write: <T>(step: string, work: () => T): T => {
      if (isWriting) return work();
      isWriting = true;
      try {
        return db.write(step, () => {
          const result = work();
          flush();
          return result;
        });
      } catch (error) {
        texts.forget();
        throw error;
      } finally {
        isWriting = false;
        pending.clear();
      }
    },
    /** Stores what filters read of a product, or null for a removed one; in {@link FacetBlocks.write}. */
    put: (catalog: number, key: number, facets: Facets | null): void => {
      const { cells, isChanged } = changing(catalog, Math.floor(key / BLOCK_KEYS));
      for (const [index, column] of FACET_COLUMNS.entries()) {
        const cell = cellOf(column, facets);
        const of = cells[index];
        if (!of || of[key % BLOCK_KEYS] === cell) continue;
        of[key % BLOCK_KEYS] = cell;
        isChanged[index] = true;
      }
    },
    /** Keys after `after` of the first products that meet every condition, ascending. */
    matching: (
      catalog: number,
      conditions: readonly ProductCondition[],
      { after, limit }: { readonly after: number; readonly limit: number },
    ): number[] => {
      const tests = testsOf(conditions, texts);
      const from = Math.floor((after + 1) / BLOCK_KEYS);
      // Most pages are full after the first block.
      let without: ReadonlySet<number> | null = null;
      const places = new Int32Array(BLOCK_KEYS);
      const found: number[] = [];
      for (const block of columns.blocks(catalog, from)) {
        if (without?.has(block)) continue;
        const count = passing(catalog, block, tests, { places, after });
        for (const place of places.subarray(0, Math.min(count, limit - found.length))) {
          found.push(block * BLOCK_KEYS + place);
        }
        if (found.length === limit) break;
        without ??= columns.blocksWithout(catalog, block + 1, tests);
      }
      return found;
    },
    /** Removes the blocks of a catalog. */
    remove: columns.remove,
  };
}
