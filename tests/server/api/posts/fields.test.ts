import { afterAll, beforeEach, describe, expect, it } from 'vitest';
import { MINUTE_MS } from '#core/time/span.ts';
import { orderCommunities } from '#server/users/communities.ts';
import { editorOver } from '#server/posts/editor/editor.ts';
import { openPosts } from '#server/posts/store/post-table.ts';
import { startService } from '#tests/support/service/service.ts';
import { bearer, callerOf, person, wrongOf, type Caller } from '#tests/support/service/callers.ts';

let now = Date.parse('2026-11-21T10:30:20Z');
const service = startService({ now: () => now });
afterAll(() => service.close());
const alice = person(service, 'alice');
const rich = person(service, 'rich', { profile: { subscription_type: 'Premium' } });
const plus = person(service, 'plus', { profile: { subscription_type: 'PremiumPlus' } });
const basic = person(service, 'basic', { profile: { subscription_type: 'Basic' } });
const get = async (path: string) => (await callerOf(service).get(path)).body;
const post = (who: Caller, body: object) => who.post('/2/tweets', body);
const remove = (who: Caller, id: string) => who.send('DELETE', `/2/tweets/${id}`);

beforeEach(() => {
  now += MINUTE_MS;
});

/** Counts a query's Posts of this test's day, up to the newest. */
async function count(query: string): Promise<number> {
  now += 2 * MINUTE_MS;
  const search = new URLSearchParams({ query, start_time: '2026-11-21T00:00:00Z' });
  return (await get(`/2/tweets/counts/recent?${search}`)).meta.total_tweet_count;
}

describe('a long Post', () => {
  const whole = `Once upon a time ${'tea '.repeat(2000)}#ending with @bob and a zebra`;

  it('is shortened in `text`, whole in `note_tweet`, and found by all of it', async () => {
    const { status, body } = await post(rich, { text: whole });
    expect(status).toBe(201);
    const { id, text } = body.data;
    expect(text).toMatch(/^Once upon a time (tea )+t…$/);
    const fields = 'note_tweet,display_text_range,entities';
    const { data } = await get(`/2/tweets/${id}?tweet.fields=${fields}`);
    expect(data).toMatchObject({
      text,
      display_text_range: [0, Array.from(text).length],
      note_tweet: {
        text: whole,
        entities: {
          hashtags: [{ tag: 'ending' }],
          mentions: [{ username: 'bob' }],
        },
      },
    });
    expect(data.entities).toBeUndefined();
    for (const query of ['zebra', '#ending from:rich', '@bob "a zebra"']) {
      expect([query, await count(query)]).toEqual([query, 1]);
      const found = await get(`/2/tweets/search/recent?query=${encodeURIComponent(query)}`);
      expect(found.data).toMatchObject([{ id, text, edit_history_tweet_ids: [id] }]);
    }
    const again = await post(rich, { text: whole });
    expect(again.status).toBe(403);
    await service.restart();
    expect((await post(rich, { text: whole })).status).toBe(403);
    // The beginning is the same, the text is not.
    expect((await post(rich, { text: `${whole}s` })).status).toBe(201);
    expect((await remove(rich, id)).status).toBe(200);
    expect((await post(rich, { text: whole })).status).toBe(201);
  });

  it.each([
    ['Premium', rich],
    ['PremiumPlus', plus],
  ])('has up to 25,000 characters with %s', async (_, author) => {
    expect((await post(author, { text: 'の'.repeat(25_000) })).status).toBe(201);
    expect(wrongOf(await post(author, { text: `a${'の'.repeat(25_000)}` }))).toEqual([
      [
        'text',
        expect.stringMatching(
          /^Your Tweet text is too long\. It has 25001 characters, the limit is 25000 \(at position 25001\)\. For more information on how Twitter determines text length/,
        ),
      ],
    ]);
  });

  it('is refused to others', async () => {
    for (const author of [alice, basic]) {
      const [[, message] = []] = wrongOf(await post(author, { text: 'a'.repeat(281) }));
      expect(message).toMatch(/^Your Tweet text is too long\. Its weighted length is 281/);
    }
  });

  it('cannot evade the limit by mentions', async () => {
    const root = (await post(alice, { text: 'Whom?' })).body.data.id;
    const reply = { in_reply_to_tweet_id: root };
    // The mention of alice is added, and 49 of these are free.
    const fits = `${'@carl '.repeat(49)}${'@dora '.repeat(46)}`;
    expect((await post(alice, { text: `${fits}1234`, reply })).status).toBe(201);
    expect(wrongOf(await post(alice, { text: `${fits}12345678901`, reply }))).toEqual([
      ['text', expect.stringContaining('Its weighted length is 281')],
    ]);
    const many = await post(rich, { text: '@bob '.repeat(20_000), reply });
    expect(many.status).toBe(400);
  });

  it('that is a reply may have 25,000 characters after its mentions', async () => {
    const root = (await post(alice, { text: 'How long?' })).body.data.id;
    const reply = { in_reply_to_tweet_id: root };
    const { status, body } = await post(rich, { text: 'b'.repeat(25_000), reply });
    expect([status, body.data.text]).toEqual([201, `@alice ${'b'.repeat(278)}…`]);
  });
});

describe('a poll', () => {
  const poll = { options: ['green', 'black'], duration_minutes: 5 };
  const UNKNOWN =
    'is not defined in the schema and the schema does not allow additional properties';

  it('opens with the Post and closes on time', async () => {
    const made = await post(alice, { text: 'Which tea?', poll });
    expect(made.status).toBe(201);
    const { id } = made.body.data;
    const fields = 'duration_minutes,end_datetime,voting_status';
    const path = `/2/tweets/${id}?expansions=attachments.poll_ids&poll.fields=${fields}`;
    const { data, includes } = await get(path);
    const [pollId] = data.attachments.poll_ids;
    expect(pollId).toMatch(/^[0-9]{1,19}$/);
    const end = new Date(now + 5 * MINUTE_MS).toISOString();
    const shown = {
      id: pollId,
      options: [
        { position: 1, label: 'green', votes: 0 },
        { position: 2, label: 'black', votes: 0 },
      ],
      duration_minutes: 5,
      end_datetime: end,
    };
    expect(includes.polls).toEqual([{ ...shown, voting_status: 'open' }]);
    now += 5 * MINUTE_MS - 1;
    expect((await get(path)).includes.polls[0].voting_status).toBe('open');
    now += 1;
    expect((await get(path)).includes.polls[0].voting_status).toBe('closed');
    const bare = await get(`/2/tweets/${id}?expansions=attachments.poll_ids`);
    expect(bare.includes.polls).toEqual([{ id: pollId, options: shown.options }]);
    expect((await remove(alice, id)).status).toBe(200);
    const db = openPosts(`${service.folder}/posts.sqlite`, { random: (n) => new Uint8Array(n) });
    expect(db.prepare('SELECT count(*) FROM object').get()).toEqual([0]);
    db.close();
  });

  it('may say who may reply', async () => {
    const made = await post(alice, {
      text: 'Which cup?',
      poll: { ...poll, reply_settings: 'mentionedUsers' },
    });
    const { data } = await get(`/2/tweets/${made.body.data.id}?tweet.fields=reply_settings`);
    expect(data.reply_settings).toBe('mentionedUsers');
  });

  it.each([
    ['a text', 'tea', '$.poll: must be an object, got "tea"'],
    ['no options', { duration_minutes: 5 }, '$.poll.options: is required'],
    ['no duration', { options: ['a', 'b'] }, '$.poll.duration_minutes: is required'],
    ['another member', { ...poll, colour: 'red' }, `$.poll.colour: ${UNKNOWN}`],
    ['no list', { ...poll, options: 'a' }, '$.poll.options: must be an array, got "a"'],
    [
      'one option',
      { ...poll, options: ['a'] },
      '$.poll.options: the number of options [1] is not between 2 and 4',
    ],
    [
      'five options',
      { ...poll, options: [...'abcde'] },
      '$.poll.options: the number of options [5] is not between 2 and 4',
    ],
    [
      'an empty option',
      { ...poll, options: ['a', ''] },
      '$.poll.options[1]: has 0 characters; expected 1 to 25',
    ],
    [
      'a long option',
      { ...poll, options: ['a', '👍'.repeat(26)] },
      '$.poll.options[1]: has 26 characters; expected 1 to 25',
    ],
    [
      'a number as option',
      { ...poll, options: [7, 'b'] },
      '$.poll.options[0]: must be a string, got number',
    ],
    [
      'half a pair',
      { ...poll, options: ['a', 'b\ud800'] },
      '$.poll.options[1]: contains a character that no Post may contain',
    ],
    [
      'four minutes',
      { ...poll, duration_minutes: 4 },
      '$.poll.duration_minutes: [4] is not between 5 and 10080',
    ],
    [
      'more than a week',
      { ...poll, duration_minutes: 10_081 },
      '$.poll.duration_minutes: [10081] is not between 5 and 10080',
    ],
    [
      'half a minute',
      { ...poll, duration_minutes: 5.5 },
      '$.poll.duration_minutes: must be an integer, got 5.5',
    ],
    [
      'a text as duration',
      { ...poll, duration_minutes: '5' },
      '$.poll.duration_minutes: must be an integer, got "5"',
    ],
    [
      'other reply settings',
      { ...poll, reply_settings: 'all' },
      '$.poll.reply_settings: "all" is not one of [following,mentionedUsers,subscribers,verified]',
    ],
  ])('with %s is refused', async (_, value, message) => {
    expect(wrongOf(await post(alice, { text: 'x', poll: value }))).toEqual([['poll', message]]);
  });

  it.each([
    ['two options of 25 characters', { options: ['👍'.repeat(25), 'b'], duration_minutes: 10_080 }],
    ['four options', { options: [...'abcd'], duration_minutes: 5 }],
  ])('with %s is accepted', async (name, value) => {
    expect((await post(alice, { text: name, poll: value })).status).toBe(201);
  });

  it('cannot contradict the settings of its Post', async () => {
    const body = {
      text: 'x',
      poll: { ...poll, reply_settings: 'following' },
      reply_settings: 'verified',
    };
    expect(wrongOf(await post(alice, body))).toEqual([
      ['poll', '$.poll.reply_settings: following differs from reply_settings, which is verified'],
    ]);
  });
});

describe('fields that exclude each other', () => {
  const message =
    'You can only provide one of poll or quote_tweet_id or direct_message_deep_link or media or card_uri.';
  const each = {
    poll: { options: ['a', 'b'], duration_minutes: 5 },
    quote_tweet_id: '1',
    direct_message_deep_link: 'https://x.com/messages/compose?recipient_id=1',
    card_uri: 'card://1',
  };
  const names = Object.keys(each) as (keyof typeof each)[];
  const pairs = names.flatMap((a, i) => names.slice(i + 1).map((b) => [a, b] as const));

  it.each(pairs)('%s and %s', async (a, b) => {
    const wrong = wrongOf(await post(alice, { text: 'x', [a]: each[a], [b]: each[b] }));
    expect(wrong.toSorted()).toEqual([a, b].toSorted().map((name) => [name, message]));
  });
});

describe('a community', () => {
  const order = async (given: Parameters<typeof orderCommunities>[1]) => {
    const db = openPosts(`${service.folder}/posts.sqlite`, { random: (n) => new Uint8Array(n) });
    const accounts = service.auth.accounts({ action: 'list' });
    const done = await orderCommunities(
      { accounts, editor: editorOver(db, () => now), now: () => now },
      given,
    );
    db.close();
    return done[0]!.id;
  };

  it('takes Posts of its members alone', async () => {
    const id = await order({ action: 'add', name: 'Tea', members: ['alice'] });
    const body = { text: 'among us', community_id: id };
    const made = await post(alice, body);
    expect(made.status).toBe(201);
    const { data } = await get(
      `/2/tweets/${made.body.data.id}?tweet.fields=community_id,scopes,edit_controls`,
    );
    expect(data).toMatchObject({
      community_id: id,
      scopes: { followers: false },
      edit_controls: { is_edit_eligible: false },
    });
    const other = await post(rich, body);
    expect([other.status, other.body]).toEqual([
      403,
      {
        title: 'Forbidden',
        type: 'about:blank',
        status: 403,
        detail: `@rich is not a member of the community [${id}].`,
      },
    ]);
    await order({ action: 'join', name: 'tea', username: 'rich' });
    const shared = await post(rich, { ...body, share_with_followers: true });
    const { id: sharedId } = shared.body.data;
    expect((await get(`/2/tweets/${sharedId}?tweet.fields=scopes`)).data.scopes).toEqual({
      followers: true,
    });
    await order({ action: 'leave', name: 'TEA', username: 'rich' });
    expect((await post(rich, { ...body, text: 'again' })).status).toBe(403);
    const unknown = await post(alice, { text: 'nowhere', community_id: '5' });
    expect([unknown.status, unknown.body.detail]).toEqual([
      403,
      'There is no community with the id [5].',
    ]);
    await order({ action: 'remove', name: 'Tea' });
    expect((await post(alice, { ...body, text: 'too late' })).status).toBe(403);
  });

  it('is shown by its id', async () => {
    const id = await order({ action: 'add', name: 'Coffee', members: ['alice', 'rich'] });
    expect(await get(`/2/communities/${id}`)).toEqual({ data: { id, name: 'Coffee' } });
    const fields = 'created_at,member_count,description';
    expect(await get(`/2/communities/${id}?community.fields=${fields}`)).toEqual({
      data: { id, name: 'Coffee', created_at: new Date(now).toISOString(), member_count: 2 },
    });
    expect(await get('/2/communities/5')).toMatchObject({
      errors: [{ detail: 'Could not find community with id: [5].', resource_type: 'community' }],
    });
    expect((await service.request('/2/communities/x')).status).toBe(400);
    expect((await service.request(`/2/communities/${id}?community.fields=x`)).status).toBe(400);
  });

  it('is needed to share with followers', async () => {
    expect(wrongOf(await post(alice, { text: 'x', share_with_followers: true }))).toEqual([
      ['share_with_followers', '$.share_with_followers: is allowed only with community_id'],
    ]);
    expect((await post(alice, { text: 'not shared', share_with_followers: false })).status).toBe(
      201,
    );
  });
});

describe('a body', () => {
  it('of up to 512 KiB is read', async () => {
    const text = '\\u3042'.repeat(25_000);
    const padding = ' '.repeat(512 * 1024 - text.length - 11);
    const body = `{"text":"${text}"${padding}}`;
    const headers = { 'content-type': 'application/json', ...bearer(rich.token) };
    const answer = await service.request('/2/tweets', { method: 'POST', body, headers });
    expect([Buffer.byteLength(body), answer.status]).toEqual([512 * 1024, 201]);
  });

  it('with many mistakes gets a short answer', async () => {
    const ids = Array.from({ length: 50_000 }, () => 'x');
    const reply = { in_reply_to_tweet_id: '1', exclude_reply_user_ids: ids };
    expect(wrongOf(await post(alice, { text: 'x', reply }))).toEqual([
      ['reply', 'Your exclude reply user IDs are invalid.'],
    ]);
    const options = Array.from({ length: 50_000 }, () => 7);
    const poll = { options, duration_minutes: 5 };
    expect(wrongOf(await post(alice, { text: 'x', poll }))).toHaveLength(1);
  });
});

describe('nullcast', () => {
  it('is not for followers', async () => {
    const { body } = await post(alice, { text: 'for some', nullcast: true });
    const fields = 'scopes,edit_controls,community_id';
    const { data } = await get(`/2/tweets/${body.data.id}?tweet.fields=${fields}`);
    expect(data).not.toHaveProperty('community_id');
    expect(data).toMatchObject({
      scopes: { followers: false },
      edit_controls: { is_edit_eligible: false },
    });
  });
});
