import { UNSTORED } from '#core/text/unstored.ts';
import { ATTRIBUTES } from './attribute.ts';
import { isMoney, parseMoney, type Money } from './money.ts';
import type { FieldNote } from './product.ts';

/**
 * Most characters of a text. Those of id, title and description are documented (platform-facts, section 11); the others
 * bound what a product takes up.
 */
export const MOST = {
  id: 100,
  title: 150,
  description: 5000,
  link: 2000,
  category: 750,
  text: 100,
};
const MOST_IMAGES = 10;

/** Characters of a value in a note. */
const MOST_SHOWN = 100;

/** Fields that are made here, and are ignored where a product has them. */
const MADE: ReadonlySet<string> = new Set(['product_key', 'item_group_key']);

const IS_ATTRIBUTE: ReadonlySet<string> = new Set(ATTRIBUTES);

/** Finds all of that and pairs of surrogates, several times faster. */
const SUSPECT = /[\0\ud800-\udfff]/;

const IMAGE = /\.(?:jpe?g|gif|webp|png)$/i;

function shownValue(value: unknown): string {
  const text = typeof value === 'string' ? value : (JSON.stringify(value) ?? '');
  const characters = Array.from(text.slice(0, MOST_SHOWN * 2)).filter(
    (each) => !UNSTORED.test(each),
  );
  return characters.slice(0, MOST_SHOWN).join('');
}

/** Reads fields of one product and collects what is wrong with them. */
export class ProductFields {
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
      const parameter = shownValue(name);
      this.warnings.push({
        code: 'INVALID_PARAMETER',
        parameter,
        message: `"${parameter}" is not a field of a product and was ignored`,
      });
    }
  }

  #note(parameter: string, message: string): FieldNote {
    return {
      code: 'INVALID_PARAMETER',
      parameter,
      value: shownValue(this.value(parameter)),
      message,
    };
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
