import { ApiResponseError } from 'twitter-api-v2';
import { describe, expect, it } from 'vitest';
import { refusal, v2ClientOf } from '#tests/support/service/clients.ts';
import { closeAfterEach, CLOSED, relayed } from './relayed.ts';

closeAfterEach();

describe('a published client library on the relay', () => {
  it('counts with a token of this service, follows pages, and gets settled pages again', async () => {
    const { service, platform, change } = await relayed();
    const url = await service.listen();
    const token = service.auth.issueToken({ access: 'pay-per-use', limited: true });
    const client = v2ClientOf(`${url}/platform`, token);
    const { query, ...window } = CLOSED;
    const request = { ...window, granularity: 'hour' as const };
    const first = await client.tweetCountAll(query, request);
    expect(first.meta.total_tweet_count).toBeGreaterThan(100);
    expect(await client.tweetCountAll(query, request)).toEqual(first);
    expect(platform.sent).toHaveLength(1);
    expect(platform.sent[0]?.authorization).toBe(`Bearer ${platform.token}`);

    const year = { granularity: 'day' as const, start_time: '2026-09-01T00:00:00Z' };
    const page = await client.tweetCountAll(query, year);
    const next = await client.tweetCountAll(query, {
      ...year,
      next_token: page.meta.next_token as string,
    });
    expect(next.data.at(-1)?.end).toBe(page.data[0]?.start);

    const none = { requests: null, money: null };
    await change({ caps: { day: { requests: 3, money: null }, month: none } });
    const refused = await refusal(ApiResponseError, client.tweetCountRecent('tea'));
    expect(refused.code).toBe(429);
    expect(refused.data.title).toBe('Budget reached');
  });
});
