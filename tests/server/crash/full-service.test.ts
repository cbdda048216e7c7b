import { afterAll, expect, test } from 'vitest';
import { startService } from '#tests/support/service/service.ts';

const START = Date.parse('2026-11-21T10:30:20Z');
let now = START;
const service = startService({ now: () => now });
afterAll(() => service.close());

const token = service.auth.issueUserToken({ name: 'alice', limited: false }).token;
const headers = {
  cookie: '',
  authorization: `Bearer ${token}`,
  'content-type': 'application/json',
};
const send = (method: 'POST' | 'DELETE', path: string, body?: object): Promise<Response> =>
  service.request(path, {
    method,
    headers,
    ...(body ? { body: JSON.stringify(body) } : {}),
  });

async function counted(): Promise<number> {
  const search = new URLSearchParams({ query: 'tea', start_time: '2026-11-21T10:00:00Z' });
  const answer = await service.request(`/2/tweets/counts/recent?${search}`);
  expect(answer.status).toBe(200);
  return (await answer.json()).meta.total_tweet_count;
}

const FULL = { title: 'Service Unavailable', detail: 'The disk is full.', status: 503 };

test('a full disk refuses new Posts with 503 and answers other requests; with space again, Posts are created', async () => {
  const ids: string[] = [];
  const create = async (i: number): Promise<Response> => {
    const answer = await send('POST', '/2/tweets', { text: `tea ${i}` });
    if (answer.status === 201) ids.push((await answer.clone().json()).data.id);
    return answer;
  };
  for (let i = 0; i < 10; i++) await create(i);
  service.room(0);
  let answer = await create(10);
  while (answer.status === 201 && ids.length < 2000) answer = await create(ids.length);
  expect(answer.status).toBe(503);
  expect(await answer.json()).toMatchObject(FULL);
  expect(answer.headers.get('content-type')).toMatch(/^application\/problem\+json/);
  const again = await create(ids.length);
  expect([again.status, await again.json()]).toMatchObject([503, FULL]);

  now += 3_600_000;
  expect(await counted()).toBe(ids.length);
  service.room(Infinity);
  expect((await create(ids.length)).status).toBe(201);
  expect((await send('DELETE', `/2/tweets/${ids[0]}`)).status).toBe(200);
  now += 3_600_000;
  expect(await counted()).toBe(ids.length - 1);
});
