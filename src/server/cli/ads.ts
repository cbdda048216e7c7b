import {
  ConsoleAccountError,
  importForUser,
  type ConsoleOrder,
} from '#server/ads/console-account.ts';
import { MOST_REFUSED } from '#contract/ads/console.ts';
import { campaignCounts } from '#server/ads/put-rows.ts';
import { openAds } from '#server/ads/store.ts';
import { openService } from '#server/auth/store.ts';
import { groupedPlural } from '#core/format/plural.ts';
import { FeedError, shown } from '#core/readers/error.ts';
import { DataFolder } from '#server/data-folder.ts';
import type { CommandDeps } from './command-deps.ts';
import { CommandError } from '#server/command-error.ts';

/** The file to import, and the user for whom. */
export interface AdsOrder extends Omit<ConsoleOrder, 'user'> {
  /** Username of the advertiser. */
  readonly user: string;
}

/** Names in a line, after what they are; nothing without names. */
function namesLine(what: string, names: ReadonlySet<string>): string {
  const list = [...names].map((name) => `"${shown(name)}"`).join(', ');
  return list && `${what}: ${list}\n`;
}

/** The account of a username. @throws {@link CommandError} if there is none. */
function userOf(deps: CommandDeps, folder: DataFolder, name: string): ConsoleOrder['user'] {
  const service = openService(folder.service, deps);
  try {
    const user = service.findAccount(name);
    if (user) return user;
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
  const user = userOf(deps, folder, ads.user);
  const store = openAds(folder.ads);
  let shownRows = 0;
  try {
    const order = { ...ads, user };
    const report = await importForUser(store, order, deps.now(), {
      onRefused: (file, line, reason) => {
        shownRows += 1;
        if (shownRows <= MOST_REFUSED) deps.err(`${file}, line ${line}: ${reason}\n`);
      },
    });
    if (shownRows > MOST_REFUSED) deps.err(`… and ${shownRows - MOST_REFUSED} more rows.\n`);
    deps.err(namesLine('Columns that were not read', report.ignored));
    deps.err(namesLine('Statuses that are not known, and were not read', report.statuses));
    const { read, refused, account, campaigns } = report;
    const { created, updated, unchanged } = campaignCounts(campaigns);
    const into =
      account === null ? '; no ad account was created' : ` into the ad account ${account}`;
    deps.out(
      `${groupedPlural(read, 'row')}${into}: ${groupedPlural(created, 'campaign')} created, ${updated} updated, ${unchanged} unchanged; ${groupedPlural(refused, 'row')} refused.\n`,
    );
    return read > 0 && refused === read ? 1 : 0;
  } catch (error) {
    if (error instanceof FeedError || error instanceof ConsoleAccountError)
      throw new CommandError(error.message);
    throw error;
  } finally {
    store.close();
  }
}
