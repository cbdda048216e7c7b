import { describe, expect, test } from 'vitest';
import { parse } from '#core/query/parse.ts';
import { faultsOf, parseRule } from '#core/rules/parse.ts';

function faults(rule: string): string[] {
  const parsed = parseRule(rule);
  return parsed.ok ? [] : faultsOf(rule, parsed.diagnostics);
}

/** platform-facts, section 5; docs, filtered-stream/integrate/operators. */
describe('operators of streams', () => {
  test.each([
    '"social media"~5',
    '-"social media"~5 cat',
    '("a cat"~1 OR dog)',
    'cat sample:15',
    'followers_count:1000..10000',
    'tweets_count:1000..10000',
    'following_count:1000..10000',
    'listed_count:10..100',
    'listed_count:10',
    'min_followers:1000',
    'bio:developer OR bio:"data engineer"',
    'bio_name:phd',
    'bio_location:"big apple"',
    'url_title:snow',
    'url_description:weather',
    'url_contains:photos',
    'url_contains:"example.com/photos?"',
    'from_affiliate_of:XDevelopers',
    'to_affiliate_of:XDevelopers',
    'context:47.*',
    '(cat OR context:47.*) -context:12.* dog',
    'context:10.799022225751871488',
    'entity:"Michael Jordan"',
  ])('%s', (rule) => {
    expect(faults(rule)).toEqual([]);
  });

  test.each([
    '"social media"~5',
    'cat sample:15',
    'followers_count:1..2',
    'bio:developer',
    'url_contains:photos',
    'from_affiliate_of:XDevelopers',
    'context:47.*',
  ])('%s is no query of search and counts', (rule) => {
    expect(parse(rule).ok).toBe(false);
  });
});

describe('what a rule may not say', () => {
  const LIST =
    'Operator is not available in current product or product packaging. Please refer to complete available operator list at http://t.co/operators.';
  test.each<[rule: string, faults: string[]]>([
    [
      'h:m',
      [
        "Reference to invalid operator 'h' (at position 1).",
        "Reference to invalid field 'h' (at position 1).",
      ],
    ],
    [
      'cat min_likes:5',
      [
        "Reference to invalid operator 'min_likes' (at position 5).",
        "Reference to invalid field 'min_likes' (at position 5).",
      ],
    ],
    ['source:"X for iPhone"', [`Reference to invalid operator 'source'. ${LIST} (at position 1).`]],
    [
      'cat embedding:"climate policy" embedding_threshold:0.4',
      [
        `Reference to invalid operator 'embedding'. ${LIST} (at position 5).`,
        `Reference to invalid operator 'embedding_threshold'. ${LIST} (at position 32).`,
      ],
    ],
    ['cat -sample:10', ["Operator 'sample' cannot be negated (at position 5)."]],
    ['sample:10', ['is/has/lang cannot be used as a standalone operator (at position 1).']],
    ['cat sample:0', ["Invalid sample '0': expected a percentage from 1 to 100 (at position 5)."]],
    [
      'cat sample:101',
      ["Invalid sample '101': expected a percentage from 1 to 100 (at position 5)."],
    ],
    ['"a cat"~7', ["Invalid distance '7': expected 1 to 6 (at position 1)."]],
    ['"a cat"~0', ["Invalid distance '0': expected 1 to 6 (at position 1)."]],
    ['"cat"~2', ["Invalid proximity 'cat': expected 2 to 20 words in quotes (at position 1)."]],
    ['"a cat"~', ["no viable alternative at character '~' (at position 8)."]],
    ['cat~2', ["no viable alternative at character '~' (at position 4)."]],
    ['cat context:4*', ["no viable alternative at character '*' (at position 14)."]],
    ['cat context:4.*x', ["no viable alternative at character '*' (at position 15)."]],
    ['"a cat"~2x', ["no viable alternative at character '~' (at position 8)."]],
    ['followers_count:10..5', ["Invalid range '10..5': 10 is above 5 (at position 1)."]],
    [
      'listed_count:many',
      ["Invalid range 'many': expected whole numbers such as 1000 or 1000..10000 (at position 1)."],
    ],
    ['-cat', ['Rules must contain a non-negation term (at position 1).']],
    ['the', ['Rules must contain at least one positive, non-stopword clause (at position 1).']],
    [
      'dog -(cat OR bio:"Café au lait")',
      [
        'A group cannot be negated; negate each of its clauses instead: -cat -bio:"Café au lait" (at position 5).',
      ],
    ],
  ])('%s', (rule, expected) => {
    expect(faults(rule)).toEqual(expected);
  });
});
