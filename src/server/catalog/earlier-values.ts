import type { Product } from '#core/catalog/product.ts';
import { textOrNull, type Db } from '#server/db/driver.ts';

/** Earlier values of a product. */
export interface EarlierValues {
  /** Until when they were valid, epoch ms. */
  readonly until: number;
  readonly price: string;
  readonly salePrice: string | null;
  readonly availability: string;
  readonly salePeriod: string | null;
}

/** Attributes whose earlier values are stored, in the order of their columns. */
const STORED = ['price', 'sale_price', 'availability', 'sale_price_effective_date'] as const;

/** Earlier values of products. Functions that change them run within a write. */
export function earlierValues(db: Db) {
  const add = db.prepare(
    'INSERT INTO product_change (product, until, price, sale_price, availability, sale_period) VALUES (?, ?, ?, ?, ?, ?)',
  );
  const remove = db.prepare('DELETE FROM product_change WHERE product = ?');
  const of = db.prepare(
    'SELECT until, price, sale_price, availability, sale_period FROM product_change WHERE product = ? ORDER BY number',
  );
  return {
    /** Stores the earlier values of a product if any of them has changed. @param at - Epoch ms. */
    note: (key: number, before: Product, after: Product, at: number): void => {
      if (STORED.every((name) => before[name] === after[name])) return;
      add.run([key, at, ...STORED.map((name) => before[name])]);
    },
    /** Those of a product, the oldest first. */
    of: (key: number): EarlierValues[] =>
      of.all([key]).map(([until, price, salePrice, availability, salePeriod]) => ({
        until: Number(until),
        price: String(price),
        salePrice: textOrNull(salePrice),
        availability: String(availability),
        salePeriod: textOrNull(salePeriod),
      })),
    remove: (key: number): void => void remove.run([key]),
  };
}
