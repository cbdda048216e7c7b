import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { setImmediate as immediate } from 'node:timers/promises';
import type { AppSettings } from '#contract/accounts/apps.ts';
import { startService, type TestService } from '#tests/support/service.ts';
import { linesOf } from '#tests/support/stream-lines.ts';

const START = Date.parse('2026-11-21T10:30:20Z');
const MINUTE = 60_000;
const STREAM = '/2/tweets/search/stream';
const RULES = `${STREAM}/rules`;

type Headers = Readonly<Record<string, string>>;

let now: number;
let service: TestService;
let app: TestApp;
let alice: Headers;
beforeEach(async () => {
  now = START;
  service = startService({ now: () => now });
  app = added('enterprise');
  alice = bearer(service.auth.issueUserToken({ name: 'alice', limited: false }).token);
});
afterEach(() => service.close());

interface TestApp {
  readonly id: string;
  readonly name: string;
  readonly headers: Headers;
}

function bearer(token: string): Headers {
  return { cookie: '', authorization: `Bearer ${token}` };
}

let apps = 0;
function added(access: AppSettings['access'], settings: Partial<AppSettings> = {}): TestApp {
  const name = `App ${apps++}`;
  const answer = service.auth.apps({ action: 'add', name, settings: { access, ...settings } });
  const headers = bearer(String(answer.secrets?.bearer_token));
  return { id: answer.apps[0]?.id ?? '', name, headers };
}

async function send(method: string, path: string, headers: Headers, body?: object) {
  const answer = await service.request(path, {
    method,
    headers: { ...headers, ...(body && { 'content-type': 'application/json' }) },
    ...(body && { body: JSON.stringify(body) }),
  });
  return { status: answer.status, json: await answer.json() };
}

async function addRule(value: string, tag?: string, of = app, prefix = ''): Promise<string> {
  const { json } = await send('POST', prefix + RULES, of.headers, { add: [{ value, tag }] });
  return json.data[0].id;
}

/** Creates a Post, a second after the one before. @returns Its id. */
async function post(text: string, fields: object = {}): Promise<string> {
  now += 1000;
  const { status, json } = await send('POST', '/2/tweets', alice, { text, ...fields });
  expect([status, json]).toEqual([201, json]);
  service.events.posts.wake();
  return json.data.id;
}

/** A connection to the stream, whose lines can be read one by one. */
async function connect(parameters = '', of = app, prefix = '') {
  const answer = await service.request(`${prefix}${STREAM}${parameters}`, { headers: of.headers });
  const { status, headers } = answer;
  if (status !== 200) return { status, headers, json: await answer.json(), ...NO_LINES };
  return { status, headers, json: null, ...linesOf(answer) };
}
const NO_LINES = {
  line: async (): Promise<string | null> => null,
  next: async () => null,
  close: async () => {},
};

describe('the filtered stream', () => {
  it('sends each new Post that matches, with the rules that it matched', async () => {
    const tea = await addRule('tea', 'hot');
    const green = await addRule('green -coffee');
    const stream = await connect();
    expect([stream.status, stream.headers.get('content-type')]).toEqual([
      200,
      'application/json; charset=utf-8',
    ]);
    const first = await post('green tea');
    await post('coffee');
    const second = await post('tea');
    expect(await stream.next()).toEqual({
      data: { id: first, text: 'green tea', edit_history_tweet_ids: [first] },
      matching_rules: [
        { id: tea, tag: 'hot' },
        { id: green, tag: '' },
      ],
    });
    expect(await stream.next()).toMatchObject({
      data: { id: second },
      matching_rules: [{ id: tea, tag: 'hot' }],
    });
    await stream.close();
  });

  it.each([
    ['?tweet.fields=author_id&expansions=author_id', 'edit_history_tweet_ids'],
    ['?post.fields=lang&expansions=author_id', 'edit_history_post_ids'],
  ])(
    'answers with the fields, expansions and names of the request: %s',
    async (parameters, name) => {
      await addRule('tea');
      const stream = await connect(parameters);
      const id = await post('green tea, please');
      const { data, includes } = await stream.next();
      expect(data).toMatchObject({ id, [name]: [id] });
      expect(includes.users).toMatchObject([{ username: 'alice' }]);
      await stream.close();
    },
  );

  it('follows changes of the rules', async () => {
    const tea = await addRule('tea');
    const stream = await connect();
    const first = await post('tea');
    expect((await stream.next()).data.id).toBe(first);
    await addRule('coffee');
    await send('POST', RULES, app.headers, { delete: { ids: [tea] } });
    await post('more tea');
    const third = await post('coffee');
    expect((await stream.next()).data.id).toBe(third);
    await stream.close();
  });

  it('matches rules about the profile of an account, and its numbers, as they are', async () => {
    const bio = await addRule('bio:brewer');
    const name = await addRule('bio_name:"alice b"');
    const place = await addRule('bio_location:kyoto');
    const few = await addRule('tweets_count:1..2 tea');
    const stream = await connect();
    const rules = async () =>
      (await stream.next()).matching_rules.map(({ id }: { id: string }) => id);
    await post('tea');
    expect(await rules()).toEqual([few]);
    service.auth.accounts({
      action: 'set',
      username: 'alice',
      profile: { description: 'A brewer of tea', name: 'Alice B', location: 'Kyoto' },
    });
    await post('more tea');
    expect(await rules()).toEqual([bio, name, place, few]);
    await post('yet more tea');
    expect(await rules()).toEqual([bio, name, place]);
    await stream.close();
  });

  it('sends an edited version as a Post of its own', async () => {
    await addRule('tea');
    service.auth.accounts({
      action: 'set',
      username: 'alice',
      profile: { subscription_type: 'Premium' },
    });
    const stream = await connect();
    const first = await post('tea');
    expect((await stream.next()).data.id).toBe(first);
    const second = await post('green tea', { edit_options: { previous_post_id: first } });
    expect((await stream.next()).data).toEqual({
      id: second,
      text: 'green tea',
      edit_history_tweet_ids: [first, second],
    });
    await stream.close();
  });

  it('sends each app what its own rules match', async () => {
    const other = added('self-service');
    await addRule('tea');
    const coffee = await addRule('coffee', undefined, other);
    const [first, second] = [await connect(), await connect('', other)];
    const ids = [await post('tea'), await post('coffee')];
    expect((await first.next()).data.id).toBe(ids[0]);
    expect(await second.next()).toMatchObject({
      data: { id: ids[1] },
      matching_rules: [{ id: coffee }],
    });
    await Promise.all([first.close(), second.close()]);
  });

  it('leaves out Posts of protected accounts and Posts that are gone', async () => {
    await addRule('tea');
    service.auth.accounts({ action: 'add', username: 'carl', profile: { protected: true } });
    const carl = bearer(service.auth.issueUserToken({ name: 'carl', limited: false }).token);
    await send('POST', '/2/tweets', carl, { text: 'hidden tea' });
    const gone = await post('short tea');
    await send('DELETE', `/2/tweets/${gone}`, alice);
    const stream = await connect('?backfill_minutes=5');
    const last = await post('tea');
    expect((await stream.next()).data.id).toBe(last);
    await stream.close();
  });

  it('of the sample has its own rules', async () => {
    await addRule('tea', undefined, app, '/sample');
    const { status, json } = await connect();
    expect([status, json]).toMatchObject([
      409,
      {
        title: 'ConnectionException',
        connection_issue: 'RuleConfigurationIssue',
        type: 'https://api.x.com/2/problems/streaming-connection',
      },
    ]);
    const stream = await connect('', app, '/sample');
    expect(stream.status).toBe(200);
    await stream.close();
  });

  it.each([
    ['self-service', 1],
    ['pay-per-use', 1],
    ['enterprise', 2],
  ] as const)('%s apps may have %i connections', async (access, most) => {
    const of = added(access);
    await addRule('tea', undefined, of);
    const open = [];
    for (let i = 0; i < most; i++) open.push(await connect('', of));
    expect(open.map(({ status }) => status)).toEqual(Array(most).fill(200));
    const { status, json } = await connect('', of);
    expect([status, json]).toEqual([
      429,
      {
        title: 'ConnectionException',
        detail: 'This stream is currently at the maximum allowed connection limit.',
        connection_issue: 'TooManyConnections',
        type: 'https://api.x.com/2/problems/streaming-connection',
      },
    ]);
    await open[0]?.close();
    await immediate();
    open[0] = await connect('', of);
    expect(open[0]?.status).toBe(200);
    for (const { close } of open) await close();
  });

  it('ends when the token is no longer valid', async () => {
    await addRule('tea');
    const stream = await connect();
    service.auth.apps({ action: 'rotate', name: app.name });
    await service.tick();
    expect((await stream.next()).errors[0].disconnect_type).toBe('ClientApplicationStateDegraded');
    expect(await stream.line()).toBeNull();
  });
});

describe('backfill', () => {
  it('sends the Posts of the last minutes first, then new ones, without a gap or a repetition', async () => {
    await addRule('tea');
    await post('tea too old');
    now += 3 * MINUTE;
    const ids = [await post('tea 1'), await post('tea 2')];
    now += MINUTE;
    const stream = await connect('?backfill_minutes=2');
    ids.push(await post('tea 3'), await post('tea 4'));
    const seen = [];
    for (const _ of ids) seen.push((await stream.next()).data.id);
    expect(seen).toEqual(ids);
    await stream.close();
  });

  it.each(['?backfill_minutes=1', '?start_time=2026-11-21T10:00:00Z'])(
    '%s is refused below enterprise',
    async (parameters) => {
      const of = added('pay-per-use');
      await addRule('tea', undefined, of);
      const { status, json } = await connect(parameters, of);
      expect([status, json.title]).toEqual([403, 'Client Forbidden']);
    },
  );

  it('of 0 minutes is none, for any app', async () => {
    const of = added('self-service');
    await addRule('tea', undefined, of);
    const stream = await connect('?backfill_minutes=0', of);
    expect(stream.status).toBe(200);
    await stream.close();
  });
});

describe('recovery', () => {
  it('sends the Posts of a past period and ends', async () => {
    await addRule('tea');
    const at = (ms: number): string => new Date(ms).toISOString();
    await post('tea before');
    now += MINUTE;
    const start = at(now);
    const ids = [await post('tea 1'), await post('tea 2')];
    const end = at(now + 1000);
    await post('tea after');
    now += MINUTE;
    const stream = await connect(`?start_time=${start}&end_time=${end}`);
    expect([(await stream.next()).data.id, (await stream.next()).data.id]).toEqual(ids);
    expect(await stream.line()).toBeNull();
  });

  it('and backfill reach back 24 hours and 5 minutes even where the log has older entries', async () => {
    await addRule('tea');
    await post('tea of yesterday');
    const at = now;
    now += MINUTE;
    const ids = [await post('tea')];
    now = at + 24 * 60 * MINUTE;
    const start = new Date(now - 24 * 60 * MINUTE + 1000).toISOString();
    const stream = await connect(`?start_time=${start}`);
    expect((await stream.next()).data.id).toBe(ids[0]);
    expect(await stream.line()).toBeNull();
    const live = await connect('?backfill_minutes=5');
    const last = await post('tea of today');
    expect((await live.next()).data.id).toBe(last);
    await live.close();
  });

  it('may run twice at once, apart from the other connections', async () => {
    await addRule('tea');
    const live = [await connect(), await connect()];
    for (let i = 0; i < 6; i++) await post(`tea ${i}`);
    const parameters = `?start_time=${new Date(START).toISOString()}`;
    const first = await connect(parameters);
    const second = await connect(parameters);
    expect([first.status, second.status]).toEqual([200, 200]);
    for (const { close } of [...live, first, second]) await close();
  });

  it.each([
    ['?end_time=2026-11-21T10:30:00Z', 'The `end_time` query parameter needs `start_time`'],
    ['?start_time=2026-11-20T10:30:19Z', 'is more than 24 hours ago'],
    ['?start_time=2026-11-21T10:30:21Z', 'is in the future'],
    ['?start_time=2026-11-21T10:00:00Z&end_time=2026-11-21T10:30:21Z', 'is in the future'],
    ['?start_time=2026-11-21T10:00:00Z&end_time=2026-11-21T10:00:00Z', 'is not after `start_time`'],
    ['?start_time=2026-11-21T10:00:00Z&backfill_minutes=1', 'give at most one of them'],
    [
      '?backfill_minutes=6',
      'The `backfill_minutes` query parameter value [6] is not between 0 and 5',
    ],
  ])('refuses %s', async (parameters, message) => {
    await addRule('tea');
    const { status, json } = await connect(parameters);
    expect(status).toBe(400);
    expect(json.errors[0].message).toContain(message);
  });
});

it('adds up what an enterprise app receives, each Post once', async () => {
  await addRule('tea');
  const streams = [await connect('?expansions=author_id'), await connect()];
  for (const id of [await post('tea'), await post('tea again')]) {
    for (const stream of streams) expect((await stream.next()).data.id).toBe(id);
  }
  await service.tick();
  expect((await send('GET', '/2/usage/tweets', app.headers)).json.data.project_usage).toBe(2);
  for (const { close } of streams) await close();
});

describe('a pay-per-use app', () => {
  it('pays for each Post that it receives, once a day', async () => {
    const of = added('pay-per-use', { credits: 1_000_000 });
    await addRule('tea', undefined, of);
    const stream = await connect('', of);
    const ids = [await post('tea'), await post('tea again')];
    for (const _ of ids) await stream.next();
    await stream.close();
    const { json } = await send('GET', '/2/usage/tweets', of.headers);
    expect(json.data.project_usage).toBe(2);
    // Read again by its id: no further charge.
    await send('GET', `/2/tweets/${ids[0]}`, of.headers);
    const bills = await (await service.request('/usage')).json();
    const bill = bills.data.find(({ id }: { id: string }) => id === of.id);
    expect(bill.days[0].charged).toBe(10_000);
  });

  it('is disconnected when its credits are used up', async () => {
    const of = added('pay-per-use', { credits: 10_000 });
    await addRule('tea', undefined, of);
    const stream = await connect('', of);
    const ids = [await post('tea 1'), await post('tea 2')];
    await post('tea 3');
    for (const id of ids) expect((await stream.next()).data.id).toBe(id);
    expect((await stream.next()).errors[0].type).toBe('https://api.x.com/2/problems/usage-capped');
    expect(await stream.line()).toBeNull();
    const past = await send('GET', '/2/connections?status=inactive', of.headers);
    expect(past.json.data[0].disconnect_reason).toBe('usage_capped');
    expect((await connect('', of)).status).toBe(402);
  });
});
