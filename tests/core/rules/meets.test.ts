import { describe, expect, test } from 'vitest';
import type { SearchedField } from '#core/rules/operators.ts';
import { isSampled, meets } from '#core/rules/meets.ts';
import { needOf } from '#core/rules/need.ts';
import { parseRule, type RuleKind } from '#core/rules/parse.ts';
import { postView, type StreamPost } from '#core/rules/post.ts';

function matches(rule: string, post: Partial<StreamPost>, kind?: RuleKind): boolean {
  const parsed = parseRule(rule, kind);
  if (!parsed.ok) throw new Error(`${rule}: ${parsed.diagnostics[0]?.message}`);
  return meets(needOf(parsed.ast), postView({ id: 1n, post: { text: '' }, ...post }));
}

describe('words near each other', () => {
  test.each<[rule: string, text: string, is: boolean]>([
    ['"social media"~1', 'social media', true],
    ['"social media"~1', 'social and media', true],
    ['"social media"~1', 'social and other media', false],
    ['"social media"~2', 'social and other media', true],
    // In the opposite order they may be N - 2 words apart.
    ['"social media"~1', 'media social', false],
    ['"social media"~2', 'media social', true],
    ['"social media"~2', 'media and social', false],
    ['"social media"~3', 'media and social', true],
    ['"a b c"~1', 'a x b c', true],
    ['"a b c"~1', 'a x b x c', false],
    ['"a b c"~2', 'a x b x c', true],
    ['"cat cat"~3', 'cat', false],
    ['"cat cat"~3', 'cat and a cat', true],
    ['"café bar"~1', 'café bar', true],
    ['"café bar"~1', 'cafe bar', false],
    ['dog -"social media"~2', 'dog media social', false],
  ])('%s of "%s"', (rule, text, is) => {
    expect(matches(rule, { post: { text } })).toBe(is);
  });

  test('never span a Post and the one that it quotes', () => {
    const post = { text: 'this is social' };
    expect(matches('"social media"~6', { post, quoted: { text: 'media news' } })).toBe(false);
    expect(matches('"media news"~1', { post, quoted: { text: 'media news' } })).toBe(true);
  });
});

describe('the author', () => {
  const PROFILE: Partial<Record<SearchedField, string[]>> = {
    bio: ['Data engineer in Zürich'],
    bio_name: ['Ann Example PhD'],
    bio_location: ['The Big Apple'],
  };
  const author: Partial<StreamPost> = {
    texts: (field) => PROFILE[field] ?? [],
    amount: (name) =>
      ({ followers_count: 1000, tweets_count: 5, following_count: 7, listed_count: 0 })[name],
    affiliates: ['XDevelopers', '2244994945'],
    toAffiliates: ['nasa'],
  };
  test.each<[rule: string, is: boolean]>([
    ['bio:engineer', true],
    ['bio:"data engineer"', true],
    ['bio:"engineer data"', false],
    ['bio:zürich', true],
    ['bio:zurich', false],
    ['bio:phd', false],
    ['bio_name:phd', true],
    ['bio_location:"big apple"', true],
    ['followers_count:1000', true],
    ['followers_count:1001', false],
    ['followers_count:10..1000', true],
    ['followers_count:10..999', false],
    ['min_followers:1000', true],
    ['min_followers:1001', false],
    ['tweets_count:5..5', true],
    ['following_count:8..9', false],
    ['listed_count:0..1', true],
    ['from_affiliate_of:xdevelopers', true],
    ['from_affiliate_of:2244994945', true],
    ['from_affiliate_of:nasa', false],
    ['to_affiliate_of:NASA', true],
  ])('%s', (rule, is) => {
    expect(matches(rule, author)).toBe(is);
  });

  test('about whom nothing is known meets no range', () => {
    expect(matches('followers_count:0', {})).toBe(false);
    expect(matches('bio:engineer', {})).toBe(false);
  });
});

test.each<[rule: string, is: boolean]>([
  ['url_title:snow', true],
  ['url_title:"today snow"', false],
  ['url_description:"heavy snow"', true],
  ['url_contains:PHOTOS/1', true],
  ['url_contains:hotos', true],
  ['url_contains:"?id=7"', true],
  ['url_contains:text', false],
  ['context:47.*', true],
  ['context:47.12', true],
  ['context:4.*', false],
])('what the Post links to and is about: %s', (rule, is) => {
  const post = {
    text: 'text',
    urls: ['https://example.com/Photos/1?id=7'],
    contexts: ['47.12', '47.13'],
  };
  const texts = (field: SearchedField): string[] =>
    field === 'url_title' ? ['Weather today', 'Snow'] : ['Heavy snow expected'];
  expect(matches(rule, { post, texts })).toBe(is);
});

describe('a sample', () => {
  const ids = Array.from({ length: 20_000 }, (_, i) => (BigInt(i * 37 + 1) << 22n) + 1_700_000n);

  test.each([1, 15, 50, 99])('has its share of the Posts: %i%%', (percent) => {
    const share = ids.filter((id) => isSampled(id, percent)).length / ids.length;
    expect(Math.abs(share * 100 - percent)).toBeLessThan(1.5);
  });

  test('has all Posts at 100, and those of each smaller one', () => {
    expect(ids.every((id) => isSampled(id, 100))).toBe(true);
    expect(ids.every((id) => !isSampled(id, 10) || isSampled(id, 20))).toBe(true);
  });

  test('goes by the id of the Post', () => {
    const found = ids.filter((id) => matches('cat sample:10', { id, post: { text: 'cat' } }));
    expect(found).toEqual(ids.filter((id) => isSampled(id, 10)));
  });
});

describe('powerstream', () => {
  const post = {
    text: 'A café, not cafeterias. RT at -2345.432!',
    username: 'ann',
    lang: 'en',
    repostOfId: '20',
    replyToId: '21',
    isRetweet: true,
    cashtags: ['CASH'],
    hasVideo: true,
  };
  test.each<[rule: string, is: boolean]>([
    ['contains:CAFÉ', true],
    ['contains:cafe', true],
    ['contains:afeteria', true],
    ['contains:"not cafe"', true],
    ['contains:"not café"', false],
    ['contains:"café,  not"', false],
    ['contains:-2345.432', true],
    ['contains:"of the other"', true],
    ['contains:"2345.432! words"', false],
    ['RT AND -contains:zoo', true],
    ['RT AND -contains:teria', false],
    ['cafe', false],
    ['retweets_of_status_id:20', true],
    ['retweets_of_status_id:21', false],
    ['in_reply_to_status_id:21', true],
    ['has:symbols AND has:videos', true],
    ['has:images', false],
    ['has:lang', true],
    ['is:retweet', true],
    ['RT AND lang:de OR from:ann', true],
    ['RT AND (lang:de OR from:bob)', false],
  ])('%s', (rule, is) => {
    const quoted = { text: 'words of the other' };
    expect(matches(rule, { post, quoted }, 'powerstream')).toBe(is);
  });

  test.each(['und', 'zxx', 'qme', 'qst', ''])('"%s" is no language', (lang) => {
    expect(matches('has:lang', { post: { text: '', lang } }, 'powerstream')).toBe(false);
  });
});
