import { expect, test } from 'vitest';
import { diagnosticWords, refusalWords } from '#app/editor/diagnostic-words.ts';
import { withFixes } from '#core/query/fixes.ts';
import { message } from '#core/query/message.ts';
import { parse } from '#core/query/parse.ts';

function said(text: string): string {
  const parsed = parse(text, { product: 'all' });
  if (parsed.ok) throw new Error(`expected ${text} to be refused`);
  return parsed.diagnostics.map(diagnosticWords).join(' ');
}

const PARSER = /EOF|viable|mismatched|t\.co|There were errors|Reference to/;

test.each([
  ['(a', /never closed/],
  ['cat)', /no opening one/],
  ['"cat', /quotation mark/],
  ['cat OR', /missing here/],
  ['cat and dog', /^A space means AND\./],
  ['cat AND dog', /^A space means AND\./],
  ['cat or dog', /^Use capital OR\./],
  ['cat && dog', /no word to search for|A space means AND/],
  ['cat || dog', /Use OR between/],
  ['cat place:São-Paulo', /needs quotes/],
  ['colour:red cat', /“colour:” isn’t supported/],
  ['from: cat', /value is missing/],
  ['-cat', /can’t only exclude/],
  ['lang:en', /only narrow/],
  ['-(cat dog) bird', /each of its parts/],
])('%s is described without terms of a grammar', (text, words) => {
  expect(said(text)).toMatch(words);
  expect(said(text)).not.toMatch(PARSER);
  const parsed = parse(text, { product: 'all' });
  if (parsed.ok) throw new Error(`expected ${text} to be refused`);
  // The answer of a source about the same query reads as well, with the position.
  const refusal = refusalWords(message(parsed.diagnostics));
  expect(refusal).toMatch(/\(position \d+\)\.$/);
  expect(refusal).not.toMatch(PARSER);
});

test('what a source says in plain words stays, without the form of the platform', () => {
  expect(
    refusalWords(
      "There were errors processing your request: There is no collection named 'nope' (at position 1)",
    ),
  ).toBe("There is no collection named 'nope' (position 1).");
  expect(refusalWords('The query is too long')).toBe('The query is too long');
});

test('AND NOT is described by what its fix does', () => {
  const text = 'cat AND NOT dog';
  const parsed = parse(text);
  const found = parsed.ok ? [] : withFixes(parsed.diagnostics, text);
  expect(found.map(diagnosticWords)).toEqual([
    'To exclude something, put a minus directly before it.',
  ]);
});

test('a message that is plain already stays as it is', () => {
  expect(said('cat from:a!b')).toMatch(/expected letters, digits and underscores/);
});
