import {
  matchesText,
  type PriceComparison,
  type ProductCondition,
  type Facets,
} from '#core/catalog/filter.ts';
import type { Db } from '#server/db/driver.ts';
import {
  between,
  decidedBy,
  facetRange,
  type FacetRange,
  type FacetCells,
  type CellTest,
} from './facet-cells.ts';
import { facetTexts } from './facet-texts.ts';

/**
 * What filters read of products, in columns of blocks of keys. A filter reads only its own column, some bytes of each
 * product, which is several times faster than rows, and needs no index to maintain.
 */
export interface FacetBlocks {
  /** Runs `work` in one write transaction, like the driver; the outermost one stores the blocks that it changed. */
  write<T>(step: string, work: () => T): T;
  /** Stores what filters read of a product, or null for a removed one; in {@link FacetBlocks.write}. */
  put(catalog: number, key: number, facets: Facets | null): void;
  /** Keys after `after` of the first products that meet every condition, ascending. */
  matching(
    catalog: number,
    conditions: readonly ProductCondition[],
    of: { readonly after: number; readonly limit: number },
  ): number[];
  /** Removes the blocks of a catalog. */
  remove(catalog: number): void;
}

/** Keys of a block: its columns take some 400 KB, which every write to it stores again. */
const KEYS = 8192;

/** Columns in the order in which they are stored; the currency's is 0 where there is no product. */
const COLUMNS = [
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
type Column = (typeof COLUMNS)[number];

/** Amounts exceed 32 bits. A missing amount and a missing number are -1, a missing text is 0. */
const IS_WIDE: ReadonlySet<Column> = new Set(['price', 'sale_price']);
const MISSING: Readonly<Partial<Record<Column, number>>> = {
  price: -1,
  sale_price: -1,
  inventory: -1,
};

function cellsOf(column: Column, bytes: Buffer | null): FacetCells {
  const Kind = IS_WIDE.has(column) ? Float64Array : Int32Array;
  if (!bytes) return new Kind(KEYS).fill(MISSING[column] ?? 0);
  const { buffer, byteOffset, byteLength } = bytes;
  const isAligned = byteOffset % Kind.BYTES_PER_ELEMENT === 0;
  if (isAligned) return new Kind(buffer as ArrayBuffer, byteOffset, KEYS);
  return new Kind(buffer.slice(byteOffset, byteOffset + byteLength) as ArrayBuffer);
}

interface Changed {
  readonly catalog: number;
  readonly block: number;
  readonly cells: readonly FacetCells[];
  /** Which columns differ from what is stored. */
  readonly isChanged: boolean[];
}

/** The currency's cell is 0 where there is no product. */
const IS_PRODUCT = between(1, Infinity);

/** A test of amounts and numbers, which are whole; a missing one is below 0. */
function numberTest(operator: PriceComparison, to: number): CellTest {
  if (operator === 'EQUAL_TO') return between(to, to);
  return operator === 'GREATER_THAN' ? between(to + 1, Infinity) : between(0, to - 1);
}

export function facetBlocks(db: Db): FacetBlocks {
  const texts = facetTexts(db);
  const read = db.prepare(
    'SELECT cells FROM facet WHERE catalog = ? AND block = ? AND attribute = ?',
  );
  const write = db.prepare(
    'INSERT OR REPLACE INTO facet (catalog, block, attribute, cells) VALUES (?, ?, ?, ?)',
  );
  const blocksOf = db.prepare(
    'SELECT block FROM facet WHERE catalog = ? AND attribute = 0 AND block >= ? ORDER BY block',
  );
  const rangesOf = db.prepare(
    'SELECT block, range FROM facet_range WHERE catalog = ? AND attribute = ? AND block >= ?',
  );
  const writeRange = db.prepare(
    'INSERT OR REPLACE INTO facet_range (catalog, attribute, block, range) VALUES (?, ?, ?, ?)',
  );
  const remove = ['facet', 'facet_range'].map((table) =>
    db.prepare(`DELETE FROM ${table} WHERE catalog = ?`),
  );
  const pending = new Map<string, Changed>();
  let isWriting = false;

  const load = (catalog: number, block: number, index: number): FacetCells => {
    const bytes = read.get([catalog, block, index])?.[0];
    return cellsOf(COLUMNS[index] ?? 'currency', Buffer.isBuffer(bytes) ? bytes : null);
  };
  const changing = (catalog: number, block: number): Changed => {
    const name = `${catalog} ${block}`;
    const known = pending.get(name);
    if (known) return known;
    const cells = COLUMNS.map((_, index) => load(catalog, block, index));
    const changed = { catalog, block, cells, isChanged: COLUMNS.map(() => false) };
    pending.set(name, changed);
    return changed;
  };
  const flush = (): void => {
    for (const { catalog, block, cells, isChanged } of pending.values()) {
      for (const [index, column] of cells.entries()) {
        if (!isChanged[index]) continue;
        const bytes = new Uint8Array(column.buffer, column.byteOffset, column.byteLength);
        write.run([catalog, block, index, bytes]);
        writeRange.run([catalog, index, block, JSON.stringify(facetRange(column))]);
      }
    }
  };
  const cellOf = (column: Column, facets: Facets): number => {
    const value = facets[column];
    if (typeof value === 'string') return texts.numberOf(value);
    return value ?? MISSING[column] ?? 0;
  };

  const textTest = (isMet: (text: string | null) => boolean): CellTest =>
    decidedBy((cell) => isMet(cell === 0 ? null : texts.textOf(cell)));
  /** What the cells of each column must pass. */
  const testsOf = (
    conditions: readonly ProductCondition[],
  ): readonly (readonly [Column, CellTest])[] => {
    const amounts = conditions.flatMap((one): [Column, CellTest][] => {
      if (one.of === 'text') return [];
      const { of, operator, value } = one;
      const column = of === 'money' ? one.attribute : of;
      return [[column, numberTest(operator, typeof value === 'number' ? value : value.amount)]];
    });
    const currencies = conditions.flatMap((one) =>
      one.of === 'money' ? [one.value.currency] : [],
    );
    const wanted = conditions.filter((one) => one.of === 'text');
    return [
      ...amounts,
      ...currencies.map((currency): [Column, CellTest] => [
        'currency',
        textTest((text) => text === currency),
      ]),
      ...[...new Set(wanted.map((one) => one.attribute))].map((attribute): [Column, CellTest] => {
        const all = wanted.filter((one) => one.attribute === attribute);
        return [
          attribute,
          textTest((text) =>
            all.every(({ operator, value }) => matchesText(operator, text, value)),
          ),
        ];
      }),
    ];
  };
  /** Blocks in which no product can pass a test. */
  const blocksWithout = (
    catalog: number,
    from: number,
    tests: readonly (readonly [Column, CellTest])[],
  ): Set<number> => {
    const without = new Set<number>();
    for (const [column, test] of tests) {
      for (const [block, range] of rangesOf.all([catalog, COLUMNS.indexOf(column), from])) {
        if (without.has(Number(block))) continue;
        if (!test.mayPass(JSON.parse(String(range)) as FacetRange)) without.add(Number(block));
      }
    }
    return without;
  };
  /** The keys of a block's products that pass all tests, in `places`. @returns How many. */
  const passing = (
    catalog: number,
    block: number,
    tests: readonly (readonly [Column, CellTest])[],
    { places, after }: { readonly places: Int32Array; readonly after: number },
  ): number => {
    let count = 0;
    for (let i = Math.max(0, after + 1 - block * KEYS); i < KEYS; i++) places[count++] = i;
    // Places without a product fail most filters, so this is cheapest at the end.
    for (const [column, test] of [...tests, ['currency', IS_PRODUCT] as const]) {
      if (count === 0) break;
      count = test.select(load(catalog, block, COLUMNS.indexOf(column)), places, count);
    }
    return count;
  };

  return {
    write: (step, work) => {
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
    put: (catalog, key, facets) => {
      const { cells, isChanged } = changing(catalog, Math.floor(key / KEYS));
      for (const [index, column] of COLUMNS.entries()) {
        const cell = facets ? cellOf(column, facets) : (MISSING[column] ?? 0);
        const of = cells[index];
        if (!of || of[key % KEYS] === cell) continue;
        of[key % KEYS] = cell;
        isChanged[index] = true;
      }
    },
    matching: (catalog, conditions, { after, limit }) => {
      const tests = testsOf(conditions);
      const from = Math.floor((after + 1) / KEYS);
      // Most pages are full after the first block.
      let without: Set<number> | null = null;
      const places = new Int32Array(KEYS);
      const found: number[] = [];
      for (const [number] of blocksOf.all([catalog, from])) {
        const block = Number(number);
        if (without?.has(block)) continue;
        const count = passing(catalog, block, tests, { places, after });
        for (const place of places.subarray(0, Math.min(count, limit - found.length))) {
          found.push(block * KEYS + place);
        }
        if (found.length === limit) break;
        without ??= blocksWithout(catalog, block + 1, tests);
      }
      return found;
    },
    remove: (catalog) => {
      for (const statement of remove) statement.run([catalog]);
    },
  };
}
