import { expect, it } from 'vitest';
import { ATTRIBUTES, attributeOf } from '#core/catalog/attribute.ts';

it.each([
  ['price', 'price'],
  [' Price ', 'price'],
  ['g:price', 'price'],
  ['item group id', 'item_group_id'],
  ['G:Item-Group  ID', 'item_group_id'],
  ['Custom Label 0', 'custom_label_0'],
  ['prices', null],
  ['x:price', null],
  ['product_key', null],
  ['constructor', null],
  ['', null],
])('the column %j gives %j', (name, attribute) => {
  expect(attributeOf(name)).toBe(attribute);
});

it('every attribute is named by itself', () => {
  expect(ATTRIBUTES.map(attributeOf)).toEqual(ATTRIBUTES);
});
