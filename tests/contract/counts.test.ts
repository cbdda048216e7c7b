import { describe, expect, it } from 'vitest';
import * as v from 'valibot';
import { CountsRequest, queryLength, queryLengthLimit } from '#contract/counts.ts';

describe('the length of a query', () => {
  // The first is the example in the platform's documentation (platform-facts 2.4).
  it.each([
    ['(happy OR happiness) place_country:GB -birthday -is:retweet', 59],
    ['', 0],
    ['größe', 5],
    ['東京', 2],
    ['🎉🎉', 2],
  ])('%s has %i characters', (query, length) => {
    expect(queryLength(query)).toBe(length);
  });

  // platform-facts section 0.
  it.each([
    ['recent', 'self-service', 512],
    ['recent', 'enterprise', 512],
    ['all', 'pay-per-use', 1024],
    ['all', 'enterprise', 4096],
  ] as const)('of %s with %s access is at most %i', (endpoint, access, limit) => {
    expect(queryLengthLimit(endpoint, access)).toBe(limit);
  });
});

describe('search_count.fields', () => {
  const read = (fields: string) =>
    v.safeParse(CountsRequest, { query: 'tea', 'search_count.fields': fields });

  it.each([
    ['start', { fields: ['start'], vocabulary: 'tweet' }],
    ['tweet_count,end', { fields: ['end', 'tweet_count'], vocabulary: 'tweet' }],
    ['end,start,post_count', { fields: ['end', 'start', 'tweet_count'], vocabulary: 'post' }],
  ])('%s selects %j', (fields, selection) => {
    expect(read(fields).output).toMatchObject({ 'search_count.fields': selection });
  });

  it('refuses both names of the count together', () => {
    const [issue] = read('tweet_count,post_count').issues ?? [];
    expect(issue?.message).toContain('[tweet_count]');
    expect(issue?.message).toContain('[post_count]');
  });
});
