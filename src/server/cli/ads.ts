import { USUAL_ZONE } from '#contract/ads/ad-kinds.ts';
import { importConsole } from '#server/ads/console-import.ts';
import { openAds, type AdsStore } from '#server/ads/store.ts';
import type { AdEntity } from '#server/ads/entity-row.ts';
import { openService } from '#server/auth/store.ts';
import { FeedError } from '#core/readers/error.ts';
import { CommandError } from './command.ts';
import { DataFolder } from './data-folder.ts';
import type { CommandDeps } from './command-deps.ts';

/** The files to import, and the account for which to import them. */
export interface AdsOrder {
  readonly file: string;
  /** Username of the advertiser. */
  readonly user: string;
  /** Id of the ad account; one that imports create if null. */
  readonly account: string | null;
  /** Time zone of an ad account that is created; null for the usual one. */
  readonly zone: string | null;
  readonly map: Readonly<Record<string, string>>;
}

/** Refused rows that are printed one by one; the report has the number of all. */
const MOST_LINES = 100;

/** Marks the ad account that imports create. */
const IMPORTED = 'import';

function accountOf(
  store: AdsStore,
  user: string,
  { account, zone, user: name }: AdsOrder,
  now: number,
): AdEntity {
  if (account !== null) {
    const found = store.find('ACCOUNT', account);
    if (found && found.holder === user && !found.deleted) return found;
    throw new CommandError(`@${name} has no ad account of the id ${account}.`);
  }
  const known = store.bySource('ACCOUNT', user, IMPORTED);
  if (known) {
    const timezone = String(known.fields['timezone']);
    if (known.deleted) {
      throw new CommandError(`The ad account of imports was deleted; name another with --account.`);
    }
    if (zone === null || zone === timezone) return known;
    throw new CommandError(
      `The ad account ${known.id} is in the time zone ${timezone}, which cannot change.`,
    );
  }
  const fields = { name: `Imported for @${name}`, timezone: zone ?? USUAL_ZONE };
  return store.write('create-ad-account', () => {
    const [made] = store.add(
      [{ kind: 'ACCOUNT', holder: user, parent: null, fields, source: IMPORTED }],
      now,
    );
    if (!made) throw new RangeError('expected an account, got none');
    const promotable = { user_id: user, promotable_user_type: 'FULL' };
    const of = { kind: 'PROMOTABLE_USER', holder: made.id, parent: null } as const;
    store.add([{ ...of, fields: promotable }], now);
    return made;
  });
}

/** Id of the account of a username. @throws {@link CommandError} if there is none. */
function userId(deps: CommandDeps, folder: DataFolder, name: string): string {
  const service = openService(folder.service, deps);
  try {
    const user = service.findAccount(name);
    if (user) return user.id;
    throw new CommandError(
      `There is no account @${name}: create it with groundswell user add ${name}.`,
    );
  } finally {
    service.close();
  }
}

/**
 * `groundswell ads import`: imports an advertiser console's export, while a service runs too, and prints what it did.
 *
 * @returns The exit code: 1 if no row was imported.
 * @throws {@link CommandError} if the file, the user or the ad account cannot be used; {@link StoreError} if a file of the
 *   folder cannot be used.
 */
export async function runAds(
  deps: CommandDeps,
  { data, ads }: { readonly data: string; readonly ads: AdsOrder },
): Promise<number> {
  const folder = new DataFolder(data);
  const user = userId(deps, folder, ads.user);
  const store = openAds(folder.ads);
  let shown = 0;
  try {
    const account = accountOf(store, user, ads, deps.now());
    const report = await importConsole(ads.file, {
      store,
      account,
      zone: String(account.fields['timezone'] ?? USUAL_ZONE),
      now: deps.now(),
      map: ads.map,
      onRefused: (file, line, reason) => {
        shown += 1;
        if (shown <= MOST_LINES) deps.err(`${file}, line ${line}: ${reason}\n`);
      },
    });
    if (shown > MOST_LINES) deps.err(`… and ${shown - MOST_LINES} more rows.\n`);
    const { read, created, updated, unchanged, refused } = report;
    deps.out(
      `${read} rows into the ad account ${account.id}: ${created} created, ${updated} updated, ${unchanged} unchanged, ${refused} refused.\n`,
    );
    return read > 0 && refused === read ? 1 : 0;
  } catch (error) {
    if (error instanceof FeedError) throw new CommandError(error.message);
    throw error;
  } finally {
    store.close();
  }
}
