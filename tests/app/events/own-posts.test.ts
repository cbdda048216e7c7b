import { describe, expect, it } from 'vitest';
import { UNREACHABLE } from '#app/api/answer-fault.ts';
import type { PostSearch, SearchedPost } from '#app/api/search-api.ts';
import { MOST_OWN_POSTS, OwnPosts, type OwnSearch } from '#app/events/own-posts.svelte.ts';
import { Fault } from '#contract/fault.ts';
import { DAY_MS } from '#core/time/span.ts';

const window = { start: 0, end: DAY_MS };
const SEARCH: OwnSearch = {
  accounts: ['tea_shop', 'tea_news'],
  window,
  held: { ...window, revision: 1 },
  moment: 0,
  viewer: null,
  offline: false,
};
const fault = (status: number, type: string): Fault =>
  new Fault(status, { title: 'No', type, status });

const postOf = (id: number): SearchedPost => ({
  id: `${id}`,
  at: id,
  text: `Post ${id}`,
  lang: null,
  author: { name: null, username: 'tea_shop' },
  url: null,
  reposts: 2,
  likes: null,
  replies: 0,
  raw: { id: `${id}`, text: '', created_at: new Date(id).toISOString() },
});

describe('the Posts of the user’s accounts', () => {
  it('are searched by their authors, and say how far their numbers are known', async () => {
    const asked: string[] = [];
    const posts = new OwnPosts((source, endpoint, { query, max }) => {
      asked.push(`${source} ${endpoint} ${query} ${max}`);
      return Promise.resolve({ posts: [postOf(1)], next: null });
    });
    await posts.load(SEARCH);
    expect(asked).toEqual(['posts all (from:tea_shop OR from:tea_news) 100']);
    expect(posts.events).toMatchObject([
      { kind: 'post', title: 'Post 1', detail: '2 reposts, 0 replies', source: '@tea_shop' },
    ]);
    expect(posts.lack).toBe('');
  });

  it('say that there are more than are shown', async () => {
    let page = 0;
    const posts = new OwnPosts(() => {
      page += 1;
      return Promise.resolve({
        posts: Array.from({ length: 100 }, (_, i) => postOf(page * 100 + i)),
        next: 'more',
      });
    });
    await posts.load(SEARCH);
    expect(posts.events).toHaveLength(MOST_OWN_POSTS);
    expect(posts.lack).toBe('Only your 1000 newest Posts are shown. Zoom in for others.');
  });

  it('are not searched without an account', async () => {
    const posts = new OwnPosts(() => Promise.reject(new Error('searched')));
    await posts.load({ ...SEARCH, accounts: [] });
    expect([posts.events, posts.lack]).toEqual([[], '']);
  });

  it.each([
    ['an account’s name is refused', fault(400, 'about:blank')],
    ['the service doesn’t answer', fault(0, UNREACHABLE)],
    ['the service doesn’t answer', fault(503, 'about:blank')],
  ])(
    'say that %s, and are searched again once something changed or the service is back',
    async (why, error) => {
      let searches = 0;
      const search: PostSearch = () => {
        searches += 1;
        return Promise.reject(error);
      };
      const posts = new OwnPosts(search);
      await posts.load(SEARCH);
      expect(posts.lack).toBe(`Your Posts could not be searched because ${why}.`);
      await posts.load(SEARCH);
      expect([posts.events, searches]).toEqual([[], 1]);
      await posts.load({ ...SEARCH, moment: 1 });
      expect(searches).toBe(2);
      for (const offline of [true, true, false, false]) {
        await posts.load({ ...SEARCH, moment: 1, offline });
      }
      expect(searches).toBe(3);
    },
  );
});
