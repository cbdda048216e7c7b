import { formatTime } from '#contract/ads/ad-fields.ts';
import { AD_KINDS, USUAL_ZONE, type AdKindName } from '#contract/ads/ad-kinds.ts';
import { AD_STATISTICS, STATISTICS_LIMIT } from '#contract/ads/ad-statistics.ts';
import { advertiserFault } from '#server/ads/advertiser-fault.ts';
import { entity as entityAnswer } from '#server/ads/envelope.ts';
import type { AdEntity } from '#server/ads/entity-row.ts';
import type { AdsStore } from '#server/ads/store.ts';
import type { Route } from '#server/http/serve.ts';
import { NEVER, type Due, type Steps } from '#server/index/steps.ts';
import type { Slice } from '#server/posts/index/source.ts';
import type { ServiceContext } from '#server/context.ts';
import type { accountOpener } from './account.ts';
import { activeEntities } from './activity.ts';
import { bucketsOf, checkWindow, localWindow } from './buckets.ts';
import { entityIn } from './entity.ts';
import { metricsOf, type Metrics } from './statistics.ts';

interface StatisticsDeps extends Pick<ServiceContext, 'http' | 'source' | 'slices' | 'now'> {
  readonly ads: AdsStore;
  readonly opener: ReturnType<typeof accountOpener>;
}

/** The time zone of an ad account. */
function zoneOf({ fields }: AdEntity): string {
  return String(fields['timezone'] ?? USUAL_ZONE);
}

function sliceOf<T>(work: (due: Due) => Steps<T>): Slice<T> {
  let due: Due = NEVER;
  const steps = work(() => due());
  return (pauseIsDue) => {
    due = pauseIsDue;
    return steps.next();
  };
}

/** Serves the statistics of advertisers. They page by time, never by cursor. */
export function adStatistics({ http, ads, source, opener, slices, now }: StatisticsDeps): Route[] {
  const open = opener(STATISTICS_LIMIT);
  const { refused } = open;

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
    http.serve(
      AD_STATISTICS.stats,
      async (call) => {
        const { c, query, texts, params } = call;
        const account = open(call, params.account_id);
        const { table, window } = localWindow(zoneOf(account), query, texts);
        checkWindow(table, window, texts);
        const buckets = bucketsOf(table, query.granularity, window, texts);
        const entities = query.entity_ids.map((id) =>
          entityOf(account, query.entity, id, 'entity_ids'),
        );
        const { metric_groups: groups, placement } = query;
        const asked = { groups, placement, buckets, now: now() };
        const posts = query.entity === 'PROMOTED_TWEET' ? source('posts') : null;
        posts?.refresh();
        const work = sliceOf(function* (due): Steps<Metrics[]> {
          const all: Metrics[] = [];
          for (const entity of entities) {
            all.push(yield* metricsOf(ads, account.id, posts, entity, asked, due));
          }
          return all;
        });
        const all = (await slices.run(work, c.req.raw.signal)) ?? [];
        const data = entities.map(({ id }, i) => ({
          id,
          id_data: [{ segment: null, metrics: all[i] ?? {} }],
        }));
        const { request } = entityAnswer(call, null);
        return { data_type: 'stats', time_series_length: buckets.length, data, request };
      },
      { refused },
    ),
    http.serve(
      AD_STATISTICS.active,
      (call) => {
        const { query, texts, params } = call;
        const account = open(call, params.account_id);
        const { table, window } = localWindow(zoneOf(account), query, texts);
        checkWindow(table, window, texts);
        const span = { start: window.start_time, end: window.end_time };
        return entityAnswer(
          call,
          activeEntities(ads, account.id, query.entity, span).map((activity) => ({
            entity_id: activity.id,
            activity_start_time: formatTime(activity.span.start),
            activity_end_time: formatTime(activity.span.end),
            placements: activity.placements,
          })),
        );
      },
      { refused },
    ),
    http.serve(
      AD_STATISTICS.reach,
      (call) => {
        const { query, texts, params } = call;
        const account = open(call, params.account_id);
        const { table, window } = localWindow(zoneOf(account), query, texts);
        checkWindow(table, window, texts);
        const span = { start: window.start_time, end: window.end_time };
        const data = query.campaign_ids.map((id) => {
          const { seq } = entityOf(account, 'CAMPAIGN', id, 'campaign_ids');
          // Imported for exactly this time: users of two days do not add up.
          const { reach, frequency } = ads.figures.reach(seq, span);
          return { id, total_audience_reach: reach, average_frequency: frequency };
        });
        return { data_type: 'reach', ...entityAnswer(call, data) };
      },
      { refused },
    ),
  ];
}
