import type { Diagnostic } from '#core/query/ast.ts';

/** Rules whose recorded message speaks of a grammar; the others say what they mean. */
const PLAIN: Readonly<Record<string, string>> = {
  'stray-parenthesis': 'This ) closes nothing: its ( is missing.',
  'open-parenthesis': 'This ( is never closed: a ) is missing.',
  'open-quote': 'This quotation mark is never closed.',
  'quote-outside': 'An apostrophe or a curly quotation mark needs straight "…" around the words.',
  'missing-clause': 'Something to look for is missing here.',
  'ambiguous-keyword': 'OR joins in capitals; a space means “and”. The words themselves need "…".',
  'no-word': 'There is no word in this to look for.',
  'stray-character': 'This sign has no meaning in a query.',
  'stray-minus': 'A minus stands directly before what it leaves out, after a space.',
  'unknown-operator': 'This is not an operator here. As plain words it needs "…" around it.',
  'invalid-is': 'There is no such is: here.',
  'invalid-has': 'There is no such has: here.',
  'missing-value': 'A value is missing, directly after the colon: from:user, lang:en.',
  'negated-group': 'A group cannot be left out as a whole: put the minus before each of its parts.',
  'only-negated': 'Say what to look for as well: a query cannot only leave things out.',
  'only-stop-words': 'These words are too common to count alone: add another one.',
  'not-standalone': 'is:, has: and lang: only narrow a search: add a word, #tag or from:user.',
};

/** What is wrong in a query as a marketer says it; the recorded message where that is plain already. */
export function diagnosticWords({ rule, message }: Diagnostic): string {
  return PLAIN[rule] ?? `${message}.`;
}
