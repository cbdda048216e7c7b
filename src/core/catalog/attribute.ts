import { CUSTOM_LABELS, type Product } from './product.ts';

/** The attributes that a merchant gives a product, in the order of the reports (platform-facts, section 11). */
export const ATTRIBUTES = [
  'id',
  'title',
  'description',
  'availability',
  'condition',
  'price',
  'link',
  'image_link',
  'brand',
  'gtin',
  'mpn',
  'mobile_link',
  'additional_image_link',
  'google_product_category',
  'product_type',
  'inventory',
  'sale_price',
  'sale_price_effective_date',
  'item_group_id',
  'gender',
  'color',
  'size',
  'age_group',
  ...CUSTOM_LABELS,
] as const satisfies readonly (keyof Product)[];
export type Attribute = (typeof ATTRIBUTES)[number];

const NAMES: ReadonlySet<string> = new Set(ATTRIBUTES);

/**
 * The attribute that a column or element of a feed names: in any case, with spaces or hyphens for underscores, and with the
 * prefix `g:` that feeds of other catalogs have.
 *
 * @returns Null for any other name.
 */
export function attributeOf(name: string): Attribute | null {
  const plain = name
    .trim()
    .toLowerCase()
    .replace(/^g:/, '')
    .replace(/[\s_-]+/g, '_');
  return NAMES.has(plain) ? (plain as Attribute) : null;
}
