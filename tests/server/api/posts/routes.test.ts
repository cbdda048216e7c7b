import { gzipSync } from 'node:zlib';
import { afterAll, beforeEach, describe, expect, it } from 'vitest';
import {
  callerOf,
  person,
  wrongOf,
  type Answered,
  type Caller,
  type Credentials,
} from '#tests/support/service/callers.ts';
import { startService } from '#tests/support/service/service.ts';

const START = Date.parse('2026-11-21T10:30:20Z');
let now = START;
const imported = { id: '1990000000000000001', createdAt: '2026-11-21T09:00:00Z', text: 'tea' };
const service = startService({ now: () => now, posts: [{ ...imported, authorId: '7' }] });
afterAll(() => service.close());

const TWEETS = '/2/tweets';
/** Recorded end of the message about a long text (platform-facts-additions, section 3). */
const RULES =
  'For more information on how Twitter determines text length see https://github.com/twitter/twitter-text.';
const user = (name: string) => person(service, name);
const alice = user('alice');
const { get } = callerOf(service);
/** Sends a body as it is. */
const sendRaw = (body: string | Buffer<ArrayBuffer>, headers: Credentials = {}) =>
  alice.ask('POST', TWEETS, { body, headers: { 'content-type': 'application/json', ...headers } });
const create = (body: object, who: Caller = alice) => who.post(TWEETS, body);
const post = (text: string, who: Caller = alice, path = TWEETS) => who.post(path, { text });
const remove = (id: string, who: Caller = alice, path = TWEETS) =>
  who.send('DELETE', `${path}/${id}`);

/** Counts a query's Posts by minute. */
async function count(query: string, start = '2026-11-21T00:00:00Z', end?: string): Promise<number> {
  const search = new URLSearchParams({ query, start_time: start, granularity: 'minute' });
  if (end !== undefined) search.set('end_time', end);
  const { status, body } = await get(`/2/tweets/counts/recent?${search}`);
  expect(status).toBe(200);
  return body.meta.total_tweet_count;
}

beforeEach(() => {
  // Separates the tests' Posts in time.
  now += 3_600_000;
});

describe('POST /2/tweets', () => {
  it('creates a Post with the current time in its id', async () => {
    const { status, headers, body } = await post('A cup of tea ☕');
    expect(status).toBe(201);
    expect(headers.get('content-type')).toBe('application/json; charset=utf-8');
    expect(headers.get('cache-control')).toBe('no-cache, no-store, max-age=0');
    expect(headers.get('x-access-level')).toBe('read-write');
    const { id } = body.data;
    expect(body).toEqual({ data: { id, text: 'A cup of tea ☕', edit_history_tweet_ids: [id] } });
    expect(id).toMatch(/^[0-9]{1,19}$/);
    // Ids encode the time (platform-facts 1.1).
    expect(Number(BigInt(id) >> 22n) + 1_288_834_974_657).toBe(now);
  });

  it('makes the next request count the Post, in its minute and by all its terms', async () => {
    const before = await get('/sources');
    const minute = new Date(now - 20_000).toISOString();
    expect(await count('spinach')).toBe(0);
    const made = await post('Fresh #spinach and https://example.com/pie for @bob');
    const { id } = made.body.data;
    const held = (await get('/sources')).body.data;
    const { revision } = before.body.data[1];
    expect(held[1].revision).toBe(revision + 1);
    // A window ends 10 s before now, so the whole minute of the Post is available 41 s later.
    now += 50_000;
    const last = new Date(now - 10_000).toISOString();
    for (const query of [
      'spinach',
      '#spinach from:alice',
      'to:bob OR @bob has:links',
      'url:"example.com/pie" lang:und',
      `conversation_id:${id} -is:retweet -is:reply -is:quote`,
    ]) {
      expect(await count(query, minute, last), query).toBe(1);
    }
    expect((await remove(id)).status).toBe(200);
    expect(await count('spinach', minute, last)).toBe(0);
  });

  it('has the alias /2/posts', async () => {
    const made = await post('by another name', alice, '/2/posts');
    expect(made.status).toBe(201);
    const { id } = made.body.data;
    const gone = await remove(id, alice, '/2/posts');
    expect([gone.status, gone.body]).toEqual([200, { data: { deleted: true } }]);
  });

  it.each([
    ['1970-01-01T00:00:00Z', 'earlier than any Post id'],
    ['1990-06-01T00:00:00Z', 'earlier than any Post id'],
    ['2010-11-04T01:42:54Z', 'earlier than any Post id'],
    ['2080-07-10T17:30:31Z', 'later than any Post id can be'],
    ['2106-02-07T06:28:16Z', 'later than any Post id can be'],
  ])('is refused with a reason while the clock shows %s, %s', async (at, why) => {
    const lost = user('lost');
    const before = now;
    now = Date.parse(at);
    const answer = await post(`from ${at}`, lost);
    now = before;
    expect(answer.status).toBe(503);
    const { detail } = answer.body;
    expect(detail).toContain(`shows ${at.slice(0, 19)}`);
    expect(detail).toContain(why);
    const made = await post(`from ${at}`, lost);
    expect(made.status).toBe(201);
    expect(Number(BigInt(made.body.data.id) >> 22n) + 1_288_834_974_657).toBe(now);
  });

  it('assigns ascending ids, also within a millisecond and when the clock is set back', async () => {
    const ids: bigint[] = [];
    for (let i = 0; i < 8; i++) {
      if (i === 5) now -= 60_000;
      ids.push(BigInt((await post(`rising ${i}`)).body.data.id));
    }
    expect(ids).toEqual([...ids].sort((a, b) => (a < b ? -1 : 1)));
    expect(new Set(ids).size).toBe(8);
  });

  it('stores the text unchanged', async () => {
    for (const text of ['  two  spaces\n', 'e\u0301', 'a & b < c', '👨‍👩‍👧‍👦', '"\\u0041"']) {
      expect((await post(text)).body.data.text).toBe(text);
    }
  });
});

describe('a text', () => {
  it.each([
    ['none', {}, "A Post without media must have a 'text'"],
    ['empty', { text: '' }, "'text' must be a non-empty string"],
    ['blank', { text: ' \n\u3000' }, "'text' must be a non-empty string"],
    ['a number', { text: 7 }, "'text' must be a string, got 7"],
    ['null', { text: null }, "'text' must be a string, got null"],
    [
      'half a pair',
      { text: 'a\ud800' },
      "'text' must not contain the character U+D800 (at position 2)",
    ],
    ['NUL', { text: '👍\0' }, "'text' must not contain the character U+0000 (at position 2)"],
    [
      'with 281 accents on one letter',
      { text: `ba${'\u0301'.repeat(281)}` },
      "'text' must not have more than 280 combining marks in a row (at position 3)",
    ],
    [
      'of one endless emoji',
      { text: `👍${'\u200d👍'.repeat(12_500)}` },
      `Your Tweet text is too long. It has 25001 characters, the limit is 25000 (at position 25001). ${RULES}`,
    ],
    [
      'of 281 letters',
      { text: 'a'.repeat(281) },
      `Your Tweet text is too long. Its weighted length is 281, the limit is 280 (at position 281). ${RULES}`,
    ],
    [
      'of 141 wide characters',
      { text: 'の'.repeat(141) },
      `Your Tweet text is too long. Its weighted length is 282, the limit is 280 (at position 141). ${RULES}`,
    ],
  ])('%s is refused', async (_, body, message) => {
    expect(wrongOf(await create(body))).toEqual([['text', message]]);
  });

  it.each([
    ['280 letters', 'b'.repeat(280)],
    ['140 wide characters', 'か'.repeat(140)],
    ['an address that is longer than a Post', `https://example.com/${'p'.repeat(1000)}`],
  ])('of %s fits', async (_, text) => {
    expect((await post(text)).status).toBe(201);
  });
});

it('every field in error is reported, with unknown ones', async () => {
  const body = { text: 7, media: {}, poll: 'tea', colour: 'red' };
  const answer = await create(body);
  expect(answer.headers.get('content-type')).toMatch(/^application\/problem\+json/);
  expect(answer.body).toMatchObject({
    title: 'Invalid Request',
    type: 'https://api.x.com/2/problems/invalid-request',
  });
  const fields = wrongOf(answer).map(([name]) => name);
  expect(new Set(fields)).toEqual(new Set(['colour', 'media', 'poll', 'text']));
});

describe('a field', () => {
  const UNKNOWN =
    'is not defined in the schema and the schema does not allow additional properties';
  it.each([
    ['colour', 'red', `$.colour: ${UNKNOWN}`],
    ['reply', {}, '$.reply.in_reply_to_tweet_id: is required'],
    ['reply', '1', '$.reply: must be an object, got "1"'],
    ['reply', { in_reply_to_tweet_id: '1', to: '2' }, `$.reply.to: ${UNKNOWN}`],
    [
      'reply',
      { in_reply_to_tweet_id: 'x' },
      '$.reply.in_reply_to_tweet_id: [x] does not match ^[0-9]{1,19}$',
    ],
    ['quote_tweet_id', 7, '$.quote_tweet_id: must be a string, got 7'],
    [
      'reply_settings',
      'all',
      '$.reply_settings: "all" is not one of [following,mentionedUsers,subscribers,verified]',
    ],
    ['geo', { place: 'x' }, `$.geo.place: ${UNKNOWN}`],
    ['nullcast', null, '$.nullcast: must be a boolean, got null'],
    ['card_uri', '', '$.card_uri: must not be empty'],
  ])('%s cannot be %j', async (field, value, message) => {
    const answer = await create({ text: 'tea', [field]: value });
    expect(wrongOf(answer)).toEqual([[field, message]]);
  });

  it('that excludes another one is refused with it', async () => {
    const body = { text: 'tea', quote_tweet_id: imported.id, card_uri: 'card://1' };
    const message =
      'You can only provide one of poll or quote_tweet_id or direct_message_deep_link or media or card_uri.';
    expect(wrongOf(await create(body))).toEqual([
      ['quote_tweet_id', message],
      ['card_uri', message],
    ]);
  });

  it('is stored and shown', async () => {
    const fields = {
      paid_partnership: true,
      reply_settings: 'mentionedUsers',
      card_uri: 'card://1',
      geo: { place_id: 'p1' },
    };
    const made = await create({ text: 'with fields', ...fields });
    const { id } = made.body.data;
    const names = Object.keys(fields).join(',');
    const answer = await get(`/2/tweets/${id}?tweet.fields=${names}`);
    expect(answer.body.data).toMatchObject(fields);
  });
});

describe('a reply', () => {
  const reply = (to: string, text: string, who: Caller = alice, more: object = {}) =>
    create({ text, reply: { in_reply_to_tweet_id: to, ...more } }, who);
  const made = async (answer: Promise<Answered>) => (await answer).body.data;
  const shown = async (id: string) => {
    const fields =
      'conversation_id,in_reply_to_user_id,referenced_tweets,author_id,display_text_range,entities';
    const answer = await get(`/2/tweets/${id}?tweet.fields=${fields}`);
    return answer.body.data;
  };

  it('joins the conversation, mentions whom it answers and is counted as a reply', async () => {
    const bob = user('bob');
    const root = await made(post('Which tea?', bob));
    const first = await made(reply(root.id, 'the green one'));
    expect(first.text).toBe('@bob the green one');
    const { author_id: bobId } = await shown(root.id);
    expect(await shown(first.id)).toMatchObject({
      conversation_id: root.id,
      in_reply_to_user_id: bobId,
      referenced_tweets: [{ type: 'replied_to', id: root.id }],
      display_text_range: [5, 18],
      entities: { mentions: [{ start: 0, end: 4, username: 'bob' }] },
    });
    const second = await made(
      reply(first.id, 'agreed', user('carl'), { auto_populate_reply_metadata: true }),
    );
    expect(second.text).toBe('@alice @bob agreed');
    now += 60_000;
    expect(await count(`conversation_id:${root.id} is:reply`)).toBe(2);
    expect(await count(`to:bob in_reply_to_tweet_id:${root.id}`)).toBe(1);
  });

  it('includes whom it mentions, if the request asks for it', async () => {
    const root = await made(post('Any milk?', user('bob')));
    const { id } = await made(reply(root.id, 'in the fridge, @carl'));
    const answer = await get(`/2/tweets/${id}?expansions=entities.mentions.username`);
    const { includes } = answer.body;
    const names = includes.users.map(({ username }: { username: string }) => username);
    expect(names.sort()).toEqual(['bob', 'carl']);
  });

  it('leaves out excluded accounts, and those that its text begins with', async () => {
    const bob = user('bob');
    const root = await made(post('Any cake?', bob));
    const { author_id: bobId } = await shown(root.id);
    const without = await made(reply(root.id, 'some', alice, { exclude_reply_user_ids: [bobId] }));
    expect(without.text).toBe('some');
    expect((await made(reply(root.id, '@BOB a lot'))).text).toBe('@BOB a lot');
    expect((await made(reply(root.id, 'more to come', bob))).text).toBe('more to come');
  });

  it('may have 280 characters after its mentions', async () => {
    const root = await made(post('How long?', user('bob')));
    expect((await reply(root.id, 'l'.repeat(280))).status).toBe(201);
    const [[, message] = []] = wrongOf(await reply(root.id, 'm'.repeat(281)));
    expect(message).toContain('Its weighted length is 281, the limit is 280 (at position 286).');
  });

  it('to a Post that does not exist is refused', async () => {
    const answer = await reply('1', 'hello?');
    expect(answer.status).toBe(403);
    expect(answer.body.detail).toBe(
      'You attempted to reply to a Tweet that is deleted or not visible to you.',
    );
  });

  it('obeys the settings of the Post', async () => {
    const settings = { text: 'For @alice alone', reply_settings: 'mentionedUsers' };
    const bob = user('bob');
    const root = await made(create(settings, bob));
    expect((await reply(root.id, 'thank you')).status).toBe(201);
    expect((await reply(root.id, 'my own', bob)).status).toBe(201);
    const refused = await reply(root.id, 'me too', user('carl'));
    expect(refused.status).toBe(403);
    expect(refused.body.detail).toContain('mentionedUsers');
  });
});

describe('a quote', () => {
  it('refers to the quoted Post', async () => {
    const made = await create({ text: 'look at this', quote_tweet_id: imported.id });
    const { id } = made.body.data;
    now += 60_000;
    expect(await count(`quotes_of_tweet_id:${imported.id} is:quote`)).toBe(1);
    const answer = await get(`/2/tweets/${id}?expansions=referenced_tweets.id`);
    const { data, includes } = answer.body;
    expect(data.referenced_tweets).toEqual([{ type: 'quoted', id: imported.id }]);
    expect(includes.tweets).toEqual([expect.objectContaining({ id: imported.id, text: 'tea' })]);
  });

  it('of a Post that does not exist is refused', async () => {
    expect(wrongOf(await create({ text: 'look', quote_tweet_id: '5' }))).toEqual([
      ['quote_tweet_id', 'Your quote tweet ID is invalid.'],
    ]);
  });
});

describe('a body', () => {
  it.each([
    ['', 'The body is not JSON: unexpected end (at position 1)'],
    ['{"text":"tea"', 'The body is not JSON: unexpected end (at position 14)'],
    ['{"text":tea}', 'The body is not JSON: unexpected "t" (at position 9)'],
    ['{"👍":1,}', 'The body is not JSON: unexpected "}" (at position 8)'],
    [
      `{"text":${'['.repeat(20_000)}${']'.repeat(20_000)}}`,
      'The body nests more than 256 levels deep (at position 264)',
    ],
    ['"tea"', 'Request body must be a JSON object.'],
    ['[{"text":"tea"}]', 'Request body must be a JSON object.'],
    ['null', 'Request body must be a JSON object.'],
  ])('%j is refused', async (body, message) => {
    expect(wrongOf(await sendRaw(body))).toEqual([['', message]]);
  });

  it('that is not UTF-8 is refused', async () => {
    const body = Buffer.from('{"text":"caf\u00e9"}', 'latin1');
    expect(wrongOf(await sendRaw(body))).toEqual([['', 'The body is not in UTF-8']]);
  });

  it('that is compressed is refused', async () => {
    const answer = await sendRaw(gzipSync('{"text":"tea"}'), { 'content-encoding': 'gzip' });
    expect([answer.status, answer.headers.get('accept-encoding')]).toEqual([415, 'identity']);
    expect(answer.body.detail).toContain('[gzip]');
  });

  it('cannot set a prototype', async () => {
    const answer = await sendRaw('{"text":"tea","__proto__":{"text":"x"}}');
    expect(wrongOf(answer).map(([name]) => name)).toEqual(['__proto__']);
  });

  it.each(['announced', 'not announced'])(
    'of more than 512 KiB is 413, its length %s',
    async (how) => {
      const body = JSON.stringify({ text: 'a'.repeat(512 * 1024) });
      const length = how === 'announced' ? { 'content-length': String(body.length) } : {};
      const answer = await sendRaw(body, length);
      expect(answer.status).toBe(413);
      expect(answer.body).toMatchObject({ type: 'about:blank', status: 413 });
    },
  );

  it.each(['', 'text/plain', 'application/x-www-form-urlencoded', 'application/jsonx'])(
    'of the content type %j is refused with the recorded message',
    async (type) => {
      const answer = await sendRaw('{"text":"tea"}', { 'content-type': type });
      expect(answer.status).toBe(400);
      expect(answer.body).toMatchObject({
        errors: [
          {
            parameters: {},
            message: 'Requests with bodies must have content-type of application/json.',
          },
        ],
      });
    },
  );

  it('may name its character set', async () => {
    const type = { 'content-type': 'Application/JSON; charset=utf-8' };
    expect((await sendRaw('{"text":"charset"}', type)).status).toBe(201);
  });

  it('cannot be replaced by parameters, which are refused', async () => {
    expect(wrongOf(await post('tea', alice, `${TWEETS}?text=tea`))).toEqual([
      ['text', 'The query parameter [text] is not one of []'],
    ]);
  });
});

describe('the same text', () => {
  // Recorded body (platform-facts section 3).
  const DUPLICATE = {
    title: 'Forbidden',
    type: 'about:blank',
    status: 403,
    detail: 'You are not allowed to create a Tweet with duplicate content.',
  };

  it('is refused for 24 hours, but only to its author', async () => {
    expect((await post('once')).status).toBe(201);
    const first = now;
    now += 86_399_999;
    const again = await post('once');
    expect([again.status, again.body]).toEqual([403, DUPLICATE]);
    expect((await post('once', user('bob'))).status).toBe(201);
    expect((await post('Once')).status).toBe(201);
    now = first + 86_400_000;
    expect((await post('once')).status).toBe(201);
    expect((await post('once')).status).toBe(403);
  });

  it('may be posted again when the Post is deleted', async () => {
    const { id } = (await post('gone')).body.data;
    expect((await remove(id)).status).toBe(200);
    expect((await post('gone')).status).toBe(201);
    expect((await post('gone')).status).toBe(403);
  });

  it('is recognised after a restart, and in any Unicode normalization', async () => {
    const { id } = (await post('caf\u00e9')).body.data;
    await service.restart();
    expect((await post('cafe\u0301')).status).toBe(403);
    await service.restart();
    expect((await remove(id)).status).toBe(200);
    expect((await post('cafe\u0301')).status).toBe(201);
  });

  it('sent many times at once creates one Post', async () => {
    const carol = user('carol');
    const answers = await Promise.all(Array.from({ length: 20 }, () => post('crowd', carol)));
    const made = answers.filter(({ status }) => status === 201);
    expect([made.length, answers.filter(({ status }) => status === 403).length]).toEqual([1, 19]);
  });
});

describe('DELETE /2/tweets/{id}', () => {
  it('deletes the Post, once', async () => {
    const { id } = (await post('short-lived')).body.data;
    const answer = await remove(id);
    expect([answer.status, answer.body]).toEqual([200, { data: { deleted: true } }]);
    expect((await remove(id)).status).toBe(404);
  });

  it.each(['1', '0', '1990000000000000002', '9999999999999999999'])(
    'of %s, which is not a Post, is 404',
    async (id) => {
      const answer = await remove(id);
      expect(answer.status).toBe(404);
      expect(answer.body).toEqual({
        title: 'Not Found Error',
        detail: `Could not find tweet with id: [${id}].`,
        type: 'https://api.x.com/2/problems/resource-not-found',
        status: 404,
        resource_type: 'tweet',
        resource_id: id,
        parameter: 'id',
        value: id,
      });
    },
  );

  it.each(['abc', '-1', '1.5', '12345678901234567890', 'counts'])(
    'of %s, which is not an id, is 400',
    async (id) => {
      expect(wrongOf(await remove(id))).toEqual([
        ['id', `The \`id\` query parameter value [${id}] does not match ^[0-9]{1,19}$`],
      ]);
    },
  );

  it('is only for the author: others get 403, and the Post stays', async () => {
    const { id } = (await post('mine')).body.data;
    for (const of of [id, imported.id]) {
      const answer = await remove(of, user('bob'));
      expect(answer.status).toBe(403);
      expect(answer.body).toEqual({
        title: 'Forbidden',
        type: 'about:blank',
        status: 403,
        detail:
          'You are not permitted to perform this action: only the author of a Post may delete it.',
      });
    }
    expect((await remove(id)).status).toBe(200);
  });
});

describe('other methods and addresses', () => {
  it.each([
    ['PUT', '/2/tweets', 405, 'GET, HEAD, POST'],
    ['OPTIONS', '/2/posts', 405, 'POST'],
    ['PUT', '/2/tweets/1', 405, 'GET, HEAD, DELETE'],
    ['GET', '/2/posts/1', 405, 'DELETE'],
    ['OPTIONS', '/2/tweets/1', 405, 'GET, HEAD, DELETE'],
    ['POST', '/sample/2/tweets', 405, 'GET, HEAD'],
    ['DELETE', '/sample/2/tweets/1', 405, 'GET, HEAD'],
    ['POST', '/platform/2/tweets', 404, null],
  ])('%s %s is %i', async (method, path, status, allow) => {
    const answer = await alice.send(method, path);
    expect([answer.status, answer.headers.get('allow')]).toEqual([status, allow]);
  });
});
