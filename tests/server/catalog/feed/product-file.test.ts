import { randomBytes } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { crc32, gzipSync } from 'node:zlib';
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ATTRIBUTES } from '#core/catalog/attribute.ts';
import {
  FEED_BOUNDS,
  openProductFile,
  type FeedFormat,
  type FeedPlace,
} from '#server/catalog/feed/product-file.ts';
import type { ProductRow } from '#server/catalog/feed/product-row.ts';
import { FeedError } from '#core/readers/error.ts';
import { temporaryFolder } from '#tests/server/db/folder.ts';
import { runs } from '#tests/support/run/runs.ts';

const path = temporaryFolder()('feed');

/** The content of a file: rows as they are until it cannot be read on, and the reason it cannot. */
async function reading(
  content: string | Buffer,
  format: FeedFormat,
  { charset = null as string | null, bounds = FEED_BOUNDS } = {},
) {
  writeFileSync(path, content);
  const rows: unknown[] = [];
  let ignored: readonly string[] = [];
  let fault: string | null = null;
  try {
    const file = await openProductFile(path, { format, charset }, bounds);
    for await (const block of file.rows(new AbortController().signal)) {
      for (const { line, values, fault } of block.rows) {
        if (values === null) rows.push({ line, fault });
        else {
          const given = ATTRIBUTES.map((name, at) => [name, values[at] ?? ''] as const);
          rows.push({ line, ...Object.fromEntries(given.filter(([, value]) => value !== '')) });
        }
      }
      ignored = file.ignored.names;
    }
  } catch (error) {
    if (!(error instanceof FeedError)) throw error;
    expect(error.message.startsWith(`${path}: `)).toBe(true);
    fault = error.message.slice(path.length + 2);
  }
  return { rows, ignored, fault };
}

const G = 'xmlns:g="http://base.google.com/ns/1.0"';
const rss = (items: string): string => `<rss version="2.0" ${G}><channel>${items}</channel></rss>`;
const latin = (text: string): Buffer => Buffer.from(text, 'latin1');
const wide = (text: string): Buffer => Buffer.from(text, 'utf16le');

describe('a feed', () => {
  it.each<[string, FeedFormat, string | Buffer, object[]]>([
    [
      'CSV in any order and spelling of columns',
      'CSV',
      'Item Group ID,g:price,ID\ng1,1 USD,a\n\n,,b\n',
      [
        { line: 2, item_group_id: 'g1', price: '1 USD', id: 'a' },
        { line: 4, id: 'b' },
      ],
    ],
    [
      'CSV with quotes, semicolons and CRLF',
      'CSV',
      'id;title\r\na;"one ""two""\r\nthree; four"\r\nb;5" wide\r\n',
      [
        { line: 2, id: 'a', title: 'one "two"\r\nthree; four' },
        { line: 4, id: 'b', title: '5" wide' },
      ],
    ],
    [
      'TSV with quotes',
      'TSV',
      'id\ttitle\na\t"tab\there"\nb\tx, "y"',
      [
        { line: 2, id: 'a', title: 'tab\there' },
        { line: 3, id: 'b', title: 'x, "y"' },
      ],
    ],
    ['of one column', 'TSV', 'id\na', [{ line: 2, id: 'a' }]],
    [
      "Excel's line of the separator",
      'CSV',
      'sep=;\r\nid;title\r\na;b,c',
      [{ line: 3, id: 'a', title: 'b,c' }],
    ],
    [
      'RSS',
      'XML',
      rss(`<title>Shop</title><link>https://shop</link>
<item><title>plain</title><g:id>a</g:id><g:title>A &amp; <![CDATA[<B>]]>&#x43;</g:title>
  <link>https://l</link><description>d<b>e</b>f</description><guid>x</guid>
  <g:shipping><g:price>9 USD</g:price></g:shipping><g:product_type>P > Q</g:product_type>
  <g:additional_image_link>https://1</g:additional_image_link><g:product_type>R</g:product_type>
  <g:additional_image_link>https://2</g:additional_image_link></item>
<item><g:id>b</g:id></item>`),
      [
        {
          line: 2,
          id: 'a',
          title: 'A & <B>C',
          link: 'https://l',
          description: 'def',
          product_type: 'P > Q',
          additional_image_link: 'https://1,https://2',
        },
        { line: 7, id: 'b' },
      ],
    ],
    [
      'Atom',
      'XML',
      `<?xml version="1.0"?><!-- a shop --><feed xmlns="http://www.w3.org/2005/Atom" ${G}><id>tag:shop</id>
<entry><id>tag:a</id><g:id>a</g:id><title>T</title><content type="html">c</content><summary>s</summary>
<link rel="enclosure" href="https://no"/><link href="https://l"/></entry>
<entry><id>b</id><content>c</content></entry></feed>`,
      [
        { line: 2, id: 'a', title: 'T', link: 'https://l', description: 's' },
        { line: 4, id: 'b', description: 'c' },
      ],
    ],
    [
      'plain products',
      'XML',
      '<shop><products>\n<Product><ID>a</ID><item_group_id>g</item_group_id></Product>\n</products></shop>',
      [{ line: 2, id: 'a', item_group_id: 'g' }],
    ],
    [
      'products in a namespace of the shop',
      'XML',
      `<products xmlns="http://shop/ns" xmlns:o="http://other" ${G}>
<product><id>a</id><title>plain</title><g:title>T</g:title><o:link>no</o:link></product>
<o:product><id>no</id><o:id>b</o:id></o:product></products>`,
      [
        { line: 2, id: 'a', title: 'T' },
        { line: 3, id: 'b' },
      ],
    ],
    [
      'RSS 1.0',
      'XML',
      `<rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#" xmlns="http://purl.org/rss/1.0/" ${G}>
<channel rdf:about="https://shop"><title>Shop</title></channel>
<item><title>T</title><link>https://l</link><description>d</description><g:id>a</g:id></item></rdf:RDF>`,
      [{ line: 3, id: 'a', title: 'T', link: 'https://l', description: 'd' }],
    ],
    ...['https://base.google.com/ns/1.0', 'http://base.google.com/ns/1.0/'].map(
      (uri): [string, FeedFormat, string, object[]] => [
        `elements in ${uri}`,
        'XML',
        `<rss xmlns:g="${uri}"><item><g:id>a</g:id><title>plain</title><g:title>T</g:title></item></rss>`,
        [{ line: 1, id: 'a', title: 'T' }],
      ],
    ),
    ['an empty feed', 'XML', rss(''), []],
    [
      'an empty feed of RSS 1.0',
      'XML',
      '<r:RDF xmlns:r="http://www.w3.org/1999/02/22-rdf-syntax-ns#"/>',
      [],
    ],
  ])('%s', async (_, format, content, rows) => {
    expect(await reading(content, format)).toMatchObject({ rows, fault: null });
    const packed = typeof content === 'string' ? gzipSync(content) : content;
    expect(await reading(packed, format)).toMatchObject({ rows, fault: null });
  });

  const text = 'id,title\na,Größe';
  const xml = (encoding: string): string =>
    `<?xml version="1.0" encoding="${encoding}"?><a><product><id>a</id><title>Größe</title></product></a>`;
  it.each<[string, FeedFormat, Buffer, string | null]>([
    ['UTF-8 with a mark', 'CSV', Buffer.from(`\ufeff${text}`), null],
    ['UTF-16 with a mark', 'CSV', wide(`\ufeff${text}`), null],
    ['UTF-16 in the other order', 'CSV', wide(`\ufeff${text}`).swap16(), null],
    ['the encoding of the host', 'CSV', latin(text), 'Windows-1252'],
    ['UTF-16 of the host', 'CSV', wide(text), 'utf-16le'],
    ['a mark against the host', 'CSV', Buffer.from(`\ufeff${text}`), 'iso-8859-1'],
    ['a declared encoding', 'XML', latin(xml('ISO-8859-1')), null],
    ['the host against the declaration', 'XML', Buffer.from(xml('ISO-8859-1')), 'utf-8'],
    ['UTF-16 without a mark', 'XML', wide(xml('utf-16')), null],
    ['UTF-16 in the other order without a mark', 'XML', wide(xml('utf-16')).swap16(), null],
    ['an untrue declaration of UTF-16', 'XML', Buffer.from(xml('utf-16')), null],
  ])('in %s', async (_, format, content, charset) => {
    expect(await reading(content, format, { charset })).toMatchObject({
      rows: [{ id: 'a', title: 'Größe' }],
      fault: null,
    });
  });

  it('in Shift_JIS, split anywhere', async () => {
    const head = Buffer.from('<?xml version="1.0" encoding="Shift_JIS"?><a><product><title>');
    const title = Buffer.concat(Array.from({ length: 40_001 }, () => Buffer.from([0x83, 0x5c])));
    const content = Buffer.concat([head, title, Buffer.from('</title></product></a>')]);
    expect((await reading(content, 'XML')).rows).toEqual([{ line: 1, title: 'ソ'.repeat(40_001) }]);
  });

  it('reads the same in every layout', async () => {
    const names = ['id', 'title', 'custom_label_0'] as const;
    // Return and the control characters of XML 1.0 differ by layout.
    const value = fc
      .string({ unit: fc.constantFrom(...'ab ,;"\t\n<&>]=ä😀\u007f') })
      .map((text) => `x${text}x`);
    const row = fc.record({ id: value, title: value, custom_label_0: value });
    const quoted = (text: string): string => `"${text.replaceAll('"', '""')}"`;
    const escaped = (text: string): string =>
      text.replaceAll('&', '&amp;').replaceAll('<', '&#60;').replaceAll('>', '&gt;');
    await fc.assert(
      fc.asyncProperty(fc.array(row, { minLength: 1, maxLength: 4 }), async (rows) => {
        const table = (delimiter: string): string =>
          [
            names.join(delimiter),
            ...rows.map((row) => names.map((name) => quoted(row[name])).join(delimiter)),
          ].join('\n');
        const items = rows.map((row) =>
          names.map((name) => `<g:${name}>${escaped(row[name])}</g:${name}>`).join(''),
        );
        const feeds = [
          ['CSV', table(',')],
          ['CSV', table(';')],
          ['TSV', table('\t')],
          ['XML', rss(items.map((item) => `<item>${item}</item>`).join(''))],
        ] as const;
        for (const [format, content] of feeds) {
          const read = await reading(content, format);
          expect(read).toMatchObject({ rows, fault: null });
        }
      }),
      { numRuns: runs(40) },
    );
  });

  it('reports what it ignores, once', async () => {
    const { ignored } = await reading('id,weight,,shipping\na,1,2,3\nb,4,5,6', 'CSV');
    expect(ignored).toEqual(['weight', 'shipping']);
    const item = '<item><g:id>a</g:id><g:weight>1</g:weight><pubDate/></item>';
    expect((await reading(rss(item + item), 'XML')).ignored).toEqual(['g:weight', 'pubDate']);
  });

  it.each<[string, FeedFormat, string | Buffer, object[]]>([
    ['a repeated element', 'XML', '<price>1</price><price>2</price>', [{ fault: /more than one/ }]],
    ['a long text', 'XML', `<title>${'x<b/>'.repeat(150_000)}</title>`, [{ fault: /longer than/ }]],
  ])('refuses a product with %s alone', async (_, format, content, [first]) => {
    const { rows, fault } = await reading(
      rss(`<item>${content}</item><item><id>b</id></item>`),
      format,
    );
    expect(rows).toEqual([
      { line: 1, fault: expect.stringMatching((first as { fault: RegExp }).fault) as string },
      { line: 1, id: 'b' },
    ]);
    expect(fault).toBeNull();
  });

  it('refuses a row alone that has an endless quote, bytes of no encoding, or is too long', async () => {
    const rows = ['a,"x', 'b,y', `c,${'z'.repeat(140_000)}`, 'd,\xff', 'e,1,2', 'f,w'];
    expect(await reading(latin(`id,title\n${rows.join('\n')}\n`), 'CSV')).toMatchObject({
      rows: [
        { line: 2, fault: 'The row has a quote that is opened or closed in the wrong place' },
        { line: 3, id: 'b' },
        { line: 4, fault: 'The row is longer than 131072 characters' },
        { line: 5, fault: 'The row is not UTF-8 (byte 0xFF); save the file as UTF-8' },
        { line: 6, fault: 'The row has another number of fields than the header' },
        { line: 7, id: 'f' },
      ],
      fault: null,
    });
  });
});

describe('a broken feed ends with the reason', () => {
  const item = '<item><id>a</id></item>';
  it.each<[string, FeedFormat, string | Buffer, string]>([
    ['XML', 'CSV', rss(item), 'is declared as CSV, but the file is XML.'],
    ['a page', 'XML', '<!DOCTYPE html><p>', 'is declared as XML, but the file is HTML.'],
    ['a page', 'TSV', '<?xml version="1.0"?>\n<HTML>', 'is declared as TSV, but the file is HTML.'],
    ['JSON', 'CSV', ' [{"id":1}]', 'is declared as CSV, but the file is JSON.'],
    ['TSV', 'CSV', 'id\tprice\n', 'is declared as CSV, but the file is TSV.'],
    ['CSV', 'TSV', 'id,price\n', 'is declared as TSV, but the file is CSV.'],
    ['CSV', 'XML', 'id,price\n', 'is declared as XML, but the file is CSV.'],
    ['one word', 'XML', 'id', 'is declared as XML, but the file is not XML.'],
    ['a PDF', 'CSV', '%PDF-1.7', 'is declared as CSV, but the file is a PDF.'],
    ['a zip', 'CSV', 'PK\x03\x04', 'is declared as CSV, but the file is a zip archive.'],
    ['noise', 'CSV', Buffer.alloc(300), 'is declared as CSV, but the file is not text.'],
    ['gzip twice', 'CSV', gzipSync(gzipSync('id')), 'but the file is a gzip inside another'],
    ['nothing', 'CSV', '', 'is empty.'],
    ['blanks', 'XML', gzipSync('  \n'), 'is empty.'],
    ['no id', 'CSV', 'title,price\n', 'has no column "id" in its header line.'],
    ['a column twice', 'CSV', 'id,price,G:Price', 'two columns for price: "price" and "G:Price".'],
    [
      'a bad header',
      'CSV',
      'id,"pri"ce\na',
      'has no header line with the names of its columns: its',
    ],
    ['too many columns', 'CSV', `id${',x'.repeat(1000)}`, 'has more than 1000 columns.'],
    ['no products', 'XML', '<a><b/></a>', 'has no products: expected rss/channel/item'],
    ['a cut', 'XML', rss(item).slice(0, -12), 'is cut off: the XML ends on line 1 before "rss"'],
    ['a cut tag', 'XML', '<rss', 'is cut off: the XML ends on line 1 before its first element'],
    ['a wrong tag', 'XML', '<a>\n</b>', 'is not well-formed XML: line 2, column 4: unexpected'],
    ['a DOCTYPE', 'XML', `<!DOCTYPE a [<!ENTITY b "c">]>${rss('')}`, 'has a DOCTYPE'],
    ['an entity', 'XML', rss('<item><id>&b;</id></item>'), 'undefined entity'],
    ['deep elements', 'XML', '<a>'.repeat(65), 'has elements more than 64 deep (line 1).'],
    [
      'many attributes',
      'XML',
      `<a ${Array.from({ length: 101 }, (_, i) => `b${i}=""`).join(' ')}/>`,
      'has an element with more than 100 attributes',
    ],
    ['an endless text', 'XML', `<a>${'b'.repeat(300_000)}`, 'more than 131072 characters'],
    ['an endless tag', 'XML', `<a b="${'b'.repeat(300_000)}`, 'more than 131072 characters'],
    ['an endless comment', 'XML', `<a><!--${'b'.repeat(300_000)}`, 'more than 131072 characters'],
    ['bytes of no encoding', 'XML', latin(rss('<item>\xff')), 'is not UTF-8 (byte 0xFF)'],
    [
      'bytes that its encoding does not have',
      'XML',
      latin('<?xml version="1.0" encoding="euc-jp"?><a>\xff\xff</a>'),
      'is declared as euc-jp, but has bytes that this encoding does not have.',
    ],
    [
      'an unknown encoding',
      'XML',
      '<?xml version="1.0" encoding="x-klingon"?><a/>',
      'is in the encoding "x-klingon", which is not known.',
    ],
    ['cut gzip', 'CSV', gzipSync(randomBytes(900).toString('hex')).subarray(0, 300), 'is cut off'],
    [
      'compressed a thousandfold',
      'CSV',
      gzipSync(`id\n${'x'.repeat(70_000_000)}`),
      'unpacks to more than 250 times its size',
    ],
  ])('%s as %s', async (_, format, content, reason) => {
    expect((await reading(content, format)).fault).toContain(reason);
  });

  const table = 'id,title,link,price,brand\na,b,c,d,e\n';
  it.each<[string, FeedFormat, string, number[], string | null]>([
    ['a field', 'CSV', `${table}f,g,h`, [2, 3], 'line 3: the last row has 3 of 5 fields.'],
    ['an id', 'CSV', `${table}f`, [2, 3], 'line 3: the last row has 1 of 5 fields.'],
    [
      'TSV',
      'TSV',
      'id\ttitle\tlink\na\tb\tc\nd\te',
      [2, 3],
      'line 3: the last row has 2 of 3 fields.',
    ],
    ['quotes', 'CSV', `${table}f,"g`, [2, 3], 'line 3: a quote is never closed.'],
    ['lines in quotes', 'CSV', `${table}f,"g\nh`, [2, 3, 4], 'line 3: a quote is never closed.'],
    [
      'quotes, at a line end',
      'CSV',
      `${table}f,"g\nh\n`,
      [2, 3, 4],
      'line 3: a quote is never closed.',
    ],
    ['the only row', 'CSV', 'id,title\na', [2], 'line 2: the last row has 1 of 2 fields.'],
    ['nothing, without its line end', 'CSV', `${table}f,g,h,i,"j\nk"`, [2, 3], null],
    ['nothing, with half of its line end', 'CSV', 'id,title\r\na,b\r', [2], null],
    ['nothing, before blanks', 'CSV', `${table}f\n  `, [2, 3], null],
    ['nothing, with a short row', 'CSV', `${table}f\n`, [2, 3], null],
    ['nothing, with too many fields', 'CSV', 'id,title\na,b,c', [2], null],
    ['nothing, after a wrong quote', 'CSV', 'id,title\na,"b\nc,d\n', [2, 3], null],
  ])('cut off within %s', async (_, format, content, lines, cut) => {
    const { rows, fault } = await reading(content, format);
    expect(rows).toMatchObject(lines.map((line) => ({ line })));
    expect(fault).toBe(cut === null ? null : `is cut off in ${cut}`);
  });

  const members = ['id\na\n', 'b\n'].map((text) => gzipSync(text));
  const long = gzipSync(`id\na\n${randomBytes(300_000).toString('hex')}\nb\n`);
  // With an extra field, a name, a comment and a CRC of its header.
  const header = latin('\x1f\x8b\x08\x1e\0\0\0\0\0\x03\x02\0abfeed.csv\0a shop\0');
  const headerCrc = Buffer.alloc(2);
  headerCrc.writeUInt16LE(crc32(header) & 0xffff);
  const named = Buffer.concat([header, headerCrc, gzipSync('id\na\nb\n').subarray(10)]);
  it.each<[string, Buffer[], number]>([
    ['garbage', [...members, latin('garbage')], 2],
    ['a member of another method', [...members, latin('\x1f\x8b\x07\0\0\0')], 2],
    ['a damaged member', [...members, latin('\x1f\x8b\x08\0\0\0\0\0\0\x03\xff\xff')], 2],
    ['a member with all of a header and garbage', [named, latin('garbage')], 2],
    ['a long member and garbage', [long, latin('garbage')], 3],
  ])('%s at the end of gzip, after what is intact', async (_, parts, count) => {
    const { rows, fault } = await reading(Buffer.concat(parts), 'CSV');
    expect(rows).toHaveLength(count);
    expect(rows[0]).toEqual({ line: 2, id: 'a' });
    expect(rows.at(-1)).toMatchObject({ id: 'b' });
    const intact = Buffer.concat(parts.slice(0, -1)).length;
    expect(fault).toMatch(new RegExp(`^is damaged near byte ${intact}: `));
  });

  it('of a host with an unknown encoding', async () => {
    const { fault } = await reading('id\na', 'CSV', { charset: 'nonsense' });
    expect(fault).toBe('is in the encoding "nonsense", which is not known.');
  });

  it('beyond its bounds, after what is within them', async () => {
    const bounds = { bytes: 200_000, rows: 10 };
    const rows = (count: number): string => `id\n${'a\n'.repeat(count)}`;
    expect(await reading(rows(10), 'CSV', { bounds })).toMatchObject({ fault: null });
    expect((await reading(rows(11), 'CSV', { bounds })).fault).toBe('has more than 10 rows.');
    for (const content of [`id\na\n${'b'.repeat(200_001)}`, `id\na\n${'\n'.repeat(200_001)}`]) {
      for (const file of [content, gzipSync(content)]) {
        const { fault, rows } = await reading(file, 'CSV', { bounds });
        expect(fault).toBe('has more than 200000 bytes of text.');
        expect(rows[0]).toEqual({ line: 2, id: 'a' });
      }
    }
  });
});

describe('a place between two blocks', () => {
  const items = Array.from({ length: 900 }, (_, i) => [
    `p${i}`,
    i % 7 === 0 ? `Ä "quoted"\n, title ${'😀'.repeat(i % 40)}` : 'x'.repeat(200),
  ]);
  const csv = [
    'id,title,weight',
    ...items.map(([id, title]) => `${id},"${title?.replaceAll('"', '""')}",1`),
  ];
  const xml = items.map(
    ([id, title]) => `<g:item>\n<g:id>${id}</g:id><title>${title}</title><w/></g:item>\r\n`,
  );
  const root =
    '<?xml version="1.0"?>\n<rss xmlns:g="http://base.google.com/ns/1.0" a="&lt;&quot;&amp;&#10;">\n<channel><title>A</title><link/>';
  const texts: readonly (readonly [string, FeedFormat, string | Buffer])[] = [
    ['CSV', 'CSV', csv.join('\n')],
    [
      'CSV with a mark, and bytes that are not UTF-8',
      'CSV',
      Buffer.concat([
        Buffer.from(`\ufeff${csv.slice(0, 400).join('\r\n')}\r\nq,`),
        Buffer.from([0xff]),
        Buffer.from(`,1\n${csv.slice(400).join('\n')}\n"cut`),
      ]),
    ],
    [
      'XML',
      'XML',
      `${root}${xml.slice(0, 300).join('')}<!--${'y'.repeat(100_000)}-->${xml.slice(300).join('')}</channel></rss>`,
    ],
    ['XML that is cut off', 'XML', `${root}${xml.join('')}`],
  ];

  it.each(
    texts.flatMap(
      ([name, ...rest]) =>
        [
          [name, ...rest],
          [`${name}, gzipped`, ...rest],
        ] as const,
    ),
  )('continues %s with the same rows', async (name, format, content) => {
    writeFileSync(path, name.endsWith('gzipped') ? gzipSync(content) : content);
    const { signal } = new AbortController();
    /** The outcome of reading the file from a place on. */
    const readFrom = async (from: FeedPlace | null) => {
      const file = await openProductFile(path, { format, charset: null }, FEED_BOUNDS);
      const rows: ProductRow[] = [];
      const places: FeedPlace[] = [];
      let fault = '';
      try {
        for await (const block of file.rows(signal, from)) {
          rows.push(...block.rows);
          if (block.place) places.push(JSON.parse(JSON.stringify(block.place)) as FeedPlace);
        }
      } catch (error) {
        if (!(error instanceof FeedError)) throw error;
        fault = error.message;
      }
      return { rows, places, fault, ignored: file.ignored.names };
    };
    const whole = await readFrom(null);
    expect(whole.places.length).toBeGreaterThan(2);
    for (const place of whole.places) {
      const rest = await readFrom(place);
      expect(rest.rows).toEqual(whole.rows.slice(place.rows));
      expect([rest.fault, rest.ignored]).toEqual([whole.fault, whole.ignored]);
    }
  });
});
