import { afterAll, beforeEach, describe, expect, it } from 'vitest';
import { MINUTE_MS } from '#core/time/span.ts';
import { startService } from '#tests/support/service/service.ts';
import { person, type Answered, type Caller } from '#tests/support/service/callers.ts';
import { addApp } from '#tests/support/service/signing-in.ts';

let now = Date.parse('2026-11-21T10:30:20Z');
const LEVELS = ['self-service', 'pay-per-use'] as const;
/** Imported Posts: their mentions are in the entities alone, or in a quoted Post. */
const [MENTIONS_ID, MENTIONS_NAME, INCLUDED] = ['11', '12', '13'];
const service = startService({ now: () => now });
afterAll(() => service.close());
const bob = person(service, 'bob');
const robot = person(service, 'robot');
for (const access of [...LEVELS, 'enterprise'] as const) {
  addApp(service, access, { access, limited: false });
}
const as = (app: (typeof LEVELS)[number] | 'enterprise') => person(service, 'robot', { app });
service.add('posts', [
  {
    id: MENTIONS_ID!,
    createdAt: now,
    text: 'hello',
    authorId: '7',
    fields: { entities: { mentions: [{ start: 0, end: 1, username: 'oldname', id: robot.id }] } },
  },
  {
    id: MENTIONS_NAME!,
    createdAt: now,
    text: 'hello',
    authorId: '7',
    fields: { note_tweet: { text: 'x', entities: { mentions: [{ username: 'ROBOT' }] } } },
  },
  { id: INCLUDED!, createdAt: now, text: 'hello @robots', authorId: '7' },
]);

beforeEach(() => {
  now += MINUTE_MS;
});

let texts = 0;
const reply = (who: Caller, to: string): Promise<Answered> =>
  who.post('/2/tweets', { text: `reply ${++texts}`, reply: { in_reply_to_tweet_id: to } });
const quote = (who: Caller, of: string): Promise<Answered> =>
  who.post('/2/tweets', { text: `quote ${++texts}`, quote_tweet_id: of });
const create = async (who: Caller, body: object): Promise<string> =>
  (await who.post('/2/tweets', body)).body.data.id;

const refusal = (detail: string) => ({
  status: 403,
  body: {
    title: 'Authorization Error',
    status: 403,
    type: 'https://api.x.com/2/problems/not-authorized-for-resource',
    detail,
  },
});
// Recorded (platform-facts-additions, section 3).
const UNSUMMONED = refusal(
  'You can only reply to or quote posts where you are mentioned or are the author.',
);

describe.each(LEVELS)('with %s access', (level) => {
  it('a reply without a summon is refused', async () => {
    const root = await create(bob, { text: `no robots, ${level}` });
    expect(await reply(as(level), root)).toMatchObject(UNSUMMONED);
    expect(await reply(as(level), INCLUDED!)).toMatchObject(UNSUMMONED);
  });

  it.each(['please, @robot', '@ROBOT please'])('the Post "%s" summons', async (text) => {
    const root = await create(bob, { text: `${text} ${level}` });
    expect((await reply(as(level), root)).status).toBe(201);
  });

  it.each([MENTIONS_ID, MENTIONS_NAME])('the imported Post %s summons', async (id) => {
    expect((await reply(as(level), id!)).status).toBe(201);
  });

  it('a long Post that mentions the replier at its end summons', async () => {
    const rich = person(service, 'rich', { profile: { subscription_type: 'Premium' } });
    const root = await create(rich, { text: `${'tea '.repeat(100)} ${level} @robot` });
    expect((await reply(as(level), root)).status).toBe(201);
  });

  it('a quote of the replier summons, one of another account does not', async () => {
    const mine = await create(robot, { text: `by a robot, ${level}` });
    const of = await create(bob, { text: `look, ${level}`, quote_tweet_id: mine });
    expect((await reply(as(level), of)).status).toBe(201);
    const other = await create(bob, { text: `no, look, ${level}`, quote_tweet_id: INCLUDED });
    expect(await reply(as(level), other)).toMatchObject(UNSUMMONED);
  });

  it('a reply to an own Post needs no summon', async () => {
    const mine = await create(as(level), { text: `a thread, ${level}` });
    expect((await reply(as(level), mine)).status).toBe(201);
  });

  it('only own Posts can be quoted', async () => {
    const mine = await create(as(level), { text: `my own, ${level}` });
    expect((await quote(as(level), mine)).status).toBe(201);
    const others = await create(bob, { text: `of bob, ${level}` });
    expect(await quote(as(level), others)).toMatchObject(UNSUMMONED);
    const summons = await create(bob, { text: `@robot ${level}` });
    expect(await quote(as(level), summons)).toMatchObject(
      refusal('You can only quote your own posts at this access level.'),
    );
  });

  it('a Post may have one cashtag', async () => {
    expect((await as(level).post('/2/tweets', { text: `one $AB ${level}` })).status).toBe(201);
    expect(await as(level).post('/2/tweets', { text: `$AB and $CD ${level}` })).toMatchObject(
      refusal('Posts are limited to a maximum of one cashtag ($SYMBOL)'),
    );
  });
});

describe('with enterprise access', () => {
  it('all of that is allowed', async () => {
    const root = await create(bob, { text: 'open to all' });
    expect((await reply(as('enterprise'), root)).status).toBe(201);
    expect((await quote(as('enterprise'), root)).status).toBe(201);
    expect((await as('enterprise').post('/2/tweets', { text: '$AB and $CD' })).status).toBe(201);
  });
});

describe('ids of a reply', () => {
  it.each(['0', '9999999999999999999'])('%s, which no Post has, is refused', async (id) => {
    const { status, body } = await reply(robot, id);
    expect([status, body.errors]).toEqual([
      400,
      [
        {
          parameters: { 'reply.in_reply_to_tweet_id': [id] },
          message: 'Your reply tweet ID is invalid.',
        },
      ],
    ]);
  });

  it('to exclude must be of known accounts', async () => {
    const root = await create(bob, { text: 'exclude some' });
    const send = (exclude_reply_user_ids: unknown) =>
      robot.post('/2/tweets', {
        text: `excluding ${++texts}`,
        reply: { in_reply_to_tweet_id: root, exclude_reply_user_ids },
      });
    const { status, body } = await send([robot.id, '5', '6']);
    expect([status, body.errors]).toEqual([
      400,
      [
        {
          parameters: { 'reply.exclude_reply_user_ids': ['5', '6'] },
          message: 'Your exclude reply user IDs are invalid.',
        },
      ],
    ]);
    expect((await send(['x'])).status).toBe(400);
    expect((await send('5')).status).toBe(400);
    expect((await send([])).status).toBe(201);
    expect((await send([robot.id])).status).toBe(201);
  });
});
