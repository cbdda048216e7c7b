import { Agent } from 'node:http';
import { Client } from '@xdevplatform/xdk';
import { TwitterApi } from 'twitter-api-v2';
import { expect, it } from 'vitest';
import { listeningService } from '#tests/support/service/clients.ts';

const { service, url } = await listeningService();
const token = service.auth.issueToken({ access: 'enterprise', limited: false });

it('@xdevplatform/xdk adds, lists, changes and removes subscriptions', async () => {
  const { activity } = new Client({ baseUrl: url, bearerToken: token });
  const ids: string[] = [];
  for (const userId of ['7', '8', '9']) {
    const { data } = await activity.createSubscription({
      event_type: 'profile.update.bio',
      filter: { user_id: userId },
      // Its types know only the names that it gives to answers.
    } as unknown as Parameters<typeof activity.createSubscription>[0]);
    ids.push(data?.subscription?.subscriptionId ?? '');
  }
  const [first = '', ...others] = ids;
  const changed = await activity.updateSubscription(first, { tag: 'bios' });
  expect(changed.data?.subscription).toMatchObject({ subscriptionId: first, tag: 'bios' });
  const { data } = await activity.getSubscriptions();
  expect(data?.map(({ subscriptionId }) => subscriptionId)).toEqual(ids);
  expect((await activity.deleteSubscription(first)).data).toEqual({ deleted: true });
  const many = await activity.deleteSubscriptionsByIds(others);
  expect(many.data).toEqual(others.map((subscriptionId) => ({ deleted: true, subscriptionId })));
  expect((await activity.getSubscriptions()).data).toBeUndefined();
});

it('twitter-api-v2 reads the stream', async () => {
  const user = service.auth.issueUserToken({ name: 'alice', limited: false });
  const client = new TwitterApi(token, { httpAgent: new Agent() });
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
  const answer = await fetch(`${url}/2/activity/subscriptions`, {
    method: 'POST',
    headers,
    body: JSON.stringify({ event_type: 'post.create', filter: { user_id: user.account.id } }),
  });
  expect(answer.status).toBe(200);
  // It has no method of its own for this stream.
  const stream = await client.getStream(`${url}/2/activity/stream`);
  try {
    const came = stream[Symbol.asyncIterator]().next();
    await fetch(`${url}/2/tweets`, {
      method: 'POST',
      headers: { ...headers, authorization: `Bearer ${user.token}` },
      body: JSON.stringify({ text: 'tea' }),
    });
    expect((await came).value).toMatchObject({
      data: { event_type: 'post.create', payload: { text: 'tea' } },
    });
  } finally {
    stream.close();
  }
});
