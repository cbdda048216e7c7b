import { afterAll, beforeEach, expect, it } from 'vitest';
import { signatureOf } from '#server/streams/deliverer.ts';
import { SPENT } from '#server/streams/delivery-queue.ts';
import { startReceiver, testNames } from '#tests/support/service/receiver.ts';
import { startService } from '#tests/support/service/service.ts';
import { FakeClock } from '#tests/support/timers.ts';
import { activityApp, SUBSCRIPTIONS } from './activity-stage.ts';

const clock = new FakeClock(Date.parse('2026-11-21T10:30:20Z'));
const receiver = await startReceiver();
const service = startService({
  now: clock.now,
  elapsed: clock.now,
  outgoing: { resolve: testNames, ca: receiver.ca, timer: clock.timer, timeout: clock.timeout },
});
afterAll(async () => {
  await service.close();
  await receiver.close();
});

let app: ReturnType<typeof activityApp>;
let webhook_id: string;
async function webhookOf(of: ReturnType<typeof activityApp>): Promise<string> {
  receiver.secret = of.api_key_secret;
  const { body } = await of.post('/2/webhooks', { url: receiver.url() });
  return body.data.id;
}
beforeEach(async () => {
  receiver.deliveries.length = 0;
  for (const { id } of service.webhooks.table.all()) service.webhooks.table.remove(id);
  app = activityApp(service);
  webhook_id = await webhookOf(app);
});

/** Resolves when what happened was delivered. */
async function delivered(): Promise<void> {
  service.events.posts.wake();
  await service.webhooks.rest();
  await service.webhooks.deliverer.idle();
}

type User = ReturnType<typeof app.user>;
let posts = 0;
async function post(user: User, text: string): Promise<string> {
  // The same text twice is refused.
  const { body } = await user.post('/2/tweets', { text: `${text} ${(posts += 1)}` });
  await clock.move(1000);
  return body.data.id;
}

const bodies = () => receiver.deliveries.map(({ body }) => JSON.parse(String(body)).data);

it('delivers the same bytes as the stream, signed and in order', async () => {
  const alice = app.user('alice');
  await app.subscribe('post.create', { user_id: alice.id }, { webhook_id, tag: 'posts' });
  const stream = await app.connect();
  const ids = [];
  for (const text of ['one', 'two', 'three']) ids.push(await post(alice, text));
  await delivered();
  expect(bodies().map(({ payload }) => payload.id)).toEqual(ids);
  for (const { body, signature } of receiver.deliveries) {
    expect(await stream.line()).toBe(String(body));
    expect(signature).toBe(signatureOf(app.api_key_secret, body));
  }
  await stream.close();
});

it('delivers nothing that happened before the subscription, nor without a webhook', async () => {
  const alice = app.user('alice');
  await post(alice, 'before');
  await app.subscribe('profile.update.bio', { user_id: alice.id });
  const { body } = await app.subscribe('post.create', { user_id: alice.id }, { webhook_id });
  service.auth.accounts({ action: 'set', username: 'alice', profile: { description: 'tea' } });
  const id = await post(alice, 'after');
  await delivered();
  expect(bodies().map(({ payload }) => payload.id)).toEqual([id]);
  await app.send('DELETE', `${SUBSCRIPTIONS}/${body.data.subscription_id}`);
  await post(alice, 'later');
  await delivered();
  expect(receiver.deliveries).toHaveLength(1);
});

it('sends and replays nothing of a subscription that has ended', async () => {
  const alice = app.user('alice');
  const { body } = await alice.subscribe('like.create', { user_id: alice.id }, { webhook_id });
  const liked = await post(alice, 'liked');
  const like = () => alice.post(`/2/users/${alice.id}/likes`, { tweet_id: liked });
  await like();
  await delivered();
  expect(bodies()).toHaveLength(1);
  receiver.deliver = (_, response) => void response.writeHead(500).end();
  await alice.send('DELETE', `/2/users/${alice.id}/likes/${liked}`);
  await like();
  await delivered();
  expect(service.webhooks.queue.backlog(webhook_id).pending).toBe(1);
  await app.send('DELETE', `${SUBSCRIPTIONS}/${body.data.subscription_id}`);
  receiver.deliver = (_, response) => void response.end();
  receiver.deliveries.length = 0;
  const minutes = (ms: number): string =>
    new Date(ms).toISOString().replace(/\D/g, '').slice(0, 12);
  await app.post('/2/webhooks/replay', {
    webhook_id,
    from_date: minutes(clock.at - 3_600_000),
    to_date: minutes(clock.at),
  });
  await clock.move(3_600_000, delivered);
  expect(receiver.deliveries.map(({ body }) => Object.keys(JSON.parse(String(body))))).toEqual([
    ['replay_job_status'],
  ]);
  expect(service.webhooks.queue.backlog(webhook_id).pending).toBe(0);
});

it('sends and replays only Posts that still exist and are open, and their deletions', async () => {
  const vera = app.user('vera');
  for (const type of ['post.create', 'post.delete']) {
    await app.subscribe(type, { user_id: vera.id }, { webhook_id });
  }
  const seen = () =>
    bodies().flatMap((data) => (data ? [`${data.event_type} ${data.payload.id}`] : []));
  const first = await post(vera, 'first');
  await delivered();
  expect(seen()).toEqual([`post.create ${first}`]);
  receiver.deliver = (_, response) => void response.writeHead(503).end();
  const gone = await post(vera, 'gone');
  const open = await post(vera, 'open');
  await delivered();
  for (const id of [first, gone]) await vera.send('DELETE', `/2/tweets/${id}`);
  receiver.deliver = (_, response) => void response.end();
  receiver.deliveries.length = 0;
  await clock.move(3_600_000, delivered);
  const rest = [`post.create ${open}`, `post.delete ${first}`, `post.delete ${gone}`];
  expect(seen().toSorted()).toEqual(rest);
  const replayed = async () => {
    receiver.deliveries.length = 0;
    const minute = (ms: number) => new Date(ms).toISOString().replace(/\D/g, '').slice(0, 12);
    const [from_date, to_date] = [minute(clock.at - 7_200_000), minute(clock.at)];
    await app.post('/2/webhooks/replay', { webhook_id, from_date, to_date });
    await clock.move(60_000, delivered);
    expect(JSON.parse(String(receiver.deliveries.at(-1)?.body))).toMatchObject({
      replay_job_status: { job_state: 'Complete' },
    });
    return seen().toSorted();
  };
  expect(await replayed()).toEqual(rest);
  service.auth.accounts({ action: 'set', username: 'vera', profile: { protected: true } });
  expect(await replayed()).toEqual([]);
});

it('continues after a restart where it was', async () => {
  const alice = app.user('alice');
  await app.subscribe('post.create', { user_id: alice.id }, { webhook_id });
  const first = await post(alice, 'one');
  await delivered();
  const second = await post(alice, 'two');
  await service.restart();
  await delivered();
  const seen = [...new Set(bodies().map(({ payload }) => payload.id))];
  expect(seen).toEqual([first, second]);
});

it('delivers the end of access to every webhook of the app', async () => {
  app.user('zoe');
  service.auth.accounts({ action: 'remove', username: 'zoe' });
  await delivered();
  await delivered();
  expect(bodies()).toMatchObject([
    { filter: {}, event_type: 'oauth.revoke', payload: { app_id: app.id } },
  ]);
});

it('stops when the credits are spent, and bills an event once', async () => {
  const poor = activityApp(service, { access: 'pay-per-use', credits: 12_000 });
  const alice = app.user('alice');
  const hook = await webhookOf(poor);
  await poor.subscribe('post.create', { user_id: alice.id }, { webhook_id: hook });
  const ids = [];
  for (const text of ['one', 'two', 'three', 'four']) {
    ids.push(await post(alice, text));
    await delivered();
  }
  expect(bodies().map(({ payload }) => payload.id)).toEqual(ids.slice(0, 3));
  expect(service.webhooks.queue.deadLetters(10)).toMatchObject([{ webhook: hook, fault: SPENT }]);
});
