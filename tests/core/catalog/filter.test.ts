import { describe, expect, it } from 'vitest';
import {
  facetsOf,
  isCondition,
  readFilter,
  type Filter,
  type FilterAttribute,
  type FilterOperator,
} from '#core/catalog/filter.ts';
import { readProduct } from '#core/catalog/read-product.ts';
import { productMeets } from '#tests/support/data/product-filter.ts';

const facets = (() => {
  const { product } = readProduct({
    id: '1',
    title: 'Pot',
    description: 'A pot.',
    availability: 'in stock',
    condition: 'new',
    price: '20.00 USD',
    sale_price: '9.99 USD',
    link: 'https://shop.example/',
    image_link: 'https://shop.example/a.png',
    brand: 'Potter',
    inventory: 5,
    product_type: 'Home > Kitchen > Pots',
    custom_label_0: 'Spring',
  });
  if (!product) throw new RangeError('expected a valid product');
  return facetsOf(product);
})();

const met = (attribute: FilterAttribute, operator: FilterOperator, value: string): boolean => {
  const read = readFilter({ attribute, operator, value });
  if (!isCondition(read)) throw new RangeError(`expected a valid filter, got ${read.expected}`);
  return productMeets(facets, read);
};

describe('a filter', () => {
  it.each([
    ['price', 'EQUAL_TO', '20 USD', true],
    ['price', 'EQUAL_TO', '20 EUR', false],
    ['price', 'GREATER_THAN', '19.99 USD', true],
    ['price', 'GREATER_THAN', '20.00 USD', false],
    ['price', 'LESS_THAN', '20.01 USD', true],
    ['price', 'LESS_THAN', '100 EUR', false],
    ['sale_price', 'LESS_THAN', '10.00 USD', true],
    ['inventory', 'GREATER_THAN', '4', true],
    ['inventory', 'LESS_THAN', '10', true],
    ['inventory', 'EQUAL_TO', '5', true],
    ['product_type', 'EQUAL_TO', 'home>kitchen>pots', true],
    ['product_type', 'EQUAL_TO', 'Home > Kitchen', false],
    ['product_type', 'MATCH', 'Home > Kitchen', true],
    ['product_type', 'MATCH', 'Home > Kit', false],
    ['product_type', 'MATCH', 'Kitchen', false],
    ['product_type', 'CONTAINS', 'kitch', true],
    ['product_type', 'NOT_CONTAINS', 'garden', true],
    ['product_type', 'NOT_CONTAINS', 'pots', false],
    ['custom_label_0', 'MATCH', 'spring', true],
    ['custom_label_0', 'CONTAINS', 'ring', true],
    ['custom_label_1', 'CONTAINS', 'ring', false],
    ['custom_label_1', 'NOT_CONTAINS', 'ring', true],
    ['google_product_category', 'MATCH', 'Home', false],
  ] as const)('%s %s %s: %s', (attribute, operator, value, expected) => {
    expect(met(attribute, operator, value)).toBe(expected);
  });

  it.each([
    ['price', 'MATCH', '20.00 USD', 'operator'],
    ['price', 'EQUAL_TO', '20', 'value'],
    ['inventory', 'CONTAINS', '2', 'operator'],
    ['inventory', 'LESS_THAN', 'many', 'value'],
    ['custom_label_0', 'GREATER_THAN', 'a', 'operator'],
    ['product_type', 'MATCH', ' > ', 'value'],
  ] as const)('%s %s %s is refused for its %s', (attribute, operator, value, part) => {
    expect(readFilter({ attribute, operator, value } satisfies Filter)).toMatchObject({ part });
  });
});
