import { describe, expect, it } from 'vitest';
import { stage, type As } from '#tests/support/conformance.ts';

// Rows of the specification and of platform-facts, sections 0 and 5, and their additions about powerstream.

const on = stage([]);
const STREAM = '/2/powerstream';
const RULES = `${STREAM}/rules`;
const add = (app: As, ...values: readonly string[]) =>
  app.send('POST', RULES, { rules: values.map((value) => ({ value, tag: 'a tag' })) });

describe('Rules of powerstream', () => {
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
});

describe('Powerstream', () => {
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

  it.each(['backfillMinutes=6', 'backfillMinutes=-1', 'startTime=2026-11-20T10:00:00Z'])(
    '%s is refused',
    async (parameter) => {
      const app = on.app();
      await add(app, 'tea');
      expect((await app.get(`${STREAM}?${parameter}`)).status).toBe(400);
    },
  );
});
