import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';

const SOURCE = new URL('../../../src/app/', import.meta.url).pathname;
/** The part that is loaded when a query is first opened. */
const LAZY = ['editor/codemirror.ts', 'editor/codemirror-look.ts'];

/** What a file imports before it runs: not types alone, and not by `import()`. */
function imports(text: string): string[] {
  const found = text.matchAll(/^\s*import (?!type\b)[^;]*?from '([^']+)'|^\s*import '([^']+)'/gms);
  return [...found].map(([, from, bare]) => from ?? bare ?? '');
}

it('CodeMirror is in no file that the page loads at its start', () => {
  const files = readdirSync(SOURCE, { recursive: true, encoding: 'utf8' }).filter((name) =>
    /\.(?:ts|svelte)$/.test(name),
  );
  const heavy = files.filter((name) =>
    imports(readFileSync(join(SOURCE, name), 'utf8')).some((from) =>
      /^@codemirror\/|\/codemirror(?:-look)?\.ts$/.test(from),
    ),
  );
  expect(heavy.sort()).toEqual(LAZY.toSorted());
});
