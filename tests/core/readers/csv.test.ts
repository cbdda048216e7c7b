import fc from 'fast-check';
import { describe, expect, it, test } from 'vitest';
import { csvShape } from '#core/readers/csv.ts';
import type { Row } from '#core/readers/row.ts';
import { CsvReader } from '#core/readers/csv-reader.ts';

/** Reads a text in blocks of `size` units. */
function read(text: string, size = text.length): Row[] {
  const reader = new CsvReader(csvShape(text));
  const rows: Row[] = [];
  for (let at = 0; at < text.length; at += size)
    rows.push(...reader.push(text.slice(at, at + size)));
  return [...rows, ...reader.end()];
}

function short(rows: readonly Row[]): unknown[] {
  return rows.map((row) =>
    row.kind === 'columns' ? [row.line, ...row.fields] : [row.line, row.kind],
  );
}

const CASES: readonly [name: string, text: string, rows: unknown[]][] = [
  [
    'LF',
    'a,b\n1,2\n',
    [
      [1, 'a', 'b'],
      [2, '1', '2'],
    ],
  ],
  [
    'CRLF',
    'a,b\r\n1,"2"\r\n',
    [
      [1, 'a', 'b'],
      [2, '1', '2'],
    ],
  ],
  [
    'CR alone',
    'a,b\r1,2\r',
    [
      [1, 'a', 'b'],
      [2, '1', '2'],
    ],
  ],
  [
    'no line end at the end',
    'a,b\n1,"2"',
    [
      [1, 'a', 'b'],
      [2, '1', '2'],
    ],
  ],
  [
    'quotes, delimiters and line breaks in quotes',
    'a,b\n"x ""y"", z","l1\nl2"\n3,4\n',
    [
      [1, 'a', 'b'],
      [2, 'x "y", z', 'l1\nl2'],
      [4, '3', '4'],
    ],
  ],
  [
    'a bare CR in text',
    'a,b\n"x\ry",2\n',
    [
      [1, 'a', 'b'],
      [2, 'x\ry', '2'],
    ],
  ],
  [
    'line breaks in the last row of the file',
    'a\n"1\n2"\n"3\n4"\n',
    [
      [1, 'a'],
      [2, '1\n2'],
      [4, '3\n4'],
    ],
  ],
  [
    'a quote inside an unquoted field',
    'a,b\n5" nails,2\n',
    [
      [1, 'a', 'b'],
      [2, '5" nails', '2'],
    ],
  ],
  [
    'blank lines skipped, lines counted',
    'a\n\n\n1\n',
    [
      [1, 'a'],
      [4, '1'],
    ],
  ],
  [
    'semicolons',
    'a;b\n1;"2,3"\n',
    [
      [1, 'a', 'b'],
      [2, '1', '2,3'],
    ],
  ],
  [
    'tabs',
    'a\tb\n1\t2\n',
    [
      [1, 'a', 'b'],
      [2, '1', '2'],
    ],
  ],
];

describe('CSV', () => {
  test.each(CASES)('reads %s, at once and unit by unit', (_, text, rows) => {
    expect(short(read(text))).toEqual(rows);
    expect(short(read(text, 1))).toEqual(rows);
  });

  it('refuses a row with wrong quotes by its line and continues with the next', () => {
    const text = 'id,text\n1,"good"\n2,"bad" worse"\n3,"good"\n';
    for (const size of [text.length, 1, 7]) {
      expect(short(read(text, size))).toEqual([
        [1, 'id', 'text'],
        [2, '1', 'good'],
        [3, 'bad'],
        [4, '3', 'good'],
      ]);
    }
  });

  it('loses one line, not the rest of the file, to a quote that never closes', () => {
    const rest = Array.from({ length: 40_000 }, (_, i) => `${i},some text of this row\n`).join('');
    const rows = read(`id,text\nx,"never closed\n${rest}`, 65_536);
    expect(rows.filter((row) => row.kind === 'bad')).toEqual([
      {
        kind: 'bad',
        line: 2,
        reason: 'has a quote that is opened or closed in the wrong place',
        isOpen: true,
      },
    ]);
    expect(rows).toHaveLength(40_002);
    expect(short(rows.slice(-1))).toEqual([[40_002, '39999', 'some text of this row']]);
  });

  it('refuses the last line alone when the file ends inside quotes', () => {
    expect(short(read('a,b\n1,2\n3,"4'))).toEqual([
      [1, 'a', 'b'],
      [2, '1', '2'],
      [3, 'bad'],
    ]);
  });

  it('refuses a row that is too long once, and continues with the next', () => {
    const text = `a,b\n1,"${'x '.repeat(150_000)}"\n2,ok\n`;
    expect(read(text, 65_536)).toEqual([
      { kind: 'columns', line: 1, fields: ['a', 'b'] },
      { kind: 'bad', line: 2, reason: 'is longer than 131072 characters' },
      { kind: 'columns', line: 3, fields: ['2', 'ok'] },
    ]);
  });

  it('reads a megabyte with a wrong quote in every line in reasonable time', () => {
    const lines = 150_000;
    const rows = read(`a,b\n${'1,"x"y\n'.repeat(lines)}`, 65_536);
    expect(rows.filter((row) => row.kind === 'bad')).toHaveLength(lines);
  });

  it('reads rows after a malformed one as it reads them before', () => {
    const field = fc
      .string({ unit: fc.constantFrom('a', ',', '"', '\n', ' ', 'é'), maxLength: 6 })
      .map((text) => `"${text.replaceAll('"', '""')}"`);
    const plain = fc.constantFrom('', 'x', 'x y', ' "x', 'x"y');
    const row = fc
      .tuple(fc.oneof(field, plain), fc.oneof(field, plain))
      .map((two) => two.join(','));
    fc.assert(
      fc.property(
        fc.array(row, { maxLength: 8 }),
        fc.integer({ min: 1, max: 90 }),
        (rows, size) => {
          const text = rows.map((each) => `${each}\n`).join('');
          const fields = (all: readonly Row[]): unknown[] =>
            all.map((each) => (each.kind === 'columns' ? each.fields : each.kind));
          const [head, ...expected] = fields(read(`a,b\n${text}`));
          expect(head).toEqual(['a', 'b']);
          expect(fields(read(`a,b\n1,"x"y\n${text}`, size)).slice(1)).toEqual(['bad', ...expected]);
        },
      ),
    );
  });

  it('restores text written by RFC 4180, wherever blocks are cut', () => {
    const field = fc.string({
      unit: fc.constantFrom('a', ',', '"', '\n', '\r', ' ', 'é', '😀'),
      maxLength: 6,
    });
    const table = fc.array(fc.array(field, { minLength: 2, maxLength: 2 }), {
      minLength: 1,
      maxLength: 6,
    });
    fc.assert(
      fc.property(
        table,
        fc.integer({ min: 1, max: 9 }),
        fc.constantFrom('\n', '\r\n'),
        (rows, size, end) => {
          const written = [
            ['"h"', '"h"'],
            ...rows.map((row) => row.map((f) => `"${f.replaceAll('"', '""')}"`)),
          ];
          // A CR at the end of the last field is indistinguishable from a line end, so it is left out
          // here.
          fc.pre(rows.every((row) => !row[1]?.endsWith('\r')));
          const text = written.map((row) => row.join(',') + end).join('');
          const fields = read(text, size).map((row) => (row.kind === 'columns' ? row.fields : row));
          expect(fields).toEqual([['h', 'h'], ...rows]);
        },
      ),
    );
  });
});
