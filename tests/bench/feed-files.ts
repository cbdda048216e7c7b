import { closeSync, openSync, writeSync } from 'node:fs';
import type { FeedFormat } from '#server/catalog/feed/product-file.ts';
import { Random } from '#server/sample/random.ts';

const COLUMNS = [
  'id',
  'title',
  'description',
  'availability',
  'condition',
  'price',
  'link',
  'image_link',
  'brand',
  'mpn',
  'product_type',
  'google_product_category',
  'inventory',
  'sale_price',
  'item_group_id',
  'color',
  'size',
  'custom_label_0',
  'custom_label_1',
] as const;
type Fields = Readonly<Record<(typeof COLUMNS)[number], string>>;

const WORDS =
  'a light frame with leather and steel, made for long days outdoors; washable cover & two pockets, fits most bags';
const COLOURS = ['red', 'green', 'blue', 'black', 'white', 'grey'];
const KINDS = ['Shoes', 'Bags', 'Pans', 'Lamps', 'Tents', 'Chairs', 'Rugs', 'Mugs'];
const BLOCK = 1024 * 1024;

/** Characters of a description that brings a row of CSV to some 850 bytes. */
const DESCRIPTION = 550;

function of<T>(list: readonly T[], n: number): T {
  return list[n % list.length] as T;
}

/** Makes a product, the same for the same number but for its price. */
function fields(i: number, words: readonly string[], random: Random, isChanged: boolean): Fields {
  let description = `Product ${i}:`;
  while (description.length < DESCRIPTION)
    description += ` ${of(words, random.below(words.length))}`;
  const kind = of(KINDS, i);
  const cents = 1000 + ((i * 7919) % 90_000) + (isChanged ? 1 : 0);
  return {
    id: `sku-${i}-${(i * 104_729) % 999_983}`,
    title: `${of(COLOURS, i)} ${kind} of the series ${i % 977}, number ${i}`,
    description,
    availability: i % 9 === 0 ? 'out of stock' : 'in stock',
    condition: 'new',
    price: `${(cents / 100).toFixed(2)} USD`,
    link: `https://shop.example/products/${kind.toLowerCase()}/${i}?utm_source=feed`,
    image_link: `https://cdn.shop.example/images/${i % 1000}/${i}.jpg`,
    brand: `Brand ${i % 311}`,
    mpn: `MPN-${i}`,
    product_type: `Home > ${kind} > Type ${i % 53}`,
    google_product_category: `Home & Garden > ${kind}`,
    inventory: i % 9 === 0 ? '' : String(1 + (i % 500)),
    sale_price: i % 5 === 0 ? `${((cents - 500) / 100).toFixed(2)} USD` : '',
    item_group_id: `group-${i >> 2}`,
    color: of(COLOURS, i),
    size: of(['S', 'M', 'L', 'XL'], i),
    custom_label_0: `label ${i % 20}`,
    custom_label_1: i % 3 === 0 ? 'season' : '',
  };
}

const escaped = (text: string): string => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;');

function xml(row: Fields): string {
  const elements = COLUMNS.filter((name) => row[name] !== '').map(
    (name) => `<g:${name}>${escaped(row[name])}</g:${name}>`,
  );
  return `<item>\n${elements.join('\n')}\n</item>\n`;
}

function line(row: Fields, delimiter: string): string {
  const cells = COLUMNS.map((name) => {
    const value = row[name];
    return value.includes(delimiter) ? `"${value}"` : value;
  });
  return `${cells.join(delimiter)}\n`;
}

/**
 * Generates a feed of products.
 *
 * @param changed - One product of so many has another price; 0 for none.
 * @returns The number of its products.
 */
export function writeFeed(
  file: string,
  format: FeedFormat,
  bytes: number,
  changed: number,
): number {
  const random = new Random(1);
  const words = WORDS.split(' ');
  const delimiter = format === 'TSV' ? '\t' : ',';
  const row = (fields: Fields): string =>
    format === 'XML' ? xml(fields) : line(fields, delimiter);
  const fd = openSync(file, 'w');
  let written = 0;
  let block =
    format === 'XML'
      ? '<?xml version="1.0" encoding="UTF-8"?>\n<rss version="2.0" xmlns:g="http://base.google.com/ns/1.0"><channel>\n'
      : `${COLUMNS.join(delimiter)}\n`;
  let products = 0;
  const flush = (): void => {
    writeSync(fd, block);
    written += block.length;
    block = '';
  };
  while (written + block.length < bytes) {
    products += 1;
    block += row(fields(products, words, random, changed > 0 && products % changed === 0));
    if (block.length > BLOCK) flush();
  }
  if (format === 'XML') block += '</channel></rss>\n';
  flush();
  closeSync(fd);
  return products;
}
