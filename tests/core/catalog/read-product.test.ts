import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { readProduct } from '#core/catalog/read-product.ts';
import { unicodeText } from '#tests/support/data/unicode-text.ts';

const SHOE = {
  id: 'shoe-1',
  title: 'Shoe',
  description: 'A shoe.',
  availability: 'in stock',
  condition: 'new',
  price: '20.00 USD',
  link: 'https://shop.example/shoe',
  image_link: 'https://shop.example/shoe.jpg',
  brand: 'Shoemaker',
};

const errorsOf = (changes: object) =>
  readProduct({ ...SHOE, ...changes }).errors.map(({ parameter, message }) => [parameter, message]);
const warningsOf = (changes: object) =>
  readProduct({ ...SHOE, ...changes }).warnings.map(({ parameter }) => parameter);

const url = (length: number): string => `https://shop.example/${'a'.repeat(length - 21)}`;

describe('a product', () => {
  it('has null for what it has no value for', () => {
    const { product, errors, warnings } = readProduct({ ...SHOE, color: ' ', size: null });
    expect([errors, warnings]).toEqual([[], []]);
    expect(product).toMatchObject({
      ...SHOE,
      color: null,
      size: null,
      inventory: null,
      gtin: null,
    });
  });

  it.each([
    'id',
    'title',
    'description',
    'availability',
    'condition',
    'price',
    'link',
    'image_link',
  ])('needs %s', (name) => {
    const { product, errors } = readProduct({ ...SHOE, [name]: '' });
    const message = `"${name}" is a missing parameter`;
    expect(product).toBeNull();
    expect(errors).toEqual([{ code: 'MISSING_PARAMETER', parameter: name, message }]);
  });

  it.each([
    ['id', 100],
    ['title', 150],
    ['description', 5000],
  ])('%s has at most %i characters', (name, most) => {
    expect(errorsOf({ [name]: '𝒳'.repeat(most) })).toEqual([]);
    const message = `"${name}" must have at most ${most} characters`;
    expect(errorsOf({ [name]: '𝒳'.repeat(most + 1) })).toEqual([[name, message]]);
  });

  it.each([
    [
      'availability',
      ['in stock', 'available for order', 'preorder', 'out of stock', 'discontinued'],
    ],
    ['condition', ['new', 'used', 'refurbished']],
    ['gender', ['female', 'male', 'unisex']],
    ['age_group', ['adult', 'all ages', 'teen', 'kids', 'toddler', 'infant', 'newborn']],
  ])('%s is one of %o', (name, values) => {
    for (const value of values) expect(errorsOf({ [name]: value })).toEqual([]);
    expect(errorsOf({ [name]: 'other' })).toEqual([
      [name, `"${name}" must be one of ${values.join(', ')}`],
    ]);
  });

  it('reads other spellings of a listed value, with a warning', () => {
    const { product, warnings } = readProduct({ ...SHOE, availability: 'In_Stock' });
    expect(product?.availability).toBe('in stock');
    expect(warnings).toEqual([
      {
        code: 'INVALID_PARAMETER',
        parameter: 'availability',
        value: 'In_Stock',
        message: '"availability" was read as "in stock"',
      },
    ]);
  });

  it.each([
    [{ price: '20 dollars' }, 'price'],
    [{ price: 20 }, 'price'],
    [{ price: '20.00 XXQ' }, 'price'],
    [{ price: '20.001 USD' }, 'price'],
    [{ sale_price: '20.00 USD' }, 'sale_price'],
    [{ sale_price: '10.00 EUR' }, 'sale_price'],
    [{ sale_price_effective_date: '2026-12-01' }, 'sale_price_effective_date'],
    [
      { sale_price_effective_date: '2026-02-30T00:00+01:00/2026-03-02T00:00+01:00' },
      'sale_price_effective_date',
    ],
    [
      { sale_price_effective_date: '2026-03-02T00:00+01:00/2026-03-01T00:00+01:00' },
      'sale_price_effective_date',
    ],
    [
      { sale_price_effective_date: '2026-03-02T00:00+01:00/2026-03-01T23:00Z' },
      'sale_price_effective_date',
    ],
    [{ link: 'http://shop.example/' }, 'link'],
    [{ link: 'https://a b' }, 'link'],
    [{ link: url(2001) }, 'link'],
    [{ mobile_link: 'ftp://shop.example/' }, 'mobile_link'],
    [{ image_link: 'https://shop.example/shoe.pdf' }, 'image_link'],
    [{ additional_image_link: Array(11).fill(url(30)) }, 'additional_image_link'],
    [{ additional_image_link: `${url(30)}, http://shop.example/` }, 'additional_image_link'],
    [{ additional_image_link: 5 }, 'additional_image_link'],
    [{ brand: '', gtin: '' }, 'brand'],
    [{ gtin: '123' }, 'gtin'],
    [{ inventory: 0 }, 'inventory'],
    [{ inventory: '-1' }, 'inventory'],
    [{ inventory: 1.5 }, 'inventory'],
    [{ title: 'a\0' }, 'title'],
    [{ title: 'a\ud800' }, 'title'],
    [{ product_type: ' > ' }, 'product_type'],
    [{ custom_label_4: 'a'.repeat(101) }, 'custom_label_4'],
  ])('refuses %o', (changes, name) => {
    expect(errorsOf(changes).map(([parameter]) => parameter)).toEqual([name]);
  });

  it.each([
    { brand: '', gtin: '4006381333931' },
    { brand: '', mpn: 'A-1' },
    {
      sale_price: '19.99 USD',
      sale_price_effective_date: '2026-03-01T00:00+01:00/2026-03-02T00:00-08:00',
    },
    { image_link: 'https://shop.example/image?id=1' },
    { additional_image_link: Array(10).fill(url(2000)) },
    { additional_image_link: `${url(30)}, ${url(31)}` },
    { inventory: '1' },
    { availability: 'out of stock', inventory: 0 },
    { google_product_category: 187 },
  ])('takes %o', (changes) => {
    expect(errorsOf(changes)).toEqual([]);
    expect(warningsOf(changes)).toEqual([]);
  });

  it('warns of what may be a mistake', () => {
    expect(warningsOf({ gtin: '4006381333930' })).toEqual(['gtin']);
    expect(readProduct({ ...SHOE, gtin: '4006381333930' }).product?.gtin).toBe('4006381333930');
    expect(warningsOf({ colour: 'red' })).toEqual(['colour']);
    expect(warningsOf({ product_key: '1', item_group_key: '2' })).toEqual([]);
    expect(warningsOf({ description: 'A <b>shoe</b>' })).toEqual(['description']);
    expect(warningsOf({ availability: 'discontinued', inventory: 3 })).toEqual(['inventory']);
    const period = '2026-03-01T00:00+01:00/2026-03-02T00:00+01:00';
    expect(warningsOf({ sale_price_effective_date: period })).toEqual([
      'sale_price_effective_date',
    ]);
  });

  it('has paths with single separators', () => {
    const { product } = readProduct({ ...SHOE, product_type: ' Home>Kitchen >  Pots ' });
    expect(product?.product_type).toBe('Home > Kitchen > Pots');
  });

  it('never throws, and names what is wrong', () => {
    const value = fc.oneof(unicodeText(), fc.jsonValue());
    const names = fc.oneof(fc.constantFrom(...Object.keys(SHOE), 'inventory', 'gtin'), fc.string());
    fc.assert(
      fc.property(fc.dictionary(names, value), (changes) => {
        const { product, errors } = readProduct({ ...SHOE, ...changes });
        expect(product === null).toBe(errors.length > 0);
      }),
    );
  });

  it('reads as itself in its normal form', () => {
    const optional = fc.record(
      {
        price: fc.constantFrom('20 USD', '19.90 EUR', '5 JPY'),
        inventory: fc.constantFrom('3', 4),
        gtin: fc.constant('4006-3813 33931'),
        product_type: fc.constantFrom('A>B', ' a '),
        additional_image_link: fc.constant(`${url(30)},${url(31)}`),
        availability: fc.constantFrom('Preorder', 'out_of_stock'),
        color: fc.string({ maxLength: 20 }),
      },
      { requiredKeys: [] },
    );
    fc.assert(
      fc.property(optional, (changes) => {
        const { product } = readProduct({ ...SHOE, ...changes });
        if (!product) return;
        expect(readProduct({ ...product })).toEqual({
          product,
          errors: [],
          warnings: expect.anything(),
        });
      }),
    );
  });
});
