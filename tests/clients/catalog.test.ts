import { afterAll, expect, it } from 'vitest';
import { ApiResponseError, TwitterApi } from 'twitter-api-v2';
import { product } from '#tests/support/data/products.ts';
import { startPlatformHosts } from '#tests/support/service/platform-hosts.ts';
import { refusal } from '#tests/support/service/clients.ts';
import { startService } from '#tests/support/service/service.ts';
import { addApp } from '#tests/support/service/signing-in.ts';

// The client is unchanged: it calls version 12 of the platform's own host, and sends parameters of POST in a form.

const service = startService();
const hosts = await startPlatformHosts(await service.listen());
afterAll(async () => {
  await hosts.close();
  await service.close();
});
service.auth.accounts({
  action: 'add',
  username: 'merchant',
  profile: { merchant_terms: true },
});
const app = addApp(service, 'Shop', { access: 'enterprise', early_access: true, limited: false });
const issued = service.auth.issueUserToken({
  name: 'merchant',
  app: app.name,
  limited: true,
  oauth1: true,
});
const keys = { appKey: app.api_key, appSecret: app.api_key_secret };
const token = {
  accessToken: issued.token,
  accessSecret: issued.signing?.access_token_secret ?? '',
};
const client = new TwitterApi({ ...keys, ...token }, { httpAgent: hosts.agent }).ads;
const at = 'product_catalogs';

it('creates a catalog, its products, sets and feed, and reads them', async () => {
  const { data } = await client.post<{ data: { id: string } }>(at, { name: 'Shöp & more' });
  const json = { forceBodyMode: 'json' } as const;
  const products = `${at}/${data.id}/products`;
  await client.put(products, { products: [product('a'), product('b')] }, json);
  const page = await client.get(products, { count: 1 });
  expect(page).toMatchObject({ next_cursor: expect.any(String), data: [{ id: 'a' }] });
  const rest = await client.get(products, { count: 1, cursor: page.next_cursor });
  expect(rest).toMatchObject({ next_cursor: null, data: [{ id: 'b' }] });
  const filters = [{ attribute: 'price', operator: 'EQUAL_TO', value: '20 USD' }];
  const set = { name: 'All', type: 'FILTERED', filters };
  const made = await client.post(`${at}/${data.id}/product_sets`, set, json);
  expect(made.data.product_ids).toEqual(['a', 'b']);
  const feed = await client.post(`${at}/${data.id}/scheduled_feeds`, {
    feed_url: 'https://shop.example/feed.tsv?a=b&c=d',
    feed_format: 'TSV',
    frequency: 'DAILY',
    start_time: '03:00',
    time_zone: 'America/New_York',
  });
  expect(feed.data.feed_url).toBe('https://shop.example/feed.tsv?a=b&c=d');
  const refused = await refusal(ApiResponseError, client.post(at, { name: 'Second' }));
  expect(refused).toMatchObject({ code: 403, data: { errors: [{ code: 'ACTION_NOT_ALLOWED' }] } });
});
