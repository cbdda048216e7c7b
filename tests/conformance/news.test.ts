import { afterAll, describe, expect, it } from 'vitest';
import { NEWS_FIELDS } from '#contract/posts/news.ts';
import { MINUTE_MS } from '#core/time/span.ts';
import { activityApp } from '#tests/server/api/streams/activity/activity-stage.ts';
import { firePosts, usualPosts } from '#tests/support/stories.ts';
import { startService } from '#tests/support/service.ts';
import { FakeClock } from '#tests/support/timers.ts';

/** An answer with stories. */
interface Found {
  readonly meta: object;
  readonly data: readonly {
    readonly id: string;
    readonly contexts: object;
    readonly cluster_posts_results: readonly object[];
  }[];
}

/** A partial error. */
interface Missing {
  readonly errors: readonly { readonly title: string }[];
}

// Rows of platform-facts 1.5, 6.3 and 8, of platform-facts-additions, section 6, and of the specification's table of objects.

const FIRE = Date.parse('2026-11-18T09:23:00Z');
const clock = new FakeClock(FIRE);
const service = startService({
  posts: [...usualPosts(FIRE, 35), ...firePosts(FIRE, 30)],
  now: clock.now,
  reporting: clock.timer,
});
afterAll(() => service.close());
const app = activityApp(service);
const subscribe = (keyword: unknown, as = app) => as.subscribe('news.new', { keyword });

/** Lets minutes pass, with their news. */
async function pass(minutes: number): Promise<void> {
  await clock.move(minutes * MINUTE_MS, async () => service.reporting?.rest());
}

describe('News', () => {
  it.each([
    ['query', 'x'.repeat(2048), 'x'.repeat(2049)],
    ['max_results', '1', '0'],
    ['max_results', '100', '101'],
    ['max_age_hours', '1', '0'],
    ['max_age_hours', '720', '721'],
  ])('%s has a bound that is allowed, and refused beyond', async (name, allowed, refused) => {
    const status = async (value: string): Promise<number> => {
      const parameters = new URLSearchParams({ query: 'tea', [name]: value });
      return (await app.send('GET', `/2/news/search?${parameters.toString()}`)).status;
    };
    expect([await status(allowed), await status(refused)]).toEqual([200, 400]);
  });

  it('2025-11-19: a search answers stories with meta, and one of them by its id', async () => {
    await pass(30);
    const fields = `news.fields=${NEWS_FIELDS.join(',')}`;
    const { json } = await app.send<Found>('GET', `/2/news/search?query=harbour&${fields}`);
    expect(json.meta).toEqual({ result_count: 1 });
    const story = json.data[0]!;
    expect(Object.keys(story)).toEqual(
      expect.arrayContaining(
        'id rest_id name summary hook category contexts cluster_posts_results keywords disclaimer last_updated_at_ms updated_at'.split(
          ' ',
        ),
      ),
    );
    expect(Object.keys(story.contexts)).toEqual(['entities', 'finance', 'sports', 'topics']);
    expect(story.cluster_posts_results[0]).toEqual({ post_id: expect.stringMatching(/^\d+$/) });
    const one = await app.send('GET', `/2/news/${story.id}?${fields}`);
    expect(one.json).toEqual({ data: story });
  });

  it('an unknown id is a partial error', async () => {
    const { status, json } = await app.send<Missing>('GET', '/2/news/1');
    expect([status, json.errors[0]?.title]).toEqual([200, 'Not Found Error']);
  });
});

describe('news.new', () => {
  it('is for enterprise, and its keyword has 1 to 150 characters', async () => {
    for (const access of ['self-service', 'pay-per-use'] as const) {
      expect((await subscribe('tea', activityApp(service, { access }))).status).toBe(403);
    }
    expect((await subscribe('x'.repeat(150))).status).toBe(200);
    for (const keyword of ['', 'x'.repeat(151), undefined]) {
      expect((await subscribe(keyword)).status).toBe(400);
    }
  });

  it('has the payload of the documents', async () => {
    await subscribe('harbour');
    const [entry] = service.events.posts.after(0, 1);
    const stream = await app.connect(`?start_time=${new Date(FIRE).toISOString()}`);
    const { data } = await stream.next();
    await stream.close();
    expect(data).toEqual({
      event_uuid: expect.stringMatching(/^\d{1,19}$/),
      filter: { keyword: 'harbour' },
      event_type: 'news.new',
      payload: entry?.body['story'],
    });
    expect(new Set(Object.keys(data.payload))).toEqual(
      new Set(
        'id name category hook summary contexts cluster_posts_results updated_at disclaimer'.split(
          ' ',
        ),
      ),
    );
  });
});
