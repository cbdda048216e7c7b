import { gunzipSync } from 'node:zlib';
import { TwitterApi } from 'twitter-api-v2';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startPlatformHosts, type PlatformHosts } from '#tests/support/service/platform-hosts.ts';
import { startService, type TestService } from '#tests/support/service/service.ts';

// The client is unchanged: it signs every request, for the platform's own hosts.

interface Entity {
  readonly id: string;
  readonly name: string;
}

interface One {
  readonly data: Entity;
}

interface Page {
  readonly data: readonly Entity[];
  readonly next_cursor: string | null;
  readonly request: { readonly params: Readonly<Record<string, unknown>> };
}

let service: TestService;
let hosts: PlatformHosts;
let client: TwitterApi;
beforeAll(async () => {
  service = startService();
  hosts = await startPlatformHosts(await service.listen());
  const issued = service.auth.issueUserToken({ name: 'alice', limited: true, oauth1: true });
  const { api_key, api_key_secret = '', access_token_secret } = issued.signing!;
  client = new TwitterApi(
    {
      appKey: api_key,
      appSecret: api_key_secret,
      accessToken: issued.token,
      accessSecret: access_token_secret,
    },
    { httpAgent: hosts.agent },
  );
});
afterAll(async () => {
  await hosts.close();
  await service.close();
});

describe('twitter-api-v2, the ads client', () => {
  it('walks campaigns by cursor while others are created and deleted', async () => {
    const { ads } = client;
    const { data: account } = await ads.sandbox.post<One>('accounts', { name: 'My & shop' });
    const at = `accounts/${account.id}`;
    const { data: instrument } = await ads.sandbox.post<One>(`${at}/funding_instruments`, {
      type: 'CREDIT_CARD',
      currency: 'USD',
      start_time: '2020-01-01T00:00:00Z',
    });
    const create = async (name: string): Promise<string> => {
      const fields = { name, funding_instrument_id: instrument.id };
      return (await ads.post<One>(`${at}/campaigns`, fields)).data.id;
    };
    const stayed: string[] = [];
    const leaving: string[] = [];
    for (let i = 0; i < 9; i++) {
      const id = await create(`Campaign no. ${i} (100%)`);
      (i % 3 === 1 ? leaving : stayed).push(id);
    }
    for (const sort_by of ['created_at-asc', 'name-desc']) {
      const seen: string[] = [];
      let cursor: string | null = null;
      do {
        const query: Record<string, string | number> = {
          count: 2,
          sort_by,
          ...(cursor && { cursor }),
        };
        const page: Page = await ads.get<Page>(`${at}/campaigns`, query);
        expect(page.request.params).toMatchObject({ account_id: account.id, count: 2 });
        seen.push(...page.data.map(({ id }) => id));
        cursor = page.next_cursor;
        await create(`Another after ${seen.length}`);
        const gone = leaving.pop();
        if (gone !== undefined) await ads.delete(`${at}/campaigns/${gone}`);
      } while (cursor !== null && seen.length < 60);
      expect(new Set(seen).size).toBe(seen.length);
      expect(seen).toEqual(expect.arrayContaining(stayed));
    }
  });

  it('changes an entity, and reads its errors and limits', async () => {
    const { ads } = client;
    const accounts = await ads.get<Page>('accounts', undefined, { fullResponse: true });
    expect(accounts.rateLimit).toMatchObject({ limit: 2000 });
    const [account] = accounts.data.data;
    const at = `accounts/${account?.id}`;
    const { data } = await ads.get<Page>(`${at}/campaigns`, { count: 1, q: 'no. 0' });
    const path = `${at}/campaigns/${data[0]?.id}`;
    const name = "It's 100% new & (odd) *";
    expect((await ads.put<One>(path, { name })).data.name).toBe(name);
    await expect(ads.put(path, { entity_status: 'GONE' })).rejects.toMatchObject({
      code: 400,
      data: { errors: [{ code: 'INVALID_PARAMETER', parameter: 'entity_status', value: 'GONE' }] },
    });
    await expect(ads.delete(`${at}/campaigns/none`)).rejects.toMatchObject({
      code: 404,
      data: { errors: [{ code: 'CAMPAIGN_NOT_FOUND' }] },
    });
  });

  it('computes statistics by a job, and downloads them', async () => {
    const { ads } = client;
    const [account] = (await ads.get<Page>('accounts')).data;
    const { data: campaigns } = await ads.get<Page>(`accounts/${account?.id}/campaigns`);
    const { data: job } = await ads.post<One>(`stats/jobs/accounts/${account?.id}`, {
      entity: 'CAMPAIGN',
      entity_ids: campaigns.slice(0, 20).map(({ id }) => id),
      start_time: '2026-01-01T00:00:00Z',
      end_time: '2026-03-01T00:00:00Z',
      granularity: 'HOUR',
      metric_groups: ['BILLING'],
      placement: 'ALL_ON_TWITTER',
    });
    await service.tick();
    const path = `stats/jobs/accounts/${account?.id}`;
    const { data } = await ads.get<{ data: readonly { id: string; url: string }[] }>(path, {
      job_ids: [job.id],
    });
    expect(data).toEqual([expect.objectContaining({ id: job.id, status: 'SUCCESS' })]);
    // A client of Python downloads it with a signed request, which this one cannot.
    const file = await service.request(new URL(data[0]?.url ?? '').pathname, {
      headers: { authorization: 'OAuth oauth_consumer_key="x"' },
    });
    const result = JSON.parse(gunzipSync(await file.arrayBuffer()).toString());
    expect([result.time_series_length, result.data.length]).toEqual([1416, 20]);
  });
});
