import type { AdsOrder } from './ads.ts';
import { UsageError, type Values } from './options.ts';
import { usernameOf } from './profile-options.ts';

function zoneOf(zone: string | undefined): string | null {
  if (zone === undefined) return null;
  try {
    Intl.DateTimeFormat('en-US', { timeZone: zone });
    return zone;
  } catch {
    throw new UsageError(`--time-zone ${zone} is not a time zone, such as Europe/Berlin.`);
  }
}

/**
 * Reads `groundswell ads import …`.
 *
 * @param map - What `--map` says.
 * @throws {@link UsageError} for another action, and without a file or a user.
 */
export function adsOf(
  [action, file, extra]: readonly string[],
  values: Values,
  map: Readonly<Record<string, string>>,
): AdsOrder {
  if (action !== 'import') throw new UsageError('Say what to do: groundswell ads import FILE.');
  if (file === undefined) throw new UsageError('Name the file: groundswell ads import FILE.');
  if (extra !== undefined) throw new UsageError(`Unexpected ${extra}: see groundswell ads --help.`);
  const user = usernameOf(values.get('user')?.at(-1), 'Name the advertiser with --user NAME.');
  const account = values.get('account')?.at(-1) ?? null;
  return { file, user, account, zone: zoneOf(values.get('time-zone')?.at(-1)), map };
}
