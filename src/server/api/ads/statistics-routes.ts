import { formatTime } from '#contract/ad-fields.ts';
import { AD_KINDS, USUAL_ZONE } from '#contract/ad-kinds.ts';
import type { AdKindName } from '#contract/ad-kinds.ts';
import { AD_STATISTICS, STATISTICS_LIMIT } from '#contract/ad-statistics.ts';
import { advertiserFault } from '#server/advertising/advertiser-fault.ts';
import { entity as entityAnswer } from '#server/advertising/envelope.ts';
import type { AdEntity, AdsStore } from '#server/advertising/store.ts';
import type { FindSource } from '#server/http/current-source.ts';
import type { Http, Route } from '#server/http/serve.ts';
import type { accountOpener } from './account.ts';
import { bucketsOf, checkWindow, zoneOfWindow } from './buckets.ts';
import { entityIn } from './entity.ts';
import { metricsOf } from './statistics.ts';

interface StatisticsDeps {
  readonly http: Http;
  readonly ads: AdsStore;
  readonly source: FindSource;
  readonly opener: ReturnType<typeof accountOpener>;
}

/** The time zone of an ad account. */
function zoneOf({ fields }: AdEntity): string {
  return String(fields['timezone'] ?? USUAL_ZONE);
}

/** Serves the statistics of advertisers. They page by time, never by cursor. */
export function statistics({ http, ads, source, opener }: StatisticsDeps): Route[] {
  const open = opener(STATISTICS_LIMIT);

  /** @throws {@link Fault} 404 with the code of its kind if the account has no such entity, not even a deleted one. */
  const entityOf = (account: AdEntity, kind: string, id: string, parameter: string): AdEntity => {
    if (kind === 'ACCOUNT' && id === account.id) return account;
    const known = kind !== 'ACCOUNT' && kind in AD_KINDS;
    if (known)
      return entityIn(ads, kind as AdKindName, account.id, id, { withDeleted: true, parameter });
    const message = `There is no entity of the id "${id}" in this ad account`;
    throw advertiserFault(404, 'NOT_FOUND', message, { parameter, value: id });
  };

  return [
    http.serve(AD_STATISTICS.stats, (call) => {
      const { query, texts, params } = call;
      const account = open(call, params.account_id);
      const table = zoneOfWindow(zoneOf(account), query);
      checkWindow(table, query, texts);
      const buckets = bucketsOf(table, query.granularity, query, texts);
      const entities = query.entity_ids.map((id) =>
        entityOf(account, query.entity, id, 'entity_ids'),
      );
      const asked = { groups: query.metric_groups, placement: query.placement, buckets };
      const posts = query.entity === 'PROMOTED_TWEET' ? source('posts') : null;
      posts?.refresh();
      const data = entities.map((one) => ({
        id: one.id,
        id_data: [{ segment: null, metrics: metricsOf(ads, posts, one, asked) }],
      }));
      const { request } = entityAnswer(call, null);
      return { data_type: 'stats', time_series_length: buckets.length, data, request };
    }),
    http.serve(AD_STATISTICS.active, (call) => {
      const { query, texts, params } = call;
      const account = open(call, params.account_id);
      checkWindow(zoneOfWindow(zoneOf(account), query), query, texts);
      const span = { start: query.start_time, end: query.end_time };
      const holder = query.entity === 'ACCOUNT' ? account.holder : account.id;
      const active = ads.figures
        .active(holder, query.entity, span)
        .filter(({ id }) => query.entity !== 'ACCOUNT' || id === account.id);
      return entityAnswer(
        call,
        active.map((one) => ({
          entity_id: one.id,
          activity_start_time: formatTime(one.span.start),
          activity_end_time: formatTime(one.span.end),
          placements: one.placements,
        })),
      );
    }),
    http.serve(AD_STATISTICS.reach, (call) => {
      const { query, texts, params } = call;
      const account = open(call, params.account_id);
      checkWindow(zoneOfWindow(zoneOf(account), query), query, texts);
      // How many people saw a campaign does not follow from hourly figures.
      const unknown = { total_audience_reach: null, average_frequency: null };
      const data = query.campaign_ids.map((id) => ({
        id: entityOf(account, 'CAMPAIGN', id, 'campaign_ids').id,
        ...unknown,
      }));
      return { data_type: 'reach', ...entityAnswer(call, data) };
    }),
  ];
}
