import { SaxesParser, type SaxesTagNS } from 'saxes';
import { ATTRIBUTES, attributeOf, type Attribute } from '#core/catalog/attribute.ts';
import { unreadable } from '#core/readers/utf8.ts';
import { FeedError, shown } from '#core/readers/error.ts';
import { malformed, attributePlace, type IgnoredNames, type ProductRow } from './product-row.ts';

/** Namespace of the elements `g:id` and so on (platform-facts-additions, section 11), and how feeds misspell it. */
const PRODUCTS: ReadonlySet<string> = new Set(
  ['http', 'https'].flatMap((scheme) => [
    `${scheme}://base.google.com/ns/1.0`,
    `${scheme}://base.google.com/ns/1.0/`,
  ]),
);
/** RFC 4287, section 2. */
const ATOM = 'http://www.w3.org/2005/Atom';

/** Names of elements that are a product: of RSS 2.0, of Atom, and of feeds of products alone. */
const ITEMS: ReadonlySet<string> = new Set(['item', 'entry', 'product']);
/** Roots of documents that may have no product yet. */
const KNOWN_ROOTS: ReadonlySet<string> = new Set(['rss', 'rdf', 'feed', 'products']);

const MOST_DEPTH = 64;
/** Attributes of an element, declarations of namespaces among them. */
const MOST_ATTRIBUTES = 100;
/** Characters of a product, and of a text, a tag or a comment: as many as a row of CSV may have. */
const MOST_CHARACTERS = 128 * 1024;

/** Names of elements that are remembered. */
const MOST_NAMES = 1000;

/** The strength of a value: that of a `g:` element replaces that of another, and a plain one that of a substitute. */
const STRENGTH = { content: 1, summary: 2, plain: 3, product: 4 } as const;
type Strength = keyof typeof STRENGTH;

/** Attributes that a product may repeat: the addresses join; of the types, feeds have the most important first. */
const JOINED: Attribute = 'additional_image_link';
const FIRST: Attribute = 'product_type';

/** The field that an element of a product gives. */
interface Field {
  readonly attribute: Attribute;
  readonly strength: Strength;
}

/** A place between two products; JSON. */
export interface ElementPlace {
  /** Start tags of the elements that are open. */
  readonly open: readonly string[];
  /** Text after the last product. */
  readonly pending: string;
  /** Line of its beginning. */
  readonly line: number;
}

const ESCAPES: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '"': '&quot;' };

/** The start tag of an element. */
function startTag({ name, attributes }: SaxesTagNS): string {
  const texts = Object.values(attributes).map((each) => {
    const escape = (c: string): string => ESCAPES[c] ?? `&#${c.charCodeAt(0)};`;
    return ` ${each.name}="${each.value.replace(/[&<"\t\n\r]/g, escape)}"`;
  });
  return `<${name}${texts.join('')}>`;
}

/** A product that is being read. */
interface Item {
  readonly depth: number;
  /** Namespace of its own element, '' for none: that of its plain attributes. */
  readonly uri: string;
  readonly line: number;
  readonly values: string[];
  readonly strengths: number[];
  characters: number;
  fault: string;
}

function newItem(depth: number, uri: string, line: number): Item {
  const values = ATTRIBUTES.map(() => '');
  const strengths = ATTRIBUTES.map(() => 0);
  return { depth, uri, line, values, strengths, characters: 0, fault: '' };
}

function put(item: Item, { attribute, strength }: Field, value: string): void {
  const place = attributePlace(attribute);
  const [before, now] = [item.strengths[place] ?? 0, STRENGTH[strength]];
  if (now < before) return;
  if (now > before) {
    item.values[place] = value;
    item.strengths[place] = now;
  } else if (attribute === JOINED) {
    item.values[place] += `,${value}`;
  } else if (attribute !== FIRST) {
    item.fault ||= `The product has more than one element for "${attribute}"`;
  }
}

/** The field that an element gives; null for none. Entries of Atom have summaries and contents for descriptions. */
function fieldOf({ uri, local }: SaxesTagNS, item: Item): Field | null {
  const isProduct = PRODUCTS.has(uri);
  const isPlain = uri === '' || uri === ATOM || uri === item.uri;
  const attribute = isProduct || isPlain ? attributeOf(local) : null;
  if (attribute) return { attribute, strength: isProduct ? 'product' : 'plain' };
  if (uri === ATOM && (local === 'summary' || local === 'content')) {
    return { attribute: 'description', strength: local };
  }
  return null;
}

/**
 * Reads the products of an XML feed, block by block: `rss/channel/item`, `rdf:RDF/item`, `feed/entry`, or `product` below any
 * root. Their attributes are elements, in Google's namespace, in none, or in that of the product. Memory is bounded whatever
 * the text.
 *
 * A product that repeats an attribute or is too long is malformed, and the others are read.
 *
 * @throws {@link FeedError} `unknown-kind` for a document without products; `truncated` if it is cut off; `damaged` if it is
 *   not well-formed, has a DOCTYPE, or is deeper or longer than the bounds.
 */
export class ElementReader {
  readonly #file: string;
  readonly #ignored: IgnoredNames;
  readonly #parser = new SaxesParser({ xmlns: true });
  #rows: ProductRow[] = [];
  #depth = 0;
  #root = '';
  #isAnyItem = false;
  /** Characters since the last event of the parser, in whole blocks. */
  #waiting = 0;
  #isWaiting = true;
  #item: Item | null = null;
  #field: Field | null = null;
  #text: string[] = [];
  /** Start tags of the elements around products, as many as are open. */
  #tags: string[] = [];
  /** Characters before the last block, as the parser counts them. */
  #before = 0;
  /** The end of the last product in a block, and the characters up to it; null if the block has none. */
  #ended: (Omit<ElementPlace, 'pending'> & { readonly at: number }) | null = null;
  #place: ElementPlace | null = null;
  /** The fields that elements give, by their local names, each in its last namespaces, also of its product. */
  readonly #fields = new Map<
    string,
    { readonly uri: string; readonly itemUri: string; readonly field: Field | null }
  >();

  /** @param from - The place of another reader of the same file, after which this one continues. */
  constructor(file: string, ignored: IgnoredNames, from?: ElementPlace) {
    this.#file = file;
    this.#ignored = ignored;
    const parser = this.#parser;
    parser.on('doctype', () => {
      throw this.#damage('has a DOCTYPE, which a feed may not have');
    });
    parser.on('opentag', (tag) => this.#open(tag));
    parser.on('closetag', () => this.#close());
    parser.on('text', (text) => this.#read(text));
    parser.on('cdata', (text) => this.#read(text));
    parser.on('comment', () => (this.#isWaiting = false));
    parser.on('processinginstruction', () => (this.#isWaiting = false));
    if (!from) return;
    parser.write(from.open.join(''));
    parser.line = from.line;
    this.#isAnyItem = true;
    this.#before = parser.position;
    this.#place = { ...from, pending: '' };
    this.push(from.pending);
  }

  /** The place after the last product of the last block; null if there is none. */
  get place(): ElementPlace | null {
    return this.#place;
  }

  push(block: string): ProductRow[] {
    const reason = unreadable(block);
    if (reason !== null) throw this.#damage(reason);
    this.#isWaiting = true;
    this.#ended = null;
    this.#parse(() => this.#parser.write(block));
    this.#waiting = this.#isWaiting ? this.#waiting + block.length : 0;
    if (this.#waiting > MOST_CHARACTERS) {
      throw this.#damage(`has a text or a tag of more than ${MOST_CHARACTERS} characters`);
    }
    this.#place = this.#placeAfter(block);
    this.#before += block.length;
    const rows = this.#rows;
    this.#rows = [];
    return rows;
  }

  #placeAfter(block: string): ElementPlace | null {
    const [ended, place] = [this.#ended, this.#place];
    if (ended) {
      const { at, ...rest } = ended;
      return { ...rest, pending: block.slice(at - this.#before) };
    }
    // A place is only a saving: a long text between two products need not have one.
    if (!place || place.pending.length > MOST_CHARACTERS) return null;
    return { ...place, pending: place.pending + block };
  }

  end(): ProductRow[] {
    if (this.#root === '' || this.#depth > 0) {
      const what = this.#root === '' ? 'its first element' : `"${shown(this.#root)}"`;
      const why = `is cut off: the XML ends on line ${this.#parser.line} before ${what} is complete.`;
      throw new FeedError('truncated', this.#file, why);
    }
    this.#parse(() => this.#parser.close());
    if (!this.#isAnyItem && !KNOWN_ROOTS.has(this.#root.toLowerCase())) {
      const why = `has no products: expected rss/channel/item, feed/entry or product elements, found "${shown(this.#root)}".`;
      throw new FeedError('unknown-kind', this.#file, why);
    }
    return [];
  }

  #parse(work: () => unknown): void {
    try {
      work();
    } catch (error) {
      // The parser's own errors begin with its line and column.
      const [, line, column, why] =
        error instanceof Error ? (PARSED.exec(error.message) ?? []) : [];
      if (error instanceof FeedError || why === undefined) throw error;
      const text = `is not well-formed XML: line ${line}, column ${column}: ${shown(why)}.`;
      throw new FeedError('damaged', this.#file, text, { cause: error });
    }
  }

  #damage(why: string): FeedError {
    return new FeedError('damaged', this.#file, `${why} (line ${this.#parser.line}).`);
  }

  #open(tag: SaxesTagNS): void {
    this.#isWaiting = false;
    this.#depth += 1;
    if (this.#depth === 1) this.#root = tag.local;
    if (this.#depth > MOST_DEPTH) {
      throw this.#damage(`has elements more than ${MOST_DEPTH} deep`);
    }
    let attributes = 0;
    for (const _ in tag.attributes) attributes += 1;
    if (attributes > MOST_ATTRIBUTES) {
      throw this.#damage(`has an element with more than ${MOST_ATTRIBUTES} attributes`);
    }
    const item = this.#item;
    if (!item) {
      if (this.#depth === 1 || !ITEMS.has(tag.local.toLowerCase())) {
        this.#tags.push(startTag(tag));
        return;
      }
      this.#item = newItem(this.#depth, tag.uri, this.#parser.line);
      this.#isAnyItem = true;
    } else if (this.#depth === item.depth + 1) this.#begin(item, tag);
  }

  /** Begins an element of a product. */
  #begin(item: Item, tag: SaxesTagNS): void {
    this.#text = [];
    this.#field = this.#fieldOf(tag, item);
    if (!this.#field) this.#ignored.add(tag.name);
    if (tag.uri !== ATOM || tag.local !== 'link') return;
    // An entry has its address as an attribute, next to those of other representations (RFC 4287, section 4.2.7).
    this.#field = null;
    const { href, rel } = tag.attributes;
    if (href && (!rel || rel.value === 'alternate')) {
      put(item, { attribute: 'link', strength: 'plain' }, href.value);
    }
  }

  /** Feeds repeat few names. */
  #fieldOf(tag: SaxesTagNS, item: Item): Field | null {
    const known = this.#fields.get(tag.local);
    if (known?.uri === tag.uri && known.itemUri === item.uri) return known.field;
    const field = fieldOf(tag, item);
    if (this.#fields.size < MOST_NAMES) {
      this.#fields.set(tag.local, { uri: tag.uri, itemUri: item.uri, field });
    }
    return field;
  }

  #close(): void {
    this.#isWaiting = false;
    const item = this.#item;
    if (item && this.#depth === item.depth + 1 && this.#field) {
      put(item, this.#field, this.#text.length === 1 ? (this.#text[0] ?? '') : this.#text.join(''));
      this.#field = null;
    }
    if (item?.depth === this.#depth) {
      const { line, values, fault } = item;
      this.#rows.push(fault === '' ? { line, values, fault } : malformed(line, fault));
      this.#item = null;
      const { position: at, line: end } = this.#parser;
      this.#ended = { at, line: end, open: [...this.#tags] };
    } else if (!item) this.#tags.pop();
    this.#depth -= 1;
  }

  #read(text: string): void {
    this.#isWaiting = false;
    const item = this.#item;
    if (!item || !this.#field) return;
    item.characters += text.length;
    if (item.characters <= MOST_CHARACTERS) this.#text.push(text);
    else item.fault ||= `The product is longer than ${MOST_CHARACTERS} characters`;
  }
}

const PARSED = /^(\d+):(\d+): (.*?)\.?$/s;
