import { formatTime } from '#contract/ad-fields.ts';
import type { AdFields } from '#contract/ads.ts';
import { AD_KINDS } from '#contract/ad-kinds.ts';
import type { AdKind, AdKindName } from '#contract/ad-kinds.ts';
import { advertiserFault } from '#server/advertising/advertiser-fault.ts';
import type { AdEntity, AdsStore, NewAdEntity } from '#server/advertising/store.ts';
import { entityIn } from './entity.ts';

/** Who changes what, and when. */
export interface ChangeBy {
  readonly store: AdsStore;
  /** Id of the user. */
  readonly user: string;
  /** Epoch ms. */
  readonly now: number;
}

type ChangeType = 'CREATE' | 'UPDATE' | 'DELETE';

function refuse(parameter: string, value: unknown, message: string): never {
  throw advertiserFault(400, 'INVALID_PARAMETER', message, { parameter, value: String(value) });
}

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
    user_id: user,
    changed_at: formatTime(now),
    changed_fields: changed,
  };
  return { kind: 'ACCOUNT_HISTORY', holder: account, parent: null, fields };
}

function given(fields: AdFields): AdFields {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined));
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
      [{ kind: 'ACCOUNT', holder: user, parent: null, fields: given(fields) }],
      now,
    );
    if (!account) throw new RangeError('expected an account, got none');
    const promotable = { user_id: user, promotable_user_type: 'FULL' };
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

/**
 * Creates an entity in an ad account; of a kind with a list of what to create, one for each of its values.
 *
 * @returns The entities, in the order of the list.
 * @throws {@link Fault} 404 with the code of its kind if what it belongs to is not there; 400 for fields that contradict
 *   each other.
 */
export function createEntities(
  by: ChangeBy,
  account: string,
  name: AdKindName,
  sent: AdFields,
): AdEntity[] {
  const { store, now } = by;
  const { parent, each, fields: known }: AdKind = AD_KINDS[name];
  const fields = given(sent);
  checkFields(fields);
  const named = (kind: AdKindName, parameter: string): string => {
    const id = String(fields[parameter]);
    return entityIn(store, kind, account, id, { parameter }).id;
  };
  const above = parent && parent.field in fields ? named(parent.kind, parent.field) : null;
  for (const [field, { names }] of Object.entries(known)) if (names) named(names, field);
  const list = each && fields[each.parameter];
  const all: AdFields[] = Array.isArray(list)
    ? list.map((value: string) => {
        const { [each?.parameter ?? '']: _, ...rest } = fields;
        return { ...rest, [each?.field ?? '']: value };
      })
    : [fields];
  return store.write('create-ads', () => {
    const made = store.add(
      all.map((one) => ({ kind: name, holder: account, parent: above, fields: one })),
      now,
    );
    const entries = made.map((one) => history(by, account, one, 'CREATE', Object.keys(one.fields)));
    store.add(entries, now);
    return made;
  });
}

/** The account of an entity: itself, or its holder. */
function accountOf({ kind, id, holder }: AdEntity): string {
  return kind === 'ACCOUNT' ? id : holder;
}

/**
 * Sets fields of an entity; the others stay.
 *
 * @throws {@link Fault} 400 for fields that contradict each other.
 */
export function updateEntity(by: ChangeBy, entity: AdEntity, sent: AdFields): AdEntity {
  const { store, now } = by;
  const fields = given(sent);
  const merged = { ...entity.fields, ...fields };
  checkFields(merged);
  return store.write('update-ad', () => {
    const changed = store.put(entity, merged, now);
    const account = accountOf(entity);
    store.add([history(by, account, entity, 'UPDATE', Object.keys(fields))], now);
    return changed;
  });
}

/** Deletes an entity and all that belongs to it. They stay readable with `with_deleted`. */
export function removeEntity(by: ChangeBy, entity: AdEntity): AdEntity {
  const { store, now } = by;
  return store.write('remove-ads', () => {
    store.add([history(by, accountOf(entity), entity, 'DELETE', [])], now);
    return store.remove(entity, now);
  });
}
