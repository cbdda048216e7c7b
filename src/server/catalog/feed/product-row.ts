import { ATTRIBUTES, type Attribute } from '#core/catalog/attribute.ts';

/** A row of a feed: a line of CSV or TSV, or an element of XML. */
export interface ProductRow {
  /** Line of the file on which it begins, from 1 on. */
  readonly line: number;
  /** Values in the order of {@link ATTRIBUTES}, '' for none; null for a malformed row. */
  readonly values: readonly string[] | null;
  /** The reason the row is malformed, as a sentence without its full stop. */
  readonly fault: string;
}

const PLACES = new Map<string, number>(ATTRIBUTES.map((name, place) => [name, place]));

/** The place of an attribute in the values of a row. */
export function attributePlace(name: Attribute): number {
  return PLACES.get(name) ?? 0;
}

/** The merchant's id of a row; '' for none. */
export function productId({ values }: ProductRow): string {
  return values?.[attributePlace('id')]?.trim() ?? '';
}

export function malformed(line: number, fault: string): ProductRow {
  return { line, values: null, fault };
}

/** Names of columns or elements that are no attributes: some of them, as the report names them. */
export class IgnoredNames {
  readonly #names = new Set<string>();

  /** @param name - As the feed has it. */
  add(name: string): void {
    if (this.#names.size < MOST_NAMES) this.#names.add(name.slice(0, MOST_CHARACTERS));
  }

  addAll(names: readonly string[]): void {
    for (const name of names) this.add(name);
  }

  get names(): readonly string[] {
    return [...this.#names];
  }
}

/** Bounds of what a run reports about ignored names. */
const MOST_NAMES = 100;
const MOST_CHARACTERS = 100;
