import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';

/** The functions that read dates that people write in other languages and formats. */
const READERS = [
  'src/app/board/range/date-names.ts',
  'src/app/board/range/date-finder.ts',
  'src/core/import/stamp.ts',
];

const WRITES =
  /new Intl\.(DateTimeFormat|NumberFormat|RelativeTimeFormat|DurationFormat)\b|\.toLocale(Date|Time)?String\(|\.formatRange\(/;

it('only core/format writes dates and numbers, because engines differ', () => {
  const files = readdirSync('src', { recursive: true, encoding: 'utf8' })
    .map((name) => join('src', name).replaceAll('\\', '/'))
    .filter((name) => /\.(ts|svelte)$/.test(name) && !name.startsWith('src/core/format/'));
  expect(files.length).toBeGreaterThan(500);
  const writers = files.filter((name) => WRITES.test(readFileSync(name, 'utf8')));
  expect(writers.sort()).toEqual([...READERS].sort());
});
