import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { FakeClock } from '#tests/support/timers.ts';
import { MINUTE_MS } from '#core/time/span.ts';
import { openPosts } from '#server/posts/store/post-table.ts';
import { activityApp } from '#tests/server/api/streams/activity/activity-stage.ts';
import { firePosts, usualPosts } from '#tests/support/data/stories.ts';
import { startService, type TestPost, type TestService } from '#tests/support/service/service.ts';

const FIRE = Date.parse('2026-11-18T09:23:00Z');
const FIELDS = ['cluster_posts_results', 'contexts', 'name', 'summary', 'updated_at'];

let clock: FakeClock;
let service: TestService;
let app: ReturnType<typeof activityApp>;
beforeEach(() => {
  clock = new FakeClock(FIRE);
  service = startService({
    posts: usualPosts(FIRE, 35),
    now: clock.now,
    reporting: clock.timer,
  });
  app = activityApp(service);
});
afterEach(() => service.close());

/** Lets minutes pass; what is due is done before the next one. */
async function minutes(n: number): Promise<void> {
  await clock.move(n * MINUTE_MS, async () => service.reporting?.rest());
}

/** Posts that users create, each at its minute. */
async function create(posts: readonly TestPost[]): Promise<void> {
  const users = new Map<string, ReturnType<typeof app.user>>();
  for (const { username = '', text } of posts) {
    const user = users.get(username) ?? app.user(username);
    users.set(username, user);
    // Nobody creates the same Post twice.
    const { status, body } = await user.post('/2/tweets', { text: `${text} ${clock.at}` });
    expect([status, body]).toEqual([201, body]);
    await minutes(1);
  }
}

/** The stories in the log. */
function reported(): { name: string; id: string }[] {
  return service.events.posts
    .after(0, 1000)
    .filter(({ type }) => type === 'news.new')
    .map(({ body }) => body['story'] as { name: string; id: string });
}

describe('what becomes a story', () => {
  it('is sent to an open activity stream, once, also after a restart', async () => {
    await app.subscribe('news.new', { keyword: 'HARBOUR' });
    await app.subscribe('news.new', { keyword: 'coffee' });
    const stream = await app.connect();
    const fire = firePosts(FIRE, 40);
    await create(fire.slice(0, 25));
    const { data } = await stream.next();
    expect(data).toMatchObject({ filter: { keyword: 'HARBOUR' }, event_type: 'news.new' });
    expect(Object.keys(data.payload).sort()).toEqual(
      ['category', 'disclaimer', 'hook', 'id', ...FIELDS].sort(),
    );
    expect(data.payload.name).toContain('harbour');
    await stream.close();
    expect(reported()).toEqual([data.payload]);

    await service.restart();
    await create(fire.slice(25));
    expect(reported()).toEqual([data.payload]);
    expect(await app.ids('/2/news/search?query=harbour')).toEqual([data.payload.id]);
    expect(service.log).toEqual([]);
  });

  it(
    'is found in Posts that are imported, and not sought while none arrive',
    { tags: 'long' },
    async () => {
      service.add('posts', firePosts(FIRE, 30));
      await minutes(30);
      expect(reported()).toHaveLength(1);
      const { number } = service.events.posts.after(0, 1000).at(-1)!;
      await minutes(60);
      expect(service.events.posts.last()).toBe(number);
    },
  );

  it('is not reported if it became one long ago', async () => {
    service.add('posts', firePosts(FIRE, 60));
    clock.at += 14 * 60 * MINUTE_MS;
    service.add('posts', [{ id: 5n, createdAt: clock.at, text: 'one more Post' }]);
    await minutes(3);
    expect(reported()).toEqual([]);
  });

  it('is sought again after an error, which is logged in one line', { tags: 'long' }, async () => {
    service.add('posts', firePosts(FIRE, 30));
    const db = openPosts(join(service.folder, 'posts.sqlite'), { random: randomBytes });
    db.exec(
      `INSERT INTO event (n, at, total, type, users, post, body) VALUES (1, 0, 0, 'odd', '[]', null, '{}')`,
    );
    await minutes(30);
    expect(service.log).toHaveLength(30);
    expect(service.log[0]).toBe(
      'New stories of the source posts were not reported: expected a type of event, got odd',
    );
    db.exec('DELETE FROM event');
    db.close();
    await minutes(1);
    expect(reported()).toHaveLength(1);
  });
});
