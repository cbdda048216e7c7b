import { describe, expect, it } from 'vitest';
import { stage } from '#tests/support/conformance.ts';

// Rows of the specification's tables about Posts; the description of each test says what its row demands.

const on = stage([
  {
    id: '1990000000000000001',
    createdAt: '2026-11-21T09:00:00Z',
    text: 'a cup of tea',
    authorId: '7',
    username: 'ann',
  },
]);
const alice = on.user('alice', { subscription_type: 'Premium' });
const bob = on.user('bob');
const ONE_HOUR = 3_600_000;

/** Creates a Post and returns its id. */
async function posted(as: typeof alice, body: object): Promise<string> {
  on.now += 60_000;
  const { status, body: answer } = await as.send('POST', '/2/tweets', body);
  expect(status, JSON.stringify(answer)).toBe(201);
  return answer.data.id;
}
const read = async (id: string, fields: string, more = '') =>
  (await alice.get(`/2/tweets/${id}?tweet.fields=${fields}${more}`)).body;

describe('Post (create request fields)', () => {
  it('text: required unless media is given', async () => {
    const id = await posted(alice, { text: 'plain' });
    expect((await read(id, 'created_at')).data.text).toBe('plain');
    expect((await alice.send('POST', '/2/tweets', {})).status).toBe(400);
  });

  it('reply: names the Post replied to', async () => {
    const id = await posted(alice, {
      text: 'me too',
      reply: { in_reply_to_tweet_id: '1990000000000000001' },
    });
    const { data } = await read(id, 'referenced_tweets,conversation_id');
    expect(data.referenced_tweets).toEqual([{ type: 'replied_to', id: '1990000000000000001' }]);
  });

  it('quote_tweet_id: names the Post being quoted', async () => {
    const id = await posted(alice, { text: 'look', quote_tweet_id: '1990000000000000001' });
    const { data } = await read(id, 'referenced_tweets');
    expect(data.referenced_tweets).toEqual([{ type: 'quoted', id: '1990000000000000001' }]);
  });

  it('media: contains media_ids of uploaded media', async () => {
    // The smallest GIF: one pixel.
    const media = 'R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7';
    const uploaded = await alice.send('POST', '/2/media/upload', {
      media,
      media_category: 'tweet_image',
      media_type: 'image/gif',
    });
    expect(uploaded.status, JSON.stringify(uploaded.body)).toBe(200);
    const id = await posted(alice, { media: { media_ids: [uploaded.body.data.id] } });
    const { data } = await read(id, 'attachments');
    expect(data.attachments.media_keys).toEqual([uploaded.body.data.media_key]);
  });

  it('poll: contains options and duration_minutes', async () => {
    const id = await posted(alice, {
      text: 'which?',
      poll: { options: ['tea', 'coffee'], duration_minutes: 5 },
    });
    const { includes } = await read(
      id,
      'attachments',
      '&expansions=attachments.poll_ids&poll.fields=duration_minutes,end_datetime,options,voting_status',
    );
    expect(includes.polls[0]).toMatchObject({ duration_minutes: 5, voting_status: 'open' });
    on.now += 6 * 60_000;
    const later = await read(
      id,
      'attachments',
      '&expansions=attachments.poll_ids&poll.fields=voting_status',
    );
    expect(later.includes.polls[0].voting_status).toBe('closed');
  });

  it('paid_partnership: labels the Post as paid promotion', async () => {
    const id = await posted(alice, { text: 'an advert', paid_partnership: true });
    expect((await read(id, 'paid_partnership')).data.paid_partnership).toBe(true);
  });

  it('community_id: posts into a community of which the author is a member', async () => {
    const community_id = await on.community('Tea', ['alice']);
    const id = await posted(alice, { text: 'among us', community_id });
    expect((await read(id, 'community_id')).data.community_id).toBe(community_id);
    const outside = await bob.send('POST', '/2/tweets', { text: 'let me in', community_id });
    expect(outside.status).toBe(403);
  });

  it('share_with_followers: with a community_id, and true, broadcasts to followers', async () => {
    const community_id = await on.community('Coffee', ['alice']);
    const shared = await posted(alice, { text: 'a', community_id, share_with_followers: true });
    expect((await read(shared, 'scopes')).data.scopes).toEqual({ followers: true });
    const unshared = await posted(alice, { text: 'b', community_id, share_with_followers: false });
    expect((await read(unshared, 'scopes')).data.scopes).toEqual({ followers: false });
    const { status } = await alice.send('POST', '/2/tweets', {
      text: 'shared',
      share_with_followers: true,
    });
    expect(status).toBe(400);
  });

  it('edit_options: contains previous_post_id', async () => {
    const first = await posted(alice, { text: 'a typpo' });
    const id = await posted(alice, {
      text: 'a typo',
      edit_options: { previous_post_id: first },
    });
    expect((await read(id, 'edit_controls')).data.edit_history_tweet_ids).toEqual([first, id]);
  });
});

describe('Post (read fields)', () => {
  it('id and text: always present', async () => {
    const id = await posted(alice, { text: 'always' });
    const { body } = await alice.get(`/2/tweets/${id}`);
    expect(body.data).toEqual({ id, text: 'always', edit_history_tweet_ids: [id] });
  });

  it('paid_partnership: returned when tweet.fields includes it', async () => {
    const id = await posted(alice, { text: 'labelled', paid_partnership: true });
    const { body } = await alice.get(`/2/tweets/${id}`);
    expect(body.data).not.toHaveProperty('paid_partnership');
    expect((await read(id, 'paid_partnership')).data.paid_partnership).toBe(true);
  });

  it('reply_settings: everyone, mentionedUsers or following; everyone also without a setting', async () => {
    const open = await posted(alice, { text: 'open' });
    expect((await read(open, 'reply_settings')).data.reply_settings).toBe('everyone');
    for (const reply_settings of ['mentionedUsers', 'following']) {
      const id = await posted(alice, { text: `for ${reply_settings}`, reply_settings });
      expect((await read(id, 'reply_settings')).data.reply_settings).toBe(reply_settings);
    }
  });

  it('community_id: a field of a Post of a community, and of no other', async () => {
    const community_id = await on.community('Cocoa', ['alice']);
    const inside = await posted(alice, { text: 'inside', community_id });
    const outside = await posted(alice, { text: 'outside' });
    expect((await read(inside, 'community_id')).data.community_id).toBe(community_id);
    expect((await read(outside, 'community_id')).data).not.toHaveProperty('community_id');
  });

  it('public_metrics.impression_count: the view count', async () => {
    const id = await posted(alice, { text: 'unseen' });
    const { data } = await read(id, 'public_metrics');
    expect(data.public_metrics.impression_count).toBe(0);
  });

  it('retweet_count, quote_count: quote_count is the number of distinct accounts', async () => {
    const id = await posted(alice, { text: 'quote me' });
    await posted(alice, { text: 'one', quote_tweet_id: id });
    await posted(bob, { text: 'two', quote_tweet_id: id });
    await posted(bob, { text: 'three', quote_tweet_id: id });
    const repost = await bob.send('POST', `/2/users/${bob.id}/retweets`, { tweet_id: id });
    expect(repost.body.data.retweeted).toBe(true);
    const { data } = await read(id, 'public_metrics');
    expect(data.public_metrics).toMatchObject({ quote_count: 2, retweet_count: 1 });
  });

  it('text: up to 25,000 characters in long Posts', async () => {
    const long = 'word '.repeat(5000).trim();
    const id = await posted(alice, { text: long });
    const { data } = await read(id, 'note_tweet');
    expect(data.note_tweet.text).toBe(long);
    expect(data.text.length).toBeLessThan(300);
    const more = await alice.send('POST', '/2/tweets', { text: `${long} ${'x'.repeat(100)}` });
    expect(more.status).toBe(400);
    expect((await bob.send('POST', '/2/tweets', { text: long })).status).toBe(400);
  });
});

describe('Delete result', () => {
  it('data.deleted: true on success', async () => {
    const id = await posted(alice, { text: 'short-lived' });
    const { status, body } = await alice.send('DELETE', `/2/tweets/${id}`);
    expect([status, body]).toEqual([200, { data: { deleted: true } }]);
  });
});

describe('Post operations', () => {
  it('POST /2/tweets: takes application/json, and answers with id and text', async () => {
    const { status, headers, body } = await alice.send('POST', '/2/tweets', { text: 'an answer' });
    expect(status).toBe(201);
    expect(headers.get('content-type')).toMatch(/^application\/json\b/);
    expect(body.data).toMatchObject({ id: expect.stringMatching(/^\d{1,19}$/), text: 'an answer' });
    expect((await read(body.data.id, 'created_at')).data.text).toBe('an answer');
  });

  it('DELETE /2/tweets/{post_id}: takes no body, and answers data.deleted', async () => {
    const id = await posted(alice, { text: 'to be deleted' });
    const { status, body } = await alice.send('DELETE', `/2/tweets/${id}`);
    expect([status, body]).toEqual([200, { data: { deleted: true } }]);
    expect((await read(id, 'created_at')).data).toBeUndefined();
  });

  it('POST /2/posts: takes text and edit_options.previous_post_id, and answers as creation', async () => {
    const first = await posted(alice, { text: 'frist' });
    on.now += 1000;
    const { status, body } = await alice.send('POST', '/2/posts', {
      text: 'first',
      edit_options: { previous_post_id: first },
    });
    expect(status, JSON.stringify(body)).toBe(201);
    expect(body.data.text).toBe('first');
    expect(body.data.edit_history_tweet_ids).toEqual([first, body.data.id]);
    const missing = await alice.send('POST', '/2/posts', {
      text: 'first',
      edit_options: {},
    });
    expect(missing.status).toBe(400);
  });
});

describe('Limits', () => {
  it('Post length: 25,000 characters for long Posts', async () => {
    const make = (length: number) => {
      on.now += 60_000;
      const text = 'long '.repeat(length / 5).padEnd(length, '.');
      return alice.send('POST', '/2/tweets', { text });
    };
    expect((await make(25_000)).status).toBe(201);
    expect((await make(25_001)).status).toBe(400);
  });

  it('Post edit window: 1 hour after creation', async () => {
    const edit = async (wait: number) => {
      on.now += 60_000;
      const { body } = await alice.send('POST', '/2/tweets', { text: `edited after ${wait}` });
      on.now += wait;
      return await alice.send('POST', '/2/tweets', {
        text: `after ${wait}`,
        edit_options: { previous_post_id: body.data.id },
      });
    };
    expect((await edit(ONE_HOUR)).status).toBe(201);
    expect((await edit(ONE_HOUR + 1)).status).toBe(403);
  });
});

describe('Post operations, rules', () => {
  it('1: only the author of a Post may delete it', async () => {
    const id = await posted(alice, { text: 'mine' });
    expect((await bob.send('DELETE', `/2/tweets/${id}`)).status).toBe(403);
    expect((await alice.get(`/2/tweets/${id}`)).body.data.id).toBe(id);
  });

  it('2: the id for deletion is the one from creation', async () => {
    const id = await posted(alice, { text: 'by its id' });
    await alice.send('DELETE', `/2/tweets/${id}`);
    expect((await alice.get(`/2/tweets/${id}`)).body.errors[0].title).toBe('Not Found Error');
  });

  it('3: an edit needs Premium, the own Post, and at most an hour since its creation', async () => {
    const edit = (as: typeof alice, id: string, path = '/2/posts') => {
      on.now += 1000;
      return as.send('POST', path, {
        text: `edited at ${on.now}`,
        edit_options: { previous_post_id: id },
      });
    };
    const own = await posted(bob, { text: 'without Premium' });
    expect((await edit(bob, own)).status).toBe(403);
    const other = await posted(alice, { text: 'of another' });
    const premium = on.user('carl', { subscription_type: 'Premium' });
    expect((await edit(premium, other)).status).toBe(403);
    const early = await posted(alice, { text: 'early' });
    on.now += ONE_HOUR - 10_000;
    expect((await edit(alice, early)).status).toBe(201);
    const late = await posted(alice, { text: 'late' });
    on.now += ONE_HOUR + 1;
    expect((await edit(alice, late)).status).toBe(403);
  });

  it('4: a self-service reply needs a summon; enterprise does not', async () => {
    const program = on.user('dora', {}, { access: 'self-service', limited: false });
    const reply = (id: string) => {
      on.now += 1000;
      return program.send('POST', '/2/tweets', {
        text: `an answer at ${on.now}`,
        reply: { in_reply_to_tweet_id: id },
      });
    };
    const silent = await posted(alice, { text: 'not for dora' });
    const refused = await reply(silent);
    expect([refused.status, refused.body.title]).toEqual([403, 'Authorization Error']);
    const summon = await posted(alice, { text: 'what do you think, @dora?' });
    expect((await reply(summon)).status).toBe(201);
    const mine = await posted(program, { text: 'quote this' });
    const quoting = await posted(alice, { text: 'as dora says', quote_tweet_id: mine });
    expect((await reply(quoting)).status).toBe(201);
    const free = on.user('dora');
    const answer = await free.send('POST', '/2/tweets', {
      text: 'an answer of an enterprise',
      reply: { in_reply_to_tweet_id: silent },
    });
    expect(answer.status).toBe(201);
  });

  it('5: paid partnership is set at creation and read back', async () => {
    const id = await posted(alice, { text: 'read back', paid_partnership: true });
    expect((await read(id, 'paid_partnership')).data.paid_partnership).toBe(true);
  });
});
