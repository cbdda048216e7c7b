/** Values of the fields that take one of a list (platform-facts, section 11). */
export const AVAILABILITIES = [
  'in stock',
  'available for order',
  'preorder',
  'out of stock',
  'discontinued',
] as const;
export const CONDITIONS = ['new', 'used', 'refurbished'] as const;
export const GENDERS = ['female', 'male', 'unisex'] as const;
export const AGE_GROUPS = [
  'adult',
  'all ages',
  'teen',
  'kids',
  'toddler',
  'infant',
  'newborn',
] as const;

export const CUSTOM_LABELS = [
  'custom_label_0',
  'custom_label_1',
  'custom_label_2',
  'custom_label_3',
  'custom_label_4',
] as const;
export type CustomLabel = (typeof CUSTOM_LABELS)[number];

/** A valid product. An optional field without a value is null. */
export interface Product extends Readonly<Record<CustomLabel, string | null>> {
  /** The merchant's id. */
  readonly id: string;
  readonly title: string;
  readonly description: string;
  readonly availability: (typeof AVAILABILITIES)[number];
  readonly condition: (typeof CONDITIONS)[number];
  /** Such as `20.00 USD`, with every digit of the minor unit. */
  readonly price: string;
  readonly link: string;
  readonly image_link: string;
  readonly brand: string | null;
  readonly gtin: string | null;
  readonly mpn: string | null;
  readonly mobile_link: string | null;
  readonly additional_image_link: readonly string[] | null;
  readonly google_product_category: string | null;
  /** Names of the path, separated by ` > `. */
  readonly product_type: string | null;
  readonly inventory: number | null;
  /** In the currency of the price, and below it. */
  readonly sale_price: string | null;
  /** As sent: `start/end`. */
  readonly sale_price_effective_date: string | null;
  readonly item_group_id: string | null;
  readonly gender: (typeof GENDERS)[number] | null;
  readonly color: string | null;
  readonly size: string | null;
  readonly age_group: (typeof AGE_GROUPS)[number] | null;
}

/** Something wrong with a field. */
export interface FieldNote {
  readonly code: 'MISSING_PARAMETER' | 'INVALID_PARAMETER';
  readonly parameter: string;
  /** As sent, cut off if it is long; absent for a missing field. */
  readonly value?: string;
  /** The rule, the same for every value. */
  readonly message: string;
}

/** A path in its normal form, which most are in: quicker to see than to make. */
const PATH = /^[^\s>]+(?: (?:> )?[^\s>]+)*$/;

/** A path of names such as `Home > Kitchen`, with single spaces and without empty names. */
export function pathText(text: string): string {
  if (PATH.test(text)) return text;
  return namesOf(text).join(' > ');
}

/** The names of a path. */
function namesOf(text: string): string[] {
  return text
    .split('>')
    .map((name) => name.trim().replace(/\s+/g, ' '))
    .filter((name) => name !== '');
}
