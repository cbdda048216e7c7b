import type { Diagnostic } from '#core/query/ast.ts';

/** Rules whose recorded message uses terms of a grammar; the messages of the others are plain. */
const PLAIN: Readonly<Record<string, string>> = {
  'stray-parenthesis': 'This ) closes nothing: its ( is missing.',
  'open-parenthesis': 'This ( is never closed: a ) is missing.',
  'open-quote': 'This quotation mark is never closed.',
  'quote-outside': 'An apostrophe or a curly quotation mark needs straight "…" around the words.',
  'missing-clause': 'Something to search for is missing here.',
  'ambiguous-keyword': 'OR joins in capitals; a space means “and”. The words themselves need "…".',
  'no-word': 'This contains no word to search for.',
  'stray-character': 'This sign has no meaning in a query.',
  'stray-minus': 'A minus goes directly before what it excludes, after a space.',
  'unknown-operator': 'This is not an operator here. As plain words it needs "…" around it.',
  'invalid-is': 'This value of is: does not exist.',
  'invalid-has': 'This value of has: does not exist.',
  'missing-value': 'A value is missing, directly after the colon: from:user, lang:en.',
  'negated-group': 'A group cannot be excluded as a whole: put the minus before each of its parts.',
  'only-negated': 'Add what to search for: a query cannot only exclude things.',
  'only-stop-words': 'These words are too common to count alone: add another one.',
  'not-standalone': 'is:, has: and lang: only narrow a search: add a word, #tag or from:user.',
};

/** Describes a fault in everyday words; the recorded message if that is plain already. */
export function diagnosticWords({ rule, message }: Diagnostic): string {
  return PLAIN[rule] ?? `${message}.`;
}
