import { DATE_ORDERS } from '#core/import/stamp.ts';
import { command } from '#server/cli/command.ts';
import { choiceOf, mapOf, noMore, usernameOf, UsageError, zoneOf } from '#server/cli/options.ts';

export const adsCommand = command({
  name: 'ads',
  summary: {
    'groundswell ads import FILE --user NAME [--dates ORDER] [--map name=column,…]': `adds campaigns and their figures from an advertiser console's CSV`,
  },
  about: `groundswell ads import FILE --user NAME [--account ID] [--time-zone ZONE] [--dates ORDER] [--map PAIRS]
Adds campaigns, and their funding instruments, line items and promoted Posts, with daily or hourly figures from the CSV
of an advertiser console. Times without an offset are of the ad account's time zone. A file that is imported again adds
nothing. Rows that cannot be read are reported and skipped. The command also works while a service is running.`,
  column: 20,
  options: {
    '--user NAME': 'username of the advertiser, an account of this service',
    '--account ID': 'ad account of the user (default: one that the first import creates)',
    '--time-zone ZONE':
      'time zone of a new ad account, such as Europe/Berlin (default: America/Los_Angeles)',
    '--dates ORDER':
      'DMY or MDY: which number of dates such as 04/03/2026 is the day, if no date shows it',
    '--map PAIRS':
      'names of CSV columns by field, such as campaign=Name,time=Day,impressions=Views',
  },
  read: ([action, file, extra], values) => {
    if (action !== 'import') throw new UsageError('Say what to do: groundswell ads import FILE.');
    if (file === undefined) throw new UsageError('Name the file: groundswell ads import FILE.');
    noMore(extra, 'ads');
    const user = usernameOf(values.last('user'), 'Name the advertiser with --user NAME.');
    const account = values.last('account') ?? null;
    const zone = zoneOf(values, 'time-zone');
    const dates = choiceOf(values, 'dates', DATE_ORDERS);
    return { ads: { file, user, account, zone, dates, map: mapOf(values) } };
  },
  run: async (deps, order) => await (await import('#server/cli/ads.ts')).runAds(deps, order),
});
