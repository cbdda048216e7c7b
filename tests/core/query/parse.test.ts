import { describe, expect, it } from 'vitest';
import type { Ast } from '#core/query/ast.ts';
import { message } from '#core/query/message.ts';
import { parse } from '#core/query/parse.ts';

/** A query's shape as text: `(and word:a not from:b)`. */
function shape(ast: Ast): string {
  if (ast.kind === 'clause') return `${ast.negated ? 'not ' : ''}${ast.operator}:${ast.value}`;
  return `(${ast.kind} ${ast.of.map(shape).join(' ')})`;
}

function read(text: string): string {
  const parsed = parse(text);
  return parsed.ok ? shape(parsed.ast) : message(parsed.diagnostics);
}

const UNAVAILABLE =
  'Operator is not available in current product or product packaging. Please refer to complete available operator list at http://t.co/operators.';
const PREFIX = 'There were errors processing your request: ';

describe('what a query means', () => {
  it.each([
    ['cat', 'word:cat'],
    ['cat dog', '(and word:cat word:dog)'],
    ['apple OR iphone ipad', '(or word:apple (and word:iphone word:ipad))'],
    ['(apple OR iphone) ipad', '(and (or word:apple word:iphone) word:ipad)'],
    ['((cat))', 'word:cat'],
    ['cat -dog -"big dog"', '(and word:cat not word:dog not phrase:big dog)'],
    ['"fake news"', 'phrase:fake news'],
    ['"say \\"no\\" now"', 'phrase:say "no" now'],
    ['coca-cola', 'word:coca-cola'],
    ['"don\'t"', "phrase:don't"],
    ['a"b c"', '(and word:a phrase:b c)'],
    ['#Tag ＃Tag', '(and hashtag:Tag hashtag:Tag)'],
    ['@User', 'mention:User'],
    ['$TSLA $brk.b', '(and cashtag:TSLA cashtag:brk.b)'],
    ['#2016', 'hashtag:2016'],
    ['2016 12:30', '(and word:2016 word:12:30)'],
    ['😀 OR 👍🏽 OR ❤️', '(or emoji:😀 emoji:👍🏽 emoji:❤️)'],
    ['"👍🏽"', 'phrase:👍🏽'],
    ['hot🔥', 'word:hot🔥'],
    ['from:user FROM:123 to:user_1', '(and from:user from:123 to:user_1)'],
    ['url:nasa url:"https://t.co/x"', '(and url:nasa url:https://t.co/x)'],
    ['cat lang:zh-TW', '(and word:cat lang:zh-TW)'],
    ['cat is:Retweet -is:nullcast', '(and word:cat is:retweet not is:nullcast)'],
    ['cat has:media_link has:videos', '(and word:cat has:media has:video_link)'],
    ['conversation_id:1334987486343299072', 'conversation_id:1334987486343299072'],
    ['the cat', '(and word:the word:cat)'],
    ['"or" cat', '(and phrase:or word:cat)'],
    ['retweets_of:User OR retweets_of:12', '(or retweets_of:User retweets_of:12)'],
    ['in_reply_to_tweet_id:1', 'in_reply_to_tweet_id:1'],
    ['retweets_of_tweet_id:1', 'retweets_of_tweet_id:1'],
    ['quotes_of_tweet_id:1', 'quotes_of_tweet_id:1'],
    ['list:123', 'list:123'],
    ['context:10.799022225751871488', 'context:10.799022225751871488'],
    ['place:"new york city"', 'place:new york city'],
    ['place:Seattle OR place:fd70c22040963ac7', '(or place:Seattle place:fd70c22040963ac7)'],
    ['place_country:US', 'place_country:US'],
    ['point_radius:[2.355128 48.861118 16km]', 'point_radius:[2.355128 48.861118 16km]'],
    ['-point_radius:[-02.50 .5 5.0MI] x', '(and not point_radius:[-2.5 0.5 5mi] word:x)'],
    [
      'bounding_box:[-105.301758 39.964069 -105.178505 40.09455]',
      'bounding_box:[-105.301758 39.964069 -105.178505 40.09455]',
    ],
    ['geo_bounding_box:[0 0 0.1 0.1]', 'bounding_box:[0 0 0.1 0.1]'],
    ['min_likes:0100', 'min_likes:100'],
    ['min_replies:0 min_reposts:7', '(and min_replies:0 min_reposts:7)'],
    ['cat is:verified', '(and word:cat is:verified)'],
    ['constructor', 'word:constructor'],
    // One clause that may be the whole query is enough for all of it (platform-facts 2.2, 2.5).
    ['cat OR is:retweet', '(or word:cat is:retweet)'],
    ['cat OR the', '(or word:cat word:the)'],
    ['東京 OR ราคา', '(or word:東京 word:ราคา)'],
    // Examples of the public documents.
    [
      '(from:twitterdev -is:retweet) OR #twitterdev',
      '(or (and from:twitterdev not is:retweet) hashtag:twitterdev)',
    ],
    [
      '("Twitter API" OR #v2) -"recent search"',
      '(and (or phrase:Twitter API hashtag:v2) not phrase:recent search)',
    ],
    [
      '(grumpy cat) OR (#meme has:images)',
      '(or (and word:grumpy word:cat) (and hashtag:meme has:images))',
    ],
    [
      '"X data" has:mentions (has:media OR has:links)',
      '(and phrase:X data has:mentions (or has:media has:links))',
    ],
  ])('%s', (text, expected) => {
    expect(read(text)).toBe(expected);
  });

  it('has the position of every clause, including minus sign and group', () => {
    const parsed = parse('cat (-"a b" OR from:x)');
    if (!parsed.ok || parsed.ast.kind === 'clause') throw new Error('expected a group');
    const group = parsed.ast.of[1];
    expect(group).toMatchObject({ at: 4, length: 18 });
    if (group?.kind !== 'or') throw new Error('expected alternatives');
    expect(group.of[0]).toMatchObject({ at: 5, length: 6, value: 'a b', negated: true });
    expect(group.of[1]).toMatchObject({ at: 15, length: 6, value: 'x' });
  });
});

describe('recorded messages of the platform', () => {
  it.each([
    ['a', 'Rules must contain at least one positive, non-stopword clause (at position 1)'],
    ['the -cat', 'Rules must contain at least one positive, non-stopword clause (at position 1)'],
    ['-cat -dog', 'Rules must contain a non-negation term (at position 1)'],
    ['(-sense OR storm) -like', 'Rules must contain a non-negation term (at position 1)'],
    ['has:media', 'is/has/lang cannot be used as a standalone operator (at position 1)'],
    [
      'has:links OR is:retweet',
      'is/has/lang cannot be used as a standalone operator (at position 1)',
    ],
    ['lang:en -cat', 'is/has/lang cannot be used as a standalone operator (at position 1)'],
    [
      'has:polls',
      `is/has/lang cannot be used as a standalone operator (at position 1), Reference to invalid operator 'has:polls'. ${UNAVAILABLE} (at position 1)`,
    ],
    [
      'hello, near_radius:[1 2 3mi]',
      `Reference to invalid operator 'near_radius'. ${UNAVAILABLE} (at position 8)`,
    ],
    [
      'cat since:2020-01-01',
      `Reference to invalid operator 'since'. ${UNAVAILABLE} (at position 5)`,
    ],
    ['quotes_of:12', `Reference to invalid operator 'quotes_of'. ${UNAVAILABLE} (at position 1)`],
    ['(cat) dog)', "missing EOF at ')' (at position 10)"],
    ['[cat', "no viable alternative at input '[' (at position 1)"],
    ["(pepsi OR cola OR 'coca cola')", "no viable alternative at character ''' (at position 19)"],
    [
      "(x OR 'AI applications' OR 'data science') (#AI)",
      "no viable alternative at character ''' (at position 7), no viable alternative at character ''' (at position 28)",
    ],
    [
      '(humorous AND (film OR movies)) -is:retweet lang:en',
      'Ambiguous use of and as a keyword. Use a space to logically join two clauses, or "and" to find occurrences of and in text (at position 11)',
    ],
  ])('%s', (text, expected) => {
    expect(read(text)).toBe(PREFIX + expected);
  });
});

describe('faults: position, rule and fix', () => {
  it.each([
    ['', 'empty', 0, undefined],
    ['   ', 'empty', 0, undefined],
    ['cat dog)', 'stray-parenthesis', 7, ''],
    ['x (cat', 'open-parenthesis', 2, '(cat)'],
    ['()', 'missing-clause', 1, undefined],
    ['cat OR', 'missing-clause', 4, ''],
    ['OR cat', 'missing-clause', 0, ''],
    ['cat OR OR dog', 'missing-clause', 7, ''],
    ['cat or dog', 'ambiguous-keyword', 4, 'OR'],
    ['cat and dog', 'ambiguous-keyword', 4, ''],
    ['cat AND (dog OR cow)', 'ambiguous-keyword', 4, ''],
    ['and cat', 'ambiguous-keyword', 0, '"and"'],
    ['cat -and dog', 'ambiguous-keyword', 5, '"and"'],
    ['cat or', 'ambiguous-keyword', 4, '"or"'],
    ['x -(a OR cat)', 'negated-group', 2, '-a -cat'],
    ['x -(cat dog)', 'negated-group', 2, '(-cat OR -dog)'],
    ['x -(cat -(dog fox))', 'negated-group', 2, '(-cat OR dog fox)'],
    ['cat OR -dog', 'only-negated', 7, undefined],
    ['cat is:nullcast', 'must-negate', 4, '-is:nullcast'],
    ['from:@user', 'invalid-from', 0, 'from:user'],
    ['from:a-b', 'invalid-from', 0, undefined],
    ['to:this_name_is_much_too_long', 'invalid-to', 0, undefined],
    ['from:', 'missing-value', 0, undefined],
    ['from: user', 'missing-value', 0, undefined],
    ['cat lang:english', 'invalid-lang', 4, undefined],
    ['cat lang:en,de', 'invalid-lang', 4, undefined],
    ['conversation_id:abc', 'invalid-conversation_id', 0, undefined],
    ['constructor:cat', 'unknown-operator', 0, undefined],
    // A letter with a decomposed accent; folded, it would be another operator's name.
    ['lA\u0300ng:en', 'unknown-operator', 0, undefined],
    ['retweets_of:@user', 'invalid-retweets_of', 0, 'retweets_of:user'],
    ['quotes_of_tweet_id:x', 'invalid-quotes_of_tweet_id', 0, undefined],
    ['list:mine', 'invalid-list', 0, undefined],
    ['list:1 list:2', 'only-once', 7, undefined],
    ['context:10', 'invalid-context', 0, undefined],
    ['place:st.louis', 'invalid-place', 0, 'place:"st.louis"'],
    ['place_country:USA', 'invalid-place_country', 0, undefined],
    ['point_radius:[1 2]', 'invalid-point_radius', 0, undefined],
    ['point_radius:[1,2,3mi]', 'invalid-point_radius', 0, 'point_radius:[1 2 3mi]'],
    ['point_radius:"1 2 3mi"', 'invalid-point_radius', 0, 'point_radius:[1 2 3mi]'],
    ['point_radius:[1 2 3]', 'invalid-point_radius', 0, undefined],
    ['point_radius:[1 2 25mi]', 'invalid-point_radius', 0, undefined],
    ['point_radius:[1 2 40.3km]', 'invalid-point_radius', 0, undefined],
    ['point_radius:[1 2 0mi]', 'invalid-point_radius', 0, undefined],
    ['point_radius:[181 2 3mi]', 'invalid-point_radius', 0, undefined],
    ['point_radius:[1 91 3mi]', 'invalid-point_radius', 0, undefined],
    ['bounding_box:[1 2 1 3]', 'invalid-bounding_box', 0, undefined],
    ['bounding_box:[1 2 1.1 2]', 'invalid-bounding_box', 0, undefined],
    ['bounding_box:[1 2 1.1 2.4]', 'invalid-bounding_box', 0, undefined],
    ['bounding_box:[1 2 1.4 2.1]', 'invalid-bounding_box', 0, undefined],
    ['geo_bounding_box:[1,2,1.1,2.1]', 'invalid-bounding_box', 0, 'bounding_box:[1 2 1.1 2.1]'],
    ['min_likes:ten', 'invalid-min_likes', 0, undefined],
    ['min_likes:-1', 'invalid-min_likes', 0, undefined],
    ['min_likes:1,000', 'invalid-min_likes', 0, 'min_likes:1000'],
    ['min_faves:10', 'unknown-operator', 0, 'min_likes:10'],
    ['min_retweets:10', 'unknown-operator', 0, 'min_reposts:10'],
    ['url:nasa.gov', 'invalid-url', 0, 'url:"nasa.gov"'],
    ['url:"..."', 'invalid-url', 0, undefined],
    ['https://t.co/x', 'unknown-operator', 0, 'url:"https://t.co/x"'],
    ['breaking: news', 'unknown-operator', 0, '"breaking"'],
    ['#ta-g', 'invalid-hashtag', 0, '#ta'],
    ['#', 'invalid-hashtag', 0, undefined],
    ['@us.er', 'invalid-mention', 0, '@us'],
    ['$100', 'invalid-cashtag', 0, '"$100"'],
    ['cat ...', 'no-word', 4, undefined],
    ['cat "!"', 'no-word', 4, undefined],
    ['trump*', 'stray-character', 5, ''],
    ['cat|dog', 'stray-character', 3, ' OR '],
    ['cat "dog', 'open-quote', 4, '"dog"'],
    ['“fake news” cat', 'quote-outside', 0, '"fake news"'],
    ["cat don't", 'quote-outside', 4, '"don\'t"'],
    ['cat don’t', 'quote-outside', 4, '"don’t"'],
    ['cat - dog', 'stray-minus', 4, '-'],
    ['cat –dog', 'stray-minus', 4, '-'],
    ['cat --dog', 'stray-minus', 4, '-'],
    ['"cat"-dog', 'stray-minus', 5, ' -'],
    ['cat -', 'stray-minus', 4, ''],
  ])('%j breaks %s at %i', (text, rule, at, fix) => {
    const parsed = parse(text);
    if (parsed.ok) throw new Error('expected diagnostics');
    const [first, ...more] = parsed.diagnostics;
    expect(more).toEqual([]);
    expect([first?.rule, first?.at, first?.fix]).toEqual([rule, at, fix]);
    if (first === undefined || fix === undefined) return;
    const applyFix = text.slice(0, at) + fix + text.slice(at + first.length);
    expect(parse(applyFix), applyFix).toMatchObject({ ok: true });
  });

  it('names the wrong number of an area', () => {
    const parsed = parse('cat point_radius:[1 2 30mi]');
    if (parsed.ok) throw new Error('expected diagnostics');
    expect(parsed.diagnostics).toMatchObject([{ at: 4, length: 23, column: 22 }]);
  });

  it('accepts entity: only for the last seven days, quoted', () => {
    expect(parse('entity:"Michael Jordan"', { product: 'recent' })).toMatchObject({
      ok: true,
      ast: { operator: 'entity', value: 'Michael Jordan' },
    });
    expect(parse('entity:"Michael Jordan"', { product: 'all' })).toMatchObject({
      diagnostics: [{ rule: 'unknown-operator' }],
    });
    expect(parse('entity:jordan', { product: 'recent' })).toMatchObject({
      diagnostics: [{ rule: 'invalid-entity', fix: 'entity:"jordan"' }],
    });
  });

  it('names the apostrophe in the message, and covers the whole word', () => {
    const parsed = parse("cat don't");
    if (parsed.ok) throw new Error('expected diagnostics');
    expect(parsed.diagnostics[0]).toMatchObject({ at: 4, length: 5, column: 7 });
    expect(message(parsed.diagnostics)).toContain('(at position 8)');
  });

  it('reports several faults at once, in order of position', () => {
    const parsed = parse('from:@x since:2020 lang:nonsense cat');
    if (parsed.ok) throw new Error('expected diagnostics');
    expect(parsed.diagnostics.map((d) => d.rule)).toEqual([
      'invalid-from',
      'unknown-operator',
      'invalid-lang',
    ]);
  });

  it('limits the depth of groups', () => {
    const nested = (depth: number): string => '('.repeat(depth) + 'cat' + ')'.repeat(depth);
    expect(parse(nested(100)).ok).toBe(true);
    const parsed = parse(nested(101));
    expect(parsed.ok ? [] : parsed.diagnostics.map((d) => d.rule)).toEqual(['too-deep']);
  });
});

describe('any text', () => {
  it.each([
    ['open parentheses', '('.repeat(100_000)],
    ['negated groups', '-('.repeat(100_000)],
    ['groups', '(a)'.repeat(50_000)],
    ['apostrophes', " 'a".repeat(50_000)],
    ['smart quotes', '“a '.repeat(50_000)],
    ['backslashes', '"' + '\\"'.repeat(100_000)],
    ['a long word', 'x'.repeat(500_000)],
    ['emoji and marks', '👍🏽\u200d\ufe0f'.repeat(50_000)],
    ['keycaps', '1\u20e3'.repeat(100_000)],
    ['brackets', 'x:['.repeat(50_000)],
    ['areas', 'point_radius:[1 2 3mi] '.repeat(20_000)],
    ['open areas', 'point_radius:[1 2 '.repeat(20_000)],
    ['lists', 'list:1 '.repeat(20_000)],
    ['dashes', '- '.repeat(100_000)],
  ])('is parsed in linear time: %s', (_, text) => {
    expect(parse(text)).toHaveProperty('ok');
  });
});
