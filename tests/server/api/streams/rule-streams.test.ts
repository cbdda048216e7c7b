import { setImmediate as immediate } from 'node:timers/promises';
import { afterAll, beforeEach, describe, expect, it } from 'vitest';
import { DAY_MS, MINUTE_MS } from '#core/time/span.ts';
import { linesOf } from '#tests/support/service/stream-lines.ts';
import type { Answered } from '#tests/support/service/callers.ts';
import { startService } from '#tests/support/service/service.ts';
import { activityApp } from './activity/activity-stage.ts';

// The common parts of the filtered stream and powerstream. Those that only one of them has are tested in its folder.

let now = Date.parse('2026-11-21T10:30:20Z');
const service = startService({ now: () => now });
afterAll(() => service.close());

type App = ReturnType<typeof activityApp>;
const newApp = (): App => activityApp(service);
const iso = (ms: number): string => new Date(ms).toISOString();
service.auth.accounts({ action: 'add', username: 'carl', profile: { protected: true } });
let app: App;
let alice: ReturnType<App['user']>;
beforeEach(() => {
  // Nothing of one test is in reach of the next.
  now += 2 * DAY_MS;
  app = newApp();
  alice = app.user('alice');
});

/** Creates a Post, a second after the one before. @returns Its id. */
async function post(text: string, as = alice, more: object = {}): Promise<string> {
  now += 1000;
  const { status, body } = await as.post('/2/tweets', { text, ...more });
  expect([status, body]).toEqual([201, body]);
  service.events.posts.wake();
  return body.data.id;
}

/** A stream with its rules, and its names for parameters. */
interface Kind {
  readonly path: string;
  readonly backfill: string;
  readonly start: string;
  readonly end: string;
  /** Parameters with which a line contains its author or the quoted Post. */
  readonly embedding: string;
  /** @returns The id of the rule. */
  add(of: App, value: string, prefix?: string): Promise<string>;
  remove(of: App, id: string): Promise<unknown>;
  /** Id of the Post in a line. */
  idOf(line: Answered['body']): string;
}

const FILTERED: Kind = {
  path: '/2/tweets/search/stream',
  backfill: 'backfill_minutes',
  start: 'start_time',
  end: 'end_time',
  embedding: '?expansions=author_id',
  add: async (of, value, prefix = '') => {
    const path = `${prefix}/2/tweets/search/stream/rules`;
    const { body } = await of.post(path, { add: [{ value }] });
    return body.data[0].id;
  },
  remove: (of, id) => of.post('/2/tweets/search/stream/rules', { delete: { ids: [id] } }),
  idOf: ({ data }) => data.id,
};

const POWER: Kind = {
  path: '/2/powerstream',
  backfill: 'backfillMinutes',
  start: 'startTime',
  end: 'endTime',
  embedding: '',
  add: async (of, value, prefix = '') => {
    const path = `${prefix}/2/powerstream/rules`;
    const { body } = await of.post(path, { rules: [{ value }] });
    return body.data.rules[0].id;
  },
  remove: (of, id) => of.send('DELETE', '/2/powerstream/rules', { rules: [{ id }] }),
  idOf: ([one]) => one.id_str,
};

describe.each([
  ['the filtered stream', FILTERED],
  ['powerstream', POWER],
])('%s', (_, kind) => {
  const { path, backfill, start, end, embedding, add, remove } = kind;

  /** A connection, whose lines can be read one by one. */
  async function connect(parameters = '', of = app, prefix = '', to = kind) {
    const headers = { cookie: '', authorization: `Bearer ${of.bearer_token}` };
    const answer = await service.request(`${prefix}${to.path}${parameters}`, { headers });
    if (answer.status !== 200) throw new Error(`${answer.status}: ${await answer.text()}`);
    const lines = linesOf(answer);
    return { ...lines, id: async () => to.idOf(await lines.next()) };
  }
  const refused = (parameters = '') => app.get(path + parameters);

  it('follows changes of the rules', async () => {
    const tea = await add(app, 'tea');
    const stream = await connect();
    const first = await post('tea');
    expect(await stream.id()).toBe(first);
    await add(app, 'coffee');
    await remove(app, tea);
    await post('more tea');
    const third = await post('coffee');
    expect(await stream.id()).toBe(third);
    await stream.close();
  });

  it('sends each app what its own rules match, and not those of the other stream', async () => {
    const other = newApp();
    await add(app, 'tea');
    await add(other, 'coffee');
    await (kind === POWER ? FILTERED : POWER).add(app, 'milk');
    const [first, second] = [await connect(), await connect('', other)];
    await post('milk');
    const ids = [await post('tea'), await post('coffee')];
    expect([await first.id(), await second.id()]).toEqual(ids);
    await Promise.all([first.close(), second.close()]);
  });

  it('leaves out Posts of protected accounts and Posts that are gone', async () => {
    await add(app, 'tea');
    await post('hidden tea', app.user('carl'));
    const gone = await post('short tea');
    await alice.send('DELETE', `/2/tweets/${gone}`);
    const stream = await connect(`?${backfill}=5`);
    const last = await post('tea');
    expect(await stream.id()).toBe(last);
    await stream.close();
  });

  it('of the sample has its own rules, and needs one', async () => {
    await add(app, 'tea', '/sample');
    const { status, body } = await refused();
    expect([status, body]).toMatchObject([
      409,
      {
        title: 'ConnectionException',
        connection_issue: 'RuleConfigurationIssue',
        type: 'https://api.x.com/2/problems/streaming-connection',
      },
    ]);
    const stream = await connect('', app, '/sample');
    await stream.close();
  });

  it('has two connections, apart from those of the other stream', async () => {
    for (const each of [FILTERED, POWER]) await each.add(app, 'tea');
    const open = [await connect(), await connect()];
    const { status, body } = await refused();
    expect([status, body]).toEqual([
      429,
      {
        title: 'ConnectionException',
        detail: 'This stream is currently at the maximum allowed connection limit.',
        connection_issue: 'TooManyConnections',
        type: 'https://api.x.com/2/problems/streaming-connection',
      },
    ]);
    const other = await connect('', app, '', kind === POWER ? FILTERED : POWER);
    await other.close();
    const id = await post('tea');
    for (const stream of open) expect(await stream.id()).toBe(id);
    await open[0]?.close();
    await immediate();
    open[0] = await connect();
    for (const { close } of open) await close();
  });

  it('ends when the token is no longer valid', async () => {
    await add(app, 'tea');
    const stream = await connect();
    service.auth.apps({ action: 'rotate', name: app.name });
    await service.tick();
    expect((await stream.next()).errors[0].disconnect_type).toBe('ClientApplicationStateDegraded');
    expect(await stream.line()).toBeNull();
  });

  it('sends the Posts of the last minutes first, then new ones, without a gap or a repetition', async () => {
    await add(app, 'tea');
    await post('tea too old');
    now += 3 * MINUTE_MS;
    const ids = [await post('tea 1'), await post('tea 2')];
    now += MINUTE_MS;
    const stream = await connect(`?${backfill}=2`);
    ids.push(await post('tea 3'), await post('tea 4'));
    const seen = [];
    for (const _ of ids) seen.push(await stream.id());
    expect(seen).toEqual(ids);
    await stream.close();
  });

  it('sends the Posts of a past period and ends', async () => {
    await add(app, 'tea');
    await post('tea before');
    now += MINUTE_MS;
    const from = iso(now);
    const ids = [await post('tea 1'), await post('tea 2')];
    const to = iso(now + 1000);
    await post('tea after');
    now += MINUTE_MS;
    const stream = await connect(`?${start}=${from}&${end}=${to}`);
    expect([await stream.id(), await stream.id()]).toEqual(ids);
    expect(await stream.line()).toBeNull();
  });

  it('reaches back 24 hours and 5 minutes even where the log has older entries', async () => {
    await add(app, 'tea');
    await post('tea of yesterday');
    const at = now;
    now += MINUTE_MS;
    const id = await post('tea');
    now = at + DAY_MS;
    const stream = await connect(`?${start}=${iso(now - DAY_MS + 1000)}`);
    expect(await stream.id()).toBe(id);
    expect(await stream.line()).toBeNull();
    const live = await connect(`?${backfill}=5`);
    const last = await post('tea of today');
    expect(await live.id()).toBe(last);
    await live.close();
  });

  it('may recover twice at once, apart from the other connections', async () => {
    await add(app, 'tea');
    const from = iso(now);
    const open = [await connect(), await connect()];
    for (let i = 0; i < 6; i++) await post(`tea ${i}`);
    open.push(await connect(`?${start}=${from}`), await connect(`?${start}=${from}`));
    for (const { close } of open) await close();
  });

  it('refuses contradictory and unreachable bounds', async () => {
    await add(app, 'tea');
    const [old, past, future] = [-DAY_MS - 1000, -MINUTE_MS, 1000].map((ms) => iso(now + ms));
    for (const [parameters, message] of [
      [`${end}=${past}`, `The \`${end}\` query parameter needs \`${start}\``],
      [
        `${start}=${old}`,
        `The \`${start}\` query parameter value [${old}] is more than 24 hours ago`,
      ],
      [`${start}=${future}`, 'is in the future'],
      [`${start}=${past}&${end}=${future}`, 'is in the future'],
      [
        `${start}=${past}&${end}=${past}`,
        `The \`${end}\` query parameter value [${past}] is not after \`${start}\``,
      ],
      [
        `${start}=${past}&${backfill}=1`,
        `A stream begins at \`${start}\` or \`${backfill}\` ago: give at most one of them`,
      ],
      [`${backfill}=6`, `The \`${backfill}\` query parameter value [6] is not between 0 and 5`],
    ] as const) {
      const { status, body } = await refused(`?${parameters}`);
      expect([parameters, status, body.errors[0].message]).toEqual([
        parameters,
        400,
        expect.stringContaining(message),
      ]);
    }
  });

  it('adds up what an enterprise app receives, each Post once, without what a line embeds', async () => {
    await add(app, 'tea');
    const streams = [await connect(embedding), await connect()];
    const quoted = await post('milk');
    const quote = await post('tea again', alice, { quote_tweet_id: quoted });
    for (const id of [quote, await post('tea')]) {
      for (const stream of streams) expect(await stream.id()).toBe(id);
    }
    await service.tick();
    const { body } = await app.get('/2/usage/tweets');
    expect(body.data.project_usage).toBe(2);
    for (const { close } of streams) await close();
  });
});
