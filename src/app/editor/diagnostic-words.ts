import type { Diagnostic } from '#core/query/ast.ts';

/** Rules whose recorded message uses terms of a grammar; the messages of the others are plain. */
const PLAIN: Readonly<Record<string, string>> = {
  'stray-parenthesis': 'This closing parenthesis has no opening one.',
  'open-parenthesis': 'This parenthesis is never closed.',
  'open-quote': 'This quotation mark is never closed.',
  'quote-outside': 'An apostrophe or a curly quotation mark needs straight "…" around the words.',
  'missing-clause': 'Something to search for is missing here.',
  'ambiguous-keyword':
    'Use capital OR. A space means AND. To search for the word itself, put it in quotes.',
  'no-word': 'This contains no word to search for.',
  'stray-character': 'This character has no meaning in a query.',
  'stray-minus': 'A minus goes directly before what it excludes, after a space.',
  'unknown-operator':
    'This operator isn’t supported. To search for these words, put them in quotes.',
  'invalid-is': 'This value of is: does not exist.',
  'invalid-has': 'This value of has: does not exist.',
  'missing-value': 'A value is missing, directly after the colon: from:user, lang:en.',
  'negated-group': 'A group cannot be excluded as a whole: put the minus before each of its parts.',
  'only-negated': 'Add something to search for. A query can’t only exclude.',
  'only-stop-words': 'These words are too common to count alone: add another one.',
  'not-standalone': 'is:, has: and lang: only narrow a search: add a word, #tag or from:user.',
};

/** Describes a fault in everyday words; the recorded message if that is plain already. */
export function diagnosticWords({ rule, message, fix }: Diagnostic): string {
  if (rule === 'unknown-operator' && fix === '') {
    return 'Limits of time aren’t part of a query. Use the date range.';
  }
  return PLAIN[rule] ?? `${message}.`;
}
