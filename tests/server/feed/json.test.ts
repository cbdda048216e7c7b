import fc from 'fast-check';
import { describe, expect, it, test } from 'vitest';
import { DocumentReader, LineReader } from '#server/feed/json.ts';
import type { Row } from '#server/feed/row.ts';

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
  it('gives a value per line, passes over blank ones and refuses broken ones alone', () => {
    const text = '{"a":1}\r\n\n{"a":\n{"a":"x\\ny"}';
    for (const size of [text.length, 1, 4]) {
      expect(short(feed(new LineReader(), text, size))).toEqual([
        [1, '', { a: 1 }],
        [3, 'bad'],
        [4, '', { a: 'x\ny' }],
      ]);
    }
  });

  it('refuses a line of more than eight million characters and reads on', () => {
    const text = `{"a":"${'x'.repeat(9 * 1024 * 1024)}"}\n{"a":2}\n`;
    expect(short(feed(new LineReader(), text, 1024 * 1024))).toEqual([
      [1, 'bad'],
      [2, '', { a: 2 }],
    ]);
  });
});

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
    'what the interface has elsewhere is passed over',
    '{"errors":[{"data":[{"a":1}]}],"x":{"includes":{"users":[{"a":1}]}}}',
    [],
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
  test.each(DOCUMENTS)('reads %s, in whole and unit by unit', (_, text, rows) => {
    expect(short(feed(new DocumentReader('f'), text))).toEqual(rows);
    expect(short(feed(new DocumentReader('f'), text, 1))).toEqual(rows);
  });

  it('gives the elements of any list as JSON.parse does', () => {
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

  it('says where a document that is cut off ends', () => {
    expect(() => feed(new DocumentReader('posts.json'), '[{"a":1},\n{"a":')).toThrow(
      'posts.json: is cut off: the JSON ends on line 2 before it is complete; its last entry begins on line 2.',
    );
  });

  it('says where a bracket closes that is not open', () => {
    expect(() => feed(new DocumentReader('posts.json'), '[\n}]')).toThrow(
      'posts.json: line 2: unexpected } in the JSON.',
    );
  });
});
