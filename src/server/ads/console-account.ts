import { USUAL_ZONE } from '#contract/ads/ad-kinds.ts';
import type { DateOrder } from '#core/import/stamp.ts';
import { importConsole } from './console-import.ts';
import type { AdEntity } from './entity-row.ts';
import type { AdsStore } from './store.ts';
import type { ConsoleReport } from './put-rows.ts';

/** A file to import, and the ad account for which to import it. */
export interface ConsoleOrder {
  readonly file: string;
  /** The advertiser, an account of this service. */
  readonly user: { readonly id: string; readonly username: string };
  /** Id of the ad account; one that imports create if null. */
  readonly account: string | null;
  /** Time zone of an ad account that is created; null for the usual one. */
  readonly zone: string | null;
  readonly map: Readonly<Record<string, string>>;
  /** The order of dates; found in the file if null. */
  readonly dates: DateOrder | null;
}

/** The ad account of an order cannot be used. The message is a sentence. */
export class ConsoleAccountError extends Error {
  override readonly name = 'ConsoleAccountError';
}

/** Marks the ad account that imports create. */
const IMPORTED = 'import';

/** The ad account of an import. */
interface Target {
  readonly zone: string;
  /** Id of the ad account; null if there is none yet. */
  readonly id: () => string | null;
  /** The ad account, created if there is none yet. */
  readonly account: () => AdEntity;
}

/** The ad account of a user that imports created, whether deleted or not. */
export function importedAccount(store: AdsStore, user: string): AdEntity | undefined {
  return store.bySource('ACCOUNT', user, IMPORTED);
}

function createAccount(store: AdsStore, { user }: ConsoleOrder, zone: string, now: number) {
  const fields = { name: `Imported for @${user.username}`, timezone: zone };
  return store.write('create-ad-account', () => {
    const [made] = store.add(
      [{ kind: 'ACCOUNT', holder: user.id, parent: null, fields, source: IMPORTED }],
      now,
    );
    if (!made) throw new RangeError('expected an account, got none');
    const promotable = { user_id: user.id, promotable_user_type: 'FULL' };
    const of = { kind: 'PROMOTABLE_USER', holder: made.id, parent: null } as const;
    store.add([{ ...of, fields: promotable }], now);
    return made;
  });
}

/** @throws {@link ConsoleAccountError} if there is no ad account of that id, or its time zone is another one. */
function targetOf(store: AdsStore, order: ConsoleOrder, now: number): Target {
  const { account: id, zone, user } = order;
  const imported = (): AdEntity | undefined => importedAccount(store, user.id);
  const known = id === null ? imported() : store.find('ACCOUNT', id);
  if (id !== null && (known?.holder !== user.id || known.deleted)) {
    throw new ConsoleAccountError(`@${user.username} has no ad account of the id ${id}.`);
  }
  if (!known) {
    const usual = zone ?? USUAL_ZONE;
    return {
      zone: usual,
      id: () => imported()?.id ?? null,
      account: () => imported() ?? createAccount(store, order, usual, now),
    };
  }
  if (known.deleted) {
    throw new ConsoleAccountError(
      'The ad account of imports was deleted; choose another (--account).',
    );
  }
  const timezone = String(known.fields['timezone'] ?? USUAL_ZONE);
  if (zone !== null && zone !== timezone) {
    throw new ConsoleAccountError(
      `The ad account ${known.id} is in the time zone ${timezone}, which cannot change.`,
    );
  }
  return { zone: timezone, id: () => known.id, account: () => known };
}

/**
 * Imports a file as {@link importConsole} for an ad account of a user. The first row that is stored creates the ad account
 * if there is none.
 *
 * @param now - Epoch ms.
 * @returns The report with the id of the ad account, null if there is none.
 * @throws {@link ConsoleAccountError} if the user has no ad account of that id, or it is in another time zone; as
 *   {@link importConsole}.
 */
export async function importForUser(
  store: AdsStore,
  order: ConsoleOrder,
  now: number,
  hooks: Pick<Parameters<typeof importConsole>[1], 'onRefused' | 'onRows' | 'signal'>,
): Promise<ConsoleReport & { readonly account: string | null }> {
  const { zone, account, id } = targetOf(store, order, now);
  const { map, dates } = order;
  const report = await importConsole(order.file, {
    ...hooks,
    store,
    zone,
    account,
    now,
    map,
    dates,
  });
  return { ...report, account: id() };
}
