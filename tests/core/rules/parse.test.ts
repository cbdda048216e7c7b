import { describe, expect, test } from 'vitest';
import { parse } from '#core/query/parse.ts';
import { faultsOf, parseRule, type RuleKind } from '#core/rules/parse.ts';

function faults(rule: string, kind?: RuleKind): string[] {
  const parsed = parseRule(rule, kind);
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
  ])('%s is a rule, and no query of search and counts', (rule) => {
    expect(faults(rule)).toEqual([]);
    for (const product of ['recent', 'all'] as const) {
      expect([product, parse(rule, { product }).ok]).toEqual([product, false]);
    }
  });

  test.each(['context:10.799022225751871488', 'entity:"Michael Jordan"'])(
    '%s is a rule, and also a query of recent search',
    (rule) => {
      expect(faults(rule)).toEqual([]);
      expect(parse(rule, { product: 'recent' }).ok).toBe(true);
    },
  );
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

/** platform-facts-additions, section 5; docs, powerstream/operators. */
describe('rules of powerstream', () => {
  test.each([
    '(cat OR dog) lang:en -is:retweet',
    'from:xdevelopers OR from:123456',
    'to:jvaleski retweets_of:xdevelopers',
    'contains:hello',
    'contains:-2345.432',
    'contains:"two words, and more"',
    'url_contains:"com/willplayforfood"',
    'has:images lang:en',
    'has:mentions OR has:geo OR has:links OR has:media OR has:lang OR has:symbols OR has:videos',
    'is:retweet OR is:reply',
    'place:"Belmont Central" OR place:02763fa2a7611cf3',
    'bounding_box:[-112.424083 42.355283 -112.409111 42.792311]',
    'point_radius:[-111.464973 46.371179 25mi] OR point_radius:[-111.464973 46.371179 15km]',
    'bio:"data scientist" bio_name:PhD',
    'retweets_of_status_id:1234567890123456789',
    'in_reply_to_status_id:1234567890123456789',
    '@username "exact phrase"',
    'cat AND dog AND (from:a OR from:b) AND -is:reply',
    '"AND" contains:AND',
  ])('%s', (rule) => {
    expect(faults(rule, 'powerstream')).toEqual([]);
  });

  test.each([
    ['cat AND dog OR cow', '(cat dog) OR cow'],
    ['cat OR dog AND cow', 'cat OR (dog cow)'],
    ['cat AND -dog', 'cat -dog'],
  ])('%s means %s', (rule, same) => {
    const shape = (text: string): unknown => {
      const parsed = parseRule(text, 'powerstream');
      return JSON.parse(
        JSON.stringify(parsed, (name, value: unknown) =>
          name === 'at' || name === 'length' ? undefined : value,
        ),
      );
    };
    expect(shape(rule)).toEqual(shape(same));
  });

  const LIST =
    'Operator is not available in current product or product packaging. Please refer to complete available operator list at http://t.co/operators.';
  const unknown = (name: string, at: number): string[] =>
    ['operator', 'field'].map(
      (what) => `Reference to invalid ${what} '${name}' (at position ${at}).`,
    );
  test.each<[rule: string, faults: string[]]>([
    ['h:m', unknown('h', 1)],
    ['cat sample:10', unknown('sample', 5)],
    ['cat url:zoo', unknown('url', 5)],
    ['cat followers_count:5', unknown('followers_count', 5)],
    ['cat conversation_id:5', unknown('conversation_id', 5)],
    ['cat url_title:snow', unknown('url_title', 5)],
    ['cat min_likes:5', unknown('min_likes', 5)],
    ['cat retweets_of_tweet_id:5', unknown('retweets_of_tweet_id', 5)],
    [
      'cat has:hashtags',
      [`Reference to invalid operator 'has:hashtags'. ${LIST} (at position 5).`],
    ],
    ['cat -is:quote', [`Reference to invalid operator 'is:quote'. ${LIST} (at position 6).`]],
    ['cat #dog', [`Reference to invalid operator '#'. ${LIST} (at position 5).`]],
    ['cat -$dog', [`Reference to invalid operator '$'. ${LIST} (at position 6).`]],
    ['"a cat"~2', ["no viable alternative at character '~' (at position 8)."]],
    [
      'point_radius:[0 0 x]',
      ["Invalid radius 'x': expected a number with mi or km, above 0 (at position 19)."],
    ],
    ['retweets_of_status_id:x', ["Invalid id 'x': expected 1 to 19 digits (at position 1)."]],
    [
      'contains:" "',
      ["Operator 'contains' needs a value directly after the colon (at position 1)."],
    ],
    ['-contains:cat', ['Rules must contain a non-negation term (at position 1).']],
    ['the', ['Rules must contain at least one positive, non-stopword clause (at position 1).']],
    ['AND cat', ["no viable alternative at input 'AND' (at position 1)."]],
    ['cat AND', ["no viable alternative at input 'AND' (at position 5)."]],
    ['cat AND OR dog', ["no viable alternative at input 'AND' (at position 5)."]],
    ['(cat AND) dog', ["no viable alternative at input 'AND' (at position 6)."]],
    [
      'cat and dog',
      [
        'Ambiguous use of and as a keyword. Use a space to logically join two clauses, or "and" to find occurrences of and in text (at position 5).',
      ],
    ],
    [
      'cat -(dog AND contains:"a b")',
      [
        'A group cannot be negated; negate each of its clauses instead: (-dog OR -contains:"a b") (at position 5).',
      ],
    ],
    ['h:m AND x:y', [...unknown('h', 1), ...unknown('x', 9)]],
  ])('%s is refused', (rule, expected) => {
    expect(faults(rule, 'powerstream')).toEqual(expected);
  });

  test.each(['contains:hello', 'retweets_of_status_id:5', 'cat AND dog', 'has:lang cat'])(
    '%s is no rule of the filtered stream',
    (rule) => {
      expect(faults(rule)).not.toEqual([]);
    },
  );
});
