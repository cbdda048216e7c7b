import { expect, it } from 'vitest';
import { ADVERTISER_CAMPAIGNS, ADVERTISERS } from '#contract/ads/advertisers.ts';
import type { AdFields } from '#contract/ads/ads.ts';
import { HOUR_MS } from '#core/time/span.ts';
import { adsStage } from './ads-stage.ts';

const { on, account, add } = adsStage();

it('lists the ad accounts of all users with their campaigns, to the session alone', async () => {
  const other = on.signer('bob');
  add('CAMPAIGN', { name: 'Spring' }, { name: 'Autumn' });
  const [removed] = on.service.ads.add(
    [{ kind: 'ACCOUNT', holder: other.id, parent: null, fields: { name: 'Gone' } }],
    on.now,
  );
  if (removed) on.service.ads.remove(removed, on.now);
  const shop = {
    id: account,
    name: 'Shop',
    username: 'alice',
    timezone: 'Europe/Berlin',
    imported: false,
    campaigns: 2,
  };
  const { status, body } = await on.dashboard('alice').get(ADVERTISERS.path);
  expect([status, body]).toEqual([200, { usernames: ['alice', 'bob'], accounts: [shop] }]);
  expect((await other.get(ADVERTISERS.path)).status).toBe(403);
});

it('lists campaigns with their dates, spend and results, the newest first', async () => {
  const { ads } = on.service;
  const [own] = ads.add(
    [{ kind: 'ACCOUNT', holder: on.signer('carol').id, parent: null, fields: {} }],
    on.now,
  );
  const holder = own?.id ?? '';
  const of = (kind: 'CAMPAIGN' | 'LINE_ITEM', parent: string | null, fields: AdFields) =>
    ads.add([{ kind, holder, parent, fields }], on.now)[0]!;
  const autumn = of('CAMPAIGN', null, { name: 'Autumn', currency: 'EUR' });
  const item = of('LINE_ITEM', autumn.id, {
    start_time: '2026-10-01T00:00:00Z',
    end_time: '2026-11-01T00:00:00Z',
  });
  of('CAMPAIGN', null, { name: 'Winter', entity_status: 'PAUSED' });
  const start = Date.parse('2026-10-02T00:00:00Z');
  ads.figures.put({
    entity: item.seq,
    placement: 'ALL_ON_TWITTER',
    span: { start, end: start + HOUR_MS },
    metrics: { impressions: 10, url_clicks: 2, billed_charge_local_micro: 3_500_000 },
  });
  const path = ADVERTISER_CAMPAIGNS.path.replace(':id', holder);
  const { body } = await on.dashboard('alice').get(path);
  const none = { spend: null, impressions: null, clicks: null, engagements: null };
  expect(body).toEqual({
    total: 2,
    campaigns: [
      {
        id: expect.any(String),
        name: 'Winter',
        status: 'PAUSED',
        start: null,
        end: null,
        currency: null,
        ...none,
      },
      {
        id: autumn.id,
        name: 'Autumn',
        status: 'RUNNING',
        start: Date.parse('2026-10-01T00:00:00Z'),
        end: Date.parse('2026-11-01T00:00:00Z'),
        currency: 'EUR',
        ...none,
        spend: 3_500_000,
        impressions: 10,
        clicks: 2,
      },
    ],
  });
});
