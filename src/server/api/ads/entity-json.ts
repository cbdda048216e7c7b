import { formatTime } from '#contract/ad-fields.ts';
import { AD_KINDS } from '#contract/ad-kinds.ts';
import type { AdKind } from '#contract/ad-kinds.ts';
import type { Json } from '#server/import/json.ts';
import type { AdEntity, AdsStore } from '#server/advertising/store.ts';

/** Why an entity is not served, as the platform names it (platform-facts, section 10; further ones in docs/decisions.md). */
export type Reason =
  | 'DELETED'
  | 'EXPIRED'
  | 'FUNDING_PROBLEM'
  | 'INCOMPLETE'
  | 'NOT_STARTED'
  | 'PARENT_NOT_SERVABLE'
  | 'PAUSED_BY_ADVERTISER';

/** What follows from the state of an entity and of those that it belongs to. */
interface Derived {
  readonly reasons: readonly Reason[];
  readonly currency: unknown;
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

/**
 * Gives the JSON of entities: the stored fields, null where one has no value, and what follows from the state of the
 * entity and of its parents. Parents are read once for all entities of an answer.
 *
 * @param now - Epoch ms.
 */
export function entityJson(store: AdsStore, now: number): (entity: AdEntity) => Json {
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
    return { reasons, currency: entity.fields['currency'] ?? above?.currency ?? null };
  };
  return (entity) => {
    const { key, fields, deletes }: AdKind = AD_KINDS[entity.kind];
    const { reasons, currency } = derive(entity);
    const servable = reasons.length === 0;
    const status = servable
      ? 'RUNNING'
      : (reasons.map((one) => STATUS[one]).find(Boolean) ?? 'UNKNOWN');
    const json: Record<string, unknown> = key in fields ? {} : { id: entity.id };
    for (const [name, { absent }] of Object.entries(fields)) {
      json[name] = entity.fields[name] ?? absent ?? null;
    }
    if (key in fields) json[key] = entity.id;
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
