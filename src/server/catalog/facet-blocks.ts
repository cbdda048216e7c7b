import { matchesText, compares } from '#core/catalog/filter.ts';
import type { Condition, Facets } from '#core/catalog/filter.ts';
import type { Db } from '#server/db/driver.ts';
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
    conditions: readonly Condition[],
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

type Cells = Int32Array | Float64Array;

function cellsOf(column: Column, bytes: Buffer | null): Cells {
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
  readonly cells: readonly Cells[];
  /** Which columns differ from what is stored. */
  readonly isChanged: boolean[];
}

/** Decides about a cell; a missing value as its column stores it. */
type Test = (cell: number) => boolean;

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
  const remove = db.prepare('DELETE FROM facet WHERE catalog = ?');
  const pending = new Map<string, Changed>();
  let isWriting = false;

  const load = (catalog: number, block: number, index: number): Cells => {
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
      }
    }
  };
  const cellOf = (column: Column, facets: Facets): number => {
    const value = facets[column];
    if (typeof value === 'string') return texts.numberOf(value);
    return value ?? MISSING[column] ?? 0;
  };

  /** A test of texts that decides about each text once. */
  const textTest = (isMet: (text: string | null) => boolean): Test => {
    const decided: (boolean | undefined)[] = [];
    return (cell) => (decided[cell] ??= isMet(cell === 0 ? null : texts.textOf(cell)));
  };
  /** What the cells of each column must pass. */
  const testsOf = (conditions: readonly Condition[]): readonly (readonly [Column, Test])[] => {
    const amounts = conditions.flatMap((one): [Column, Test][] => {
      if (one.of === 'text') return [];
      const { of, operator, value } = one;
      const column = of === 'money' ? one.attribute : of;
      const to = typeof value === 'number' ? value : value.amount;
      return [[column, (cell) => cell >= 0 && compares(operator, cell, to)]];
    });
    const currencies = conditions.flatMap((one) =>
      one.of === 'money' ? [one.value.currency] : [],
    );
    const wanted = conditions.filter((one) => one.of === 'text');
    return [
      ...amounts,
      ...currencies.map((currency): [Column, Test] => [
        'currency',
        textTest((text) => text === currency),
      ]),
      ...[...new Set(wanted.map((one) => one.attribute))].map((attribute): [Column, Test] => {
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
      const found: number[] = [];
      for (const [number] of blocksOf.all([catalog, Math.floor((after + 1) / KEYS)])) {
        const block = Number(number);
        const first = block * KEYS;
        const products = load(catalog, block, 0);
        let met: number[] = [];
        for (let i = Math.max(0, after + 1 - first); i < KEYS; i++)
          if (products[i] !== 0) met.push(i);
        for (const [column, test] of tests) {
          if (met.length === 0) break;
          const cells = load(catalog, block, COLUMNS.indexOf(column));
          met = met.filter((i) => test(cells[i] ?? 0));
        }
        for (const i of met.slice(0, limit - found.length)) found.push(first + i);
        if (found.length === limit) break;
      }
      return found;
    },
    remove: (catalog) => void remove.run([catalog]),
  };
}
