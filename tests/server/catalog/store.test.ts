import * as fc from 'fast-check';
import { afterAll, describe, expect, it } from 'vitest';
import {
  FILTER_ATTRIBUTES,
  FILTER_OPERATORS,
  facetsOf,
  isCondition,
  readFilter,
} from '#core/catalog/filter.ts';
import type { Product } from '#core/catalog/product.ts';
import { readProduct } from '#core/catalog/read-product.ts';
import type { Written } from '#server/catalog/product-table.ts';
import { openCatalogs } from '#server/catalog/store.ts';
import { temporaryFolder } from '#tests/server/db/folder.ts';
import { product } from '#tests/support/data/products.ts';
import { runs } from '#tests/support/run/runs.ts';
import { productMeets } from '#tests/support/data/product-filter.ts';

const file = temporaryFolder()('catalog.sqlite');
const store = openCatalogs(file);
afterAll(() => store.close());

function valid(id: string, changes: object = {}): Product {
  const read = readProduct(product(id, changes));
  if (!read.product) throw new RangeError(`expected a valid product, got ${JSON.stringify(read)}`);
  return read.product;
}

/** Writes one product. */
function putOne(catalog: number, product: Product, at = 0): Written {
  const [written] = store.products.put(catalog, [{ product, digest: null }], at);
  if (!written) throw new RangeError('expected what became of a product, got nothing');
  return written;
}

let users = 0;
const newCatalog = (): number => store.add(`user ${(users += 1)}`, 'Shop', 0).id;

describe('filters', () => {
  const texts = fc.constantFrom(
    'A',
    'A > B',
    'a > b > C',
    'AB',
    'A >',
    'Ä > ö',
    '> a',
    "x'%_",
    'b',
  );
  const money = fc.constantFrom('1 USD', '1.01 USD', '2 USD', '1 EUR', '2 JPY');
  const products = fc.array(
    fc.record(
      {
        price: money,
        inventory: fc.integer({ min: 1, max: 3 }),
        product_type: texts,
        google_product_category: texts,
        custom_label_0: texts,
        custom_label_4: texts,
      },
      { requiredKeys: ['price'] },
    ),
    { minLength: 1, maxLength: 12 },
  );
  const conditions = fc
    .record({
      attribute: fc.constantFrom(...FILTER_ATTRIBUTES),
      operator: fc.constantFrom(...FILTER_OPERATORS),
      value: fc.oneof(texts, money, fc.constantFrom('1', '2')),
    })
    .map(readFilter)
    .filter(isCondition);

  it('find what they find of one product at a time, page by page', () => {
    fc.assert(
      fc.property(
        products,
        fc.array(conditions, { minLength: 1, maxLength: 3 }),
        (raw, filters) => {
          const catalog = newCatalog();
          const all = raw.map((changes, i) => valid(`p${i}`, changes));
          for (const product of all) putOne(catalog, product);
          const expected = all
            .filter((product) => filters.every((filter) => productMeets(facetsOf(product), filter)))
            .map(({ id }) => id);
          const found: string[] = [];
          for (let after = 0; ;) {
            const page = store.sets.matching(catalog, filters, { after, limit: 2 });
            found.push(...page.map(({ id }) => id));
            if (page.length < 2) break;
            after = page[1]?.key ?? 0;
          }
          expect(found).toEqual(expected);
          store.remove(catalog);
        },
      ),
      { numRuns: runs(20) },
    );
  });
});

describe('products', () => {
  it('have their earlier prices, availability and sale periods, with their times', () => {
    const catalog = newCatalog();
    const put = (changes: object, at: number) => putOne(catalog, valid('a', changes), at);
    const { key } = put({}, 1);
    expect(put({ title: 'Other' }, 2)).toEqual({ key, did: 'updated' });
    expect(put({ title: 'Other', price: '19.00 USD' }, 3).did).toBe('updated');
    expect(put({ title: 'Other', price: '19 USD' }, 4).did).toBe('unchanged');
    expect(put({ price: '19 USD', sale_price: '9 USD', availability: 'out of stock' }, 5).did).toBe(
      'updated',
    );
    const none = { salePrice: null, salePeriod: null, availability: 'in stock' };
    expect(store.products.history(key)).toEqual([
      { ...none, until: 3, price: '20.00 USD' },
      { ...none, until: 5, price: '19.00 USD' },
    ]);
  });

  it('of a removed catalog disappear at once, and are removed a few at a time', () => {
    const catalog = newCatalog();
    const keys = ['a', 'b', 'c'].map((id) => {
      const grouped = valid(id, { item_group_id: 'g' });
      return putOne(catalog, grouped).key;
    });
    store.remove(catalog);
    const other = openCatalogs(file);
    while (other.products.removeOrphans(2));
    other.close();
    expect(keys.some((key) => store.products.has(catalog, key))).toBe(false);
    expect(store.products.page(catalog, { group: null, after: 0, limit: 5 })).toEqual([]);
    expect(putOne(newCatalog(), valid('a')).key).toBeGreaterThan(Math.max(...keys));
  });
});
