import { describe, expect, it } from 'vitest';
import { UNREACHABLE } from '#app/api/answer-fault.ts';
import type { PostSearch } from '#app/api/search-api.ts';
import { OwnPosts, type LaneSearch } from '#app/lanes/own-posts.svelte.ts';
import { seriesStyle } from '#app/ui/series-style.ts';
import { Fault } from '#contract/fault.ts';
import { DAY_MS } from '#core/time/span.ts';

const window = { start: 0, end: DAY_MS };
const SEARCH: LaneSearch = {
  queries: [{ query: 'tea in:gone', name: 'Tea', style: seriesStyle(0) }],
  window,
  held: { ...window, revision: 1 },
  moment: 0,
  viewer: null,
  offline: false,
};
const fault = (status: number, type: string): Fault =>
  new Fault(status, { title: 'No', type, status });

describe('Your Posts under the chart', () => {
  it.each([
    ['a query is refused', fault(400, 'about:blank')],
    ['the service doesn’t answer', fault(0, UNREACHABLE)],
    ['the service doesn’t answer', fault(503, 'about:blank')],
  ])(
    'says that %s, and searches again once something changed or the service is back',
    async (why, error) => {
      let searches = 0;
      const search: PostSearch = () => {
        searches += 1;
        return Promise.reject(error);
      };
      const posts = new OwnPosts(search);
      await posts.load(SEARCH);
      expect(posts.instead).toBe(`Your Posts could not be searched because ${why}.`);
      await posts.load(SEARCH);
      expect([posts.posts, searches]).toEqual([[], 1]);
      await posts.load({ ...SEARCH, moment: 1 });
      expect(searches).toBe(2);
      for (const offline of [true, true, false, false]) {
        await posts.load({ ...SEARCH, moment: 1, offline });
      }
      expect(searches).toBe(3);
    },
  );
});
