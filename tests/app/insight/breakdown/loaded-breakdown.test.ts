import { describe, expect, it } from 'vitest';
import type { SearchedPost } from '#app/api/search-api.ts';
import { loadedBreakdown } from '#app/insight/breakdown/loaded-breakdown.ts';

const SPAN = { start: Date.UTC(2026, 0, 1), end: Date.UTC(2026, 0, 2) };
let ids = 0;
const post = (text: string, raw: Record<string, unknown> = {}): SearchedPost => {
  const id = String(++ids);
  const created_at = new Date(SPAN.start).toISOString();
  return {
    id,
    at: SPAN.start,
    text,
    lang: 'en',
    author: null,
    url: null,
    reposts: null,
    likes: null,
    replies: null,
    raw: { id, text, created_at, author_id: String(ids % 3), ...raw },
  };
};
const many = (n: number, text: string, raw?: Record<string, unknown>): SearchedPost[] =>
  Array.from({ length: n }, () => post(text, raw));

describe('the breakdown of Posts that were read', () => {
  it('reads kinds, links and media from what the platform states', () => {
    const urls = [{ url: 'https://t.co/x', expanded_url: 'https://www.example.com/news' }];
    const list = [
      ...many(3, 'tea #oat', { entities: { urls } }),
      ...many(2, 'tea', { referenced_tweets: [{ type: 'replied_to', id: '1' }] }),
      post('tea', { attachments: { media_keys: ['3_1'] } }),
      post('tea', { entities: 'not what it should be' }),
    ];
    const data = loadedBreakdown('tea', list, null, SPAN);
    expect(data.posts).toBe(7);
    expect(Object.fromEntries(data.kinds.map(({ name, posts }) => [name, posts]))).toEqual({
      original: 5,
      repost: 0,
      reply: 2,
      quote: 0,
      media: 1,
      links: 4,
    });
    expect(data.domains.map(({ name, posts }) => [name, posts])).toEqual([['example.com', 3]]);
    expect(data.hashtags.map(({ clause, posts }) => [clause, posts])).toEqual([['#oat', 3]]);
    expect(data.authors).toMatchObject({ distinct: 3 });
    expect(data.authors.items[0]?.clause).toMatch(/^from:\d$/);
  });

  it('finds distinctive words in the samples alone, and counts a Post once', () => {
    const before = many(60, 'tea latte');
    const now = [...many(40, 'tea recall'), ...many(20, 'tea shelf recall')];
    const data = loadedBreakdown('tea', now.slice(0, 30), { now, before }, SPAN);
    expect(data.posts).toBe(60);
    expect(data.compared.posts).toBe(60);
    expect(data.words.map(({ name, posts }) => [name, posts])).toEqual([
      ['recall', 60],
      ['shelf', 20],
    ]);
    expect(loadedBreakdown('tea', now, null, SPAN).words).toEqual([]);
  });
});
