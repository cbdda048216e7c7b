import type { Context } from 'hono';
import {
  ADVERTISER_CAMPAIGN,
  ADVERTISER_CAMPAIGNS,
  ADVERTISERS,
  MOST_CAMPAIGNS,
  MOST_DAYS,
  type CampaignAnswer,
  type CampaignsAnswer,
} from '#contract/ads/advertisers.ts';
import { readId } from '#core/import/id.ts';
import type { Json } from '#core/import/json.ts';
import { ARCHIVE_START, DAY_MS, type Span } from '#core/time/span.ts';
import { localDayAfter } from '#core/time/zone.ts';
import { importedAccount } from '#server/ads/console-account.ts';
import type { AdEntity } from '#server/ads/entity-row.ts';
import type { AdsStore } from '#server/ads/store.ts';
import { clientGone, nothingAt } from '#server/http/errors.ts';
import type { Route } from '#server/http/serve.ts';
import type { Steps } from '#server/index/steps.ts';
import { wholeText } from '#server/posts/json/facts.ts';
import { postOrigin } from '#server/posts/json/origin.ts';
import { foundPost, isShown } from '#server/posts/json/post-json.ts';
import { reader, type Reading } from '#server/users/reading.ts';
import { accountZone } from './account.ts';
import type { AdsContext } from './ads-context.ts';
import { tableAround } from './buckets.ts';
import { inSlices, knownMetricsOf, metricsOf, type Metrics } from './statistics.ts';

type Campaign = CampaignsAnswer['campaigns'][number];

/** Most ad accounts of a user that are listed. */
const MOST = 100;
/** Most promoted Posts of a campaign. */
const MOST_POSTS = 100;

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

const FIGURES = { groups: ['ENGAGEMENT', 'BILLING'], placement: 'ALL_ON_TWITTER' } as const;

function amountIn({ fields }: AdEntity, name: string): number | null {
  const amount = fields[name];
  return typeof amount === 'number' ? amount : null;
}

/** The time in which a campaign, or something in it, had figures; null if there is none. */
function figuredTime({ figures }: AdsStore, { seq, holder }: AdEntity, now: number): Span | null {
  const time = { start: ARCHIVE_START, end: now + 2 * DAY_MS };
  const all = figures.below(seq, holder, FIGURES.placement, time).map(({ entity }) => entity);
  return figures.time(all, FIGURES.placement, time);
}

/** The days from the one of an instant until another instant. */
function daysOf(zone: string, { start, end }: Span): Span[] {
  const table = tableAround(zone, { start_time: start, end_time: end });
  const days: Span[] = [];
  for (let at = localDayAfter(table, start, 0); at < end; at = localDayAfter(table, at, 1))
    days.push({ start: at, end: localDayAfter(table, at, 1) });
  return days;
}

/** The whole days of a campaign: by its dates, else by the time of its figures; null without either. */
function runOf(
  zone: string,
  { start, end }: Pick<Campaign, 'start' | 'end'>,
  figured: Span | null,
): CampaignAnswer['run'] {
  const from = start ?? figured?.start ?? (end === null ? null : end - 1);
  if (from === null) return null;
  const last = Math.max(from, (end ?? figured?.end ?? 0) - 1);
  const table = tableAround(zone, { start_time: from, end_time: last });
  return { start: localDayAfter(table, from, 0), end: localDayAfter(table, last, 1) };
}

/** The Posts that a campaign promotes, without those that this service does not have or does not show. */
function promotedPosts(
  { state, finder }: Reading,
  keys: readonly bigint[],
): CampaignAnswer['posts'] {
  const rows = new Map(state.rows(keys).map((row) => [row.id, row]));
  return keys.flatMap((key) => {
    const row = rows.get(key);
    const post = row ? foundPost(row) : null;
    if (!row || !post || !isShown(post, finder)) return [];
    return [{ id: String(key), text: wholeText(row), url: postOrigin(post).url ?? null }];
  });
}

/** The ad accounts of all users, the first 100 of each, and their campaigns, for the pages of this service. */
export function advertisers(deps: AdsContext): Route[] {
  const { http, service, ads, slices, now, jsonOf } = deps;
  const read = reader(deps);
  const accountOf = (c: Context, id: string): AdEntity => {
    const account = ads.find('ACCOUNT', id);
    if (!account || account.deleted) throw nothingAt(c);
    return account;
  };
  const allTime = () =>
    ({
      ...FIGURES,
      buckets: [{ start: ARCHIVE_START, end: now() + 2 * DAY_MS }],
      now: now(),
    }) as const;
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
    http.serve(ADVERTISERS, () => {
      const users = service.accounts();
      const having = ads.advertisers();
      const accounts = users
        .filter(({ id }) => having.has(id))
        .flatMap(({ id: holder, username }) => {
          const imported = importedAccount(ads, holder);
          return ads
            .page({ kind: 'ACCOUNT', holder, ...ALL_OF_IT }, { by: [], after: null }, MOST)
            .map(({ entity }) => ({
              id: entity.id,
              name: String(entity.fields['name'] ?? ''),
              username,
              timezone: accountZone(entity),
              imported: entity.id === imported?.id,
              campaigns: ads.count({ kind: 'CAMPAIGN', holder: entity.id, ...ALL_OF_IT }),
            }));
        });
      return { usernames: users.map(({ username }) => username), accounts };
    }),
    http.serve(ADVERTISER_CAMPAIGNS, async ({ c, params, query: { ids } }) => {
      const account = accountOf(c, params.id);
      const filter = {
        kind: 'CAMPAIGN',
        holder: account.id,
        ...ALL_OF_IT,
        ...(ids && { ids }),
      } as const;
      const newest = { by: [{ name: 'created_at', descending: true }], after: null } as const;
      const found = ads.page(filter, newest, MOST_CAMPAIGNS).map(({ entity }) => entity);
      const show = jsonOf(c);
      const asked = allTime();
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
    http.serve(ADVERTISER_CAMPAIGN, async (call) => {
      const { c, params } = call;
      const account = accountOf(c, params.id);
      const entity = ads.find('CAMPAIGN', params.campaign);
      if (entity?.holder !== account.id || entity.deleted) throw nothingAt(c);
      const zone = accountZone(account);
      const figured = figuredTime(ads, entity, now());
      const buckets = figured ? daysOf(zone, figured).slice(-MOST_DAYS) : [];
      const work = inSlices(function* (due): Steps<{
        total: Metrics;
        days: CampaignAnswer['days'];
      }> {
        const total = yield* metricsOf(ads, account.id, null, entity, allTime(), due);
        const asked = { ...FIGURES, buckets, now: now() };
        const days = yield* knownMetricsOf(ads, account.id, entity, asked, due);
        return {
          total,
          days: days
            .map((metrics, i) => ({
              start: buckets[i]?.start ?? 0,
              spend: metrics.billed_charge_local_micro ?? null,
              impressions: metrics.impressions ?? null,
              clicks: metrics.url_clicks ?? null,
            }))
            .filter((day) => day.spend !== null || day.impressions !== null || day.clicks !== null),
        };
      });
      const found = await slices.run(work, c.req.raw.signal);
      if (!found) return clientGone();
      const { start, end, ...shown } = campaignOf(jsonOf(c)(entity), entity, found.total);
      const answer = {
        id: entity.id,
        name: shown.name,
        currency: shown.currency,
        timezone: zone,
        run: runOf(zone, { start, end }, figured),
        budget: amountIn(entity, 'total_budget_amount_local_micro'),
        spend: shown.spend,
        impressions: shown.impressions,
        clicks: shown.clicks,
        days: found.days,
      };
      const promoted = ads
        .below('LINE_ITEM', entity)
        .flatMap((item) => ads.below('PROMOTED_TWEET', item))
        .flatMap(({ fields }) => readId(String(fields['tweet_id'])) ?? []);
      const keys = [...new Set(promoted)].slice(0, MOST_POSTS);
      if (keys.length === 0) return { ...answer, posts: [] };
      return await read(call, function* (reading): Steps<CampaignAnswer> {
        if (reading.due()) yield;
        return { ...answer, posts: promotedPosts(reading, keys) };
      });
    }),
  ];
}
