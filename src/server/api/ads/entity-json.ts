import { formatTime } from '#contract/ads/ad-fields.ts';
import type { AdKind } from '#contract/ads/ad-kind.ts';
import { AD_KINDS } from '#contract/ads/ad-kinds.ts';
import type { Json } from '#core/import/json.ts';
import { MEDIA_PATH } from '#server/media/media-json.ts';
import type { AdEntity } from '#server/ads/entity-row.ts';
import type { AdsStore } from '#server/ads/store.ts';

/** The reason an entity is not served, by the platform's name (platform-facts, section 10; others in docs/ads.md). */
type Reason =
  | 'DELETED'
  | 'EXPIRED'
  | 'FUNDING_PROBLEM'
  | 'INCOMPLETE'
  | 'NOT_STARTED'
  | 'PARENT_NOT_SERVABLE'
  | 'PAUSED_BY_ADVERTISER';

/** The facts that follow from the state of an entity and of those that it belongs to. */
interface Derived {
  readonly reasons: readonly Reason[];
  readonly currency: unknown;
  /** Id of what a parent belongs to. */
  readonly above: string | null;
}

const STATUS: Partial<Readonly<Record<Reason, string>>> = {
  DELETED: 'DELETED',
  EXPIRED: 'EXPIRED',
  INCOMPLETE: 'DRAFT',
  NOT_STARTED: 'SCHEDULED',
  PAUSED_BY_ADVERTISER: 'PAUSED',
};

/** Reasons in the entity itself. */
function ownReasons({ deleted, fields }: AdEntity, now: number): Reason[] {
  const { entity_status: status, start_time: start, end_time: end } = fields;
  const reasons: Reason[] = [];
  if (deleted) reasons.push('DELETED');
  if (status === 'DRAFT') reasons.push('INCOMPLETE');
  if (status === 'PAUSED') reasons.push('PAUSED_BY_ADVERTISER');
  if (typeof start === 'string' && Date.parse(start) > now) reasons.push('NOT_STARTED');
  if (typeof end === 'string' && Date.parse(end) <= now) reasons.push('EXPIRED');
  return reasons;
}

/** The facts that answers show next to what is stored. */
interface Shown {
  /** Epoch ms. */
  readonly now: number;
  /** Of this service, for addresses of its files. */
  readonly origin: string;
  /** True if a Post contains the medium of a key. */
  readonly isPosted: (key: string) => boolean;
}

/** Whole addresses of this service's files. */
function addressesIn(json: Record<string, unknown>, origin: string): void {
  for (const name of ['media_url', 'poster_media_url']) {
    const url = json[name];
    if (typeof url === 'string' && url.startsWith(MEDIA_PATH)) json[name] = origin + url;
  }
}

/**
 * Gives the JSON of entities: the stored fields, null where one has no value, and what follows from the state of the
 * entity and of its parents. Parents are read once for all entities of an answer.
 */
export function entityJson(
  store: AdsStore,
  { now, origin, isPosted }: Shown,
): (entity: AdEntity) => Json {
  const parents = new Map<string, Derived | null>();
  const ofParent = ({ kind, parent }: AdEntity): Derived | null => {
    const above = (AD_KINDS[kind] as AdKind).parent?.kind;
    if (!above || parent === null) return null;
    const key = `${above} ${parent}`;
    const known = parents.get(key);
    if (known !== undefined) return known;
    const found = store.find(above, parent);
    const derived = found ? derive(found) : null;
    parents.set(key, derived);
    return derived;
  };
  const derive = (entity: AdEntity): Derived => {
    const above = ofParent(entity);
    const reasons = ownReasons(entity, now);
    if (above && above.reasons.length > 0) {
      reasons.push(entity.kind === 'CAMPAIGN' ? 'FUNDING_PROBLEM' : 'PARENT_NOT_SERVABLE');
    }
    const currency = entity.fields['currency'] ?? above?.currency ?? null;
    return { reasons, currency, above: entity.parent };
  };
  return (entity) => {
    const { key, keyed, fields, deletes }: AdKind = AD_KINDS[entity.kind];
    const { reasons, currency } = derive(entity);
    const servable = reasons.length === 0;
    const status = servable
      ? 'RUNNING'
      : (reasons.map((reason) => STATUS[reason]).find(Boolean) ?? 'UNKNOWN');
    const json: Record<string, unknown> = keyed ? {} : { id: entity.id };
    for (const [name, { absent, hidden }] of Object.entries(fields)) {
      if (!hidden) json[name] = entity.fields[name] ?? absent ?? null;
    }
    if (keyed) json[key] = entity.fields[key] ?? entity.id;
    if (entity.kind === 'LINE_ITEM') {
      json['funding_instrument_id'] = ofParent(entity)?.above ?? null;
    }
    if (entity.kind === 'SCHEDULED_PROMOTED_TWEET') {
      const scheduled = store.find('SCHEDULED_TWEET', String(entity.fields['scheduled_tweet_id']));
      json['tweet_id'] = scheduled?.fields['tweet_id'] ?? null;
    }
    if (entity.kind === 'MEDIA_LIBRARY') json['tweeted'] = isPosted(String(json[key]));
    addressesIn(json, origin);
    if ('account_id' in fields) json['account_id'] = entity.holder;
    if ('currency' in fields) json['currency'] = currency;
    if ('servable' in fields) {
      json['servable'] = servable;
      json['effective_status'] = status;
      json['reasons_not_servable'] = reasons;
    }
    if ('able_to_fund' in fields) {
      json['able_to_fund'] = servable;
      json['reasons_not_able_to_fund'] = reasons;
    }
    json['created_at'] = formatTime(entity.createdAt);
    json['updated_at'] = formatTime(entity.updatedAt);
    if (deletes) json['deleted'] = entity.deleted;
    return json;
  };
}
