import fc from 'fast-check';
import Papa from 'papaparse';
import { expect, test } from 'vitest';
import { bucketTable, copiedTable, MOST_COPIED_ROWS } from '#app/export/table.ts';
import { STATE } from '#core/series/series.ts';
import { HOUR_MS } from '#core/time/span.ts';
import { zoneTable } from '#core/time/zone.ts';
import { unicodeText } from '#tests/support/data/unicode-text.ts';
import { safeText } from '#core/export/csv-text.ts';

test('has plain numbers, empty cells for missing ones, and no text that is a formula', () => {
  const { text, html } = copiedTable([
    ['series', 'total'],
    ['=1+1', 1234567.5],
    ['<b> & "c"', null],
    ['two\nlines', Number.NaN],
  ]);
  expect(text).toBe('series\ttotal\n\'=1+1\t1234567.5\n"<b> & ""c"""\t\n"two\nlines"\t');
  expect(html).toContain('<tr><th>series</th><th>total</th></tr>');
  expect(html).toContain("<td>'=1+1</td><td>1234567.5</td>");
  expect(html).toContain('<td>&lt;b&gt; &amp; &quot;c&quot;</td><td></td>');
});

test('has no text that is a formula to a program that splits at semicolons', () => {
  const { text, html } = copiedTable([['a;=1+1'], ['＝1'], ['b\n@c'], ['\u200b-1']]);
  expect(text).toBe(`a;'=1+1\n'＝1\n"b\n'@c"\n'\u200b-1`);
  expect(html).toContain("<th>a;'=1+1</th>");
});

test('reads back cell by cell', () => {
  fc.assert(
    fc.property(
      fc.array(fc.tuple(unicodeText({ minLength: 1 }), fc.string()), {
        minLength: 1,
      }),
      (rows) => {
        const back = Papa.parse<string[]>(copiedTable(rows).text, {
          delimiter: '\t',
          newline: '\n',
        }).data;
        expect(back).toEqual(rows.map((row) => row.map(safeText)));
      },
    ),
  );
});

test('contains only the first buckets if there are too many for a clipboard', () => {
  const n = MOST_COPIED_ROWS + 5;
  const bounds = Float64Array.from({ length: n + 1 }, (_, i) => i * HOUR_MS);
  const counts = new Float64Array(n).fill(3);
  const one = {
    query: 'q',
    source: 'posts',
    states: new Uint8Array(n),
    fetchedAt: counts,
    rounded: Math.round,
  };
  const series = [
    { ...one, label: 'a', counts },
    { ...one, label: 'a', counts, states: new Uint8Array(n).fill(STATE.settled) },
  ];
  const zone = zoneTable('Asia/Kolkata', { start: 0, end: 1 });
  const cells = bucketTable({ bounds, series, timed: true }, zone);
  expect(cells).toHaveLength(MOST_COPIED_ROWS + 1);
  expect(cells.slice(0, 2)).toEqual([
    ['date', 'time', 'a', 'a (2)', 'incomplete'],
    ['1970-01-01', '05:30', 3, 3, 'a'],
  ]);
  expect(bucketTable({ bounds, series, timed: false }, zone)[1]?.slice(0, 2)).toEqual([
    '1970-01-01',
    3,
  ]);
});
