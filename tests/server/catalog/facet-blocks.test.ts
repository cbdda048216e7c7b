import * as fc from 'fast-check';
import { expect, it } from 'vitest';
import { isCondition, readFilter, type Facets } from '#core/catalog/filter.ts';
import { facetBlocks } from '#server/catalog/facet-blocks.ts';
import { CATALOG_KIND } from '#server/catalog/store.ts';
import { openStore } from '#server/db/migrate.ts';
import { temporaryFolder } from '#tests/server/db/folder.ts';
import { runs } from '#tests/support/run/runs.ts';
import { productMeets } from '#tests/support/data/product-filter.ts';

const file = temporaryFolder();
const db = openStore(file('catalog'), CATALOG_KIND, () => {});

/** Keys of several blocks, where those of a block are alike or differ. */
const KEYS = 5 * 8192;
const text = fc.constantFrom(null, 'a', 'a > b', 'c');
const products = fc.uniqueArray(
  fc.record({
    key: fc.integer({ min: 1, max: KEYS }),
    price: fc.integer({ min: 0, max: 300 }),
    inventory: fc.option(fc.integer({ min: 0, max: 3 })),
    product_type: text,
    currency: fc.constantFrom('USD', 'EUR'),
  }),
  { selector: ({ key }) => key, maxLength: 200, minLength: 1, size: 'max' },
);
const condition = fc
  .oneof(
    fc.record({
      attribute: fc.constantFrom('price' as const, 'inventory' as const, 'sale_price' as const),
      operator: fc.constantFrom('GREATER_THAN' as const, 'EQUAL_TO' as const, 'LESS_THAN' as const),
      value: fc.constantFrom('0', '2', '3', '0.00 USD', '1.00 EUR', '3.00 USD'),
    }),
    fc.record({
      attribute: fc.constantFrom('product_type' as const, 'custom_label_0' as const),
      operator: fc.constantFrom('MATCH' as const, 'NOT_CONTAINS' as const, 'EQUAL_TO' as const),
      value: fc.constantFrom('a', 'b', 'C'),
    }),
  )
  .map(readFilter)
  .filter(isCondition);

const none = { sale_price: null, google_product_category: null };
const labels = Object.fromEntries([0, 1, 2, 3, 4].map((n) => [`custom_label_${n}`, null]));
let catalogs = 0;

it('find what meets the conditions in every block, and nothing removed', () => {
  fc.assert(
    fc.property(
      products,
      fc.array(condition, { maxLength: 3 }),
      fc.integer({ min: 1, max: 20 }),
      (made, conditions, limit) => {
        const catalog = (catalogs += 1);
        const blocks = facetBlocks(db);
        const all = made
          .map(({ key, ...facets }) => ({
            key,
            facets: { ...none, ...labels, ...facets } as Facets,
          }))
          .sort((a, b) => a.key - b.key);
        const isRemoved = (n: number): boolean => n % 10 === 7;
        for (const step of [() => true, isRemoved]) {
          blocks.write('put', () => {
            for (const [n, { key, facets }] of all.entries()) {
              if (step(n)) blocks.put(catalog, key, step === isRemoved ? null : facets);
            }
          });
        }
        const expected = all
          .filter(
            ({ facets }, n) =>
              !isRemoved(n) && conditions.every((each) => productMeets(facets, each)),
          )
          .map(({ key }) => key);
        const found: number[] = [];
        for (let after = 0; ;) {
          const page = facetBlocks(db).matching(catalog, conditions, { after, limit });
          found.push(...page);
          if (page.length < limit) break;
          after = page.at(-1) ?? 0;
        }
        expect(found).toEqual(expected);
        blocks.write('remove', () => blocks.remove(catalog));
        expect(blocks.matching(catalog, [], { after: 0, limit: 1 })).toEqual([]);
      },
    ),
    { numRuns: runs(60) },
  );
});
