import { describe, expect, it } from 'vitest';
import type { Answered } from '#tests/support/service/callers.ts';
import { adsStage } from './ads-stage.ts';

const { on, alice, order } = adsStage();

type Fields = Readonly<Record<string, string | number>>;
const post = (path: string, fields: Fields) => order('POST', path, fields);
const put = (path: string, fields: Fields) => order('PUT', path, fields);

function made({ status, body }: Answered): { id: string; [field: string]: unknown } {
  expect([status, body.errors]).toEqual([201, undefined]);
  return body.data;
}

/** An account with a campaign and a line item. */
async function advertiser() {
  const account = made(await post('/12/accounts', { timezone: 'Asia/Kolkata' }));
  const at = `/12/accounts/${account.id}`;
  const instrument = made(
    await post(`${at}/funding_instruments`, {
      type: 'CREDIT_LINE',
      currency: 'EUR',
      start_time: '2026-11-01T00:00:00Z',
    }),
  );
  const campaign = made(
    await post(`${at}/campaigns`, {
      name: 'Autumn',
      funding_instrument_id: instrument.id,
      daily_budget_amount_local_micro: 5_000_000,
    }),
  );
  const item = made(
    await post(`${at}/line_items`, {
      campaign_id: campaign.id,
      objective: 'ENGAGEMENTS',
      product_type: 'PROMOTED_TWEETS',
      placements: 'ALL_ON_TWITTER',
      bid_amount_local_micro: 1_500_000,
      start_time: '2026-11-20T00:00:00Z',
      end_time: '2026-12-20T00:00:00Z',
    }),
  );
  return { at, account, instrument, campaign, item };
}

describe('creating', () => {
  it('makes an account with its user, and what is served in it', async () => {
    const { at, account, instrument, campaign, item } = await advertiser();
    expect(account).toMatchObject({ timezone: 'Asia/Kolkata', approval_status: 'ACCEPTED' });
    const users = await alice.get(`${at}/promotable_users`);
    expect(users.body.data).toMatchObject([{ user_id: alice.id, promotable_user_type: 'FULL' }]);
    expect(instrument).toMatchObject({ able_to_fund: true, reasons_not_able_to_fund: [] });
    expect(campaign).toMatchObject({
      daily_budget_amount_local_micro: 5_000_000,
      total_budget_amount_local_micro: null,
      currency: 'EUR',
      entity_status: 'ACTIVE',
      effective_status: 'RUNNING',
      servable: true,
      reasons_not_servable: [],
      created_at: '2026-11-21T10:30:20Z',
      deleted: false,
    });
    expect(item).toMatchObject({ placements: ['ALL_ON_TWITTER'], currency: 'EUR', servable: true });
    const media = made(
      await post(`${at}/account_media`, {
        media_url: 'https://shop.example/a.png',
        creative_type: 'BANNER',
      }),
    );
    const creative = { line_item_id: item.id, account_media_id: media.id };
    expect(made(await post(`${at}/media_creatives`, creative))).toMatchObject(creative);
  });

  it('promotes several Posts at once', async () => {
    const { at, item } = await advertiser();
    const { status, body } = await post(`${at}/promoted_tweets`, {
      line_item_id: item.id,
      tweet_ids: '11,12',
    });
    expect(status).toBe(201);
    expect(body.request.params.tweet_ids).toEqual(['11', '12']);
    expect(body.data).toMatchObject([
      { line_item_id: item.id, tweet_id: '11', approval_status: 'ACCEPTED' },
      { line_item_id: item.id, tweet_id: '12' },
    ]);
    const ids = `promoted_tweet_ids=${body.data[1].id}`;
    const { body: listed } = await alice.get(`${at}/promoted_tweets?${ids}`);
    expect(listed.data).toEqual([body.data[1]]);
  });

  it('derives why something is not served', async () => {
    const { at, campaign, item } = await advertiser();
    const states = async (fields: Readonly<Record<string, string>>) => {
      const { body } = await put(`${at}/campaigns/${campaign.id}`, fields);
      const below = await alice.get(`${at}/line_items/${item.id}`);
      return [body.data, below.body.data].map((each) => [
        each.effective_status,
        ...each.reasons_not_servable,
      ]);
    };
    expect(await states({ entity_status: 'PAUSED' })).toEqual([
      ['PAUSED', 'PAUSED_BY_ADVERTISER'],
      ['UNKNOWN', 'PARENT_NOT_SERVABLE'],
    ]);
    expect(await states({ entity_status: 'ACTIVE', start_time: '2026-12-01T00:00:00Z' })).toEqual([
      ['SCHEDULED', 'NOT_STARTED'],
      ['UNKNOWN', 'PARENT_NOT_SERVABLE'],
    ]);
    const ended = { start_time: '2026-11-01T00:00:00Z', end_time: '2026-11-02T00:00:00Z' };
    expect(await states(ended)).toEqual([
      ['EXPIRED', 'EXPIRED'],
      ['UNKNOWN', 'PARENT_NOT_SERVABLE'],
    ]);
  });

  it('deletes once, with what belongs to it, and keeps the history', async () => {
    const { at, instrument, campaign, item } = await advertiser();
    const gone = await alice.send('DELETE', `${at}/campaigns/${campaign.id}`);
    expect([gone.status, gone.body.data.deleted]).toEqual([200, true]);
    const again = await alice.send('DELETE', `${at}/campaigns/${campaign.id}`);
    expect([again.status, again.body.errors[0].code]).toEqual([404, 'CAMPAIGN_NOT_FOUND']);
    const below = await alice.get(`${at}/line_items/${item.id}`);
    expect([below.status, below.body.errors[0].code]).toEqual([404, 'LINE_ITEM_NOT_FOUND']);
    expect((await alice.get(`${at}/line_items?with_deleted=true`)).body.data).toHaveLength(1);
    await alice.send('DELETE', `${at}/funding_instruments/${instrument.id}`);
    const { body } = await alice.get(`${at}/account_history`);
    const changes = body.data.map((each: Record<string, string>) => [
      each['entity'],
      each['change_type'],
    ]);
    expect(changes).toEqual([
      ['ACCOUNT', 'CREATE'],
      ['FUNDING_INSTRUMENT', 'CREATE'],
      ['CAMPAIGN', 'CREATE'],
      ['LINE_ITEM', 'CREATE'],
      ['CAMPAIGN', 'DELETE'],
      ['FUNDING_INSTRUMENT', 'DELETE'],
    ]);
  });

  it('deletes an account with all that is in it', async () => {
    const { at } = await advertiser();
    expect((await alice.send('DELETE', at)).body.data.deleted).toBe(true);
    expect((await alice.get(`${at}/campaigns`)).status).toBe(403);
    expect((await alice.get(`${at}?with_deleted=true`)).body.data.deleted).toBe(true);
  });

  it('changes an entity that is sent as a whole, and clears fields', async () => {
    const { at, campaign, item } = await advertiser();
    // SDKs send back all that an answer had.
    const whole = Object.fromEntries(
      Object.entries(campaign)
        .filter(([, value]) => value !== null)
        .map(([name, value]) => [name, Array.isArray(value) ? value.join(',') : String(value)]),
    );
    const path = `${at}/campaigns/${campaign.id}`;
    const { status, body } = await put(path, { ...whole, name: 'Winter' });
    expect([status, body.data.name, body.data.currency]).toEqual([200, 'Winter', 'EUR']);
    expect(item).toMatchObject({ funding_instrument_id: campaign['funding_instrument_id'] });
    const cleared = await put(path, { daily_budget_amount_local_micro: '' });
    expect(cleared.body.data.daily_budget_amount_local_micro).toBeNull();
    const end = await put(`${at}/line_items/${item.id}`, { end_time: '', categories: '' });
    expect(end.body.data).toMatchObject({ end_time: null, categories: [] });
    const required = await put(path, { name: '' });
    expect([required.status, required.body.errors[0].parameter]).toEqual([400, 'name']);
  });

  it('is there after a restart', async () => {
    const { at, campaign } = await advertiser();
    await on.service.restart();
    expect((await alice.get(`${at}/campaigns/${campaign.id}`)).body.data).toEqual(campaign);
  });
});

describe('errors', () => {
  const refusal = ({ status, body }: Answered) => {
    const [{ code, parameter, value }] = body.errors;
    return [status, code, parameter, value];
  };

  it('names missing and malformed fields', async () => {
    const { at, instrument, campaign } = await advertiser();
    const campaigns = `${at}/campaigns`;
    const fund = { funding_instrument_id: instrument.id };
    expect(refusal(await post(campaigns, fund))).toEqual([
      400,
      'MISSING_PARAMETER',
      'name',
      undefined,
    ]);
    const odd = async (field: string, value: string) => {
      const answer = await post(campaigns, { name: 'a', ...fund, [field]: value });
      expect(refusal(answer)).toEqual([400, 'INVALID_PARAMETER', field, value]);
    };
    await odd('daily_budget_amount_local_micro', '1.5');
    await odd('daily_budget_amount_local_micro', '-1');
    await odd('start_time', 'tomorrow');
    await odd('entity_status', 'GONE');
    await odd('name', 'x'.repeat(256));
    await odd('id', 'abc');
    const path = `${campaigns}/${campaign.id}`;
    const fixed = await put(path, { funding_instrument_id: 'other' });
    expect(refusal(fixed)).toEqual([400, 'INVALID_PARAMETER', 'funding_instrument_id', 'other']);
    const both = { daily_budget_amount_local_micro: 9, total_budget_amount_local_micro: 8 };
    expect(refusal(await post(campaigns, { name: 'a', ...fund, ...both }))).toEqual([
      400,
      'INVALID_PARAMETER',
      'daily_budget_amount_local_micro',
      '9',
    ]);
    const times = { start_time: '2026-12-02T00:00:00Z', end_time: '2026-12-01T00:00:00Z' };
    expect(refusal(await put(`${campaigns}/${campaign.id}`, times))[2]).toBe('end_time');
    const [{ message }] = (await post(campaigns, { name: 'a', ...fund, start_time: 'x' })).body
      .errors;
    expect(message).toBe('Expected time, got "x" for start_time');
  });

  it('names what an entity should belong to, by its code', async () => {
    const { at, item } = await advertiser();
    const other = await advertiser();
    const campaign = { name: 'a', funding_instrument_id: other.instrument.id };
    expect(refusal(await post(`${at}/campaigns`, campaign))).toEqual([
      404,
      'FUNDING_INSTRUMENT_NOT_FOUND',
      'funding_instrument_id',
      other.instrument.id,
    ]);
    const posts = { line_item_id: 'zzzz', tweet_ids: '1' };
    expect(refusal(await post(`${at}/promoted_tweets`, posts))[1]).toBe('LINE_ITEM_NOT_FOUND');
    const creative = { line_item_id: item.id, account_media_id: 'zzzz' };
    expect(refusal(await post(`${at}/media_creatives`, creative))).toEqual([
      404,
      'ACCOUNT_MEDIA_NOT_FOUND',
      'account_media_id',
      'zzzz',
    ]);
  });

  it('refuses changes by an app that may only read', async () => {
    const reader = on.signer('alice', { permission: 'read' });
    const { status, body } = await reader.send('POST', '/12/accounts');
    expect([status, body.errors[0].code]).toEqual([403, 'READONLY_CLIENT_APPLICATION']);
    expect((await reader.get('/12/accounts')).status).toBe(200);
  });
});
