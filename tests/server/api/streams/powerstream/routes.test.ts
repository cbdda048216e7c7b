import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { setImmediate as immediate } from 'node:timers/promises';
import { startService, type TestService } from '#tests/support/service.ts';
import { powerApp } from './power-app.ts';

const START = Date.parse('2026-11-21T10:30:20Z');
const MINUTE = 60_000;

let now: number;
let service: TestService;
let app: ReturnType<typeof powerApp>;
beforeEach(() => {
  now = START;
  service = startService({ now: () => now });
  app = powerApp(service);
});
afterEach(() => service.close());

async function send(name: string, method: string, path: string, body?: object) {
  const { token } = service.auth.issueUserToken({ name, limited: false });
  const answer = await service.request(path, {
    method,
    headers: { cookie: '', authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    ...(body && { body: JSON.stringify(body) }),
  });
  service.events.posts.wake();
  return { status: answer.status, json: await answer.json() };
}

/** Creates a Post, a second after the one before. @returns Its id. */
async function post(text: string, fields: object = {}, name = 'alice'): Promise<string> {
  now += 1000;
  const { status, json } = await send(name, 'POST', '/2/tweets', { text, ...fields });
  expect([status, json]).toEqual([201, json]);
  return json.data.id;
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
        `^\\[\\{"created_at":"Sat Nov 21 10:30:22 \\+0000 2026","id":${id},"id_str":"${id}","text":"green tea",.*\\}\\]$`,
      ),
    );
    const next = await post('hello @bob');
    expect(await stream.next()).toMatchObject([{ id_str: next, user: { screen_name: 'alice' } }]);
    await stream.close();
  });

  it('follows changes of the rules', async () => {
    const [tea = ''] = await app.add('tea');
    const stream = await app.connect();
    const first = await post('tea');
    expect(await stream.next()).toMatchObject([{ id_str: first }]);
    await app.add('contains:offee');
    await app.rules('DELETE', [{ id: tea }]);
    await post('more tea');
    const third = await post('coffee');
    expect(await stream.next()).toMatchObject([{ id_str: third }]);
    await stream.close();
  });

  it('and the filtered stream each send what their own rules match', async () => {
    await app.add('tea');
    const filtered = '/2/tweets/search/stream';
    await app.send('POST', `${filtered}/rules`, { add: [{ value: 'coffee' }] });
    const other = powerApp(service);
    await other.add('milk');
    const [power, more] = [await app.connect(), await other.connect()];
    const ids = [await post('coffee'), await post('tea'), await post('milk')];
    expect(await power.next()).toMatchObject([{ id_str: ids[1] }]);
    expect(await more.next()).toMatchObject([{ id_str: ids[2] }]);
    const past = await app.send('GET', `${filtered}?start_time=${new Date(START).toISOString()}`);
    expect(past.json.data.id).toBe(ids[0]);
    expect(past.json.matching_rules).toHaveLength(1);
    await Promise.all([power.close(), more.close()]);
  });

  it('leaves out Posts of protected accounts, and Posts that are gone', async () => {
    await app.add('tea');
    service.auth.accounts({ action: 'add', username: 'carl', profile: { protected: true } });
    await post('hidden tea', {}, 'carl');
    const gone = await post('short tea');
    await send('alice', 'DELETE', `/2/tweets/${gone}`);
    const stream = await app.connect('?backfillMinutes=5');
    const last = await post('tea');
    expect(await stream.next()).toMatchObject([{ id_str: last }]);
    await stream.close();
  });

  it('shows the quoted and the reposted Post, and what was said of them since', async () => {
    await app.add('from:bob');
    const stream = await app.connect();
    const original = await post('well, #tea');
    const { json: me } = await send('bob', 'GET', '/2/users/me');
    const quote = await post('look', { quote_tweet_id: original }, 'bob');
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
    await send('bob', 'POST', `/2/users/${me.data.id}/retweets`, { tweet_id: original });
    const [repost] = await stream.next();
    expect(repost).toMatchObject({
      text: 'RT @alice: well, #tea',
      user: { screen_name: 'bob', statuses_count: 2 },
      retweeted_status: { id_str: original, text: 'well, #tea', retweet_count: 1 },
    });
    expect(repost).not.toHaveProperty('quoted_status_id');
    const reply = await post('@alice yes', { reply: { in_reply_to_tweet_id: original } }, 'bob');
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
    service.auth.accounts({ action: 'add', username: 'alice', profile });
    const stream = await app.connect();
    const first = await post('tea');
    const until = now + 60 * MINUTE;
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

  it('of the sample has its own rules', async () => {
    await app.rules('POST', [{ value: 'tea' }], '/sample');
    expect((await app.refused()).status).toBe(409);
    const stream = await app.connect('', '/sample');
    const { json } = await app.send('GET', '/2/connections');
    expect(json.data).toMatchObject([{ endpoint_name: 'powerstream' }]);
    await stream.close();
  });

  it('needs a rule', async () => {
    const { status, json } = await app.refused();
    expect(status).toBe(409);
    expect(json).toMatchObject({
      title: 'ConnectionException',
      connection_issue: 'RuleConfigurationIssue',
      type: 'https://api.x.com/2/problems/streaming-connection',
    });
  });

  it('has two connections, apart from those of the filtered stream', async () => {
    await app.add('tea');
    const filtered = '/2/tweets/search/stream';
    await app.send('POST', `${filtered}/rules`, { add: [{ value: 'tea' }] });
    const open = [await app.connect(), await app.connect()];
    const { status, json } = await app.refused();
    expect([status, json.connection_issue]).toEqual([429, 'TooManyConnections']);
    const id = await post('tea');
    for (const stream of open) expect(await stream.next()).toMatchObject([{ id_str: id }]);
    await open[0]?.close();
    await immediate();
    open[0] = await app.connect();
    for (const { close } of open) await close();
  });

  it('is listed and ended as a connection, with a message', async () => {
    await app.add('tea');
    const stream = await app.connect();
    const { json } = await app.send('GET', '/2/connections?endpoints=powerstream');
    expect(json.data).toMatchObject([{ endpoint_name: 'powerstream' }]);
    const ended = await app.send('DELETE', '/2/connections/powerstream');
    expect(ended.json.data.successful_kills).toBe(1);
    expect((await stream.next()).errors[0].disconnect_type).toBe('ForceDisconnect');
    expect(await stream.line()).toBeNull();
  });

  it('ends when the token is no longer valid', async () => {
    await app.add('tea');
    const stream = await app.connect();
    service.auth.apps({ action: 'rotate', name: app.name });
    await service.tick();
    expect((await stream.next()).errors[0].disconnect_type).toBe('ClientApplicationStateDegraded');
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

  it('counts each Post once as usage of the app', async () => {
    await app.add('tea');
    const streams = [await app.connect(), await app.connect()];
    const original = await post('tea');
    for (const stream of streams) await stream.next();
    await post('more tea', { quote_tweet_id: original });
    for (const stream of streams) await stream.next();
    await service.tick();
    const { json } = await app.send('GET', '/2/usage/tweets');
    expect(json.data.project_usage).toBe(2);
    for (const { close } of streams) await close();
  });
});

describe('localDcOnly', () => {
  it('names the datacenter in headers and in a first line', async () => {
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

  it('is off by default', async () => {
    await app.add('tea');
    const stream = await app.connect('?localDcOnly=false');
    expect(stream.headers.has('x-powerstream-localdconly')).toBe(false);
    const id = await post('tea');
    expect(await stream.next()).toMatchObject([{ id_str: id }]);
    await stream.close();
  });
});

describe('backfill and recovery', () => {
  it('sends the Posts of the last minutes first, then new ones', async () => {
    await app.add('tea');
    await post('tea too old');
    now += 3 * MINUTE;
    const ids = [await post('tea 1'), await post('tea 2')];
    now += MINUTE;
    const stream = await app.connect('?backfillMinutes=2');
    ids.push(await post('tea 3'));
    const seen = [];
    for (const _ of ids) seen.push((await stream.next())[0].id_str);
    expect(seen).toEqual(ids);
    await stream.close();
  });

  it('sends the Posts of a past period and ends', async () => {
    await app.add('tea');
    await post('tea before');
    now += MINUTE;
    const start = new Date(now).toISOString();
    const ids = [await post('tea 1'), await post('tea 2')];
    const end = new Date(now + 1000).toISOString();
    await post('tea after');
    now += MINUTE;
    const stream = await app.connect(`?startTime=${start}&endTime=${end}`);
    for (const id of ids) expect(await stream.next()).toMatchObject([{ id_str: id }]);
    expect(await stream.line()).toBeNull();
  });

  it('may recover twice at once, apart from the other connections', async () => {
    await app.add('tea');
    const open = [await app.connect(), await app.connect()];
    for (let i = 0; i < 6; i++) await post(`tea ${i}`);
    const parameters = `?startTime=${new Date(START).toISOString()}`;
    open.push(await app.connect(parameters), await app.connect(parameters));
    for (const { close } of open) await close();
  });

  it.each([
    ['?endTime=2026-11-21T10:30:00Z', 'The `endTime` query parameter needs `startTime`'],
    [
      '?startTime=2026-11-20T10:30:19Z',
      'The `startTime` query parameter value [2026-11-20T10:30:19.000Z] is more than 24 hours ago',
    ],
    [
      '?startTime=2026-11-21T10:00:00Z&endTime=2026-11-21T10:00:00Z',
      'The `endTime` query parameter value [2026-11-21T10:00:00.000Z] is not after `startTime`',
    ],
    [
      '?startTime=2026-11-21T10:00:00Z&backfillMinutes=1',
      'A stream begins at `startTime` or `backfillMinutes` ago: give at most one of them',
    ],
    [
      '?backfillMinutes=6',
      'The `backfillMinutes` query parameter value [6] is not between 0 and 5',
    ],
    [
      '?localDcOnly=yes',
      'The `localDcOnly` query parameter value [yes] is not one of [true,false]',
    ],
    [
      '?backfill_minutes=1',
      'The query parameter [backfill_minutes] is not one of [localDcOnly,backfillMinutes,startTime,endTime]',
    ],
  ])('refuses %s', async (parameters, message) => {
    await app.add('tea');
    const { status, json } = await app.refused(parameters);
    expect([status, json.errors[0].message]).toEqual([400, message]);
  });
});
