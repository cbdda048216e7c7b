import { USUAL_ZONE } from '#contract/ads/ad-kinds.ts';
import { importConsole } from '#server/ads/console-import.ts';
import { openAds, type AdsStore } from '#server/ads/store.ts';
import type { AdEntity } from '#server/ads/entity-row.ts';
import { openService } from '#server/auth/store.ts';
import type { DateOrder } from '#core/import/stamp.ts';
import { FeedError, shown } from '#core/readers/error.ts';
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
  /** The order of dates; found in the file if null. */
  readonly dates: DateOrder | null;
}

/** Refused rows that are printed one by one; the report has the number of all. */
const MOST_LINES = 100;

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

function createAccount(store: AdsStore, user: string, name: string, zone: string, now: number) {
  const fields = { name: `Imported for @${name}`, timezone: zone };
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

/** @throws {@link CommandError} if there is no ad account of that id, or its time zone is another one. */
function targetOf(
  store: AdsStore,
  user: string,
  { account: id, zone, user: name }: AdsOrder,
  now: number,
): Target {
  const imported = (): AdEntity | undefined => store.bySource('ACCOUNT', user, IMPORTED);
  const known = id === null ? imported() : store.find('ACCOUNT', id);
  if (id !== null && (known?.holder !== user || known.deleted)) {
    throw new CommandError(`@${name} has no ad account of the id ${id}.`);
  }
  if (!known) {
    const usual = zone ?? USUAL_ZONE;
    return {
      zone: usual,
      id: () => imported()?.id ?? null,
      account: () => imported() ?? createAccount(store, user, name, usual, now),
    };
  }
  if (known.deleted) {
    throw new CommandError('The ad account of imports was deleted; name another with --account.');
  }
  const timezone = String(known.fields['timezone'] ?? USUAL_ZONE);
  if (zone !== null && zone !== timezone) {
    throw new CommandError(
      `The ad account ${known.id} is in the time zone ${timezone}, which cannot change.`,
    );
  }
  return { zone: timezone, id: () => known.id, account: () => known };
}

/** Names in a line, after what they are; nothing without names. */
function namesLine(what: string, names: ReadonlySet<string>): string {
  const list = [...names].map((name) => `"${shown(name)}"`).join(', ');
  return list && `${what}: ${list}\n`;
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
  let shownRows = 0;
  try {
    const target = targetOf(store, user, ads, deps.now());
    const report = await importConsole(ads.file, {
      store,
      zone: target.zone,
      account: target.account,
      now: deps.now(),
      map: ads.map,
      dates: ads.dates,
      onRefused: (file, line, reason) => {
        shownRows += 1;
        if (shownRows <= MOST_LINES) deps.err(`${file}, line ${line}: ${reason}\n`);
      },
    });
    if (shownRows > MOST_LINES) deps.err(`… and ${shownRows - MOST_LINES} more rows.\n`);
    deps.err(namesLine('Columns that were not read', report.ignored));
    deps.err(namesLine('Statuses that are not known, and were not read', report.statuses));
    const { read, created, updated, unchanged, refused } = report;
    const id = target.id();
    const into = id === null ? '; no ad account was created' : ` into the ad account ${id}`;
    deps.out(
      `${read} rows${into}: ${created} created, ${updated} updated, ${unchanged} unchanged, ${refused} refused.\n`,
    );
    return read > 0 && refused === read ? 1 : 0;
  } catch (error) {
    if (error instanceof FeedError) throw new CommandError(error.message);
    throw error;
  } finally {
    store.close();
  }
}
