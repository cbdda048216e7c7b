import { formatTime } from '#contract/ads/ad-fields.ts';
import { JOB_DAYS } from '#contract/ads/ad-jobs.ts';
import { AD_STATISTICS, STATISTICS_LIMIT } from '#contract/ads/ad-statistics.ts';
import { entity as entityAnswer } from '#server/ads/envelope.ts';
import type { Route } from '#server/http/serve.ts';
import type { Steps } from '#server/index/steps.ts';
import { accountZone } from './account.ts';
import type { AdsContext } from './ads-context.ts';
import { activeEntities } from './activity.ts';
import { bucketsOf, localWindow } from './buckets.ts';
import { entityWithFigures } from './entity.ts';
import { inSlices, statisticsOf, type EntityStatistics } from './statistics.ts';

/** Longest window of statistics that are answered at once, and of reach, in days of the account's time zone. */
const MOST_DAYS = 7;

/** Serves the statistics of advertisers. They page by time, never by cursor. */
export function adStatistics({ ads, source, opener, slices, now }: AdsContext): Route[] {
  const { open, serve } = opener(STATISTICS_LIMIT);

  return [
    serve(AD_STATISTICS.stats, async (call) => {
      const { c, query, texts, params } = call;
      const account = open(call, params.account_id);
      const { table, window } = localWindow(accountZone(account), query, texts, MOST_DAYS);
      const buckets = bucketsOf(table, query.granularity, window, texts);
      const entities = query.entity_ids.map((id) =>
        entityWithFigures(ads, account, query.entity, id, 'entity_ids'),
      );
      const { metric_groups: groups, placement } = query;
      const asked = { groups, placement, buckets, now: now() };
      const posts = query.entity === 'PROMOTED_TWEET' ? source('posts') : null;
      posts?.refresh();
      const work = inSlices(function* (due): Steps<EntityStatistics[]> {
        const all: EntityStatistics[] = [];
        for (const entity of entities) {
          all.push(yield* statisticsOf(ads, account.id, posts, entity, asked, due));
        }
        return all;
      });
      const data = (await slices.run(work, c.req.raw.signal)) ?? [];
      const { request } = entityAnswer(call, null);
      return { data_type: 'stats', time_series_length: buckets.length, data, request };
    }),
    serve(AD_STATISTICS.active, (call) => {
      const { query, texts, params } = call;
      const account = open(call, params.account_id);
      const { window } = localWindow(accountZone(account), query, texts, JOB_DAYS.whole);
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
    }),
    serve(AD_STATISTICS.reach, (call) => {
      const { query, texts, params } = call;
      const account = open(call, params.account_id);
      const { window } = localWindow(accountZone(account), query, texts, MOST_DAYS);
      const span = { start: window.start_time, end: window.end_time };
      const data = query.campaign_ids.map((id) => {
        const { seq } = entityWithFigures(ads, account, 'CAMPAIGN', id, 'campaign_ids');
        // Imported for exactly this time: users of two days do not add up.
        const { reach, frequency } = ads.figures.reach(seq, span);
        return { id, total_audience_reach: reach, average_frequency: frequency };
      });
      return { data_type: 'reach', ...entityAnswer(call, data) };
    }),
  ];
}
