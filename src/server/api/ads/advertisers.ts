import type { Context } from 'hono';
import {
  ADVERTISER_CAMPAIGNS,
  ADVERTISERS,
  type CampaignsAnswer,
} from '#contract/ads/advertisers.ts';
import type { Json } from '#core/import/json.ts';
import { ARCHIVE_START, DAY_MS } from '#core/time/span.ts';
import { importedAccount } from '#server/ads/console-account.ts';
import type { AdEntity } from '#server/ads/entity-row.ts';
import type { AdsStore } from '#server/ads/store.ts';
import { nothingAt } from '#server/http/errors.ts';
import type { Route } from '#server/http/serve.ts';
import type { Steps } from '#server/index/steps.ts';
import type { ServiceContext } from '#server/context.ts';
import { accountZone } from './account.ts';
import { inSlices, metricsOf, type Metrics } from './statistics.ts';

interface AdvertisersDeps extends Pick<ServiceContext, 'http' | 'service' | 'slices' | 'now'> {
  readonly ads: AdsStore;
  readonly jsonOf: (c: Context) => (entity: AdEntity) => Json;
}

type Campaign = CampaignsAnswer['campaigns'][number];

/** Most ad accounts of a user, and campaigns of an ad account, that are listed. */
const MOST = 100;

const ALL_OF_IT = { withDeleted: false, withDraft: true };

/** The instant of a field; null if it has none. */
function instantIn({ fields }: AdEntity, name: string): number | null {
  const text = fields[name];
  return typeof text === 'string' ? Date.parse(text) : null;
}

/** The time in which a campaign runs: its own, else that of its line items. */
function flightOf(ads: AdsStore, campaign: AdEntity): Pick<Campaign, 'start' | 'end'> {
  const items = ads.below('LINE_ITEM', campaign);
  const times = (name: string): number[] => items.flatMap((item) => instantIn(item, name) ?? []);
  const [starts, ends] = [times('start_time'), times('end_time')];
  // A line item without an end goes on.
  const isOpen = ends.length < items.length || ends.length === 0;
  return {
    start: instantIn(campaign, 'start_time') ?? (starts.length > 0 ? Math.min(...starts) : null),
    end: instantIn(campaign, 'end_time') ?? (isOpen ? null : Math.max(...ends)),
  };
}

/** The ad accounts of all users, the first 100 of each, and their campaigns, for the page of developers. */
export function advertisers({ http, service, ads, slices, now, jsonOf }: AdvertisersDeps): Route[] {
  const campaignOf = (shown: Json, entity: AdEntity, metrics: Metrics): Campaign => {
    const sum = (name: string): number | null => metrics[name]?.[0] ?? null;
    return {
      id: entity.id,
      name: String(entity.fields['name'] ?? ''),
      status: String(shown['effective_status']),
      ...flightOf(ads, entity),
      currency: typeof shown['currency'] === 'string' ? shown['currency'] : null,
      spend: sum('billed_charge_local_micro'),
      impressions: sum('impressions'),
      clicks: sum('url_clicks'),
      engagements: sum('engagements'),
    };
  };
  return [
    http.serve(ADVERTISERS, () => ({
      usernames: service.accounts().map(({ username }) => username),
      accounts: service.accounts().flatMap(({ id: holder, username }) =>
        ads
          .page({ kind: 'ACCOUNT', holder, ...ALL_OF_IT }, { by: [], after: null }, MOST)
          .map(({ entity }) => ({
            id: entity.id,
            name: String(entity.fields['name'] ?? ''),
            username,
            timezone: accountZone(entity),
            imported: entity.id === importedAccount(ads, holder)?.id,
            campaigns: ads.count({ kind: 'CAMPAIGN', holder: entity.id, ...ALL_OF_IT }),
          })),
      ),
    })),
    http.serve(ADVERTISER_CAMPAIGNS, async ({ c, params }) => {
      const account = ads.find('ACCOUNT', params.id);
      if (!account || account.deleted) throw nothingAt(c);
      const filter = { kind: 'CAMPAIGN', holder: account.id, ...ALL_OF_IT } as const;
      const newest = { by: [{ name: 'created_at', descending: true }], after: null } as const;
      const found = ads.page(filter, newest, MOST).map(({ entity }) => entity);
      const show = jsonOf(c);
      const asked = {
        groups: ['ENGAGEMENT', 'BILLING'],
        placement: 'ALL_ON_TWITTER',
        buckets: [{ start: ARCHIVE_START, end: now() + 2 * DAY_MS }],
        now: now(),
      } as const;
      const work = inSlices(function* (due): Steps<Campaign[]> {
        const all: Campaign[] = [];
        for (const entity of found) {
          const metrics = yield* metricsOf(ads, account.id, null, entity, asked, due);
          all.push(campaignOf(show(entity), entity, metrics));
        }
        return all;
      });
      const campaigns = (await slices.run(work, c.req.raw.signal)) ?? [];
      return { campaigns, total: ads.count(filter) };
    }),
  ];
}
