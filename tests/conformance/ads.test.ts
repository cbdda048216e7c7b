import { describe, expect, it } from 'vitest';
import { AD_KINDS } from '#contract/ads/ad-kinds.ts';
import { AD_LOOKUPS } from '#contract/ads/ad-lookups.ts';
import type { AdKind } from '#contract/ads/ad-kind.ts';
import { adsStage } from '#tests/server/api/ads/ads-stage.ts';

// Rows of the specification, "Advertiser listing with cursor paging", and of platform-facts and its additions, section 10.

const stage = adsStage();
const { alice, account, add } = stage;
const at = `/5/accounts/${account}`;

describe('Advertiser listing with cursor paging', () => {
  it('1: cursor and count apply to every listing', async () => {
    for (const { path } of Object.values<AdKind>(AD_KINDS).slice(1)) {
      const { status, body } = await alice.get(`${at}/${path}?count=1`);
      expect([path, status, body.next_cursor]).toEqual([path, 200, null]);
      const odd = await alice.get(`${at}/${path}?cursor=odd`);
      expect([path, odd.status]).toEqual([path, 400]);
    }
  });

  it.each(Object.values(AD_LOOKUPS).map(({ path }) => path))(
    '1: cursor and count apply to %s',
    async (path) => {
      const [audience] = add('CUSTOM_AUDIENCE', { name: path });
      const of = path
        .replace(':account_id', account)
        .replace(':custom_audience_id', audience?.id ?? '');
      const usual = of.endsWith('/tweets') ? '&tweet_type=DRAFT' : '';
      // Features are names, which have no pages.
      if (of.endsWith('/features')) return;
      const { status, body } = await alice.get(`${of}?count=1${usual}`);
      expect([status, body.data.length <= 1, 'next_cursor' in body]).toEqual([200, true, true]);
      expect((await alice.get(`${of}?cursor=odd${usual}`)).status).toBe(400);
    },
  );

  it.each<[path: string, most: number, usual: number]>([
    ['campaigns', 1000, 200],
    ['funding_instruments', 1000, 200],
    ['line_items', 1000, 200],
    ['scheduled_tweets', 200, 100],
    ['draft_tweets', 200, 100],
    ['media_library', 50, 20],
  ])('2: count of %s: 1 to %i, %i by default', async (path, most, usual) => {
    const kind = Object.keys(AD_KINDS).find(
      (name) => AD_KINDS[name as keyof typeof AD_KINDS].path === path,
    ) as keyof typeof AD_KINDS;
    add(kind, ...Array.from({ length: usual + 1 }, () => ({})));
    const status = async (count: number) =>
      (await alice.get(`${at}/${path}?count=${count}`)).status;
    expect([await status(1), await status(most)]).toEqual([200, 200]);
    expect([await status(0), await status(most + 1)]).toEqual([400, 400]);
    const first = await alice.get(`${at}/${path}`);
    expect([first.body.data.length, typeof first.body.next_cursor]).toEqual([usual, 'string']);
    // 3 and 4: the next request passes the cursor; a page with fewer entities has none.
    const rest = await alice.get(`${at}/${path}?cursor=${first.body.next_cursor}`);
    expect([rest.body.data.length, rest.body.next_cursor]).toEqual([1, null]);
  });

  it('6: statistics have no cursor', async () => {
    const { status, body } = await alice.get(`/5/stats/accounts/${account}?cursor=c-1`);
    const wrong = body.errors.find((error: { parameter: string }) => error.parameter === 'cursor');
    expect([status, wrong.code]).toEqual([400, 'INVALID_PARAMETER']);
  });

  it.each(['/5', '/6', '/7', '/8', '/9', '/10', '/11', '/12'])('%s is a version', async (base) => {
    const { status, body } = await alice.get(`${base}/accounts`);
    expect([status, body.data[0].id]).toEqual([200, account]);
  });

  it('/4 and /13 are none', async () => {
    for (const base of ['/4', '/13'])
      expect((await alice.get(`${base}/accounts`)).status).toBe(404);
  });
});

describe('Errors of advertisers', () => {
  it('has the recorded form', async () => {
    const { status, body } = await alice.send('POST', `${at}/campaigns?name=a&start_time=`);
    expect(status).toBe(400);
    expect(body).toEqual({
      errors: expect.arrayContaining([
        {
          code: 'INVALID_PARAMETER',
          message: 'Expected time, got "" for start_time',
          parameter: 'start_time',
          value: '',
          details: 'invalid date',
        },
      ]),
      request: { params: { account_id: account, name: 'a', start_time: '' } },
    });
  });

  it.each<[status: number, code: string, method: 'GET' | 'POST', path: string]>([
    [400, 'INVALID_PARAMETER', 'GET', `${at}/campaigns?count=x`],
    [400, 'MISSING_PARAMETER', 'POST', `${at}/campaigns`],
    [400, 'EXCLUSIVE_PARAMETERS', 'GET', `${at}/campaigns?cursor=c-1&with_total_count=true`],
    [
      400,
      'INVALID_TIME_WINDOW',
      'GET',
      `/5/stats/accounts/${account}/active_entities?entity=CAMPAIGN&start_time=2026-11-02T00:00:00Z&end_time=2026-11-01T00:00:00Z`,
    ],
    [403, 'ACCOUNT_NOT_FOUND', 'GET', '/5/accounts/18ce54d4x5t/campaigns'],
    [404, 'CAMPAIGN_NOT_FOUND', 'GET', `${at}/campaigns/8wku2`],
    [404, 'LINE_ITEM_NOT_FOUND', 'GET', `${at}/line_items/8wku2`],
    [404, 'FUNDING_INSTRUMENT_NOT_FOUND', 'GET', `${at}/funding_instruments/8wku2`],
    [404, 'PROMOTED_TWEET_NOT_FOUND', 'GET', `${at}/promoted_tweets/8wku2`],
    [404, 'MEDIA_CREATIVE_NOT_FOUND', 'GET', `${at}/media_creatives/8wku2`],
    [404, 'ACCOUNT_MEDIA_NOT_FOUND', 'GET', `${at}/account_media/8wku2`],
    [404, 'MEDIA_NOT_FOUND', 'GET', `${at}/media_library/3_908573900237180928`],
    [404, 'PROMOTABLE_USER_NOT_FOUND', 'GET', `${at}/promotable_users/8wku2`],
    [404, 'TAILORED_AUDIENCE_NOT_FOUND', 'GET', `${at}/custom_audiences/8wku2`],
    [404, 'TARGETING_CRITERION_NOT_FOUND', 'GET', `${at}/targeting_criteria/8wku2`],
    [404, 'TWEET_NOT_FOUND', 'GET', `${at}/scheduled_tweets/917438609065623552`],
    [404, 'TWEET_NOT_FOUND', 'GET', `${at}/draft_tweets/994788364334325760`],
    [404, 'NOT_FOUND', 'GET', `${at}/tracking_tags/8wku2`],
    [404, 'NOT_FOUND', 'GET', `${at}/account_history/8wku2`],
    [404, 'ROUTE_NOT_FOUND', 'GET', `${at}/nothing`],
    [405, 'METHOD_NOT_ALLOWED', 'POST', `${at}/account_history`],
    [405, 'METHOD_NOT_ALLOWED', 'POST', `${at}/promotable_users`],
  ])('%i %s', async (status, code, method, path) => {
    const answer = await (method === 'GET' ? alice.get(path) : alice.send(method, path));
    expect([answer.status, answer.body.errors[0].code]).toEqual([status, code]);
  });

  it(
    '429 TOO_MANY_REQUESTS has the limits of the user and of the ad account',
    { tags: 'long' },
    async () => {
      const limited = stage.on.signer('dave', { access: 'enterprise', limited: true });
      const [own, other] = ['Own', 'Other'].map((name) => stage.addAccount(limited.id, { name }));
      const window = 'start_time=2026-11-01T00:00:00Z&end_time=2026-11-02T00:00:00Z';
      const ask = (id = '') =>
        limited.get(`/5/stats/accounts/${id}/active_entities?entity=CAMPAIGN&${window}`);
      for (let i = 0; i < 249; i++) await ask(own?.id);
      expect((await ask(other?.id)).status).toBe(200);
      const { status, body, headers } = await ask(own?.id);
      expect([status, body.errors[0].code]).toEqual([429, 'TOO_MANY_REQUESTS']);
      const of = (name: string) => [headers.get(`${name}-limit`), headers.get(`${name}-remaining`)];
      expect(of('x-rate-limit')).toEqual(['250', '0']);
      expect(of('x-account-rate-limit')).toEqual(['250', '1']);
      expect(headers.get('x-account-rate-limit-reset')).not.toBeNull();
    },
  );

  it('401 UNAUTHORIZED_ACCESS and 403 UNAUTHORIZED_CLIENT_APPLICATION', async () => {
    const { service } = stage.on;
    const ask = async (headers: Record<string, string>) => {
      const answer = await service.request('/5/accounts', { headers: { cookie: '', ...headers } });
      return [answer.status, (await answer.json()).errors[0].code];
    };
    expect(await ask({})).toEqual([401, 'UNAUTHORIZED_ACCESS']);
    const { token } = service.auth.issueUserToken({ name: 'alice', limited: false });
    const bearer = { authorization: `Bearer ${token}` };
    expect(await ask(bearer)).toEqual([403, 'UNAUTHORIZED_CLIENT_APPLICATION']);
  });
});
