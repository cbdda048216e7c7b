import { UNSTORED } from '#core/text/unstored.ts';
import { ATTRIBUTES } from './attribute.ts';
import { checkDigit, isGtinForm } from './gtin.ts';
import { formatMoney, isMoney, parseMoney, type Money } from './money.ts';
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

/**
 * Most characters of a text. Those of id, title and description are documented (platform-facts, section 11); the others
 * bound what a product takes up.
 */
const MOST = { id: 100, title: 150, description: 5000, link: 2000, category: 750, text: 100 };
const MOST_IMAGES = 10;
const MOST_INVENTORY = 1_000_000_000;
/** Characters of a value in a note. */
const MOST_SHOWN = 100;

/**
 * Version of what a text is read as. Raise it with every change of {@link ATTRIBUTES} and of what {@link readProduct}
 * accepts or returns, so that rows of feeds are read again.
 */
export const READING = 2;

/** Fields that are made here, and are ignored where a product has them. */
const MADE: ReadonlySet<string> = new Set(['product_key', 'item_group_key']);

const IS_ATTRIBUTE: ReadonlySet<string> = new Set(ATTRIBUTES);

/** Finds all of that and pairs of surrogates, several times faster. */
const SUSPECT = /[\0\ud800-\udfff]/;

const IMAGE = /\.(?:jpe?g|gif|webp|png)$/i;

/** A product, or what is wrong with it; warnings in either case. */
export interface ProductReading {
  /** Null if there are errors. */
  readonly product: Product | null;
  readonly errors: readonly FieldNote[];
  readonly warnings: readonly FieldNote[];
}

function shown(value: unknown): string {
  const text = typeof value === 'string' ? value : (JSON.stringify(value) ?? '');
  const characters = Array.from(text.slice(0, MOST_SHOWN * 2)).filter(
    (each) => !UNSTORED.test(each),
  );
  return characters.slice(0, MOST_SHOWN).join('');
}

/** Reads fields of one product and collects what is wrong with them. */
class Fields {
  readonly errors: FieldNote[] = [];
  readonly warnings: FieldNote[] = [];
  readonly #raw: Readonly<Record<string, unknown>>;

  constructor(raw: Readonly<Record<string, unknown>>) {
    this.#raw = raw;
  }

  error(parameter: string, rule: string): null {
    this.errors.push(this.#note(parameter, rule));
    return null;
  }

  warn(parameter: string, rule: string): void {
    this.warnings.push(this.#note(parameter, rule));
  }

  missing(parameter: string, message: string): null {
    this.errors.push({ code: 'MISSING_PARAMETER', parameter, message });
    return null;
  }

  /** A field's value; undefined if it has none: absent, null or blank. */
  value(name: string): unknown {
    const value = Object.hasOwn(this.#raw, name) ? this.#raw[name] : undefined;
    return value === null || (typeof value === 'string' && value.trim() === '') ? undefined : value;
  }

  /** A text without space around it; null if it has no value, or a wrong one. */
  text(name: string, most: number): string | null {
    const value = this.value(name);
    if (value === undefined) return null;
    if (typeof value !== 'string') return this.error(name, `"${name}" must be a text`);
    return this.#checked(name, value.trim(), most);
  }

  /** A text that a product must have. An error leaves a value that nothing reads. */
  required(name: string, most: number): string {
    if (this.value(name) === undefined) this.missing(name, `"${name}" is a missing parameter`);
    return this.text(name, most) ?? '';
  }

  /** A whole number or a text of one. */
  whole(name: string, most: number): number | null {
    const value = this.value(name);
    if (value === undefined) return null;
    const text = typeof value === 'number' ? String(value) : value;
    const isWhole = typeof text === 'string' && /^\d{1,10}$/.test(text.trim());
    if (isWhole && Number(text) <= most) return Number(text);
    return this.error(name, `"${name}" must be a whole number from 0 to ${most}`);
  }

  choice<const T extends readonly string[]>(name: string, choices: T): T[number] | null {
    const text = this.text(name, MOST.text);
    if (text === null) return null;
    const listed = choices.find((choice) => choice === text);
    if (listed !== undefined) return listed;
    const folded = text.toLowerCase().replace(/[\s_-]+/g, ' ');
    const found = choices.find((choice) => choice === folded.replace('pre order', 'preorder'));
    if (found === undefined)
      return this.error(name, `"${name}" must be one of ${choices.join(', ')}`);
    this.warn(name, `"${name}" was read as "${found}"`);
    return found;
  }

  requiredChoice<const T extends readonly string[]>(name: string, choices: T): T[number] | null {
    if (this.value(name) === undefined) this.missing(name, `"${name}" is a missing parameter`);
    return this.choice(name, choices);
  }

  money(name: string): Money | null {
    const text = this.text(name, MOST.text);
    if (text === null) return null;
    const read = parseMoney(text);
    if (isMoney(read)) return read;
    const rules = {
      form: `"${name}" must be a number with a decimal point, a space and a currency, such as 20.00 USD`,
      currency: `"${name}" must have a currency of ISO 4217`,
      digits: `"${name}" has more decimals than the currency`,
    };
    return this.error(name, rules[read.is]);
  }

  /** An https address. */
  address(name: string, text: string): string | null {
    const isHttps = /^https:\/\//i.test(text) && !/\s/.test(text) && URL.canParse(text);
    return isHttps ? text : this.error(name, `"${name}" must be an https address`);
  }

  link(name: string): string | null {
    const text = this.text(name, MOST.link);
    return text === null ? null : this.address(name, text);
  }

  image(name: string, text: string): string | null {
    const address = this.address(name, text);
    if (address === null) return null;
    // Without a query, the address ends with its path.
    if (IMAGE.test(address) && !/[?#]/.test(address)) return address;
    const kind = /\.([a-z0-9]{2,5})$/i.exec(new URL(address).pathname)?.[1]?.toLowerCase();
    if (kind === undefined || IMAGE.test(`.${kind}`)) return address;
    return this.error(name, `"${name}" must be an image of the type jpg, gif, webp or png`);
  }

  images(name: string): string[] | null {
    const value = this.value(name);
    if (value === undefined) return null;
    const list: unknown = typeof value === 'string' ? value.split(',') : value;
    if (!Array.isArray(list) || list.some((each) => typeof each !== 'string')) {
      return this.error(name, `"${name}" must be a list of texts, or a text with commas`);
    }
    const texts = (list as string[]).map((each) => each.trim()).filter((each) => each !== '');
    if (texts.length > MOST_IMAGES) {
      return this.error(name, `"${name}" must have at most ${MOST_IMAGES} addresses`);
    }
    const read = texts.map((text) => {
      const checked = this.#checked(name, text, MOST.link);
      return checked === null ? null : this.image(name, checked);
    });
    return read.length === 0 || read.includes(null) ? null : (read as string[]);
  }

  warnOfUnknown(): void {
    for (const name of Object.keys(this.#raw)) {
      if (IS_ATTRIBUTE.has(name) || MADE.has(name)) continue;
      const parameter = shown(name);
      this.warnings.push({
        code: 'INVALID_PARAMETER',
        parameter,
        message: `"${parameter}" is not a field of a product and was ignored`,
      });
    }
  }

  #note(parameter: string, message: string): FieldNote {
    return { code: 'INVALID_PARAMETER', parameter, value: shown(this.value(parameter)), message };
  }

  #checked(name: string, text: string, most: number): string | null {
    if (SUSPECT.test(text) && UNSTORED.test(text)) {
      return this.error(name, `"${name}" must not contain U+0000 or half of a surrogate pair`);
    }
    // A text of at most `most` units has no more characters.
    const length = text.length <= most ? text.length : Array.from(text).length;
    if (length <= most) return text;
    return this.error(name, `"${name}" must have at most ${most} characters`);
  }
}

function readGtin(fields: Fields): string | null {
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
function readPrices(fields: Fields): { price: string; sale: string | null } {
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

function readPeriod(fields: Fields): string | null {
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

function readPath(fields: Fields, name: string): string | null {
  const text = fields.text(name, MOST.category);
  return text === null ? null : pathText(text) || fields.error(name, `"${name}" names nothing`);
}

function readCategory(fields: Fields): string | null {
  const name = 'google_product_category';
  return typeof fields.value(name) === 'number'
    ? String(fields.whole(name, MOST_INVENTORY) ?? '') || null
    : readPath(fields, name);
}

function readStock(fields: Fields): Pick<Product, 'availability' | 'inventory'> {
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

function readDescription(fields: Fields): string {
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
  const fields = new Fields(raw);
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
