import { describe, expect, it } from 'vitest';
import { MOST_NEWS_MS, storiesAbout } from '#app/api/news-api.ts';
import { invalidParameters } from '#contract/fault.ts';
import { Stories, type StorySearch } from '#app/events/stories.svelte.ts';
import { HOUR_MS, MINUTE_MS } from '#core/time/span.ts';

const END = Date.UTC(2026, 4, 11, 9, 30);
const SEARCH: StorySearch = {
  source: 'posts',
  queries: ['croissants', 'matcha'],
  window: { start: END - 36 * HOUR_MS, end: END },
  now: END + HOUR_MS,
  revision: 1,
  offline: false,
};
const STORY = {
  id: '9',
  name: 'Matcha croissants in all shops',
  keywords: ['matcha', 'croissants', 'bakery'],
  start: END - 30 * HOUR_MS,
  end: END - 3 * HOUR_MS,
  posts: 96,
};

describe('the stories about the charted topics', () => {
  it('are asked for each query once, and each is one event', async () => {
    const asked: string[] = [];
    const stories = new Stories((source, { query, span }) => {
      asked.push(`${source} ${query} ${(span.end - span.start) / HOUR_MS}`);
      return Promise.resolve([STORY]);
    });
    await stories.load(SEARCH);
    await stories.load(SEARCH);
    expect(asked).toEqual(['posts croissants 37', 'posts matcha 37']);
    expect(stories.events).toEqual([
      {
        kind: 'story',
        id: '9',
        start: STORY.start,
        end: STORY.end,
        title: STORY.name,
        detail: '96 Posts, matcha, croissants, bakery',
        source: '',
        keywords: STORY.keywords,
      },
    ]);
  });

  it.each([
    ['while they are off', { source: null }, ''],
    ['without a query', { queries: [] }, ''],
    [
      'over a longer time than an answer covers',
      { window: { start: END - MOST_NEWS_MS - 1, end: END } },
      'Zoom in to 30 days or less to see stories.',
    ],
  ])('are not asked for %s', async (_, change, lack) => {
    const stories = new Stories(() => Promise.reject(new Error('asked')));
    await stories.load({ ...SEARCH, ...change });
    expect([stories.events, stories.lack]).toEqual([[], lack]);
  });

  it('stay while the service is away, and say so if it does not answer', async () => {
    let fails = false;
    const stories = new Stories(() =>
      fails ? Promise.reject(new Error('away')) : Promise.resolve([STORY]),
    );
    await stories.load(SEARCH);
    fails = true;
    await stories.load({ ...SEARCH, offline: true });
    expect(stories.events).toHaveLength(1);
    await stories.load(SEARCH);
    expect([stories.events, stories.lack]).toEqual([
      [],
      'Stories could not be searched because the service doesn’t answer.',
    ]);
  });

  it('of other topics stay if one cannot be searched', async () => {
    const refused = invalidParameters([{ parameter: 'query', message: 'no' }]);
    const stories = new Stories((_, { query }) =>
      query === 'matcha' ? Promise.reject(refused) : Promise.resolve([STORY]),
    );
    await stories.load(SEARCH);
    expect([stories.events.length, stories.lack]).toEqual([
      1,
      'Not all stories could be searched because a topic’s query is refused.',
    ]);
  });

  it('are not asked for again while the time moves within its hours', async () => {
    let asked = 0;
    const stories = new Stories(() => {
      asked += 1;
      return Promise.resolve([]);
    });
    const ask = (minutes: number): Promise<void> => {
      const { start, end } = SEARCH.window;
      const by = minutes * MINUTE_MS;
      return stories.load({ ...SEARCH, window: { start: start + by, end: end + by } });
    };
    await ask(0);
    await ask(20);
    expect(asked).toBe(2);
    expect(stories.lack).toBe('No story of this time shares a word with a topic.');
    await ask(40);
    expect(asked).toBe(4);
  });
});

describe('a request for stories', () => {
  it('counts whole hours back from the last whole minute that is known, and leaves out what ended before', async () => {
    const paths: string[] = [];
    const client = {
      json: async <T>(path: string) => {
        paths.push(path);
        const minute = (at: number) => new Date(at).toISOString();
        const story = { id: '1', rest_id: '1', name: 'A', post_count: 12, keywords: [] };
        return {
          data: [
            { ...story, start_time: minute(END - 9 * HOUR_MS), end_time: minute(END - HOUR_MS) },
            {
              ...story,
              start_time: minute(END - 9 * HOUR_MS),
              end_time: minute(END - 8 * HOUR_MS),
            },
          ],
        } as T;
      },
    };
    const span = { start: END - 7.5 * HOUR_MS, end: END + HOUR_MS };
    const ask = { query: 'tea', span, now: END + 30_000 };
    const stories = await storiesAbout(client, 'sample', ask, new AbortController().signal);
    expect(new URLSearchParams(paths[0]?.split('?')[1]).get('max_age_hours')).toBe('8');
    expect(paths[0]).toContain('end_time=2026-05-11T09%3A30');
    expect(stories.map(({ start, end }) => [start, end])).toEqual([
      [END - 9 * HOUR_MS, END - HOUR_MS + MINUTE_MS],
    ]);
  });
});
