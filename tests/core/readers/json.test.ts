import fc from 'fast-check';
import { describe, expect, it, test } from 'vitest';
import { MAX_DEPTH } from '#core/text/bounded-json.ts';
import { DocumentReader } from '#core/readers/json.ts';
import type { Row } from '#core/readers/row.ts';
import { LineReader } from '#core/readers/line-reader.ts';

function feed(reader: LineReader | DocumentReader, text: string, size = text.length): Row[] {
  const rows: Row[] = [];
  for (let at = 0; at < text.length; at += size)
    rows.push(...reader.push(text.slice(at, at + size)));
  return [...rows, ...reader.end()];
}

function short(rows: readonly Row[]): unknown[] {
  return rows.map((row) =>
    row.kind === 'value' ? [row.line, row.place, row.value] : [row.line, row.kind],
  );
}

describe('JSON lines', () => {
  it('gives a value per line, skips blank ones and refuses broken ones alone', () => {
    const text = '{"a":1}\r\n\n{"a":\n{"a":"x\\ny"}';
    for (const size of [text.length, 1, 4]) {
      expect(short(feed(new LineReader(), text, size))).toEqual([
        [1, '', { a: 1 }],
        [3, 'bad'],
        [4, '', { a: 'x\ny' }],
      ]);
    }
  });

  it('refuses a line of more than eight million characters and continues', () => {
    const text = `{"a":"${'x'.repeat(9 * 1024 * 1024)}"}\n{"a":2}\n`;
    expect(short(feed(new LineReader(), text, 1024 * 1024))).toEqual([
      [1, 'bad'],
      [2, '', { a: 2 }],
    ]);
  });
});

/** Brackets nested to a depth around a text. */
const nested = (depth: number): string => '['.repeat(depth) + ']'.repeat(depth);
const LATE_DATA = `{"errors":[${'[],'.repeat(600)}0],"deep":${nested(5000)},"data":[{"a":1}]}`;

const DOCUMENTS: readonly [name: string, text: string, rows: unknown[]][] = [
  [
    'a list',
    '[{"a":[1,{"b":"]}"}]},\n {"a":2}]',
    [
      [1, '', { a: [1, { b: ']}' }] }],
      [2, '', { a: 2 }],
    ],
  ],
  [
    'an answer',
    '{"data":[{"a":1}],\n"meta":{"data":[{"no":1}]},"includes":{"users":[{"id":"7"}],"media":[]}}',
    [
      [1, 'data', { a: 1 }],
      [2, 'includes.users', { id: '7' }],
    ],
  ],
  ['an answer about one Post', '{"data":{"a":1}}', [[1, 'data', { a: 1 }]]],
  [
    'other parts of an answer are skipped',
    '{"errors":[{"data":[{"a":1}]}],"x":{"includes":{"users":[{"a":1}]}},"data":[]}',
    [],
  ],
  [
    'objects that are not answers, in sequence',
    '{"id":"1","x":{"data":[{"a":1}]}}{"id":"2"},\n{"meta":[],"data":[{"a":3}]}',
    [
      [1, '', { id: '1', x: { data: [{ a: 1 }] } }],
      [1, '', { id: '2' }],
      [2, 'data', { a: 3 }],
    ],
  ],
  [
    'an answer whose data follows more than an element’s maximum',
    LATE_DATA,
    [[1, 'data', { a: 1 }]],
  ],
  [
    'an archive',
    'window.YTD.tweets.part0 = [ {"tweet":{"id":"1"}} ]',
    [[1, '', { tweet: { id: '1' } }]],
  ],
  [
    'quotes and backslashes in keys and texts',
    '{"d\\"ata":[{"n":1}],"data":[{"t":"\\\\"},{"t":"[\\"{"}]}',
    [
      [1, 'data', { t: '\\' }],
      [1, 'data', { t: '["{' }],
    ],
  ],
  [
    'a broken element alone',
    '[{"a":1},\n{a:2},\n{"a":3}]',
    [
      [1, '', { a: 1 }],
      [2, 'bad'],
      [3, '', { a: 3 }],
    ],
  ],
];

describe('JSON document', () => {
  test.each(DOCUMENTS)('reads %s, at once and unit by unit', (_, text, rows) => {
    expect(short(feed(new DocumentReader('f'), text))).toEqual(rows);
    expect(short(feed(new DocumentReader('f'), text, 1))).toEqual(rows);
  });

  it('gives the elements of any list like JSON.parse', () => {
    const values = fc.array(fc.dictionary(fc.string(), fc.jsonValue()), { maxLength: 5 });
    fc.assert(
      fc.property(
        values,
        fc.integer({ min: 1, max: 11 }),
        fc.constantFrom(0, 2),
        (list, size, indent) => {
          const text = JSON.stringify(list, null, indent);
          const rows = feed(new DocumentReader('f'), text, size);
          expect(rows.map((row) => row.kind === 'value' && row.value)).toEqual(JSON.parse(text));
        },
      ),
    );
  });

  it('says where a truncated document ends', () => {
    expect(() => feed(new DocumentReader('posts.json'), '[{"a":1},\n{"a":')).toThrow(
      'posts.json: is cut off: the JSON ends on line 2 before it is complete; its last entry begins on line 2.',
    );
  });

  it('says where an unopened bracket closes', () => {
    expect(() => feed(new DocumentReader('posts.json'), '[\n}]')).toThrow(
      'posts.json: line 2: unexpected } in the JSON.',
    );
  });
});

describe('nesting', () => {
  const reasons = (rows: readonly Row[]): unknown[] =>
    rows.map((row) => (row.kind === 'bad' ? [row.line, row.reason] : row.kind));
  const post = (depth: number): string => `{"id":"1","x":${nested(depth - 1)}}`;
  const READERS: readonly [string, () => LineReader | DocumentReader, (a: string) => string][] = [
    ['a line', () => new LineReader(), (value) => `${value}\n`],
    ['an entry of a list', () => new DocumentReader('f'), (value) => `[${value}]`],
    ['an entry of data', () => new DocumentReader('f'), (value) => `{"data":[${value}]}`],
    ['an object alone', () => new DocumentReader('f'), (value) => value],
  ];

  test.each(READERS)('of %s is read up to a limit and refused beyond it', (_, reader, around) => {
    const above = around('x').split('x')[0]?.match(/[[{]/g)?.length ?? 0;
    expect(reasons(feed(reader(), around(post(MAX_DEPTH - above))))).toEqual(['value']);
    const deep = around(post(MAX_DEPTH - above + 1));
    for (const size of [deep.length, 7]) {
      const [[line, reason] = []] = reasons(feed(reader(), deep, size)) as [number, string][];
      expect([line, reason]).toEqual([
        1,
        `nests more than 256 levels deep (at character ${deep.lastIndexOf('[') + 1} of its line)`,
      ]);
    }
  });

  it('of 30 MB without an end takes no memory, and is refused with its position', () => {
    const block = '['.repeat(64 * 1024);
    const rows: Row[] = [];
    const reader = new DocumentReader('deep.json');
    const before = process.memoryUsage().heapUsed;
    for (let i = 0; i < 480; i += 1) rows.push(...reader.push(block));
    expect(process.memoryUsage().heapUsed - before).toBeLessThan(16 * 1024 * 1024);
    expect(reasons(rows)).toEqual([
      [1, 'nests more than 256 levels deep (at character 257 of its line)'],
    ]);
    expect(() => reader.end()).toThrow('is cut off: the JSON ends on line 1');
  });

  it('with many small objects in one line is refused before it fills the memory', () => {
    const rows = feed(new LineReader(), `{"id":"1","x":[${'{},'.repeat(300_000)}0]}\n`);
    expect(reasons(rows)).toEqual([[1, 'has more than 250000 objects and lists']]);
  });
});
