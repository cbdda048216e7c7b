import { describe, expect, it } from 'vitest';
import { stage, type As } from '#tests/support/conformance.ts';

// Rows of the specification and of platform-facts, sections 0 and 5, and their additions about powerstream.

const on = stage([]);
const STREAM = '/2/powerstream';
const RULES = `${STREAM}/rules`;
const add = (app: As, ...values: readonly string[]) =>
  app.send('POST', RULES, { rules: values.map((value) => ({ value, tag: 'a tag' })) });

describe('Rules of powerstream', () => {
  it('POST answers 201 with data.rules, GET with data.rules, DELETE with data{deleted, not_deleted}', async () => {
    const app = on.app();
    const added = await add(app, 'cat', 'dog');
    const rule = (value: string) => ({
      id: expect.stringMatching(/^\d{1,19}$/),
      value,
      tag: 'a tag',
    });
    expect([added.status, added.body]).toEqual([
      201,
      { data: { rules: [rule('cat'), rule('dog')] } },
    ]);
    expect((await app.get(RULES)).body).toEqual(added.body);
    const [{ id }] = added.body.data.rules;
    const gone = await app.send('DELETE', RULES, { rules: [{ id }, { value: 'dog' }] });
    expect([gone.status, gone.body]).toEqual([200, { data: { deleted: 2, not_deleted: 0 } }]);
    expect((await app.get(RULES)).body).toEqual({ data: { rules: [] } });
  });

  it('100 per call', async () => {
    const app = on.app();
    const values = Array.from({ length: 101 }, (_, i) => `word${i}`);
    expect((await add(app, ...values)).status).toBe(400);
    expect((await add(app, ...values.slice(1))).status).toBe(201);
  });

  it('2,048 characters', async () => {
    const long = 'a'.repeat(2048);
    const { body } = await add(on.app(), long, `${long}a`);
    expect([body.data.rules.length, body.errors.length]).toEqual([1, 1]);
  });

  it('50 changes in 24 hours', async () => {
    const app = on.app({ access: 'enterprise', limited: true });
    expect((await add(app, 'cat')).headers.get('x-rate-limit-limit')).toBe('50');
    for (let i = 1; i < 50; i++) await app.send('DELETE', RULES, { rules: [{ value: 'cat' }] });
    const { status, headers } = await add(app, 'cat');
    expect([status, headers.get('x-rate-limit-remaining')]).toEqual([429, '0']);
  });

  it.each([
    'from:xdevelopers',
    'to:jvaleski',
    'retweets_of:xdevelopers',
    'contains:hello',
    'contains:-2345.432',
    'url_contains:"com/willplayforfood"',
    'lang:en',
    'has:mentions',
    'has:geo',
    'has:links',
    'has:media',
    'has:lang',
    'has:symbols',
    'has:images',
    'has:videos',
    'is:retweet',
    'is:reply',
    'place:"Belmont Central"',
    'bounding_box:[-112.424083 42.355283 -112.409111 42.792311]',
    'point_radius:[-111.464973 46.371179 25mi]',
    'bio:"data scientist"',
    'bio_name:PhD',
    'retweets_of_status_id:1234567890123456789',
    'in_reply_to_status_id:1234567890123456789',
    '@username',
    '"exact phrase"',
    'x OR facebook',
    'x facebook',
    'x AND facebook',
    '(x OR facebook) iphone',
    'x -facebook',
  ])('%s is a rule', async (value) => {
    expect((await add(on.app(), value)).body.errors).toBeUndefined();
  });

  it.each(['sample', 'url', 'followers_count', 'conversation_id', 'url_title', 'min_likes'])(
    '%s: is refused as recorded',
    async (name) => {
      const { body } = await add(on.app(), `cat ${name}:5`);
      expect(body.errors[0].details).toEqual([
        `Reference to invalid operator '${name}' (at position 5).`,
        `Reference to invalid field '${name}' (at position 5).`,
      ]);
    },
  );

  it.each(['self-service', 'pay-per-use'] as const)('are not for %s', async (access) => {
    const app = on.app({ access });
    expect((await add(app, 'cat')).status).toBe(403);
    expect((await app.get(RULES)).status).toBe(403);
    expect((await app.get(STREAM)).status).toBe(403);
  });
});

describe('Powerstream', () => {
  it('without rules answers 409 as recorded', async () => {
    const { status, body } = await on.app().get(STREAM);
    expect([status, body.connection_issue]).toEqual([409, 'RuleConfigurationIssue']);
  });

  it('has two connections, and one more answers 429 as recorded', async () => {
    const app = on.app();
    await add(app, 'tea');
    const wanted = { source: 'posts', stream: 'powerstream', ip: null, most: 10 } as const;
    for (let i = 0; i < 2; i++) on.service.connections.open({ app: app.id, ...wanted });
    const { status, body } = await app.get(STREAM);
    expect([status, body.connection_issue]).toEqual([429, 'TooManyConnections']);
    const { body: listed } = await app.get('/2/connections?endpoints=powerstream');
    expect(listed.meta.result_count).toBe(2);
    const { body: ended } = await app.send('DELETE', '/2/connections/powerstream');
    expect(ended.data.successful_kills).toBe(2);
  });

  it('has no limit of requests', async () => {
    const { headers } = await on.app({ access: 'enterprise', limited: true }).get(STREAM);
    expect(headers.get('x-rate-limit-limit')).toBeNull();
  });

  it.each([
    ['', 409],
    ['/rules', 200],
  ])('GET /sample/2/powerstream%s is the same for the sample', async (path, status) => {
    const app = on.app();
    await add(app, 'tea');
    const answer = await app.get(`/sample${STREAM}${path}`);
    expect(answer.status).toBe(status);
  });

  it('lines are arrays of Posts of version 1.1', async () => {
    const app = on.app();
    await add(app, 'tea');
    const author = on.user('ann');
    const { body } = await author.send('POST', '/2/tweets', { text: 'tea' });
    on.now += 1000;
    const { id } = body.data;
    const line = await app.get(`${STREAM}?startTime=2026-11-21T10:30:00Z`);
    expect(line.body).toMatchObject([
      {
        created_at: expect.stringMatching(/^\w{3} \w{3} \d\d \d\d:\d\d:\d\d \+0000 2026$/),
        id: Number(id),
        id_str: id,
        text: 'tea',
        entities: { hashtags: [], symbols: [], user_mentions: [], urls: [] },
        user: {
          id_str: author.id,
          screen_name: 'ann',
          followers_count: 0,
          friends_count: 0,
          statuses_count: 1,
        },
        is_quote_status: false,
        retweet_count: 0,
        favorite_count: 0,
        lang: expect.any(String),
      },
    ]);
    expect(line.body[0]).not.toHaveProperty('matching_rules');
  });

  it('localDcOnly=true names the datacenter in headers and in a first line', async () => {
    const app = on.app();
    await add(app, 'coffee');
    const { headers, body } = await app.get(
      `${STREAM}?localDcOnly=true&startTime=${new Date(on.now - 1000).toISOString()}`,
    );
    expect(headers.get('x-powerstream-datacenter')).toBe('local');
    expect(headers.get('x-powerstream-localdconly')).toBe('true');
    expect(body).toEqual({
      type: 'connection_metadata',
      datacenter: 'local',
      timestamp: on.now,
    });
  });

  it.each(['backfillMinutes=6', 'backfillMinutes=-1', 'startTime=2026-11-20T10:00:00Z'])(
    '%s is refused',
    async (parameter) => {
      const app = on.app();
      await add(app, 'tea');
      expect((await app.get(`${STREAM}?${parameter}`)).status).toBe(400);
    },
  );
});
