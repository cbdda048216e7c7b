import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { DAY_MS, HOUR_MS } from '#core/time/span.ts';
import { FIRE_BEFORE_MS, firePosts, newsPosts, usualPosts } from '#tests/support/data/stories.ts';
import { startService, type TestPost, type TestService } from '#tests/support/service/service.ts';

const END = Date.parse('2026-11-20T00:00:00Z');
const FIRE = END - FIRE_BEFORE_MS;
const NOW = END + 2 * HOUR_MS;
const POSTS = newsPosts(END);

interface Found {
  readonly rest_id: string;
  readonly name: string;
  readonly cluster_posts_results: readonly { readonly post_id: string }[];
  readonly [field: string]: unknown;
}

/** Members of the answers that tests read. */
interface Answer {
  readonly data: Found[];
  readonly meta: { readonly result_count: number };
  readonly errors: readonly { readonly message: string }[];
}

const all = 'category,cluster_posts_results,contexts,disclaimer,hook,keywords,summary,updated_at';
const FIELDS = `news.fields=${all},start_time,end_time,post_count`;

async function json(service: TestService, path: string) {
  const answer = await service.request(path);
  return { status: answer.status, body: (await answer.json()) as Answer };
}

/** Starts a service over Posts for one test. */
async function over<T>(
  posts: readonly TestPost[],
  test: (service: TestService) => Promise<T>,
): Promise<T> {
  const service = startService({ posts, now: () => NOW });
  try {
    return await test(service);
  } finally {
    await service.close();
  }
}

const search = async (service: TestService, query: string, more = ''): Promise<Found[]> => {
  const { status, body } = await json(service, `/2/news/search?query=${query}&${FIELDS}${more}`);
  expect(status).toBe(200);
  expect(body.meta.result_count).toBe(body.data?.length ?? 0);
  return body.data ?? [];
};

/** The Posts that represent a story. */
function idsOf(story: Found | undefined): string[] {
  return story?.cluster_posts_results.map(({ post_id }) => post_id) ?? [];
}

describe('the news of a store', () => {
  let service: TestService;
  beforeAll(() => {
    service = startService({ posts: POSTS, sample: POSTS, now: () => NOW });
  });
  afterAll(() => service.close());

  it('finds what many Posts say at once, in their own words', async () => {
    const [story, ...others] = await search(service, 'harbour');
    expect(others).toEqual([]);
    expect(story).toMatchObject({
      name: 'The harbour of Nordvik is on fire, stay away from the old warehouses',
      category: 'Other',
      start_time: new Date(FIRE).toISOString(),
      end_time: new Date(FIRE + 59 * 60_000).toISOString(),
      last_updated_at_ms: new Date(FIRE + 59 * 60_000).toISOString(),
      post_count: 60,
    });
    expect(Object.keys(story?.['contexts'] ?? {})).toEqual([
      'entities',
      'finance',
      'sports',
      'topics',
    ]);
    expect(story?.hook).toMatch(
      /^From 2026-11-18 09:23 UTC, \d\d Posts with “\S+” within \d+ minutes/,
    );
    expect(story?.keywords).toEqual(expect.arrayContaining(['harbour', 'nordvik', '#harbourfire']));
    const texts = POSTS.map(({ text }) => text ?? '');
    expect(texts.some((text) => text.includes(String(story?.summary)))).toBe(true);
    const ids = idsOf(story);
    const said = POSTS.filter(({ id }) => ids.includes(String(id))).map(({ text }) => text);
    expect(said.length).toBeGreaterThan(2);
    expect(new Set(said).size).toBe(said.length);
  });

  it('answers the same under /sample', async () => {
    const { body } = await json(service, `/sample/2/news/search?query=harbour&${FIELDS}`);
    expect(body.data).toEqual(await search(service, 'harbour'));
  });

  it('answers one story by its id, and an error for an unknown one', async () => {
    const [story] = await search(service, 'harbour');
    const { body } = await json(service, `/2/news/${story?.rest_id}?${FIELDS}`);
    expect(body).toEqual({ data: story });
    const unknown = await json(service, '/2/news/123');
    expect(unknown.status).toBe(200);
    expect(unknown.body).toEqual({
      errors: [
        {
          value: '123',
          resource_type: 'news',
          parameter: 'id',
          detail: 'Could not find news with id: [123].',
          title: 'Not Found Error',
          resource_id: '123',
          type: 'https://api.x.com/2/problems/resource-not-found',
        },
      ],
    });
  });

  it('finds a story by the query language over its Posts, and over its texts', async () => {
    for (const query of ['firefighters', '%23harbourfire', 'from:witness3', '"old harbour" fire']) {
      expect(await search(service, query), query).toHaveLength(1);
    }
    for (const query of ['coffee', 'harbour -nordvik', 'from:user3']) {
      expect(await search(service, query), query).toEqual([]);
    }
  });

  it('counts the hours back from now, or from end_time', async () => {
    expect(await search(service, 'harbour', '&max_age_hours=24')).toEqual([]);
    expect(await search(service, 'harbour', '&max_age_hours=48')).toHaveLength(1);
    const after = (hours: number) => `&end_time=${new Date(FIRE + hours * HOUR_MS).toISOString()}`;
    expect(await search(service, 'harbour', `${after(1)}&max_age_hours=1`)).toHaveLength(1);
    expect(await search(service, 'harbour', `${after(0)}&max_age_hours=24`)).toEqual([]);
    expect(await search(service, 'harbour', `${after(12)}&max_age_hours=3`)).toEqual([]);
    // Nothing later than the end is known.
    const [half] = await search(service, 'harbour', after(0.5));
    expect(half).toMatchObject({
      post_count: 30,
      end_time: new Date(FIRE + 29 * 60_000).toISOString(),
    });
  });

  it('shows the default fields, or those that are named', async () => {
    const usual = await json(service, '/2/news/search?query=harbour');
    expect(Object.keys(usual.body.data[0]!).sort()).toEqual(
      'cluster_posts_results contexts id last_updated_at_ms name rest_id summary updated_at'.split(
        ' ',
      ),
    );
    const named = await json(service, '/2/news/search?query=harbour&news.fields=category');
    expect(Object.keys(named.body.data[0]!).sort()).toEqual(['category', 'id', 'name', 'rest_id']);
    const time = await json(service, '/2/news/search?query=harbour&news.fields=last_updated_at_ms');
    expect(time.body.data[0]!.last_updated_at_ms).toBe(usual.body.data[0]!.updated_at);
  });

  it.each([
    `query=${'a'.repeat(2048)}`,
    'query=tea&max_results=1',
    'query=tea&max_results=100',
    'query=tea&max_age_hours=1',
    'query=tea&max_age_hours=720',
  ])('accepts ?%s', async (parameters) => {
    const { status, body } = await json(service, `/2/news/search?${parameters}`);
    expect([status, body.errors]).toEqual([200, undefined]);
  });

  it.each([
    ['query=', "Invalid 'query':''. 'query' must be a non-empty string"],
    ['', 'The `query` query parameter can not be empty'],
    [`query=${'a'.repeat(2049)}`, "'query' must have at most 2048 characters, got 2049"],
    [
      'query=tea&max_results=0',
      'The `max_results` query parameter value [0] is not between 1 and 100',
    ],
    ['query=tea&max_results=101', 'value [101] is not between 1 and 100'],
    ['query=tea&max_age_hours=0', 'value [0] is not between 1 and 720'],
    ['query=tea&max_age_hours=721', 'value [721] is not between 1 and 720'],
    [
      'query=tea&max_age_hours=x',
      'The `max_age_hours` query parameter value [x] is not a valid Int',
    ],
    [
      'query=tea&news.fields=title',
      'The `news.fields` query parameter value [title] is not one of [',
    ],
    [
      'query=tea&end_time=2030-01-01T00:00:00Z',
      "'end_time' must not be later than the request time.",
    ],
    ['query=tea&end_time=1999-01-01T00:00:00Z', "'end_time' must be after 2006-03-21T00:00Z"],
    ['query=tea&max=1', 'The query parameter [max] is not one of [query,max_results'],
    ['query=(a', 'position'],
  ])('refuses ?%s', async (parameters, message) => {
    const { status, body } = await json(service, `/2/news/search?${parameters}`);
    expect(status).toBe(400);
    expect(body.errors[0]?.message).toContain(message);
  });
});

describe('which Posts make a story', () => {
  it(
    'does not depend on the order in which Posts came, nor on how they lie in the index',
    { tags: 'long' },
    async () => {
      const found = await over(POSTS, (service) => search(service, 'harbour'));
      const others = await over(POSTS.toReversed(), (service) => search(service, 'harbour'));
      expect(others).toEqual(found);
      const inParts = await over(POSTS.slice(0, 1500), async (service) => {
        for (let from = 1500; from < POSTS.length; from += 400) {
          service.add('posts', POSTS.slice(from, from + 400));
        }
        return search(service, 'harbour');
      });
      expect(inParts).toEqual(found);
    },
  );

  it('are not those of a usual day', { tags: 'long' }, async () => {
    await over(usualPosts(END, 35), async (service) => {
      const words = ['coffee', 'garden', 'river', 'bread OR honey OR walnut OR music'];
      for (const word of words) {
        expect(await search(service, word, '&max_age_hours=720'), word).toEqual([]);
      }
    });
  });

  it.each([
    [11, 0],
    [12, 1],
  ])('are at least twelve at once: %i are %i', async (posts, stories) => {
    await over([...usualPosts(END, 4), ...firePosts(FIRE, posts)], async (service) => {
      expect(await search(service, 'harbour')).toHaveLength(stories);
    });
  });

  it('are of at least three authors', { tags: 'long' }, async () => {
    const alone = POSTS.map((post) =>
      post.username?.startsWith('witness')
        ? { ...post, authorId: '500', username: 'witness0' }
        : post,
    );
    await over(alone, async (service) => expect(await search(service, 'harbour')).toEqual([]));
  });

  it('are not only shown to some users, and not deleted later', { tags: 'long' }, async () => {
    const hidden = POSTS.map((post) =>
      post.username?.startsWith('witness') ? { ...post, isNullcast: true } : post,
    );
    await over(hidden, async (service) => expect(await search(service, 'harbour')).toEqual([]));
  });

  it('are not those of an account that becomes protected', async () => {
    const service = startService({ posts: usualPosts(END, 35), now: () => NOW });
    try {
      const names = Array.from({ length: 4 }, (_, i) => `ann${i}`);
      const ids = names.map((name) => {
        const { account } = service.auth.issueUserToken({ name, limited: false });
        return account.id;
      });
      const fire = firePosts(FIRE).map((post, i) => ({
        ...post,
        authorId: ids[i % 4]!,
        username: names[i % 4]!,
      }));
      service.add('posts', fire);
      const [story] = await search(service, 'harbour');
      expect(story?.name).toContain('harbour');
      service.auth.accounts({ action: 'set', username: 'ann0', profile: { protected: true } });
      const [still] = await search(service, 'harbour');
      const ids0 = fire.filter(({ authorId }) => authorId === ids[0]).map(({ id }) => String(id));
      const shown = idsOf(still);
      expect([story?.post_count, still?.post_count]).toEqual([60, 45]);
      expect(shown.filter((id) => ids0.includes(id))).toEqual([]);
      service.auth.accounts({ action: 'set', username: 'ann1', profile: { protected: true } });
      expect(await search(service, 'harbour')).toEqual([]);
    } finally {
      await service.close();
    }
  });

  it(
    'may be added later: a story grows, and is found by the id that it had',
    { tags: 'long' },
    async () => {
      const fire = firePosts(FIRE, 60);
      await over([...usualPosts(END, 35), ...fire.slice(0, 25)], async (service) => {
        const [before] = await search(service, 'harbour');
        expect(before?.post_count).toBe(25);
        service.add('posts', fire.slice(25));
        const [after] = await search(service, 'harbour');
        expect(after?.post_count).toBe(60);
        expect(after?.start_time).toBe(before?.start_time);
        const { body } = await json(service, `/2/news/${before?.rest_id}?${FIELDS}`);
        expect(body.data).toEqual(after);
      });
    },
  );

  it('needs some hours from which to learn what is usual', async () => {
    const few = POSTS.filter(
      ({ createdAt }) =>
        Number(createdAt) >= FIRE - HOUR_MS && Number(createdAt) < FIRE + 2 * HOUR_MS,
    );
    await over(few, async (service) => expect(await search(service, 'harbour')).toEqual([]));
    const day = POSTS.filter(({ createdAt }) => Number(createdAt) >= FIRE - DAY_MS);
    await over(day, async (service) => expect(await search(service, 'harbour')).toHaveLength(1));
  });
});
