import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Ast } from '#core/query/ast.ts';
import { condition } from '#core/query/condition.ts';
import { explain } from '#core/query/explain.ts';
import { match } from '#core/query/match.ts';
import { OPERATORS } from '#core/query/operators.ts';
import { parse } from '#core/query/parse.ts';
import { termsOf } from '#core/text/terms.ts';
import { runs } from '#tests/support/run/runs.ts';

function ast(text: string): Ast {
  const parsed = parse(text, { product: 'recent' });
  if (!parsed.ok) throw new Error(`${text}: ${JSON.stringify(parsed.diagnostics)}`);
  return parsed.ast;
}

const languages: Record<string, string> = { en: 'English', de: 'German' };
const countries: Record<string, string> = { GB: 'Great Britain' };
const names = {
  languageName: (code: string) => languages[code],
  countryName: (code: string) => countries[code],
};

describe('a query in plain words', () => {
  it.each([
    ['matcha', 'Posts that say matcha'],
    ['matcha -recipe lang:en', 'Posts in English that say matcha but not recipe'],
    ['"oat milk" OR #oatmilk', 'Posts that say “oat milk” or carry #oatmilk'],
    ['"cold brew" (summer OR iced)', 'Posts that say “cold brew” and either summer or iced'],
    ['cat -dog -fox', 'Posts that say cat but neither dog nor fox'],
    ['cat -dog -is:retweet', 'Posts that say cat but not dog and are not reposts'],
    ['cat -is:retweet -is:reply', 'Posts that say cat but are neither reposts nor replies'],
    ['cat is:quote', 'Posts that say cat and are quotes'],
    ['cat -is:nullcast', 'Posts that say cat but are not shown only as advertisements'],
    ['cat is:verified', 'Posts by verified accounts that say cat'],
    ['from:nasa -is:retweet', 'Posts by @nasa that are not reposts'],
    ['from:nasa', 'Posts by @nasa'],
    ['from:nasa OR from:esa', 'Posts by @nasa or @esa'],
    ['cat -from:12', 'Posts that say cat but are not by account 12'],
    ['cat -lang:de', 'Posts that say cat but are not in German'],
    ['cat lang:xx', 'Posts in the language xx that say cat'],
    ['to:nasa -from:nasa', 'Posts that reply to @nasa but are not by @nasa'],
    ['@nasa #moon $TSLA 😀', 'Posts that mention @nasa and carry #moon and $TSLA and 😀'],
    ['"👍🏽"', 'Posts that carry 👍🏽'],
    ['cat has:links has:videos', 'Posts with links and videos that say cat'],
    ['cat -has:media -has:geo', 'Posts with no media and no place that say cat'],
    ['url:"nasa.gov"', 'Posts with “nasa.gov” in a link'],
    ['min_likes:10 -min_reposts:3', 'Posts with at least 10 likes and fewer than 3 reposts'],
    ['cat min_replies:2', 'Posts with at least 2 replies that say cat'],
    ['retweets_of:x -retweets_of:12', 'Posts that repost @x but do not repost account 12'],
    ['in_reply_to_tweet_id:1', 'Posts that reply to the Post 1'],
    ['retweets_of_tweet_id:2', 'Posts that repost the Post 2'],
    ['quotes_of_tweet_id:3', 'Posts that quote the Post 3'],
    ['conversation_id:4 cat', 'Posts in the conversation 4 that say cat'],
    ['list:9 context:1.2', 'Posts by members of the list 9 about the topic 1.2'],
    ['entity:"Big Ben"', 'Posts that name “Big Ben”'],
    ['place:"new york"', 'Posts from the place “new york”'],
    ['cat place_country:gb', 'Posts from Great Britain that say cat'],
    ['cat place_country:us', 'Posts from the country US that say cat'],
    ['point_radius:[1 2 3mi]', 'Posts within 3mi of longitude 1, latitude 2'],
    ['bounding_box:[1 2 1.1 2.1]', 'Posts within longitude 1 to 1.1, latitude 2 to 2.1'],
    ['rum "and" coke', 'Posts that say rum and “and” and coke'],
    ['moon (from:nasa OR from:esa)', 'Posts by @nasa or @esa that say moon'],
    ['cat (from:a OR from:b) lang:en', 'Posts in English, by @a or @b, that say cat'],
    ['cat (has:links OR lang:en)', 'Posts that say cat and either have links or are in English'],
    ['cat (dog OR #dog)', 'Posts that say cat and either say dog or carry #dog'],
    ['cat (dog OR fox) -cow', 'Posts that say cat and either dog or fox, but do not say cow'],
    ['cat (#a OR #b)', 'Posts that say cat and carry either #a or #b'],
    ['(a1 OR b1) (c1 OR d1)', 'Posts that say either a1 or b1, and say either c1 or d1'],
    ['cat OR (dog fox)', 'Posts that say cat, or say dog and fox'],
    ['cat OR (dog (fox OR #cow))', 'Posts that say cat, or say dog and (say fox or carry #cow)'],
    [
      '(cat lang:en) OR (dog -fox lang:de)',
      'Posts that say cat and are in English, or say dog and are in German but do not say fox',
    ],
    ['cat (-dog OR -fox)', 'Posts that say cat and either do not say dog or do not say fox'],
    [
      'cow (cat OR (dog fox)) -is:reply',
      'Posts that say cow and either say cat or (say dog and fox), but are not replies',
    ],
  ])('%s', (text, expected) => {
    expect(explain(ast(text), names)).toBe(expected);
  });

  it('has words for every operator', () => {
    const code = { language: (c: string) => c, country: (c: string) => c };
    for (const { describe: words } of OPERATORS.values()) {
      const { verb, object, lack } = words('1', code);
      expect(`${verb} ${object}`).toMatch(/^(are|have|reply to|repost|quote|name) \S/);
      if (verb === 'have') expect(lack).toMatch(/^(no|fewer than) \S/);
    }
  });
});

const TERMS = ['cat', 'dog', '#fox', 'lang:en', 'is:reply', 'has:links', 'from:ann'];
const clause = fc
  .tuple(fc.constantFrom(...TERMS), fc.boolean())
  .map(([term, negated]) => (negated ? `-${term}` : term));
const { group } = fc.letrec<{ group: string }>((tie) => ({
  group: fc.oneof(
    { maxDepth: 4, depthIdentifier: 'group' },
    clause,
    fc.array(tie('group'), { minLength: 2, maxLength: 3 }).map((of) => `(${of.join(' ')})`),
    fc.array(tie('group'), { minLength: 2, maxLength: 3 }).map((of) => `(${of.join(' OR ')})`),
  ),
}));

/** Every combination of terms. */
const POSTS = Array.from({ length: 2 ** TERMS.length }, (_, bits) => {
  const has = (i: number): boolean => (bits & (2 ** i)) !== 0;
  return termsOf({
    text: `yes ${has(0) ? 'cat' : ''} ${has(1) ? 'dog' : ''} ${has(2) ? '#fox' : ''} ${has(5) ? 'https://a.b/c' : ''}`,
    username: has(6) ? 'ann' : 'bob',
    lang: has(3) ? 'en' : 'de',
    isReply: has(4),
  });
});

function answers(query: Ast): string {
  const asked = condition(query);
  return POSTS.map((post) => (match(asked, post) ? 1 : 0)).join('');
}

describe('laws of plain words', () => {
  it('queries that find different Posts never have the same sentence', () => {
    const seen = new Map<string, { text: string; found: string }>();
    fc.assert(
      fc.property(group, (text) => {
        const parsed = parse(`yes ${text}`);
        if (!parsed.ok) throw new Error(text);
        const words = explain(parsed.ast);
        const found = answers(parsed.ast);
        const before = seen.get(words);
        if (before && before.found !== found) throw new Error(`${before.text} | ${text}: ${words}`);
        seen.set(words, { text, found });
      }),
      { numRuns: runs(5000) },
    );
  });
});
