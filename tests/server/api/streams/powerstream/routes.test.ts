import { afterAll, beforeEach, describe, expect, it } from 'vitest';
import { DAY_MS, HOUR_MS } from '#core/time/span.ts';
import { person, type Caller } from '#tests/support/service/callers.ts';
import { startService } from '#tests/support/service/service.ts';
import { powerApp } from './power-app.ts';

let now = Date.parse('2026-11-21T10:30:20Z');
const service = startService({ now: () => now });
afterAll(() => service.close());
const alice = person(service, 'alice');
const bob = person(service, 'bob');
let app: ReturnType<typeof powerApp>;
beforeEach(() => {
  // Nothing of one test is in reach of the next.
  now += 2 * DAY_MS;
  app = powerApp(service);
});

/** Creates a Post, a second after the one before. @returns Its id. */
async function post(text: string, fields: object = {}, as: Caller = alice): Promise<string> {
  now += 1000;
  const { status, body } = await as.post('/2/tweets', { text, ...fields });
  expect([status, body]).toEqual([201, body]);
  service.events.posts.wake();
  return body.data.id;
}

describe('the stream', () => {
  it('sends each new Post that matches as a list of one, in the format of version 1.1', async () => {
    await app.add('tea AND contains:gree', '@bob OR tea');
    const stream = await app.connect();
    expect(stream.headers.get('content-type')).toBe('application/json; charset=utf-8');
    expect(stream.headers.has('x-powerstream-datacenter')).toBe(false);
    await post('coffee');
    const id = await post('green tea');
    const line = (await stream.line()) ?? '';
    expect(line).toMatch(
      new RegExp(
        `^\\[\\{"created_at":"Mon Nov 23 10:30:22 \\+0000 2026","id":${id},"id_str":"${id}","text":"green tea",.*\\}\\]$`,
      ),
    );
    const next = await post('hello @bob');
    expect(await stream.next()).toMatchObject([{ id_str: next, user: { screen_name: 'alice' } }]);
    await stream.close();
  });

  it('shows the quoted and the reposted Post, and what was said of them since', async () => {
    await app.add('from:bob');
    const stream = await app.connect();
    const original = await post('well, #tea');
    const quote = await post('look', { quote_tweet_id: original }, bob);
    expect(await stream.next()).toMatchObject([
      {
        id_str: quote,
        is_quote_status: true,
        quoted_status_id_str: original,
        quoted_status: {
          id_str: original,
          quote_count: 1,
          user: { screen_name: 'alice' },
          entities: { hashtags: [{ text: 'tea', indices: [6, 10] }] },
        },
      },
    ]);
    now += 1000;
    await bob.post(`/2/users/${bob.id}/retweets`, { tweet_id: original });
    service.events.posts.wake();
    const [repost] = await stream.next();
    expect(repost).toMatchObject({
      text: 'RT @alice: well, #tea',
      user: { screen_name: 'bob', statuses_count: 2 },
      retweeted_status: { id_str: original, text: 'well, #tea', retweet_count: 1 },
    });
    expect(repost).not.toHaveProperty('quoted_status_id');
    const reply = await post('@alice yes', { reply: { in_reply_to_tweet_id: original } }, bob);
    expect(await stream.next()).toMatchObject([
      {
        id_str: reply,
        in_reply_to_status_id_str: original,
        in_reply_to_screen_name: 'alice',
        entities: { user_mentions: [{ screen_name: 'alice', indices: [0, 6] }] },
      },
    ]);
    await stream.close();
  });

  it('sends an edited version as a Post of its own, with the ids of all versions', async () => {
    await app.add('tea');
    const profile = { subscription_type: 'Premium' } as const;
    service.auth.accounts({ action: 'set', username: 'alice', profile });
    const stream = await app.connect();
    const first = await post('tea');
    const until = now + HOUR_MS;
    expect(await stream.next()).toMatchObject([
      {
        edit_history: { initial_tweet_id: first, edit_tweet_ids: [first] },
        edit_controls: { editable_until_ms: until, edits_remaining: 5 },
        editable: true,
      },
    ]);
    const second = await post('green tea', { edit_options: { previous_post_id: first } });
    expect(await stream.next()).toMatchObject([
      {
        id_str: second,
        text: 'green tea',
        edit_history: { initial_tweet_id: first, edit_tweet_ids: [first, second] },
        edit_controls: { editable_until_ms: until, edits_remaining: 4 },
        editable: true,
      },
    ]);
    await stream.close();
  });

  it('is listed and ended as a connection, with a message', async () => {
    await app.add('tea');
    const stream = await app.connect();
    const { body } = await app.get('/2/connections?endpoints=powerstream');
    expect(body.data).toMatchObject([{ endpoint_name: 'powerstream' }]);
    const ended = await app.send('DELETE', '/2/connections/powerstream');
    expect(ended.body.data.successful_kills).toBe(1);
    expect((await stream.next()).errors[0].disconnect_type).toBe('ForceDisconnect');
    expect(await stream.line()).toBeNull();
  });

  it('ends when the app no longer has enterprise access', async () => {
    await app.add('tea');
    const stream = await app.connect();
    service.auth.apps({ action: 'set', name: app.name, settings: { access: 'pay-per-use' } });
    await service.tick();
    expect((await stream.next()).errors[0].disconnect_type).toBe('ClientApplicationStateDegraded');
    expect((await app.refused()).status).toBe(403);
  });
});

describe('the parameters', () => {
  it('localDcOnly names the datacenter in headers and in a first line', async () => {
    await app.add('tea');
    const stream = await app.connect('?localDcOnly=true');
    expect(stream.headers.get('x-powerstream-datacenter')).toBe('local');
    expect(stream.headers.get('x-powerstream-localdconly')).toBe('true');
    expect(await stream.next()).toEqual({
      type: 'connection_metadata',
      datacenter: 'local',
      timestamp: now,
    });
    const id = await post('tea');
    expect(await stream.next()).toMatchObject([{ id_str: id }]);
    await stream.close();
  });

  it('localDcOnly is off by default', async () => {
    await app.add('tea');
    const stream = await app.connect('?localDcOnly=false');
    expect(stream.headers.has('x-powerstream-localdconly')).toBe(false);
    const id = await post('tea');
    expect(await stream.next()).toMatchObject([{ id_str: id }]);
    await stream.close();
  });

  it.each([
    [
      '?localDcOnly=yes',
      'The `localDcOnly` query parameter value [yes] is not one of [true,false]',
    ],
    [
      '?backfill_minutes=1',
      'The query parameter [backfill_minutes] is not one of [localDcOnly,backfillMinutes,startTime,endTime]',
    ],
  ])('are refused: %s', async (parameters, message) => {
    await app.add('tea');
    const { status, body } = await app.refused(parameters);
    expect([status, body.errors[0].message]).toEqual([400, message]);
  });
});
