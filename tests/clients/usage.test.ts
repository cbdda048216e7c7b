import { Agent } from 'node:http';
import { ApiError, Client } from '@xdevplatform/xdk';
import { ApiResponseError, TwitterApi } from 'twitter-api-v2';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startService, type TestService } from '#tests/support/service.ts';

const START = Date.now();
const POSTS = Array.from({ length: 3 }, (_, i) => ({
  id: BigInt(i + 1),
  createdAt: START - 3_600_000,
  text: 'green tea',
}));

let service: TestService;
let url: string;
let token: string;
let app: string;
beforeAll(async () => {
  service = startService({ posts: POSTS });
  url = await service.listen();
  const settings = { credits: 45_000 };
  const { apps, secrets } = service.auth.apps({ action: 'add', name: 'Reader', settings });
  app = apps[0]?.id ?? '';
  token = String(secrets?.bearer_token);
});
afterAll(() => service.close());

const today = `${new Date(START).toISOString().slice(0, 10)}T00:00:00.000Z`;

describe('twitter-api-v2', () => {
  const open = () => {
    const client = new TwitterApi(token, { httpAgent: new Agent() }).v2;
    client['setPrefix'](`${url}/2/`);
    return client;
  };

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
    const refused = await client.tweetCountRecent('tea').catch((error: unknown) => error);
    expect(refused).toBeInstanceOf(ApiResponseError);
    const { code, data } = refused as ApiResponseError;
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
    const refused = await open()
      .posts.getCountsRecent('tea')
      .catch((error: unknown) => error);
    expect(refused).toBeInstanceOf(ApiError);
    expect((refused as ApiError).status).toBe(402);
  });
});
