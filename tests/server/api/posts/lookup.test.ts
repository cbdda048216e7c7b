import { afterAll, describe, expect, it } from 'vitest';
import { callerOf } from '#tests/support/service/callers.ts';
import { startService } from '#tests/support/service/service.ts';

const createdAt = '2026-11-21T09:00:00Z';
const service = startService({
  now: () => Date.parse('2026-11-21T10:30:20Z'),
  posts: [
    { id: '11', createdAt, text: 'tea', authorId: '7', username: 'ann' },
    { id: '12', createdAt, text: 'more #tea', authorId: '7', username: 'ann' },
    { id: '13', createdAt, text: 'nowhere', fields: { withheld: { country_codes: ['XX'] } } },
    ...['13', '99', '99'].map((quoteOfId, i) => {
      const author = { authorId: '8', username: 'bob' };
      return { id: String(14 + i), createdAt, text: 'look', quoteOfId, ...author };
    }),
  ],
});
afterAll(() => service.close());

const { get } = callerOf(service);

describe('GET /2/tweets', () => {
  it('shows each Post once, in the order of the ids, with requested fields and authors', async () => {
    const { status, body } = await get(
      '/2/tweets?ids=12,11,12&tweet.fields=entities&expansions=author_id',
    );
    expect(status).toBe(200);
    expect(body).toEqual({
      data: [
        {
          id: '12',
          text: 'more #tea',
          edit_history_tweet_ids: ['12'],
          author_id: '7',
          entities: { hashtags: [{ start: 5, end: 9, tag: 'tea' }] },
        },
        { id: '11', text: 'tea', edit_history_tweet_ids: ['11'], author_id: '7' },
      ],
      includes: { users: [{ id: '7', name: 'ann', username: 'ann' }] },
    });
  });

  it('has no data if nothing can be shown, but an error for each id', async () => {
    const { status, body } = await get('/2/tweets?ids=13,9223372036854775808');
    expect(status).toBe(200);
    expect(body).toEqual({
      errors: [
        expect.objectContaining({
          value: '13',
          title: 'Authorization Error',
          type: 'https://api.x.com/2/problems/not-authorized-for-resource',
        }),
        {
          value: '9223372036854775808',
          detail: 'Could not find tweet with ids: [9223372036854775808].',
          title: 'Not Found Error',
          resource_type: 'tweet',
          parameter: 'ids',
          resource_id: '9223372036854775808',
          type: 'https://api.x.com/2/problems/resource-not-found',
        },
      ],
    });
  });

  const hundredOne = Array.from({ length: 101 }, (_, i) => i + 1).join(',');
  it.each([
    ['/2/tweets', 'The `ids` query parameter can not be empty'],
    ['/2/tweets?ids=', 'The `ids` query parameter value [] does not match ^[0-9]{1,19}$'],
    ['/2/tweets?ids=1,x2', 'The `ids` query parameter value [x2] does not match ^[0-9]{1,19}$'],
    [
      `/2/tweets?ids=${hundredOne}`,
      'The number of values in the `ids` query parameter list [101] is not between 1 and 100',
    ],
    ['/2/tweets/x', 'The `id` query parameter value [x] does not match ^[0-9]{1,19}$'],
    ['/2/tweets/11?ids=1', expect.stringMatching(/^The query parameter \[ids\] is not one of \[/)],
  ])('refuses %.30s', async (path, message) => {
    const { status, body } = await get(path);
    expect(status).toBe(400);
    expect(body.errors[0].message).toEqual(message);
  });
});

describe('GET /2/tweets/{id}', () => {
  it('shows a Post in the names of the request', async () => {
    const { body, headers } = await get('/2/tweets/11?post.fields=public_metrics');
    expect(body.data).toMatchObject({
      id: '11',
      edit_history_post_ids: ['11'],
      public_metrics: { repost_count: 0 },
    });
    expect(headers.get('x-access-level')).toBe('read');
  });

  it('has an error in place of a missing Post', async () => {
    const { status, body } = await get('/2/tweets/999');
    expect(status).toBe(200);
    expect(body).toEqual({
      errors: [expect.objectContaining({ detail: 'Could not find tweet with id: [999].' })],
    });
  });
});

describe('a Post that others refer to', () => {
  it.each(['/2/tweets?ids=14,15,16&', '/2/tweets/search/all?query=look&', '/2/users/8/tweets?'])(
    'is reported once if %s cannot include it',
    async (path) => {
      const { status, body } = await get(`${path}expansions=referenced_tweets.id`);
      expect([status, body.data.length, body.includes]).toEqual([200, 3, undefined]);
      const named = { parameter: 'referenced_tweets.id', resource_type: 'tweet' };
      const type = 'https://api.x.com/2/problems/';
      const errors = [
        {
          ...named,
          value: '13',
          resource_id: '13',
          title: 'Authorization Error',
          detail: 'Sorry, you are not authorized to see the Tweet with referenced_tweets.id: [13].',
          type: `${type}not-authorized-for-resource`,
        },
        {
          ...named,
          value: '99',
          resource_id: '99',
          title: 'Not Found Error',
          detail: 'Could not find tweet with referenced_tweets.id: [99].',
          type: `${type}resource-not-found`,
        },
      ];
      expect(body.errors).toHaveLength(2);
      expect(body.errors).toEqual(expect.arrayContaining(errors));
      expect((await get(`${path}tweet.fields=referenced_tweets`)).body.errors).toBeUndefined();
      const [error] = (await get(`${path}expansions=referenced_posts`)).body.errors;
      expect(error.parameter).toBe('referenced_posts');
    },
  );
});
