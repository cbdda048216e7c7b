import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';

const SOURCE = new URL('../../../src/app/', import.meta.url).pathname;
/** The part that is loaded when a query is first opened. */
const LAZY = [
  'editor/codemirror.ts',
  'editor/codemirror-look.ts',
  'editor/query-completions.ts',
  'editor/query-keys.ts',
  'editor/query-marks.ts',
];

/** The files that a file imports before it runs: neither types alone, nor by `import()`. */
function imports(text: string): string[] {
  const found = text.matchAll(/^\s*import (?!type\b)[^;]*?from '([^']+)'|^\s*import '([^']+)'/gms);
  return [...found].map(([, from, bare]) => from ?? bare ?? '');
}

it('no file that the page loads at start contains CodeMirror', () => {
  const files = readdirSync(SOURCE, { recursive: true, encoding: 'utf8' }).filter((name) =>
    /\.(?:ts|svelte)$/.test(name),
  );
  const heavy = files.filter((name) =>
    imports(readFileSync(join(SOURCE, name), 'utf8')).some((from) =>
      /^@codemirror\/|\/(?:codemirror(?:-look)?|query-(?:completions|keys|marks))\.ts$/.test(from),
    ),
  );
  expect(heavy.sort()).toEqual(LAZY.toSorted());
});
