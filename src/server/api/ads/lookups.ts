import type { Context } from 'hono';
import { OTHER } from '#contract/ads/ad-kind.ts';
import { AD_LOOKUPS, TARGETING_LOOKUPS, type TargetedType } from '#contract/ads/ad-lookups.ts';
import { quarterHour } from '#contract/paging.ts';
import type { Json } from '#core/import/json.ts';
import type { Seal } from '#core/cursor.ts';
import { fold } from '#core/text/fold.ts';
import { cursorAfter, readCursor } from '#server/ads/cursor.ts';
import { listing } from '#server/ads/envelope.ts';
import type { AdEntity } from '#server/ads/entity-row.ts';
import type { AdsStore } from '#server/ads/store.ts';
import {
  IAB_CATEGORIES,
  targetingCountries,
  targetingLanguages,
  type TargetingValue,
} from '#server/ads/targeting-values.ts';
import type { Route } from '#server/http/serve.ts';
import type { AdsContext } from './ads-context.ts';
import { entityIn } from './entity.ts';
import { refuseBoth } from './listing.ts';

/** A member of a listing. Keys are unique, and ascend. */
interface Item {
  readonly key: string;
  readonly json: unknown;
}

interface PagedCall {
  readonly params?: unknown;
  readonly query: {
    readonly count: number;
    readonly cursor?: string | undefined;
    readonly with_total_count?: boolean | undefined;
  };
  readonly texts: Readonly<Record<string, string>>;
}

/** The page of a listing that a request asks for. @param of - The listing and its filters, to which cursors belong. */
function pageOf(call: PagedCall, items: readonly Item[], of: readonly unknown[], seal: Seal) {
  refuseBoth(call);
  const { count, cursor, with_total_count: hasTotal } = call.query;
  const [after = ''] = cursor === undefined ? [] : readCursor(cursor, of, seal);
  const rest = items.filter(({ key }) => key > after);
  const page = rest.slice(0, count);
  const last = page.at(-1);
  return listing(call, {
    data: page.map(({ json }) => json),
    next: last && rest.length > count ? cursorAfter([last.key], of, seal) : null,
    ...(hasTotal === true && { total: items.length }),
  });
}

const ALL = { withDeleted: false, withDraft: true };
const IN_ORDER = { by: [], after: null };
/** Most ad accounts of a user, and criteria of an ad account, that a listing reads. */
const MOST_ACCOUNTS = 100;
const MOST_CRITERIA = 1000;

/** Criteria of an ad account with a value of a field. */
function criteriaWith(ads: AdsStore, account: string, field: string, value: string): AdEntity[] {
  const filter = {
    kind: 'TARGETING_CRITERION',
    holder: account,
    fields: [{ field, values: [value] }],
    ...ALL,
  } as const;
  return ads.page(filter, IN_ORDER, MOST_CRITERIA).map(({ entity }) => entity);
}

/** The values of a type that line items of a user target: nothing else here knows such values. */
function targetedBy(ads: AdsStore, user: string, type: TargetedType): TargetingValue[] {
  const accounts = ads.page({ kind: 'ACCOUNT', holder: user, ...ALL }, IN_ORDER, MOST_ACCOUNTS);
  const criteria = accounts.flatMap(({ entity }) =>
    criteriaWith(ads, entity.id, 'targeting_type', type),
  );
  const values = new Map(
    criteria.map(({ fields }) => [
      String(fields['targeting_value']),
      String(fields['name'] ?? fields['targeting_value']),
    ]),
  );
  return [...values]
    .map(([value, name]) => ({ value, name }))
    .toSorted((a, b) => (a.value < b.value ? -1 : 1));
}

/** Members that the values of a type have next to their names. Nothing here knows more of an event than its name. */
const MEMBERS: Readonly<Partial<Record<TargetedType, (value: TargetingValue) => Json>>> = {
  CONVERSATION: () => ({ conversation_type: null }),
  EVENT: () => ({ event_type: null, start_time: null, end_time: null, country_code: null }),
  LOCATION: ({ value }) => ({ country_code: value, location_type: 'COUNTRIES' }),
  NETWORK_OPERATOR: () => ({ country_code: null }),
};

/** The campaigns with line items that target an audience. @param isActive - Leaves out line items that are not served. */
function campaignsOn(
  { ads, jsonOf }: AdsContext,
  c: Context,
  { id, holder }: AdEntity,
  isActive: boolean,
): Item[] {
  const show = jsonOf(c);
  const items = new Set(
    criteriaWith(ads, holder, 'targeting_value', id)
      .filter(({ fields }) => String(fields['targeting_type']).startsWith('CUSTOM_AUDIENCE'))
      .map(({ parent }) => parent ?? ''),
  );
  const campaigns = new Map<string, Json[]>();
  for (const item of items) {
    const entity = ads.find('LINE_ITEM', item);
    if (!entity?.parent) continue;
    const servable = show(entity)['servable'] === true;
    if (isActive && !servable) continue;
    const shown = { id: item, name: entity.fields['name'] ?? null, servable };
    campaigns.set(entity.parent, [...(campaigns.get(entity.parent) ?? []), shown]);
  }
  return [...campaigns]
    .map(([campaign, line_items]) => {
      const name = ads.find('CAMPAIGN', campaign)?.fields['name'] ?? null;
      return {
        key: campaign,
        json: { campaign_id: campaign, campaign_name: name, line_items },
      };
    })
    .toSorted((a, b) => (a.key < b.key ? -1 : 1));
}

/** Serves listings of what advertisers choose from, and of what belongs to an audience. */
export function adLookups(deps: AdsContext): Route[] {
  const { http, ads, opener, seal } = deps;
  const { open, serve } = opener(quarterHour(OTHER));

  const valuesOf = (type: TargetedType, user: string): readonly TargetingValue[] => {
    if (type === 'LANGUAGE') return targetingLanguages();
    if (type === 'LOCATION') return targetingCountries();
    return targetedBy(ads, user, type);
  };
  const targeting = (type: TargetedType): Route =>
    http.serve(TARGETING_LOOKUPS[type] as (typeof TARGETING_LOOKUPS)['LOCATION'], (call) => {
      const { q, country_code: country, location_type: kind } = call.query;
      const wanted = fold(String(q ?? ''));
      const code = country?.[0]?.toUpperCase();
      const isOther = kind !== undefined && kind !== 'COUNTRIES';
      const values = isOther ? [] : valuesOf(type, call.caller.user.id);
      const items = values
        .filter(({ name }) => fold(name).includes(wanted))
        .filter(({ value }) => type !== 'LOCATION' || code === undefined || value === code)
        .map((each) => ({
          key: each.value,
          json: {
            name: each.name,
            targeting_type: type,
            targeting_value: each.value,
            ...MEMBERS[type]?.(each),
          },
        }));
      return pageOf(call, items, ['targeting', type, wanted, code ?? '', kind ?? ''], seal);
    });

  return [
    ...(Object.keys(TARGETING_LOOKUPS) as TargetedType[]).map(targeting),
    http.serve(AD_LOOKUPS.iabCategories, (call) => {
      const items = IAB_CATEGORIES.map((name, i) => ({
        key: String(i).padStart(2, '0'),
        json: { id: `IAB${i + 1}`, parent_id: null, name },
      }));
      return pageOf(call, items, ['iab'], seal);
    }),
    serve(AD_LOOKUPS.features, (call) => {
      open(call, call.params.account_id);
      return listing(call, { data: [], next: null });
    }),
    serve(AD_LOOKUPS.permissions, (call) => {
      const { account_id: account, custom_audience_id: audience } = call.params;
      const { id } = entityIn(ads, 'CUSTOM_AUDIENCE', open(call, account).id, audience);
      return pageOf(call, [], ['permissions', id], seal);
    }),
    serve(AD_LOOKUPS.targeted, (call) => {
      const { account_id: account, custom_audience_id: audience } = call.params;
      const entity = entityIn(ads, 'CUSTOM_AUDIENCE', open(call, account).id, audience);
      const isActive = call.query.with_active ?? true;
      const items = campaignsOn(deps, call.c, entity, isActive);
      return pageOf(call, items, ['targeted', entity.id, isActive], seal);
    }),
  ];
}
