import { isMoney, parseMoney, type Money } from './money.ts';
import { CUSTOM_LABELS, pathText, type CustomLabel, type Product } from './product.ts';

/** Attributes and operators of filters (platform-facts, section 11). */
const PATHS = ['product_type', 'google_product_category'] as const;
const PRICES = ['price', 'sale_price'] as const;
export const FILTER_ATTRIBUTES = [...PRICES, 'inventory', ...PATHS, ...CUSTOM_LABELS] as const;
export type FilterAttribute = (typeof FILTER_ATTRIBUTES)[number];

const COMPARISONS = ['GREATER_THAN', 'EQUAL_TO', 'LESS_THAN'] as const;
const TEXT_OPERATORS = ['EQUAL_TO', 'MATCH', 'CONTAINS', 'NOT_CONTAINS'] as const;
export const FILTER_OPERATORS = [
  'GREATER_THAN',
  'EQUAL_TO',
  'LESS_THAN',
  'MATCH',
  'NOT_CONTAINS',
  'CONTAINS',
] as const;
export type FilterOperator = (typeof FILTER_OPERATORS)[number];

export type PriceComparison = (typeof COMPARISONS)[number];
type TextOperator = (typeof TEXT_OPERATORS)[number];
export type TextAttribute = (typeof PATHS)[number] | CustomLabel;

/** A filter of a set, as sent. */
export interface Filter {
  readonly attribute: FilterAttribute;
  readonly operator: FilterOperator;
  readonly value: string;
}

/** A filter that was read: what a product must meet. Texts are folded. */
export type ProductCondition =
  | {
      readonly of: 'money';
      readonly attribute: (typeof PRICES)[number];
      readonly operator: PriceComparison;
      readonly value: Money;
    }
  | { readonly of: 'inventory'; readonly operator: PriceComparison; readonly value: number }
  | {
      readonly of: 'text';
      readonly attribute: TextAttribute;
      readonly operator: TextOperator;
      readonly value: string;
    };

/** The values of a product that filters read: amounts in minor units, and folded texts. */
export interface Facets extends Readonly<Record<TextAttribute, string | null>> {
  readonly currency: string;
  readonly price: number;
  readonly sale_price: number | null;
  readonly inventory: number | null;
}

/** The reason a filter cannot be used. */
export interface FilterFault {
  readonly part: 'operator' | 'value';
  /** Such as `Expected one of EQUAL_TO, MATCH`. */
  readonly expected: string;
}

function includes<T extends string>(list: readonly T[], value: string): value is T {
  return (list as readonly string[]).includes(value);
}

function fold(text: string): string {
  // ASCII is in the normal form.
  return (/[^\0-\x7f]/.test(text) ? text.normalize('NFC') : text).toLowerCase();
}

/** Reads a filter. */
export function readFilter({ attribute, operator, value }: Filter): ProductCondition | FilterFault {
  const text = value.trim();
  const isPath = includes(PATHS, attribute);
  if (isPath || includes(CUSTOM_LABELS, attribute)) {
    if (!includes(TEXT_OPERATORS, operator)) {
      return { part: 'operator', expected: `one of ${TEXT_OPERATORS.join(', ')}` };
    }
    const folded = fold(isPath ? pathText(text) : text);
    if (folded === '') return { part: 'value', expected: 'a text' };
    return { of: 'text', attribute, operator, value: folded };
  }
  if (!includes(COMPARISONS, operator)) {
    return { part: 'operator', expected: `one of ${COMPARISONS.join(', ')}` };
  }
  if (attribute === 'inventory') {
    if (!/^\d{1,10}$/.test(text)) return { part: 'value', expected: 'a whole number' };
    return { of: 'inventory', operator, value: Number(text) };
  }
  const money = parseMoney(text);
  if (!isMoney(money)) return { part: 'value', expected: 'an amount such as 20.00 USD' };
  return { of: 'money', attribute, operator, value: money };
}

/** True if a filter was read. */
export function isCondition(read: ProductCondition | FilterFault): read is ProductCondition {
  return 'of' in read;
}

function amountOf(text: string): Money {
  const money = parseMoney(text);
  if (!isMoney(money)) throw new RangeError(`expected the price of a valid product, got ${text}`);
  return money;
}

/** The values that filters read of a valid product. */
export function facetsOf(product: Product): Facets {
  const folded = (text: string | null): string | null => (text === null ? null : fold(text));
  const { amount: price, currency } = amountOf(product.price);
  // One literal, so that all have one shape.
  return {
    currency,
    price,
    sale_price: product.sale_price === null ? null : amountOf(product.sale_price).amount,
    inventory: product.inventory,
    product_type: folded(product.product_type),
    google_product_category: folded(product.google_product_category),
    custom_label_0: folded(product.custom_label_0),
    custom_label_1: folded(product.custom_label_1),
    custom_label_2: folded(product.custom_label_2),
    custom_label_3: folded(product.custom_label_3),
    custom_label_4: folded(product.custom_label_4),
  };
}

/** True if a folded text, null if there is none, matches a folded value as an operator says. */
export function matchesText(operator: TextOperator, text: string | null, value: string): boolean {
  if (operator === 'NOT_CONTAINS') return !text?.includes(value);
  if (text === null) return false;
  if (operator === 'CONTAINS') return text.includes(value);
  return text === value || (operator === 'MATCH' && text.startsWith(`${value} > `));
}
