import { expect, it } from 'vitest';
import {
  ADVERTISER_CAMPAIGN,
  ADVERTISER_CAMPAIGNS,
  ADVERTISERS,
} from '#contract/ads/advertisers.ts';
import type { AdFields } from '#contract/ads/ads.ts';
import { HOUR_MS } from '#core/time/span.ts';
import { adsStage } from './ads-stage.ts';

const { on, alice, account, add, below, addAccount } = adsStage();

it('lists the ad accounts of all users with their campaigns, to the session alone', async () => {
  const other = on.signer('bob');
  add('CAMPAIGN', { name: 'Spring' }, { name: 'Autumn' });
  on.service.ads.remove(addAccount(other.id, { name: 'Gone' }), on.now);
  const shop = {
    id: account,
    name: 'Shop',
    username: 'alice',
    timezone: 'Europe/Berlin',
    imported: false,
    campaigns: 2,
  };
  const { status, body } = await on.dashboard('alice').get(ADVERTISERS.path);
  // Both are of the same moment.
  const usernames = expect.toSatisfy((names) => String(names.toSorted()) === 'alice,bob');
  expect([status, body]).toEqual([200, { usernames, accounts: [shop] }]);
  expect((await other.get(ADVERTISERS.path)).status).toBe(403);
});

it('lists campaigns with their dates, spend and results, the newest first', async () => {
  const { ads } = on.service;
  const holder = addAccount(on.signer('carol').id).id;
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

/** A campaign of the ad account in Berlin, with figures of hours and days. */
function campaignWith(
  fields: AdFields,
  figures: readonly (readonly [
    start: string,
    end: string,
    metrics: Readonly<Record<string, number>>,
  ])[],
): string {
  const [campaign] = add('CAMPAIGN', fields);
  for (const [start, end, metrics] of figures) {
    on.service.ads.figures.put({
      entity: campaign!.seq,
      placement: 'ALL_ON_TWITTER',
      span: { start: Date.parse(start), end: Date.parse(end) },
      metrics,
    });
  }
  return campaign!.id;
}
const campaignAt = async (id: string, of = account) =>
  await on
    .dashboard('alice')
    .get(ADVERTISER_CAMPAIGN.path.replace(':id', of).replace(':campaign', id));
const SPENT = 'billed_charge_local_micro';

it('has a campaign by days of its ad account, also across a clock change, where anything is known', async () => {
  // The clock of Berlin goes back on 26 October 2025, whose day has 25 hours, and a figure of its own.
  const id = campaignWith(
    { name: 'Autumn', currency: 'EUR', total_budget_amount_local_micro: 90_000_000 },
    [
      ['2025-10-24T22:00:00Z', '2025-10-25T22:00:00Z', { [SPENT]: 5_000_000, url_clicks: 3 }],
      ['2025-10-25T22:00:00Z', '2025-10-26T23:00:00Z', { [SPENT]: 7_500_000, impressions: 0 }],
      ['2025-10-28T23:00:00Z', '2025-10-29T00:00:00Z', { url_clicks: 1 }],
      ['2025-10-29T22:00:00Z', '2025-10-29T23:00:00Z', { url_clicks: 2 }],
    ],
  );
  const { status, body } = await campaignAt(id);
  const day = (
    start: string,
    spend: number | null,
    impressions: number | null,
    clicks: number | null,
  ) => ({
    start: Date.parse(start),
    spend,
    impressions,
    clicks,
  });
  expect([status, body]).toEqual([
    200,
    {
      id,
      name: 'Autumn',
      currency: 'EUR',
      timezone: 'Europe/Berlin',
      run: {
        start: Date.parse('2025-10-24T22:00:00Z'),
        end: Date.parse('2025-10-29T23:00:00Z'),
      },
      budget: 90_000_000,
      spend: 12_500_000,
      impressions: 0,
      clicks: 6,
      days: [
        day('2025-10-24T22:00:00Z', 5_000_000, null, 3),
        day('2025-10-25T22:00:00Z', 7_500_000, 0, null),
        day('2025-10-28T23:00:00Z', null, null, 3),
      ],
      posts: [],
    },
  ]);
});

it.each([
  [
    'its dates, whose end is within a day',
    { start_time: '2025-03-29T23:00:00Z', end_time: '2025-03-30T21:59:59Z' },
    ['2025-03-29T23:00:00Z', '2025-03-30T22:00:00Z'],
  ],
  [
    'its start alone',
    { start_time: '2025-03-30T12:00:00Z' },
    ['2025-03-29T23:00:00Z', '2025-03-30T22:00:00Z'],
  ],
  [
    'its end alone',
    { end_time: '2025-03-30T22:00:00Z' },
    ['2025-03-29T23:00:00Z', '2025-03-30T22:00:00Z'],
  ],
  ['nothing', {}, null],
])('runs for whole days by %s', async (_, fields, run) => {
  const { body } = await campaignAt(campaignWith(fields, []));
  const [start, end] = (run ?? []).map((text) => Date.parse(text));
  expect(body).toMatchObject({ run: run && { start, end }, budget: null, spend: null, days: [] });
});

it('lists the Posts that a campaign promotes as long as the service has them', async () => {
  const [campaign] = add('CAMPAIGN', { name: 'Promoted' });
  const [item] = below('LINE_ITEM', campaign!.id, { name: 'All' });
  const made = await alice.send('POST', '/2/tweets', { text: 'Our boots are here' });
  const { id } = made.body.data;
  below('PROMOTED_TWEET', item!.id, { tweet_id: id }, { tweet_id: id }, { tweet_id: '1001' });
  expect((await campaignAt(campaign!.id)).body).toMatchObject({
    posts: [{ id, text: 'Our boots are here', url: null }],
  });
  await alice.send('DELETE', `/2/tweets/${id}`);
  expect((await campaignAt(campaign!.id)).body).toMatchObject({ posts: [] });
});

it('lists the campaigns of ids that the ad account has, and has none of another ad account', async () => {
  const [one, two] = add('CAMPAIGN', { name: 'One' }, { name: 'Two' });
  const path = ADVERTISER_CAMPAIGNS.path.replace(':id', account);
  const { body } = await on.dashboard('alice').get(`${path}?ids=${one!.id},none`);
  expect(body).toMatchObject({ total: 1, campaigns: [{ name: 'One' }] });
  const many = Array.from({ length: 101 }, (_, i) => `c${i}`).join(',');
  expect((await on.dashboard('alice').get(`${path}?ids=${many}`)).status).toBe(400);
  on.service.ads.remove(two!, on.now);
  const other = on.signer('dora');
  expect((await campaignAt(two!.id)).status).toBe(404);
  expect((await campaignAt(one!.id, addAccount(other.id).id)).status).toBe(404);
});
