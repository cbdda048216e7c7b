import { formatTime } from '#contract/ads/ad-fields.ts';
import type { AdFields } from '#contract/ads/ads.ts';
import type { AdKind } from '#contract/ads/ad-kind.ts';
import { AD_KINDS, type AdKindName } from '#contract/ads/ad-kinds.ts';
import type { AdEntity } from '#server/ads/entity-row.ts';
import type { AdsStore, NewAdEntity } from '#server/ads/store.ts';
import { entityIn } from './entity.ts';
import { refuse, type ChangeBy, type KindRules, type Ruled } from './kind-rules.ts';
import { letMediaGo, MEDIA_RULES } from './media.ts';
import { checkUntouched, checkWaiting, POST_RULES } from './scheduled.ts';
import { TARGETING_RULES } from './targeting.ts';

type ChangeType = 'CREATE' | 'UPDATE' | 'DELETE';

const RULES: KindRules = { ...MEDIA_RULES, ...POST_RULES, ...TARGETING_RULES };

/** @throws {@link Fault} 400 if an entity ends before it starts, or spends more in a day than in total. */
function checkFields(fields: AdFields): void {
  const { start_time: start, end_time: end } = fields;
  if (typeof start === 'string' && typeof end === 'string' && end <= start) {
    refuse('end_time', end, `Expected time after start_time ${start}, got "${end}" for end_time`);
  }
  const daily = fields['daily_budget_amount_local_micro'];
  const total = fields['total_budget_amount_local_micro'];
  if (typeof daily === 'number' && typeof total === 'number' && daily > total) {
    const name = 'daily_budget_amount_local_micro';
    const most = `at most total_budget_amount_local_micro ${total}`;
    refuse(name, daily, `Expected ${most}, got "${daily}" for ${name}`);
  }
}

/** Records a change in the history of an account. */
function history(
  { user, now }: ChangeBy,
  account: string,
  { kind, id }: AdEntity,
  type: ChangeType,
  changed: readonly string[],
): NewAdEntity {
  const fields = {
    entity: kind,
    entity_id: id,
    change_type: type,
    user_id: user.id,
    changed_at: formatTime(now),
    changed_fields: changed,
  };
  return { kind: 'ACCOUNT_HISTORY', holder: account, parent: id, fields };
}

function given(fields: AdFields): AdFields {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined));
}

/** The fields that requests set, of all that a kind stores. */
function shown(name: AdKindName, fields: AdFields): string[] {
  return Object.keys(fields).filter((field) => field in AD_KINDS[name].fields);
}

/**
 * Creates an ad account, and makes its user promotable in it.
 *
 * @returns The account.
 */
export function createAccount(by: ChangeBy, fields: AdFields): AdEntity {
  const { store, user, now } = by;
  return store.write('create-ad-account', () => {
    const [account] = store.add(
      [{ kind: 'ACCOUNT', holder: user.id, parent: null, fields: given(fields) }],
      now,
    );
    if (!account) throw new RangeError('expected an account, got none');
    const promotable = { user_id: user.id, promotable_user_type: 'FULL' };
    store.add(
      [
        { kind: 'PROMOTABLE_USER', holder: account.id, parent: null, fields: promotable },
        history(by, account.id, account, 'CREATE', Object.keys(account.fields)),
      ],
      now,
    );
    return account;
  });
}

/** Adds an entity, or stores it again if one of its key was deleted or is there already. */
function put(by: ChangeBy, entity: NewAdEntity): AdEntity[] {
  const { store, now } = by;
  const { key, keyed }: AdKind = AD_KINDS[entity.kind];
  const source = keyed ? String(entity.fields[key]) : undefined;
  const known =
    source === undefined ? undefined : store.bySource(entity.kind, entity.holder, source);
  if (known) return [store.restore(known, entity.fields, now)];
  return store.add([source === undefined ? entity : { ...entity, source }], now);
}

/** Fields of line items with the app that they advertise, and its system. */
const APPS = [
  ['android_app_store_identifier', 'Android'],
  ['ios_app_store_identifier', 'iOS'],
] as const;

/** The apps of a line item that its ad account does not have yet. */
function newApps(ads: AdsStore, { holder, fields }: AdEntity): NewAdEntity[] {
  return APPS.flatMap(([name, os]) => {
    const id = fields[name];
    const source = `${os} ${String(id)}`;
    if (id === undefined || ads.bySource('ACCOUNT_APP', holder, source)) return [];
    const app = { app_store_identifier: id, os_type: os };
    return [{ kind: 'ACCOUNT_APP', holder, parent: null, fields: app, source }];
  });
}

/** The entities that a change creates next to its own. */
function alongside(ads: AdsStore, entity: AdEntity): NewAdEntity[] {
  const { kind, holder, fields } = entity;
  if (kind === 'LINE_ITEM') return newApps(ads, entity);
  // Videos for ads are media for creatives too (docs creatives/reference, POST media_library).
  if (kind !== 'MEDIA_LIBRARY' || fields['media_category'] !== 'AMPLIFY_VIDEO') return [];
  const media = { video_id: fields['media_key'] ?? null, creative_type: 'PREROLL' };
  return [{ kind: 'ACCOUNT_MEDIA', holder, parent: null, fields: media }];
}

/** The fields of a change by the rule of its kind; a promise only if the rule needs one. */
function ruled(name: AdKindName, change: Ruled): AdFields | Promise<AdFields> {
  const { parent, fields: known }: AdKind = AD_KINDS[name];
  const { by, account, sent, before } = change;
  checkFields({ ...before?.fields, ...sent });
  if (!before) {
    for (const [field, { names }] of Object.entries(known)) {
      const id = String(sent[field]);
      if (names) entityIn(by.store, names, account, id, { parameter: field });
    }
    if (parent && parent.field in sent) {
      const { kind, field: parameter } = parent;
      entityIn(by.store, kind, account, String(sent[parameter]), { parameter });
    }
  }
  return RULES[name]?.(change) ?? sent;
}

/** Stores new entities of an ad account. */
function store(by: ChangeBy, account: string, name: AdKindName, fields: AdFields): AdEntity[] {
  const { parent, each }: AdKind = AD_KINDS[name];
  const above = parent && parent.field in fields ? String(fields[parent.field]) : null;
  const list = each && fields[each.parameter];
  const all: AdFields[] = Array.isArray(list)
    ? list.map((value: string) => {
        const { [each?.parameter ?? '']: _, ...rest } = fields;
        return { ...rest, [each?.field ?? '']: value };
      })
    : [fields];
  return by.store.write('create-ads', () =>
    all.flatMap((values) =>
      put(by, { kind: name, holder: account, parent: above, fields: values }).map((made) => {
        const entry = history(by, account, made, 'CREATE', shown(name, made.fields));
        by.store.add([entry, ...alongside(by.store, made)], by.now);
        return made;
      }),
    ),
  );
}

/**
 * Creates an entity in an ad account; of a kind with a list of what to create, one for each of its values.
 *
 * @returns The entities, in the order of the list; a promise where the rule of the kind needs one.
 * @throws {@link Fault} 404 with the code of its kind if what it belongs to is not there; 400 for fields that contradict
 *   each other or a rule of the kind.
 */
export function createEntities(
  by: ChangeBy,
  account: string,
  name: AdKindName,
  sent: AdFields,
): AdEntity[] | Promise<AdEntity[]> {
  const fields = ruled(name, { by, account, sent: given(sent), before: null });
  if (!(fields instanceof Promise)) return store(by, account, name, fields);
  return fields.then((ready) => store(by, account, name, ready));
}

/** The account of an entity: itself, or its holder. */
function accountOf({ kind, id, holder }: AdEntity): string {
  return kind === 'ACCOUNT' ? id : holder;
}

/** Leaves out fixed fields that have the value that they have. @throws {@link Fault} 400 for another value. */
function withoutFixed(entity: AdEntity, sent: AdFields): AdFields {
  const { fields }: AdKind = AD_KINDS[entity.kind];
  const changed = Object.entries(sent).filter(([name, value]) => {
    const { fixed, hidden, absent = null } = fields[name] ?? {};
    if (!fixed || hidden) return true;
    const before = entity.fields[name] ?? absent;
    if (JSON.stringify(before) === JSON.stringify(value)) return false;
    const message = `Expected "${String(before)}", which cannot change, got "${String(value)}" for ${name}`;
    return refuse(name, value, message);
  });
  return Object.fromEntries(changed);
}

/** Stores a change of an entity. */
function change(by: ChangeBy, entity: AdEntity, fields: AdFields): AdEntity {
  const { store: ads, now } = by;
  return ads.write('update-ad', () => {
    const changed = ads.put(entity, { ...entity.fields, ...fields }, now);
    const names = shown(entity.kind, fields);
    const entry = history(by, accountOf(entity), entity, 'UPDATE', names);
    ads.add([entry, ...(entity.kind === 'LINE_ITEM' ? newApps(ads, changed) : [])], now);
    return changed;
  });
}

/**
 * Sets fields of an entity; the others stay.
 *
 * @returns The entity; a promise where the rule of the kind needs one.
 * @throws {@link Fault} 400 for fields that contradict each other or a rule of the kind, or that cannot change.
 */
export function updateEntity(
  by: ChangeBy,
  entity: AdEntity,
  sent: AdFields,
): AdEntity | Promise<AdEntity> {
  const fields = withoutFixed(entity, given(sent));
  const account = accountOf(entity);
  const ready = ruled(entity.kind, { by, account, sent: fields, before: entity });
  if (!(ready instanceof Promise)) return change(by, entity, ready);
  return ready.then((checked) => {
    // Another request, or the publishing of a Post, may have been faster.
    const current = entityIn(by.store, entity.kind, account, entity.id);
    if (entity.kind === 'SCHEDULED_TWEET') checkUntouched(current);
    return change(by, current, checked);
  });
}

/**
 * Deletes an entity and all that belongs to it. They stay readable with `with_deleted`, but for scheduled Posts and drafts,
 * which are removed for good.
 *
 * @throws {@link Fault} 400 for a scheduled Post whose time has come.
 */
export function removeEntity(by: ChangeBy, entity: AdEntity): AdEntity {
  const { store: ads, now } = by;
  const { deletes }: AdKind = AD_KINDS[entity.kind];
  if (entity.fields['scheduled_status'] === 'SCHEDULED') checkWaiting(entity, now);
  const removed = ads.write('remove-ads', () => {
    ads.add([history(by, accountOf(entity), entity, 'DELETE', [])], now);
    if (deletes) return ads.remove(entity, now);
    ads.erase(entity);
    const isScheduled = entity.kind === 'SCHEDULED_TWEET';
    const fields = isScheduled ? { scheduled_status: 'DELETED' } : {};
    return { ...entity, updatedAt: now, fields: { ...entity.fields, ...fields } };
  });
  if (entity.kind === 'MEDIA_LIBRARY' || entity.kind === 'ACCOUNT') letMediaGo(by);
  return removed;
}

/** The entities of an operation of a batch. */
export type BatchStep = () => AdEntity[];

/**
 * Makes several changes, or none.
 *
 * @param onFault - Called for each change that is not possible.
 * @returns The entities in the order of the changes; null if one of them is not possible.
 */
export function changeTogether(
  { store: ads }: { readonly store: AdsStore },
  steps: readonly BatchStep[],
  onFault: (index: number, error: unknown) => void,
): AdEntity[] | null {
  class Undone extends Error {}
  try {
    return ads.write('batch-ads', () => {
      let isPossible = true;
      const made = steps.flatMap((step, index) => {
        try {
          return step();
        } catch (error) {
          isPossible = false;
          onFault(index, error);
          return [];
        }
      });
      if (!isPossible) throw new Undone();
      return made;
    });
  } catch (error) {
    if (error instanceof Undone) return null;
    throw error;
  }
}
