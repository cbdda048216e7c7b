import { afterAll, beforeEach, describe, expect, it } from 'vitest';
import type { AppSettings } from '#contract/accounts/apps.ts';
import { DAY_MS } from '#core/time/span.ts';
import { bearer, callerOf, person, program, type Caller } from '#tests/support/service/callers.ts';
import { startService } from '#tests/support/service/service.ts';
import { linesOf } from '#tests/support/service/stream-lines.ts';

const STREAM = '/2/tweets/search/stream';
const RULES = `${STREAM}/rules`;

let now = Date.parse('2026-11-21T10:30:20Z');
const service = startService({ now: () => now });
afterAll(() => service.close());
type App = ReturnType<typeof program>;
let app: App;
/** Name of the account that posts, a new one for each test. */
let author: string;
let alice: Caller;
let tests = 0;
beforeEach(() => {
  // Nothing of one test is in reach of the next.
  now += 2 * DAY_MS;
  app = added('enterprise');
  author = `alice${(tests += 1)}`;
  alice = person(service, author);
});

const added = (access: AppSettings['access'], settings: Partial<AppSettings> = {}) =>
  program(service, { access, ...settings });

async function addRule(value: string, tag?: string, of = app, prefix = ''): Promise<string> {
  const { body } = await of.post(prefix + RULES, { add: [{ value, tag }] });
  return body.data[0].id;
}

/** Creates a Post, a second after the one before. @returns Its id. */
async function post(text: string, fields: object = {}, as = alice): Promise<string> {
  now += 1000;
  const { status, body } = await as.post('/2/tweets', { text, ...fields });
  expect([status, body]).toEqual([201, body]);
  service.events.posts.wake();
  return body.data.id;
}

/** A connection to the stream, whose lines can be read one by one. */
async function connect(parameters = '', of = app, prefix = '') {
  const path = `${prefix}${STREAM}${parameters}`;
  const answer = await service.request(path, { headers: bearer(of.bearer_token) });
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
      expect(includes.users).toMatchObject([{ username: author }]);
      await stream.close();
    },
  );

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
      username: author,
      profile: { description: 'A brewer of tea', name: 'Alice B', location: 'Kyoto' },
    });
    await post('more tea');
    expect(await rules()).toEqual([bio, name, place, few]);
    await post('yet more tea');
    expect(await rules()).toEqual([bio, name, place]);
    await stream.close();
  });

  it('matches Posts of the accounts that are verified here', async () => {
    await addRule('tea is:verified');
    const name = `bob${author}`;
    const bob = person(service, name, { profile: { verified_type: 'blue' } });
    const stream = await connect();
    await post('tea');
    const first = await post('tea', {}, bob);
    expect((await stream.next()).data.id).toBe(first);
    service.auth.accounts({ action: 'set', username: name, profile: { verified_type: 'none' } });
    service.auth.accounts({
      action: 'set',
      username: author,
      profile: { verified_type: 'business' },
    });
    await post('more tea', {}, bob);
    const second = await post('more tea');
    expect((await stream.next()).data.id).toBe(second);
    await stream.close();
  });

  it('matches rules about the affiliation of an account, and of the one that it answers', async () => {
    const account = (action: 'add' | 'set', username: string, profile: object) =>
      service.auth.accounts({ action, username, profile })[0]?.id;
    const acme = account('add', `acme${author}`, {});
    const [byName, byId] = [
      await addRule(`from_affiliate_of:acme${author}`),
      await addRule(`from_affiliate_of:${acme}`),
    ];
    const to = await addRule(`to_affiliate_of:acme${author}`);
    const other = await addRule('tea');
    const stream = await connect();
    const rules = async () =>
      (await stream.next()).matching_rules.map(({ id }: { id: string }) => id);
    const first = await post('tea');
    expect(await rules()).toEqual([other]);
    account('set', author, { affiliation: `acme${author}` });
    await post('more tea', { reply: { in_reply_to_tweet_id: first } });
    expect(await rules()).toEqual([byName, byId, to, other]);
    account('set', author, { affiliation: '' });
    await post('yet more tea');
    expect(await rules()).toEqual([other]);
    await stream.close();
  });

  it('sends an edited version as a Post of its own', async () => {
    await addRule('tea');
    service.auth.accounts({
      action: 'set',
      username: author,
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

  it.each(['self-service', 'pay-per-use'] as const)(
    'of %s apps has one connection',
    async (access) => {
      const of = added(access);
      await addRule('tea', undefined, of);
      const open = await connect('', of);
      expect([open.status, (await connect('', of)).status]).toEqual([200, 429]);
      await open.close();
    },
  );
});

describe('backfill', () => {
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

describe('a pay-per-use app', () => {
  it('pays for each Post that it receives, once a day', async () => {
    const of = added('pay-per-use', { credits: 1_000_000 });
    await addRule('tea', undefined, of);
    const stream = await connect('', of);
    const ids = [await post('tea'), await post('tea again')];
    for (const _ of ids) await stream.next();
    await stream.close();
    const { body } = await of.get('/2/usage/tweets');
    expect(body.data.project_usage).toBe(2);
    // Read again by its id: no further charge.
    await of.get(`/2/tweets/${ids[0]}`);
    const { body: bills } = await callerOf(service).get('/usage');
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
    const past = await of.get('/2/connections?status=inactive');
    expect(past.body.data[0].disconnect_reason).toBe('usage_capped');
    expect((await connect('', of)).status).toBe(402);
  });
});
