import type { Diagnostic } from '#core/query/ast.ts';

/** Rules whose recorded message uses terms of a grammar; the messages of the others are plain. */
const PLAIN: Readonly<Record<string, string>> = {
  'stray-parenthesis': 'This closing parenthesis has no opening one.',
  'open-parenthesis': 'This parenthesis is never closed.',
  'open-quote': 'This quotation mark is never closed.',
  'quote-outside': 'An apostrophe or a curly quotation mark needs straight "…" around the words.',
  'missing-clause': 'Something to search for is missing here.',
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

/** The name of an operator in the platform's message about one that it does not have. */
const INVALID = /^Reference to invalid operator '([^']*)'/;
/** Words of a parser, which mean nothing to anyone else. */
const OF_PARSER =
  /^(?:no viable alternative|mismatched|missing '?\S+ at |Ambiguous use|Reference to)/;

/** The meanings of the platform's messages, for those that come without a rule. */
const RECORDED: readonly (readonly [RegExp, string])[] = [
  [/^mismatched character '<EOF>'/, 'open-quote'],
  [/^missing '\)' at/, 'open-parenthesis'],
  [/^missing EOF at/, 'stray-parenthesis'],
  [/^no viable alternative at input '(?:<EOF>|OR|\))'/, 'missing-clause'],
  [/^no viable alternative/, 'stray-character'],
  [/^Ambiguous use/, 'ambiguous-keyword'],
  [INVALID, 'unknown-operator'],
];

/** Describes a fault in everyday words; its message if that is plain already. */
export function diagnosticWords({
  rule,
  message,
  fix,
}: Pick<Diagnostic, 'rule' | 'message' | 'fix'>): string {
  if (rule === 'unknown-operator') {
    if (fix === '') return 'Limits of time aren’t part of a query. Use the date range.';
    const [, name] = INVALID.exec(message) ?? [];
    if (name !== undefined)
      return `“${name}:” isn’t supported. To search for these words, put them in quotes.`;
  }
  if (rule === 'ambiguous-keyword') {
    if (fix === '-') return 'To exclude something, put a minus directly before it.';
    const use = / of and /.test(message) ? 'A space means AND.' : 'Use capital OR.';
    return `${use} To search for the word itself, put it in quotes.`;
  }
  if (rule === 'stray-character' && fix?.trim() === 'OR') return 'Use OR between alternatives.';
  if (rule === 'no-word' && fix === '') return 'A space means AND.';
  const known = PLAIN[rule];
  if (known !== undefined) return known;
  if (!OF_PARSER.test(message)) return `${message}.`;
  const [, operator] = /^invalid-(.+)$/.exec(rule) ?? [];
  return operator === undefined
    ? 'This part of the query cannot be read.'
    : `The value of ${operator}: needs quotes if it is more than a word of letters and digits.`;
}

const PREFIX = /^There were errors processing your request: /;

/** The reason a source refused a query, in everyday words: its recorded message, part by part. */
export function refusalWords(message: string): string {
  if (!PREFIX.test(message)) return message;
  const parts = message.replace(PREFIX, '').matchAll(/(.+?) \(at position (\d+)\)(?:, |$)/gs);
  const said = [...parts].map(([, part = '', position]) => {
    const rule = RECORDED.find(([form]) => form.test(part))?.[1] ?? '';
    return `${diagnosticWords({ rule, message: part }).replace(/\.$/, '')} (position ${position}).`;
  });
  return said.length > 0 ? said.join(' ') : message.replace(PREFIX, '');
}
