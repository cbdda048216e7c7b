import { expect, test } from 'vitest';
import { diagnosticWords } from '#app/editor/diagnostic-words.ts';
import { parse } from '#core/query/parse.ts';

function said(text: string): string {
  const parsed = parse(text, { product: 'all' });
  if (parsed.ok) throw new Error(`expected ${text} to be refused`);
  return parsed.diagnostics.map(diagnosticWords).join(' ');
}

test.each([
  ['(a', /never closed/],
  ['cat)', /no opening one/],
  ['"cat', /quotation mark/],
  ['cat OR', /missing here/],
  ['cat and dog', /A space means AND/],
  ['colour:red cat', /isn’t supported/],
  ['from: cat', /value is missing/],
  ['-cat', /can’t only exclude/],
  ['lang:en', /only narrow/],
  ['-(cat dog) bird', /each of its parts/],
])('%s is described without terms of a grammar', (text, words) => {
  expect(said(text)).toMatch(words);
  expect(said(text)).not.toMatch(/EOF|viable|mismatched/);
});

test('a message that is plain already stays as it is', () => {
  expect(said('cat from:a!b')).toMatch(/expected letters, digits and underscores/);
});
