import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { IndexablePost } from '#core/text/post.ts';
import { termsOf } from '#core/text/terms.ts';
import type { Ast } from '#core/query/ast.ts';
import { condition } from '#core/query/condition.ts';
import { format } from '#core/query/format.ts';
import { match } from '#core/query/match.ts';
import { parse } from '#core/query/parse.ts';
import { runs } from '#tests/support/run/runs.ts';

function ast(text: string): Ast {
  const parsed = parse(text);
  if (!parsed.ok) throw new Error(`${text}: ${JSON.stringify(parsed.diagnostics)}`);
  return parsed.ast;
}

describe('canonical text', () => {
  it.each([
    ['Cat', 'cat'],
    ['dog cat dog', 'cat dog'],
    ['  (cat   (dog fox)) ', 'cat dog fox'],
    ['dog OR cat OR dog', 'cat OR dog'],
    ['(a b) OR (c (d OR e))', 'a b OR c (d OR e)'],
    ['"Fake   News"', '"fake news"'],
    ['"news"', 'news'],
    ['"OR" cat', '"or" cat'],
    ['hello, world!', 'hello world'],
    ['or, cat', '"or" cat'],
    ['coca-cola', 'coca-cola'],
    ['"coca cola"', '"coca cola"'],
    ['MÜNCHEN Straße', 'munchen strasse'],
    ['＃Tag @User $TSLA', '#tag $tsla @user'],
    ['from:User lang:EN has:media_link', 'from:user has:media lang:en'],
    ['url:"NASA" url:"nasa.gov/X"', 'url:"nasa.gov/x" url:nasa'],
    ['"say \\"No\\""', '"say \\"no\\""'],
    ['❤️ "😀"', '❤ 😀'],
    ['👍🏽', '"👍🏽"'],
    ['cat -dog', '-dog cat'],
    [
      'place:"New  York" place:"Paris" place:"st. louis"',
      'place:"new york" place:"st. louis" place:paris',
    ],
    ['geo_bounding_box:[00.0 -0.0 .1 0.10]', 'bounding_box:[0 0 0.1 0.1]'],
    ['point_radius:[ 1.50 2  3.0Mi ]', 'point_radius:[1.5 2 3mi]'],
    ['min_likes:007 place_country:GB', 'min_likes:7 place_country:gb'],
    ['"x\\ "', '"x\\ "'],
    ['url:"a\\ "', 'url:"a\\ "'],
    ['cat (dog OR dog)', 'cat dog'],
  ])('%s is %s', (text, expected) => {
    expect(format(ast(text))).toBe(expected);
  });

  it('keeps texts distinct that another source may distinguish', () => {
    const texts = ['coca-cola', '"coca cola"', '"coca-cola"', 'coca cola', '#coca', 'coca'];
    expect(new Set(texts.map((text) => format(ast(text)))).size).toBe(texts.length);
  });
});

const WORDS = ['cat', 'Dog', 'FOX', 'straße', 'café', 'кот', '東京', 'the', '2016', 'x_y'];
const word = fc.constantFrom(...WORDS);

const clause = fc.oneof(
  word,
  word.map((w) => `${w},`),
  fc.tuple(word, word).map(([a, b]) => `${a}-${b}`),
  fc.array(word, { minLength: 1, maxLength: 3 }).map((list) => `"${list.join(' ')}"`),
  fc.constantFrom('"cat, \\"dog\\""', '"or"', '"👍🏽"', '❤️', '😀', 'fox😀', '"cat ❤"'),
  word.map((w) => `#${w}`),
  fc.constantFrom('@cat', '@Dog', '$FOX', '$cat', 'from:cat', 'from:12', 'TO:dog', 'to:12'),
  fc.constantFrom('lang:en', 'lang:DE', 'is:retweet', 'is:reply', '-is:nullcast'),
  fc.constantFrom('has:links', 'has:media_link', 'has:videos', 'has:hashtags'),
  fc.constantFrom('retweets_of:Cat', 'retweets_of:12', 'context:1.2', 'min_likes:3'),
  fc.constantFrom('in_reply_to_tweet_id:1', 'retweets_of_tweet_id:1', 'quotes_of_tweet_id:1'),
  fc.constantFrom('place:"New York"', 'place:paris', 'place:"cat, \\"x\\""', 'place_country:GB'),
  fc.constantFrom('point_radius:[0 51.50 5mi]', 'geo_bounding_box:[-0.1 51.4 0.1 51.6]'),
  fc.nat(40).map((n) => `min_likes:${n}`),
  fc.nat(9).map((n) => `min_reposts:0${n}`),
  fc.constantFrom('url:cat', 'url:"cat.com/Dog"', 'url:"https://cat.com"', 'conversation_id:12'),
);

const { query } = fc.letrec<{ query: string; group: string }>((tie) => ({
  group: fc.oneof(
    { maxDepth: 4, depthIdentifier: 'query' },
    clause,
    clause
      .map((text) => (text.startsWith('-') ? text : `-${text}`))
      .filter((t) => !t.endsWith('-is:nullcast') || t === '-is:nullcast'),
    fc.array(tie('group'), { minLength: 1, maxLength: 3 }).map((of) => `(${of.join(' ')})`),
    fc.array(tie('group'), { minLength: 2, maxLength: 3 }).map((of) => `(${of.join(' OR ')})`),
  ),
  query: fc.array(tie('group'), { minLength: 1, maxLength: 4 }).map((of) => `fox ${of.join(' ')}`),
}));

const post: fc.Arbitrary<IndexablePost> = fc
  .record({
    pieces: fc.array(
      fc.oneof(
        word,
        fc.constantFrom(
          '#cat',
          '@cat',
          '$fox',
          '❤',
          '👍🏽',
          '😀',
          'or',
          'http://cat.com/dog',
          '-',
          '東京タワー',
        ),
      ),
      { maxLength: 14 },
    ),
    username: fc.constantFrom('Cat', 'dog', '12'),
    authorId: fc.constantFrom('12', '13'),
    lang: fc.constantFrom('en', 'de'),
    isRetweet: fc.boolean(),
    isReply: fc.boolean(),
    isNullcast: fc.boolean(),
    inReplyToUsername: fc.constantFrom('dog', 'fox'),
    conversationId: fc.constantFrom('12', '13'),
    hasVideo: fc.boolean(),
    repostOfUsername: fc.constantFrom('cat', 'dog'),
    repostOfId: fc.constantFrom('1', '2'),
    places: fc.constantFrom(['new york'], ['Paris', '12'], ['cat,  "X"']),
    country: fc.constantFrom('GB', 'us'),
    boxes: fc.constantFrom([], [{ west: 0, south: 51.5, east: 0.01, north: 51.51 }]),
    contexts: fc.constantFrom([], ['1.2']),
    likes: fc.nat(40),
    reposts: fc.nat(10),
  })
  .map(({ pieces, ...rest }) => ({ text: `fox ${pieces.join(' ')}`, ...rest }));

describe('laws of canonical text', () => {
  it('it parses, formats to itself, and matches the same Posts', () => {
    fc.assert(
      fc.property(query, fc.array(post, { minLength: 3, maxLength: 6 }), (text, posts) => {
        const given = ast(text);
        const canonical = format(given);
        const again = ast(canonical);
        expect(format(again)).toBe(canonical);
        for (const terms of posts.map(termsOf)) {
          expect(match(condition(again), terms)).toBe(match(condition(given), terms));
        }
      }),
      { numRuns: runs(3000) },
    );
  });

  it('order, repeats, case and needless parentheses do not change it', () => {
    fc.assert(
      fc.property(fc.array(clause, { minLength: 1, maxLength: 5 }), (clauses) => {
        const canonical = format(ast(['fox', ...clauses].join(' ')));
        expect(format(ast([...clauses.toReversed(), '(fox)', 'FOX'].join('  ')))).toBe(canonical);
        expect(format(ast(`((${['fox', ...clauses].join(') (')}))`))).toBe(canonical);
      }),
      { numRuns: runs(1000) },
    );
  });

  it('the fix of a negated group means the opposite of the group', () => {
    fc.assert(
      fc.property(
        fc.array(
          clause.filter((c) => !c.startsWith('-')),
          { minLength: 1, maxLength: 3 },
        ),
        fc.constantFrom(' ', ' OR '),
        post,
        (clauses, join, one) => {
          const parsed = parse(`fox -(${clauses.join(join)})`);
          if (parsed.ok) throw new Error('expected a diagnostic');
          const applyFix = ast(`fox ${parsed.diagnostics[0]?.fix ?? ''}`);
          const terms = termsOf(one);
          const hits = clauses.map((c) => match(condition(ast(`fox ${c}`)), terms));
          const whole = join === ' ' ? hits.every(Boolean) : hits.some(Boolean);
          expect(match(condition(applyFix), terms)).toBe(!whole);
        },
      ),
      { numRuns: runs(1000) },
    );
  });
});
