import { resolve } from 'node:path';
import * as v from 'valibot';
import { FeedTerms } from '#contract/catalog/feeds.ts';
import { command, JSON_OPTION } from '#server/cli/command.ts';
import type { FeedCommand } from '#server/cli/feed.ts';
import {
  actionOf,
  choiceOf,
  merchantOf,
  noMore,
  refuseForeign,
  UsageError,
  zoneOf,
  type Values,
} from '#server/cli/options.ts';
import { FEED, FEED_FORMATS, REPEATS } from '#contract/catalog/catalog-feed.ts';

const ACTIONS = ['add', 'set', 'run', 'report'] as const;

/** The actions that each option belongs to. */
const BELONGS = {
  schedule: ['add', 'set'],
  format: ['add', 'set'],
  zone: ['add', 'set'],
  'allow-private': 'run',
  run: 'report',
  csv: 'report',
} as const;

const SCHEDULE = /^(hourly|\d+h|daily|[a-z]+day)(?:\s+(\d?\d:\d\d))?$/i;

/** The frequency and the time of a schedule such as `daily 06:00`. @throws {@link UsageError} for another text. */
function scheduleOf(text: string) {
  const [, word = '', time = '06:00'] = SCHEDULE.exec(text.trim()) ?? [];
  const start_time = time.padStart(5, '0');
  const hours = word.toLowerCase() === 'hourly' ? '1' : word.replace(/h$/i, '');
  const isDaily = word.toLowerCase() === 'daily';
  const hourly = REPEATS.HOURLY.find((each) => each === hours);
  const weekday = REPEATS.WEEKLY.find((each) => each === word.toUpperCase());
  if (v.is(FEED.start_time, start_time)) {
    if (isDaily) return { frequency: 'DAILY', start_time } as const;
    if (hourly) return { frequency: 'HOURLY', repeat: hourly, start_time } as const;
    if (weekday) return { frequency: 'WEEKLY', repeat: weekday, start_time } as const;
  }
  const forms = `daily, a weekday, hourly or ${REPEATS.HOURLY.map((each) => `${each}h`).join(', ')}`;
  throw new UsageError(
    `--schedule ${text} is not a schedule: expected ${forms}, and a time, such as "daily 06:00".`,
  );
}

function addressOf(text: string): string {
  const read = v.safeParse(FEED.feed_url, text);
  if (read.success) return read.output;
  throw new UsageError(`${text} is not an http or https address without a password.`);
}

/** The format that is stated or that the name of a file ends with. @throws {@link UsageError} if there is none. */
function formatOf(values: Values, name: string): (typeof FEED_FORMATS)[number] {
  const plain = name.toUpperCase().replace(/\.GZ$/, '');
  const format =
    choiceOf(values, 'format', FEED_FORMATS) ??
    FEED_FORMATS.find((format) => plain.endsWith(`.${format}`));
  if (format) return format;
  throw new UsageError('Say what the file is: --format CSV, TSV or XML.');
}

/** The reading of a file. @throws {@link UsageError} with options of a schedule, which a file has none of. */
function fileOf(file: string, values: Values): FeedCommand {
  for (const name of ['schedule', 'zone']) {
    if (values.has(name)) throw new UsageError(`--${name} needs an address: a file is read once.`);
  }
  const format = formatOf(values, file);
  const order = {
    action: 'file',
    username: merchantOf(values),
    file: resolve(file),
    format,
  } as const;
  return { action: 'file', order, json: values.has('json') };
}

/** The feed that is added, or the change of one. */
function settingsOf(
  action: 'add' | 'set',
  address: string | undefined,
  values: Values,
): FeedCommand {
  const username = merchantOf(values);
  const json = values.has('json');
  const schedule = values.last('schedule');
  const change = {
    ...(address !== undefined && { feed_url: addressOf(address) }),
    ...(schedule !== undefined && scheduleOf(schedule)),
  };
  const zone = zoneOf(values, 'zone');
  if (action === 'set') {
    const format = choiceOf(values, 'format', FEED_FORMATS);
    const more = { ...(format && { feed_format: format }), ...(zone && { time_zone: zone }) };
    const order = { action: 'set-feed', username, change: { ...change, ...more } } as const;
    return { action, order, json };
  }
  if (change.feed_url === undefined) {
    throw new UsageError('Name the address of the file, or a file: groundswell feed add URL.');
  }
  const feed_format = formatOf(values, new URL(change.feed_url).pathname);
  const rest = {
    ...(schedule === undefined && scheduleOf('daily')),
    feed_format,
    time_zone: zone ?? 'UTC',
  };
  const feed = v.parse(FeedTerms, { ...change, ...rest });
  return { action, order: { action: 'add-feed', username, feed }, json };
}

function feedOf([word, address, extra]: readonly string[], values: Values): FeedCommand {
  const action = actionOf('feed', ACTIONS, word);
  refuseForeign(values, 'feed', action, BELONGS);
  const takesAddress = action === 'add' || action === 'set';
  noMore(takesAddress ? extra : address, 'feed');
  const isFile = action === 'add' && address !== undefined && !/^[a-z][a-z\d+.-]+:/i.test(address);
  if (isFile) return fileOf(address, values);
  if (takesAddress) return settingsOf(action, address, values);
  const username = merchantOf(values);
  const json = values.has('json');
  if (action === 'run') return { action, username, private: values.has('allow-private'), json };
  const csv = values.has('csv');
  if (csv && json) throw new UsageError('Choose one of --csv and --json.');
  const run = values.last('run') ?? null;
  if (run === null || /^\d{1,15}$/.test(run)) {
    return { action, username, run: run === null ? null : Number(run), csv, json };
  }
  throw new UsageError(`--run ${run} is not the id of a run: expected a number.`);
}

export const feedCommand = command({
  name: 'feed',
  summary: {
    'groundswell feed add URL --schedule "daily 06:00"': `gives a product catalog its feed; set changes it`,
    'groundswell feed add FILE [--user NAME]': `reads a file of products into a catalog, once`,
    'groundswell feed run|report [--user NAME]': `reads a merchant's product feed now, or reports its last runs`,
  },
  about: `groundswell feed add URL [--user NAME] [--schedule "daily 06:00"] [--zone ZONE] [--format CSV|TSV|XML]
groundswell feed add FILE [--user NAME] [--format CSV|TSV|XML]
groundswell feed set [URL] [--user NAME] [--schedule SCHEDULE] [--zone ZONE] [--format CSV|TSV|XML]
groundswell feed run [--user NAME] [--allow-private]
groundswell feed report [--user NAME] [--run ID] [--csv]
Gives a product catalog its feed, or changes that; add FILE reads a file of this machine once. Reads the scheduled feed
of a product catalog now, or reports its next run, its last ten runs, and which rows of the newest run have errors or
warnings. If a service is running on the data folder, it does the work, and also reads the feed on schedule. A run that
ends with the service continues when the service starts again. The exit code is 1 if the run failed.`,
  column: 23,
  options: {
    '--user NAME': 'username of the merchant (default: the only one)',
    '--schedule SCHEDULE': `"daily 06:00", "monday 07:30", "hourly 00:15" or "2h 08:00": every 2 hours
(default: daily 06:00); add and set only`,
    '--zone ZONE':
      'time zone of the schedule, such as Europe/Berlin (default: UTC); add and set only',
    '--format FORMAT': `${FEED_FORMATS.join(', ')} (default: by the name of the file); add and set only`,
    '--allow-private':
      'allow a feed on this machine and its network, unless a running service decides; run only',
    '--run ID': 'a run other than the newest; report only',
    '--csv': 'prints all stored rows of the run, as CSV; report only',
    ...JSON_OPTION,
  },
  read: (words, values) => ({ feed: feedOf(words, values) }),
  run: async (deps, order) => await (await import('#server/cli/feed.ts')).runFeed(deps, order),
});
