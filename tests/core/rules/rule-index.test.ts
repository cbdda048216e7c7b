import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { meets } from '#core/rules/meets.ts';
import { needOf, type RuleNeed } from '#core/rules/need.ts';
import type { SearchedField } from '#core/rules/operators.ts';
import { parseRule, type RuleKind } from '#core/rules/parse.ts';
import { postView, type StreamPost } from '#core/rules/post.ts';
import { ruleIndex } from '#core/rules/rule-index.ts';
import { runs } from '#tests/support/run/runs.ts';

const WORDS = ['cat', 'dog', 'café', 'cafe', 'the', '東京', 'x', '😀'];
const word = fc.constantFrom(...WORDS);

/** Clauses of every kind that a rule may have. */
const clause = fc.oneof(
  { weight: 6, arbitrary: word },
  {
    weight: 2,
    arbitrary: fc.array(word, { minLength: 2, maxLength: 3 }).map((of) => `"${of.join(' ')}"`),
  },
  fc
    .tuple(
      fc.constantFrom('cat dog', 'dog the', 'x x', 'café cat dog'),
      fc.integer({ min: 1, max: 6 }),
    )
    .map(([of, apart]) => `"${of}"~${apart}`),
  fc.constantFrom('#cat', '#café', '@ann', '$cash', 'from:ann', 'from:bob', 'to:ann', 'lang:en'),
  fc.constantFrom('is:retweet', 'is:quote', 'has:hashtags', 'has:links', '-is:nullcast'),
  fc.constantFrom('url:zoo', 'url:"example.com/zoo"', 'url_contains:zoo', 'url_contains:oo'),
  fc.constantFrom('bio:cat', 'bio:"cat dog"', 'bio_name:ann', 'bio_location:x', 'url_title:dog'),
  fc.constantFrom('followers_count:5', 'followers_count:1..4', 'min_followers:3', 'sample:50'),
  fc.constantFrom('context:47.*', 'context:47.1', 'from_affiliate_of:nasa', 'to_affiliate_of:nasa'),
  fc.constantFrom('place_country:gb', 'point_radius:[0 0 20mi]', 'place:london'),
);
/** The same for rules of powerstream. */
const powerClause = fc.oneof(
  { weight: 6, arbitrary: word },
  {
    weight: 2,
    arbitrary: fc.array(word, { minLength: 2, maxLength: 3 }).map((of) => `"${of.join(' ')}"`),
  },
  fc.constantFrom('contains:a', 'contains:caf', 'contains:"t d"', 'contains:"cat dog"', '@ann'),
  fc.constantFrom('from:ann', 'from:bob', 'to:ann', 'retweets_of:bob', 'lang:en', 'has:lang'),
  fc.constantFrom('is:retweet', 'is:reply', 'has:links', 'has:symbols', 'has:mentions', 'has:geo'),
  fc.constantFrom('has:media', 'has:images', 'has:videos', 'url_contains:zoo', 'url_contains:oo'),
  fc.constantFrom('bio:cat', 'bio:"cat dog"', 'bio_name:ann', 'retweets_of_status_id:20'),
  fc.constantFrom('in_reply_to_status_id:21', 'point_radius:[0 0 20mi]', 'place:london'),
  fc.constant('bounding_box:[-0.1 -0.1 0.1 0.1]'),
);
const and = (of: readonly string[], i: number): string => `(${of.join(i === 0 ? ' ' : ' AND ')})`;
const { powerRule } = fc.letrec<{ powerRule: string }>((tie) => ({
  powerRule: fc.oneof(
    { maxDepth: 3, depthSize: 'small' },
    powerClause,
    powerClause.map((text) => `-${text}`),
    fc
      .tuple(fc.array(tie('powerRule'), { minLength: 2, maxLength: 3 }), fc.nat(1))
      .map(([of, i]) => and(of, i)),
    fc.array(tie('powerRule'), { minLength: 2, maxLength: 3 }).map((of) => `(${of.join(' OR ')})`),
  ),
}));
const { rule } = fc.letrec<{ rule: string }>((tie) => ({
  rule: fc.oneof(
    { maxDepth: 3, depthSize: 'small' },
    clause,
    clause.map((text) => (/^-|^sample/.test(text) ? text : `-${text}`)),
    fc.array(tie('rule'), { minLength: 2, maxLength: 3 }).map((of) => `(${of.join(' ')})`),
    fc.array(tie('rule'), { minLength: 2, maxLength: 3 }).map((of) => `(${of.join(' OR ')})`),
  ),
}));

const text = fc
  .array(fc.constantFrom(...WORDS, '#cat', '#café', '@ann', '$cash', 'https://example.com/zoo'), {
    maxLength: 7,
  })
  .map((of) => of.join(' '));
const indexable = fc.record(
  {
    text,
    username: fc.constantFrom('ann', 'bob'),
    inReplyToUsername: fc.constantFrom('ann', 'bob'),
    lang: fc.constantFrom('en', 'de', 'und'),
    isRetweet: fc.boolean(),
    isReply: fc.boolean(),
    isQuote: fc.boolean(),
    hasVideo: fc.boolean(),
    repostOfId: fc.constantFrom('20', '21'),
    repostOfUsername: fc.constantFrom('ann', 'bob'),
    replyToId: fc.constantFrom('20', '21'),
    country: fc.constant('GB'),
    places: fc.constant(['London']),
    boxes: fc.constant([{ west: 0, east: 0.1, south: 0, north: 0.1 }]),
    contexts: fc.constantFrom(['47.1'], ['47.2', '4.1']),
  },
  { requiredKeys: ['text'] },
);
const streamPost = fc.record(
  {
    id: fc.bigInt({ min: 1n, max: 2n ** 63n - 1n }),
    post: indexable,
    quoted: indexable,
    texts: fc
      .record({
        bio: fc.array(text, { maxLength: 2 }),
        url_title: fc.array(text, { maxLength: 2 }),
      })
      .map(
        ({ bio, url_title }) =>
          (field: SearchedField): string[] =>
            field === 'bio' ? bio : field === 'url_title' ? url_title : ['Ann x'],
      ),
    amount: fc.integer({ min: 0, max: 6 }).map((n) => () => n),
    affiliates: fc.constant(['NASA']),
    toAffiliates: fc.constant(['NASA']),
  },
  { requiredKeys: ['id', 'post'] },
) as fc.Arbitrary<StreamPost>;

function needs(rules: readonly string[], kind?: RuleKind): { id: string; need: RuleNeed }[] {
  return rules.flatMap((value, i) => {
    const parsed = parseRule(value, kind);
    return parsed.ok ? [{ id: String(i), need: needOf(parsed.ast) }] : [];
  });
}

const need = (value: string): RuleNeed => needs([value])[0]?.need ?? { kind: 'any', of: [] };

describe('the index finds what evaluating every rule finds', () => {
  test.each([
    ['filtered_stream', rule],
    ['powerstream', powerRule],
  ] as const)('for generated rules of %s and Posts', (kind, rules) => {
    const cases = runs(1500);
    let found = 0;
    fc.assert(
      fc.property(
        fc.array(rules, { minLength: 1, maxLength: 20 }),
        fc.array(streamPost, { minLength: 1, maxLength: 5 }),
        fc.array(fc.nat(19)),
        (texts, posts, removed) => {
          const rules = needs(texts, kind);
          const index = ruleIndex();
          index.add(rules);
          const gone = new Set(removed.map(String));
          index.remove([...gone]);
          const rest = rules.filter(({ id }) => !gone.has(id));
          expect(index.size).toBe(rest.length);
          for (const post of posts) {
            const view = postView(post);
            const expected = rest.filter((each) => meets(each.need, view)).map(({ id }) => id);
            expect(index.match(view)).toEqual(expected);
            found += expected.length;
          }
        },
      ),
      { numRuns: cases },
    );
    expect(found).toBeGreaterThan(cases / 2);
  });

  test('after keys were chosen again by how often terms occurred', () => {
    const index = ruleIndex();
    const rules = needs([
      'cat dog',
      '"the cat" lang:en',
      '(cat OR dog) x',
      'x -dog',
      'sample:50 x',
    ]);
    index.add(rules);
    const some = fc.sample(streamPost, { numRuns: 3000, seed: 7 });
    for (const post of some) {
      const view = postView(post);
      const expected = rules.filter((each) => meets(each.need, view)).map(({ id }) => id);
      expect(index.match(view)).toEqual(expected);
    }
  });
});

describe('changing rules', () => {
  const cat = postView({ id: 1n, post: { text: 'a cat' } });

  test('a rule is found as soon as it is added, and no longer once it is removed', () => {
    const index = ruleIndex();
    expect(index.match(cat)).toEqual([]);
    index.add([{ id: 'a', need: need('cat') }]);
    index.add([{ id: 'b', need: need('cat -dog') }]);
    expect(index.match(cat)).toEqual(['a', 'b']);
    index.remove(['a', 'unknown']);
    expect(index.match(cat)).toEqual(['b']);
    index.remove(['b']);
    expect(index.match(cat)).toEqual([]);
    expect(index.size).toBe(0);
  });

  test('a rule of the same id replaces the earlier one', () => {
    const index = ruleIndex();
    index.add([{ id: 'a', need: need('cat') }]);
    index.add([{ id: 'a', need: need('dog') }]);
    expect(index.size).toBe(1);
    expect(index.match(cat)).toEqual([]);
    expect(index.match(postView({ id: 2n, post: { text: 'dog' } }))).toEqual(['a']);
  });
});
