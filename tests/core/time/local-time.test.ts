import { readdirSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';

// The linter refuses methods that read or set local time; it cannot see a Date made from local parts.
test('core makes no Date from local parts or from text, so that the machine’s zone changes nothing', () => {
  const files = readdirSync('src/core', { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.ts'))
    .map((name) => `src/core/${name}`);
  expect(files.length).toBeGreaterThan(50);
  const found = files.filter((file) =>
    /new Date\([^()]*,|new Date\(['"`]|Date\.parse\(/.test(readFileSync(file, 'utf8')),
  );
  expect(found).toEqual([]);
});
