import { afterAll, beforeEach, describe, expect, it } from 'vitest';
import { HOUR_MS, MINUTE_MS } from '#core/time/span.ts';
import { startService } from '#tests/support/service/service.ts';
import { callerOf, person, wrongOf, type Caller } from '#tests/support/service/callers.ts';

const START = Date.parse('2026-11-21T10:30:20Z');
let now = START;
const service = startService({
  now: () => now,
  posts: [
    {
      id: '1990000000000000001',
      createdAt: START,
      text: 'imported',
      authorId: '7',
      isRetweet: true,
      fields: { edit_history_tweet_ids: ['1990000000000000000', '1990000000000000001'] },
    },
  ],
});
afterAll(() => service.close());
const { get } = callerOf(service);
const ann = person(service, 'ann', { profile: { subscription_type: 'Premium' } });
const bob = person(service, 'bob', { profile: { subscription_type: 'PremiumPlus' } });
const poor = person(service, 'poor');
const remove = (who: Caller, id: string) => who.send('DELETE', `/2/tweets/${id}`);

beforeEach(() => {
  now += 3 * HOUR_MS;
});

const create = async (who: Caller, body: object): Promise<string> => {
  const made = await who.post('/2/tweets', body);
  expect([made.status, made.body]).toEqual([201, made.body]);
  return made.body.data.id;
};
const edit = (who: Caller, previous: string, text: string, more: object = {}) =>
  who.post('/2/tweets', { text, edit_options: { previous_post_id: previous }, ...more });
const shown = async (id: string, fields = 'edit_controls') =>
  (await get(`/2/tweets/${id}?tweet.fields=${fields}`)).body.data;

/** Counts a query's Posts by minute, of the whole archive up to now. */
async function count(query: string): Promise<number> {
  now += MINUTE_MS;
  const search = new URLSearchParams({ query, start_time: '2026-11-21T00:00:00Z' });
  return (await get(`/2/tweets/counts/recent?${search}`)).body.meta.total_tweet_count;
}

describe('an edit', () => {
  it('makes a new version, and the chain shows in every version', async () => {
    const first = await create(ann, { text: 'green tea' });
    const createdAt = now;
    expect(await shown(first)).toMatchObject({
      edit_history_tweet_ids: [first],
      edit_controls: {
        edits_remaining: 5,
        is_edit_eligible: true,
        editable_until: new Date(createdAt + HOUR_MS).toISOString(),
      },
    });
    expect(await count('green')).toBe(1);
    const { status, body } = await edit(ann, first, 'black tea');
    expect(status).toBe(201);
    const second = body.data.id;
    expect(body).toEqual({
      data: { id: second, text: 'black tea', edit_history_tweet_ids: [first, second] },
    });
    expect(BigInt(second)).toBeGreaterThan(BigInt(first));
    for (const [id, text] of [
      [first, 'green tea'],
      [second, 'black tea'],
    ] as const) {
      expect(await shown(id)).toMatchObject({
        id,
        text,
        edit_history_tweet_ids: [first, second],
        edit_controls: {
          edits_remaining: 4,
          is_edit_eligible: true,
          editable_until: new Date(createdAt + HOUR_MS).toISOString(),
        },
      });
    }
    expect([await count('green'), await count('black')]).toEqual([0, 1]);
    const search = '/2/tweets/search/recent?query=from:ann%20tea&tweet.fields=edit_controls';
    const found = await get(search);
    expect(found.body.data).toMatchObject([await shown(second)]);
  });

  it('adds the other versions where a request expands them', async () => {
    const first = await create(ann, { text: 'one' });
    const { body } = await edit(ann, first, 'two');
    const path = `/2/tweets/${body.data.id}?expansions=edit_history_tweet_ids`;
    expect((await get(path)).body.includes.tweets).toMatchObject([{ id: first, text: 'one' }]);
    const { body: renamed } = await get(`/2/tweets/${first}?expansions=edit_history_post_ids`);
    expect(renamed.data.edit_history_post_ids).toEqual([first, body.data.id]);
    expect(renamed.includes.posts).toMatchObject([{ id: body.data.id, text: 'two' }]);
  });

  it('keeps the conversation, what the Post answers and quotes, and its further fields', async () => {
    const root = await create(ann, { text: 'root' });
    const answer = await create(ann, {
      text: 'my answer',
      reply: { in_reply_to_tweet_id: root },
      paid_partnership: true,
      geo: { place_id: 'abc' },
    });
    const quote = await create(ann, { text: 'my quote', quote_tweet_id: root });
    const fields =
      'conversation_id,referenced_tweets,in_reply_to_user_id,paid_partnership,geo,author_id';
    for (const id of [root, answer, quote]) {
      const { id: _, text: __, edit_history_tweet_ids: ___, ...before } = await shown(id, fields);
      const { body } = await edit(ann, id, `edited ${id}`);
      expect(await shown(body.data.id, fields)).toMatchObject(before);
    }
    expect(await count(`conversation_id:${root}`)).toBe(2);
    expect(await count(`quotes_of_tweet_id:${root} is:quote`)).toBe(1);
    expect(await count(`in_reply_to_tweet_id:${root} has:geo`)).toBe(1);
    const unpaid = await edit(ann, answer, 'unpaid');
    expect(unpaid.status).toBe(403);
    const [, newest] = (await shown(answer)).edit_history_tweet_ids;
    const changed = await edit(ann, newest, 'unpaid', { paid_partnership: false });
    expect((await shown(changed.body.data.id, fields)).paid_partnership).toBe(false);
  });

  it('is possible up to an hour after the first version', async () => {
    const first = await create(ann, { text: 'early' });
    const at = now;
    now = at + HOUR_MS;
    const { status, body } = await edit(ann, first, 'late');
    expect(status).toBe(201);
    now = at + HOUR_MS + 1;
    const late = await edit(ann, body.data.id, 'too late');
    expect(late.status).toBe(403);
    expect(late.body).toEqual({
      title: 'Forbidden',
      type: 'about:blank',
      status: 403,
      detail: `You are not permitted to edit this Post: a Post may be edited for an hour after its first version was created; for this one the hour ended at ${new Date(at + HOUR_MS).toISOString()}.`,
    });
    // Eligibility does not end with the time.
    expect((await shown(first)).edit_controls.is_edit_eligible).toBe(true);
  });

  it('is possible five times', async () => {
    let id = await create(ann, { text: 'version 0' });
    const chain = [id];
    for (let i = 1; i <= 5; i++) {
      const { status, body } = await edit(ann, id, `version ${i}`);
      expect(status).toBe(201);
      id = body.data.id;
      chain.push(id);
      expect(body.data.edit_history_tweet_ids).toEqual(chain);
      expect((await shown(chain[0]!)).edit_controls.edits_remaining).toBe(5 - i);
    }
    const { status, body } = await edit(ann, id, 'version 6');
    expect([status, body.detail]).toEqual([
      403,
      'You are not permitted to edit this Post: a Post may be edited at most 5 times.',
    ]);
    expect(await count('version from:ann')).toBe(1);
  });

  it('works under both paths, and with a long text', async () => {
    const first = await create(ann, { text: 'short' });
    const text = `long ${'tea '.repeat(200)}zebra`;
    const made = await ann.post('/2/posts', { text, edit_options: { previous_post_id: first } });
    expect([made.status, made.body.data.text.at(-1)]).toEqual([201, '…']);
    expect(await count('zebra')).toBe(1);
    const back = await edit(ann, made.body.data.id, 'short');
    expect(back.status).toBe(201);
    expect((await shown(back.body.data.id, 'note_tweet')).note_tweet).toBeUndefined();
    expect(await count('zebra')).toBe(0);
  });

  it('frees the older text, and may repeat it', async () => {
    const first = await create(ann, { text: 'said once' });
    const { body } = await edit(ann, first, 'said once', { made_with_ai: true });
    expect(body.data.edit_history_tweet_ids).toHaveLength(2);
    expect((await ann.post('/2/tweets', { text: 'said once' })).status).toBe(403);
    const { status } = await edit(ann, body.data.id, 'said twice');
    expect(status).toBe(201);
    expect((await ann.post('/2/tweets', { text: 'said once' })).status).toBe(201);
    expect((await ann.post('/2/tweets', { text: 'said twice' })).status).toBe(403);
  });

  it('sent twice at once succeeds once', async () => {
    const first = await create(ann, { text: 'contested' });
    const answers = await Promise.all(
      Array.from({ length: 10 }, (_, i) => edit(ann, first, `contender ${i}`)),
    );
    expect(answers.map(({ status }) => status).toSorted()).toEqual([201, ...Array(9).fill(403)]);
    expect(await count('contender')).toBe(1);
    expect((await shown(first)).edit_history_tweet_ids).toHaveLength(2);
  });
});

describe('an edit is refused', () => {
  const refusal = async (who: Caller, id: string, rule: string) => {
    const before = await count('-is:nullcast from:ann OR from:bob OR from:poor');
    const { status, body } = await edit(who, id, 'never');
    expect([status, body.detail]).toEqual([
      403,
      `You are not permitted to edit this Post: ${rule}.`,
    ]);
    expect(await count('-is:nullcast from:ann OR from:bob OR from:poor')).toBe(before);
  };

  it('to all but the author', async () => {
    await refusal(bob, await create(ann, { text: 'by ann' }), 'only its author may edit a Post');
  });

  it('without Premium', async () => {
    const id = await create(poor, { text: 'by poor' });
    const rule = 'editing needs a Premium or PremiumPlus subscription, and @poor has';
    await refusal(poor, id, `${rule} None`);
    service.auth.accounts({
      action: 'set',
      username: 'poor',
      profile: { subscription_type: 'Basic' },
    });
    await refusal(poor, id, `${rule} Basic`);
  });

  it('of an older version', async () => {
    const first = await create(ann, { text: 'older' });
    const { body } = await edit(ann, first, 'newer');
    const newest = body.data.id;
    await refusal(
      ann,
      first,
      `only the newest version of a Post may be edited, which is ${newest}`,
    );
  });

  it.each([
    ['a Post with a poll', { poll: { options: ['a', 'b'], duration_minutes: 5 } }],
    ['a Post with nullcast', { nullcast: true }],
    ['a Post for super followers only', { for_super_followers_only: true }],
  ])('of %s', async (what, fields) => {
    const id = await create(ann, { text: `with ${Object.keys(fields).join()}`, ...fields });
    expect((await shown(id)).edit_controls.is_edit_eligible).toBe(false);
    await refusal(ann, id, `${what} cannot be edited`);
  });

  it('of a reply to another account', async () => {
    const root = await create(bob, { text: 'by bob' });
    const id = await create(ann, { text: 'answer', reply: { in_reply_to_tweet_id: root } });
    expect((await shown(id)).edit_controls.is_edit_eligible).toBe(false);
    await refusal(ann, id, 'a reply to another account cannot be edited');
  });

  it.each(['5', '0', '9999999999999999999'])('of %s, which is no Post', async (id) => {
    expect(wrongOf(await edit(ann, id, 'never'))).toEqual([
      ['edit_options.previous_post_id', 'Your previous post ID is invalid.'],
    ]);
  });

  it.each([
    ['reply', { in_reply_to_tweet_id: '1' }],
    ['quote_tweet_id', '1'],
    ['poll', { options: ['a', 'b'], duration_minutes: 5 }],
    ['community_id', '1'],
    ['nullcast', true],
    ['for_super_followers_only', true],
  ])('with %s', async (name, value) => {
    expect(wrongOf(await edit(ann, '1', 'never', { [name]: value }))).toEqual([
      [name, `$.${name}: is not allowed with edit_options`],
    ]);
  });

  it.each([
    ['x', '$.edit_options: must be an object, got "x"'],
    [{}, '$.edit_options.previous_post_id: is required'],
    [
      { previous_post_id: 'x' },
      '$.edit_options.previous_post_id: [x] does not match ^[0-9]{1,19}$',
    ],
    [
      { previous_post_id: '1', why: 'x' },
      '$.edit_options.why: is not defined in the schema and the schema does not allow additional properties',
    ],
  ])('with %j as options', async (options, message) => {
    expect(wrongOf(await ann.post('/2/tweets', { text: 'x', edit_options: options }))).toEqual([
      ['edit_options', message],
    ]);
  });

  it('if it adds what a quote excludes', async () => {
    const id = await create(ann, {
      text: 'quoting',
      quote_tweet_id: await create(ann, { text: 'quoted' }),
    });
    const [[name, message] = []] = wrongOf(await edit(ann, id, 'x', { card_uri: 'card://1' }));
    expect([name, message]).toEqual(['card_uri', expect.stringMatching(/^You can only provide/)]);
  });
});

describe('an imported Post', () => {
  it('keeps its history', async () => {
    expect(await shown('1990000000000000001')).toEqual({
      id: '1990000000000000001',
      text: 'imported',
      edit_history_tweet_ids: ['1990000000000000000', '1990000000000000001'],
    });
  });
});

describe('deleting', () => {
  it.each([0, 1, 2])('version %i deletes the whole chain', async (which) => {
    const before = await count('from:ann');
    const chain = [await create(ann, { text: `chain ${which}` })];
    for (let i = 0; i < 2; i++) {
      const { body } = await edit(ann, chain.at(-1)!, `chain ${which}, edit ${i}`);
      chain.push(body.data.id);
    }
    expect(await count('from:ann')).toBe(before + 1);
    const refused = await remove(bob, chain[which]!);
    expect([refused.status, refused.body.detail]).toEqual([
      403,
      'You are not permitted to perform this action: only the author of a Post may delete it.',
    ]);
    const { status, body } = await remove(ann, chain[which]!);
    expect([status, body]).toEqual([200, { data: { deleted: true } }]);
    for (const id of chain) {
      expect((await remove(ann, id)).status).toBe(404);
      expect((await get(`/2/tweets/${id}`)).body.data).toBeUndefined();
    }
    expect(await count('from:ann')).toBe(before);
    expect((await ann.post('/2/tweets', { text: `chain ${which}, edit 1` })).status).toBe(201);
  });
});

describe('replies and quotes', () => {
  const metrics = async (id: string) => {
    const { public_metrics: all } = await shown(id, 'public_metrics');
    return [all.reply_count, all.quote_count];
  };

  it('are counted once per reply, and once per account that quotes', async () => {
    const root = await create(ann, { text: 'popular' });
    expect(await metrics(root)).toEqual([0, 0]);
    const reply = { in_reply_to_tweet_id: root };
    const replies = [
      await create(bob, { text: 'one', reply }),
      await create(bob, { text: 'two', reply }),
    ];
    const quotes = [
      await create(bob, { text: 'look', quote_tweet_id: root }),
      await create(bob, { text: 'look again', quote_tweet_id: root }),
      await create(poor, { text: 'look', quote_tweet_id: root }),
    ];
    expect(await metrics(root)).toEqual([2, 2]);
    // A reply to a reply belongs to that one.
    await create(ann, { text: 'three', reply: { in_reply_to_tweet_id: replies[0]! } });
    expect(await metrics(root)).toEqual([2, 2]);
    const { body } = await edit(bob, quotes[0]!, 'look here');
    expect(await metrics(root)).toEqual([2, 2]);
    const edited = await edit(ann, root, 'more popular');
    for (const id of [root, edited.body.data.id]) expect(await metrics(id)).toEqual([2, 2]);
    await create(bob, { text: 'four', reply: { in_reply_to_tweet_id: edited.body.data.id } });
    for (const id of [root, edited.body.data.id]) expect(await metrics(id)).toEqual([3, 2]);
    await remove(bob, replies[1]!);
    await remove(bob, body.data.id);
    expect(await metrics(root)).toEqual([2, 2]);
    await remove(bob, quotes[1]!);
    expect(await metrics(root)).toEqual([2, 1]);
    await service.restart();
    expect(await metrics(root)).toEqual([2, 1]);
    // A reply stays when the Post that it answers is deleted.
    await remove(ann, root);
    expect((await shown(replies[0]!, 'referenced_tweets')).referenced_tweets).toEqual([
      { type: 'replied_to', id: root },
    ]);
  });

  it('add to imported figures', async () => {
    const id = '1980000000000000001';
    service.add('posts', [
      {
        id,
        createdAt: START,
        text: 'famous',
        authorId: '8',
        fields: { public_metrics: { reply_count: 10, quote_count: 5, like_count: 3 } },
      },
    ]);
    await create(bob, { text: 'me too', reply: { in_reply_to_tweet_id: id } });
    await create(bob, { text: 'me as well', quote_tweet_id: id });
    const { public_metrics: all } = await shown(id, 'public_metrics');
    expect(all).toMatchObject({ reply_count: 11, quote_count: 6, like_count: 3 });
  });
});
