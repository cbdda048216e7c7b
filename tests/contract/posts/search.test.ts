import { describe, expect, it } from 'vitest';
import * as v from 'valibot';
import { SearchRequest } from '#contract/posts/search.ts';

const messages = (endpoint: 'recent' | 'all', params: object): string[] =>
  v.safeParse(SearchRequest[endpoint], params).issues?.map(({ message }) => message) ?? [];

describe('the parameters of search', () => {
  // Recorded messages (platform-facts 1.7) and limits (section 4).
  it.each([
    [
      'recent',
      { query: 'tea', max_results: '9' },
      'The `max_results` query parameter value [9] is not between 10 and 100',
    ],
    [
      'recent',
      { query: 'tea', max_results: '101' },
      'The `max_results` query parameter value [101] is not between 10 and 100',
    ],
    [
      'all',
      { query: 'tea', max_results: '501' },
      'The `max_results` query parameter value [501] is not between 10 and 500',
    ],
    [
      'all',
      { query: 'tea', max_results: 'x' },
      'The `max_results` query parameter value [x] is not a valid Int',
    ],
    [
      'all',
      { query: 'tea', max_results: '1e2' },
      'The `max_results` query parameter value [1e2] is not a valid Int',
    ],
    [
      'all',
      { query: 'tea', sort_order: 'oldest' },
      'The `sort_order` query parameter value [oldest] is not one of [recency,relevancy]',
    ],
    [
      'all',
      { query: 'tea', 'user.fields': 'id,nick' },
      /^The `user.fields` query parameter value \[nick\] is not one of \[affiliation,/,
    ],
    [
      'all',
      { query: 'tea', 'tweet.fields': 'id,x' },
      /^The `tweet.fields` query parameter value \[x\] is not one of \[article,/,
    ],
    [
      'all',
      { query: 'tea', expansions: 'authors' },
      /^The `expansions` query parameter value \[authors\] is not one of \[article.cover_media,/,
    ],
    [
      'all',
      { query: 'tea', since_id: '-1' },
      'The `since_id` query parameter value [-1] does not match ^[0-9]{1,19}$',
    ],
    ['all', { query: ' ' }, `Invalid 'query':''. 'query' must be a non-empty string`],
    ['all', {}, 'The `query` query parameter can not be empty'],
    [
      'all',
      { query: 'tea', granularity: 'day' },
      /^The query parameter \[granularity\] is not one of \[query,start_time,/,
    ],
  ] as const)('of %s cannot be %j', (endpoint, params, message) => {
    const got = messages(endpoint, params);
    expect(got).toHaveLength(1);
    if (typeof message === 'string') expect(got[0]).toBe(message);
    else expect(got[0]).toMatch(message);
  });

  it('are parsed into values, and select fields in the order of the interface', () => {
    const read = v.parse(SearchRequest.all, {
      query: 'tea',
      start_time: '2026-11-01T00:00:00Z',
      until_id: '99',
      max_results: '500',
      'tweet.fields': 'text,created_at,text',
      expansions: 'author_id',
    });
    expect(read).toMatchObject({
      query: 'tea',
      start_time: Date.UTC(2026, 10, 1),
      until_id: 99n,
      max_results: 500,
      sort_order: 'recency',
    });
    expect(read.selection).toMatchObject({
      vocabulary: 'tweet',
      fields: ['author_id', 'created_at', 'text'],
      expansions: new Set(['author_id']),
    });
    expect(v.parse(SearchRequest.recent, { query: 'tea' }).max_results).toBe(10);
  });
});
