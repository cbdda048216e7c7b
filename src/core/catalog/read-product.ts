import { checkDigit, isGtinForm } from './gtin.ts';
import { formatMoney } from './money.ts';
import {
  AGE_GROUPS,
  AVAILABILITIES,
  CONDITIONS,
  GENDERS,
  pathText,
  type CustomLabel,
  type FieldNote,
  type Product,
} from './product.ts';
import { parseSalePeriod } from './sale-period.ts';
import { ProductFields, MOST } from './product-fields.ts';

const MOST_INVENTORY = 1_000_000_000;

/**
 * Version of what a text is read as. Raise it with every change of {@link ATTRIBUTES} and of what {@link readProduct}
 * accepts or returns, so that rows of feeds are read again.
 */
export const READING = 2;

/** A product, or what is wrong with it; warnings in either case. */
export interface ProductReading {
  /** Null if there are errors. */
  readonly product: Product | null;
  readonly errors: readonly FieldNote[];
  readonly warnings: readonly FieldNote[];
}

function readGtin(fields: ProductFields): string | null {
  const text = fields.text('gtin', MOST.text);
  if (text === null) return null;
  const digits = text.replace(/[\s-]/g, '');
  if (!isGtinForm(digits)) return fields.error('gtin', '"gtin" must have 8, 12, 13 or 14 digits');
  const expected = checkDigit(digits.slice(0, -1));
  // Shops have numbers of their own, too: the documents ask for a GTIN, but refuse none.
  if (!digits.endsWith(String(expected)))
    fields.warn('gtin', '"gtin" should end with its check digit');
  return digits;
}

/** A price and a sale price, which must be lower and in the same currency. */
function readPrices(fields: ProductFields): { price: string; sale: string | null } {
  if (fields.value('price') === undefined) {
    fields.missing('price', '"price" is a missing parameter');
  }
  const [price, sale] = [fields.money('price'), fields.money('sale_price')];
  if (price && sale) {
    if (price.currency !== sale.currency) {
      fields.error('sale_price', '"sale_price" must be in the currency of "price"');
    } else if (sale.amount >= price.amount) {
      fields.error('sale_price', '"sale_price" must be lower than "price"');
    }
  }
  return { price: price ? formatMoney(price) : '', sale: sale && formatMoney(sale) };
}

function readPeriod(fields: ProductFields): string | null {
  const name = 'sale_price_effective_date';
  const text = fields.text(name, MOST.text);
  if (text === null) return null;
  if (!parseSalePeriod(text)) {
    const form = 'YYYY-MM-DDTHH:MM+HH:MM/YYYY-MM-DDTHH:MM+HH:MM';
    return fields.error(name, `"${name}" must be a start and a later end, ${form}`);
  }
  if (fields.value('sale_price') === undefined) {
    fields.warn(name, `"${name}" has no effect without "sale_price"`);
  }
  return text;
}

function readPath(fields: ProductFields, name: string): string | null {
  const text = fields.text(name, MOST.category);
  return text === null ? null : pathText(text) || fields.error(name, `"${name}" names nothing`);
}

function readCategory(fields: ProductFields): string | null {
  const name = 'google_product_category';
  return typeof fields.value(name) === 'number'
    ? String(fields.whole(name, MOST_INVENTORY) ?? '') || null
    : readPath(fields, name);
}

function readStock(fields: ProductFields): Pick<Product, 'availability' | 'inventory'> {
  const availability = fields.requiredChoice('availability', AVAILABILITIES);
  const inventory = fields.whole('inventory', MOST_INVENTORY);
  if (inventory === 0 && availability === 'in stock') {
    fields.error('inventory', '"inventory" must be at least 1 for a product that is in stock');
  }
  const isGone = availability === 'out of stock' || availability === 'discontinued';
  if (isGone && inventory !== null && inventory > 0) {
    fields.warn('inventory', `"inventory" is above 0 for a product that is ${availability}`);
  }
  return { availability: availability ?? 'in stock', inventory };
}

function readDescription(fields: ProductFields): string {
  const text = fields.required('description', MOST.description);
  if (text.includes('<') && /<\/?[a-z][^<>]*>/i.test(text)) {
    fields.warn('description', '"description" must be plain text; its markup is shown as it is');
  }
  return text;
}

/**
 * Reads a product by the rules of the field list (platform-facts, section 11, and its additions).
 *
 * @param raw - Fields by name: texts as a feed has them, or values of JSON. An absent, null or blank one has no value.
 * @returns The product in its normal form, which reads as itself, without errors.
 */
export function readProduct(raw: Readonly<Record<string, unknown>>): ProductReading {
  const fields = new ProductFields(raw);
  const id = fields.required('id', MOST.id);
  const title = fields.required('title', MOST.title);
  const description = readDescription(fields);
  const stock = readStock(fields);
  const condition = fields.requiredChoice('condition', CONDITIONS) ?? 'new';
  const { price, sale } = readPrices(fields);
  const link = fields.required('link', MOST.link);
  if (link !== '') fields.address('link', link);
  const image = fields.required('image_link', MOST.link);
  if (image !== '') fields.image('image_link', image);
  const [brand, gtin, mpn] = [
    fields.text('brand', MOST.text),
    readGtin(fields),
    fields.text('mpn', MOST.text),
  ];
  if (['brand', 'gtin', 'mpn'].every((name) => fields.value(name) === undefined)) {
    fields.missing('brand', 'One of "brand", "gtin" and "mpn" is required');
  }
  const label = (name: CustomLabel): string | null => fields.text(name, MOST.text);
  // One literal, so that all products have one shape: their JSON is then made twice as fast.
  const product: Product = {
    id,
    title,
    description,
    ...stock,
    condition,
    price,
    link,
    image_link: image,
    brand,
    gtin,
    mpn,
    mobile_link: fields.link('mobile_link'),
    additional_image_link: fields.images('additional_image_link'),
    google_product_category: readCategory(fields),
    product_type: readPath(fields, 'product_type'),
    sale_price: sale,
    sale_price_effective_date: readPeriod(fields),
    item_group_id: fields.text('item_group_id', MOST.text),
    gender: fields.choice('gender', GENDERS),
    color: fields.text('color', MOST.text),
    size: fields.text('size', MOST.text),
    age_group: fields.choice('age_group', AGE_GROUPS),
    custom_label_0: label('custom_label_0'),
    custom_label_1: label('custom_label_1'),
    custom_label_2: label('custom_label_2'),
    custom_label_3: label('custom_label_3'),
    custom_label_4: label('custom_label_4'),
  };
  fields.warnOfUnknown();
  const { errors, warnings } = fields;
  return { product: errors.length === 0 ? product : null, errors, warnings };
}
