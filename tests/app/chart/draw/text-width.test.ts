import fc from 'fast-check';
import { expect, it } from 'vitest';
import { wrappedRows, textWidth } from '#app/chart/draw/text-width.ts';
import { runs } from '#tests/support/run/runs.ts';

it('breaks texts at spaces into the fewest rows that fit', () => {
  const word = fc.string({ minLength: 1 }).map((text) => text.replaceAll(' ', '-'));
  fc.assert(
    fc.property(
      fc.array(word, { minLength: 1 }),
      fc.integer({ min: 1, max: 400 }),
      (words, room) => {
        const rows = wrappedRows([words.join(' ')], 12, room);
        expect(rows.join(' ')).toBe(words.join(' '));
        for (const [i, row] of rows.entries()) {
          if (row.includes(' ')) expect(textWidth(row, 12)).toBeLessThanOrEqual(room);
          const next = rows[i + 1]?.split(' ')[0];
          if (next !== undefined) expect(textWidth(`${row} ${next}`, 12)).toBeGreaterThan(room);
        }
      },
    ),
    { numRuns: runs(200) },
  );
});

it('begins a row with each text', () => {
  expect(wrappedRows(['one two', 'three'], 12, 1000)).toEqual(['one two', 'three']);
});
