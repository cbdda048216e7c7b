import { ApiError, Client } from '@xdevplatform/xdk';
import { ApiResponseError } from 'twitter-api-v2';
import { describe, expect, it } from 'vitest';
import { listeningService, refusal, v2ClientOf } from '#tests/support/service/clients.ts';

const START = Date.now();
const POSTS = Array.from({ length: 3 }, (_, i) => ({
  id: BigInt(i + 1),
  createdAt: START - 3_600_000,
  text: 'green tea',
}));

const { service, url } = await listeningService({ posts: POSTS });
const settings = { credits: 45_000 };
const { apps, secrets } = service.auth.apps({ action: 'add', name: 'Reader', settings });
const app = apps[0]?.id ?? '';
const token = String(secrets?.bearer_token);

const today = `${new Date(START).toISOString().slice(0, 10)}T00:00:00.000Z`;

describe('twitter-api-v2', () => {
  const open = () => v2ClientOf(url, token);

  it('sees what it read', async () => {
    const client = open();
    await client.tweets(['1', '2']);
    await client.tweets(['2', '3']);
    const { data } = await client.usage({ days: 1 });
    expect(data).toMatchObject({ project_usage: 3, project_cap: 3_000_000 });
    expect(data.daily_project_usage).toMatchObject({ usage: [{ usage: 3, date: today }] });
    expect(data.daily_client_app_usage).toMatchObject([
      { client_app_id: app, usage: [{ usage: 3, date: today }], usage_result_count: 1 },
    ]);
  });

  it('receives a 402 when the credits are used up', async () => {
    const client = open();
    // 3 Posts for $0.015 were read, and 30,000 micro-dollars remain.
    for (let i = 0; i < 6; i++) await client.tweetCountRecent('tea');
    const { code, data } = await refusal(ApiResponseError, client.tweetCountRecent('tea'));
    expect([code, data.title]).toEqual([402, 'CreditsDepleted']);
  });
});

describe('xdk', () => {
  const open = () => new Client({ baseUrl: url, bearerToken: token });

  it('sees what it read', async () => {
    const { data } = await open().usage.get({
      days: 1,
      usageFields: ['daily_client_app_usage', 'project_cap'],
    });
    expect(data).toMatchObject({ projectUsage: 3, projectCap: 3_000_000 });
    expect(data?.dailyClientAppUsage).toMatchObject([{ clientAppId: app, usageResultCount: 1 }]);
  });

  it('receives a 402 when the credits are used up', async () => {
    const refused = await refusal(ApiError, open().posts.getCountsRecent('tea'));
    expect(refused.status).toBe(402);
  });
});
