import { SUBSCRIPTIONS, VERIFIED_TYPES, type UserOrder } from '#contract/accounts/accounts.ts';
import { MOST_ITEMS } from '#contract/counts/breakdown.ts';
import { ACCESS_LEVELS } from '#contract/accounts/access.ts';
import { CLIENT_TYPES, PERMISSIONS, type AppOrder } from '#contract/accounts/apps.ts';
import type { TokenOrder } from '#contract/control/control.ts';
import type { TableOrder } from '#contract/posts/import.ts';
import type { CommunityOrder } from '#contract/control/community-orders.ts';
import { EMITTED_TYPES } from '#contract/streams/emitted-events.ts';
import type { AdsOrder } from './ads.ts';
import { breakdownOf, risingOf, type AnalysisOrder } from './breakdown-options.ts';
import { adsOf } from './ads-options.ts';
import {
  COUNTS_HELP,
  COUNTS_OPTIONS,
  countsOf,
  EXIT_HELP,
  PLAN_HELP,
  PLAN_OPTIONS,
  planOf,
  type CountsOrder,
  type PlanOrder,
} from './counts-options.ts';
import { SEARCH_HELP, SEARCH_OPTIONS, searchOf, type SearchOrder } from './search-options.ts';
import { emitOf } from './emit-options.ts';
import type { FeedCommand } from './feed.ts';
import { feedOf } from './feed-options.ts';
import { reportOf, type ReportOrder } from './report-options.ts';
import { LOGIN_HELP, LOGIN_OPTIONS, loginOf, type LoginCommand } from './login-options.ts';
import { LISTEN_HELP, LISTEN_OPTIONS, listenOf, type ListenOptions } from './serve-options.ts';
import { RATINGS } from '#core/notes/status.ts';
import type { CollectionOrder } from '#contract/posts/collections.ts';
import { collectionsOf } from './collections-options.ts';
import type { NoteOrder } from '#contract/control/note-orders.ts';
import { REQUESTER, type RequestOrder } from '#contract/relations/follow-requests.ts';
import { appOf, appNameOf, scopesOf } from './app-options.ts';
import { noteOf } from './note-options.ts';
import { communityOf } from './community-options.ts';
import { TABLE_HELP, TABLE_OPTIONS, tableOf } from './import-options.ts';
import {
  choiceOf,
  didYouMean,
  readOptions,
  UsageError,
  type Option,
  type Values,
} from './options.ts';
import { profileOf, usernameOf } from './profile-options.ts';

/** A parsed command line. */
export type Order =
  | {
      readonly command: 'serve';
      /** Name of the cluster. */
      readonly cluster?: string;
      readonly data: string;
      readonly port: number;
      readonly open: boolean;
      readonly allowPrivate: boolean;
      /** Characters that the entries of a log may have together. */
      readonly logSize: number;
      readonly log: 'text' | 'json';
      readonly listen: ListenOptions;
    }
  | { readonly command: 'link'; readonly data: string; readonly open: boolean }
  | {
      readonly command: 'import';
      readonly data: string;
      readonly files: readonly string[];
      readonly map: Readonly<Record<string, string>>;
      readonly table: TableOrder;
      readonly name?: string;
      readonly covers?: readonly [from: string, to: string];
      readonly speed?: number;
      readonly cluster?: string;
    }
  | {
      readonly command: 'collections';
      readonly data: string;
      readonly collections: CollectionOrder;
      readonly json: boolean;
    }
  | {
      readonly command: 'token';
      readonly data: string;
      readonly token: TokenOrder;
      readonly json: boolean;
    }
  | {
      readonly command: 'app';
      readonly data: string;
      readonly app: AppOrder;
      readonly json: boolean;
    }
  | {
      readonly command: 'user';
      readonly data: string;
      readonly user: UserOrder;
      readonly json: boolean;
    }
  | {
      readonly command: 'login';
      readonly data: string;
      readonly login: LoginCommand;
      readonly json: boolean;
    }
  | {
      readonly command: 'requests';
      readonly data: string;
      readonly requests: RequestOrder;
      readonly json: boolean;
    }
  | {
      readonly command: 'community';
      readonly data: string;
      readonly community: CommunityOrder;
      readonly json: boolean;
    }
  | {
      readonly command: 'note';
      readonly data: string;
      readonly note: NoteOrder;
      readonly json: boolean;
    }
  | ({ readonly command: 'emit'; readonly data: string } & ReturnType<typeof emitOf>)
  | { readonly command: 'ads'; readonly data: string; readonly ads: AdsOrder }
  | { readonly command: 'feed'; readonly data: string; readonly feed: FeedCommand }
  | {
      readonly command: 'breakdown' | 'rising';
      readonly data: string;
      readonly analysis: AnalysisOrder;
    }
  | {
      readonly command: 'counts';
      readonly data: string;
      readonly counts: CountsOrder;
      readonly cluster?: string;
    }
  | {
      readonly command: 'search';
      readonly data: string;
      readonly search: SearchOrder;
      readonly cluster?: string;
    }
  | { readonly command: 'plan'; readonly data: string; readonly plan: PlanOrder }
  | {
      readonly command: 'report';
      readonly data: string;
      readonly report: ReportOrder;
      readonly cluster?: string;
    }
  | { readonly command: 'backup'; readonly data: string; readonly file: string }
  | {
      readonly command: 'restore';
      readonly data: string;
      readonly file: string;
      readonly replace: boolean;
    }
  | { readonly command: 'sample' | 'reindex'; readonly data: string }
  | {
      readonly command: 'check' | 'migrate';
      readonly data: string;
      readonly cluster?: string;
    }
  | { readonly command: 'help'; readonly text: string }
  | { readonly command: 'version' };

export const DEFAULT_PORT = 4319;
const DEFAULT_LOG_MB = 256;

export const COMMANDS = [
  'serve',
  'link',
  'import',
  'collections',
  'token',
  'app',
  'user',
  'login',
  'community',
  'note',
  'emit',
  'ads',
  'feed',
  'counts',
  'search',
  'plan',
  'breakdown',
  'rising',
  'report',
  'sample',
  'check',
  'reindex',
  'backup',
  'restore',
  'migrate',
] as const;
type Command = (typeof COMMANDS)[number];

const COMMON: Readonly<Record<string, Option>> = {
  data: { type: 'string' },
  help: { type: 'boolean', short: 'h' },
  version: { type: 'boolean' },
};

const ANALYSIS: Readonly<Record<string, Option>> = {
  from: { type: 'string' },
  to: { type: 'string' },
  source: { type: 'string' },
  limit: { type: 'string' },
  json: { type: 'boolean' },
  csv: { type: 'boolean' },
};

const CLUSTER_OPTION: Readonly<Record<string, Option>> = { cluster: { type: 'string' } };

/** What each command takes, next to {@link COMMON}. */
export const OPTIONS: Readonly<Record<Command, Readonly<Record<string, Option>>>> = {
  serve: {
    port: { type: 'string' },
    open: { type: 'boolean' },
    'allow-private': { type: 'boolean' },
    'log-size': { type: 'string' },
    log: { type: 'string' },
    ...LISTEN_OPTIONS,
    ...CLUSTER_OPTION,
  },
  link: { open: { type: 'boolean' } },
  import: {
    map: { type: 'string' },
    ...TABLE_OPTIONS,
    name: { type: 'string' },
    covers: { type: 'string' },
    live: { type: 'boolean' },
    speed: { type: 'string' },
    ...CLUSTER_OPTION,
  },
  collections: { json: { type: 'boolean' } },
  token: {
    access: { type: 'string' },
    name: { type: 'string' },
    app: { type: 'string' },
    scopes: { type: 'string' },
    oauth1: { type: 'boolean' },
    limits: { type: 'string' },
    json: { type: 'boolean' },
  },
  app: {
    name: { type: 'string' },
    access: { type: 'string' },
    client: { type: 'string' },
    callback: { type: 'string' },
    permission: { type: 'string' },
    owner: { type: 'string' },
    credits: { type: 'string' },
    'spending-limit': { type: 'string' },
    'early-access': { type: 'string' },
    'stream-rules': { type: 'string' },
    limits: { type: 'string' },
    json: { type: 'boolean' },
  },
  user: {
    name: { type: 'string' },
    bio: { type: 'string' },
    url: { type: 'string' },
    location: { type: 'string' },
    verified: { type: 'string' },
    subscription: { type: 'string' },
    protected: { type: 'string' },
    email: { type: 'string' },
    'ai-developer': { type: 'string' },
    'note-writer': { type: 'string' },
    'merchant-terms': { type: 'string' },
    approve: { type: 'string' },
    refuse: { type: 'string' },
    json: { type: 'boolean' },
  },
  login: LOGIN_OPTIONS,
  community: { member: { type: 'string' }, json: { type: 'boolean' } },
  note: {
    link: { type: 'string' },
    suggestion: { type: 'string' },
    count: { type: 'string' },
    file: { type: 'string' },
    map: { type: 'string' },
    json: { type: 'boolean' },
  },
  emit: { user: { type: 'string' }, json: { type: 'string' } },
  ads: {
    user: { type: 'string' },
    account: { type: 'string' },
    'time-zone': { type: 'string' },
    map: { type: 'string' },
  },
  feed: {
    user: { type: 'string' },
    run: { type: 'string' },
    'allow-private': { type: 'boolean' },
    csv: { type: 'boolean' },
    json: { type: 'boolean' },
  },
  counts: { ...COUNTS_OPTIONS, ...CLUSTER_OPTION },
  search: { ...SEARCH_OPTIONS, ...CLUSTER_OPTION },
  plan: PLAN_OPTIONS,
  breakdown: {
    ...ANALYSIS,
    'compare-from': { type: 'string' },
    'compare-to': { type: 'string' },
  },
  rising: ANALYSIS,
  report: {
    out: { type: 'string' },
    every: { type: 'string' },
    zone: { type: 'string' },
    webhook: { type: 'string' },
    'allow-private': { type: 'boolean' },
    ...CLUSTER_OPTION,
  },
  sample: {},
  check: CLUSTER_OPTION,
  reindex: {},
  backup: {},
  restore: { replace: { type: 'boolean' } },
  migrate: { to: { type: 'string' }, ...CLUSTER_OPTION },
};

const COMMON_HELP = `  --data DIR    data folder (default: GROUNDSWELL_DATA, then ./data)
  --help        show this help
  --version     show the version
`;

const CLUSTER_HELP = `  --cluster NAME
                the cluster of ClickHouse servers, where GROUNDSWELL_CLICKHOUSE_URL names one or several of them
`;

const ANALYSIS_HELP = `  --source NAME  posts or sample (default: posts)
  --limit N      maximum number of items in each list, 1 to ${MOST_ITEMS} (default: 10)
  --json         prints one object on one line
  --csv          prints one row per item
${COMMON_HELP}`;

const HELP: Readonly<Record<Command | 'all', string>> = {
  all: `groundswell: counts how many public Posts match a query, over time

  groundswell serve [--port ${DEFAULT_PORT}] [--open] [--log-size ${DEFAULT_LOG_MB}] [--log json] [--allow-private]
      serves the dashboard and the interface on 127.0.0.1, or with --host by HTTPS to other machines
  groundswell link [--open]
      prints a one-time address that signs another browser in to the running service
  groundswell import FILE… [--map name=column,…] [--dates ORDER] [--zone ZONE] [--name NAME] [--live [--speed N]]
      adds Posts to Your posts from CSV, JSON lines, v2 JSON, tweets.js or its zip; files may be gzipped
  groundswell collections [list|rename|include|exclude|remove|restore] [NAME]
      lists the imports of Your posts, renames them, switches them in and out and removes them
  groundswell token app [--access ${ACCESS_LEVELS.join('|')}] [--limits off]
      creates and prints a bearer token for programs that read
  groundswell token user --name NAME [--app APP] [--scopes SCOPE,…|--oauth1] [--limits off]
      creates and prints a token for programs that act as the account @NAME
  groundswell app add|set|rotate|remove NAME, groundswell app list
      manages the apps that programs sign in with
  groundswell user add|set|remove USERNAME, groundswell user list
      manages the accounts that write Posts on this service
  groundswell login add|set|remove NAME, groundswell login list
      manages who may sign in to the dashboard from other machines
  groundswell user requests USERNAME [--approve NAME|--refuse NAME]
      lists and answers requests to follow the protected account @USERNAME
  groundswell community add|remove NAME, groundswell community join|leave NAME USERNAME,
  groundswell community list
      manages the communities of this service and their members
  groundswell note request ID… [--link ADDRESS], groundswell note rate ID RATING, groundswell note admit USERNAME
      requests community notes for Posts, rates notes, and admits note writers
  groundswell emit TYPE --user NAME [--json FILE]
      creates an event that nothing else here causes, such as a direct message
  groundswell ads import FILE --user NAME [--map name=column,…]
      adds campaigns and their figures from an advertiser console's CSV
  groundswell feed run|report [--user NAME]
      reads a merchant's product feed now, or reports its last runs
  groundswell counts QUERY… [--source NAME] [--from TIME] [--to TIME] [--granularity WIDTH] [--zone ZONE]
      prints how many Posts match each query per bucket, in the dashboard's CSV or JSON, or as a table
  groundswell search QUERY [--source NAME] [--from TIME] [--to TIME] [--limit N]
      prints the Posts that match a query, newest first
  groundswell plan QUERY… [--from TIME] [--to TIME] [--granularity WIDTH]
      prints which platform requests the counts would take and what they would cost; spends nothing
  groundswell breakdown [QUERY] --from TIME --to TIME [--source posts|sample] [--json|--csv]
      prints who wrote the Posts of a period, what they say, and what sets them apart from the period before
  groundswell rising --from TIME --to TIME [--source posts|sample] [--json|--csv]
      prints the words, hashtags and authors that depart most from their usual level
  groundswell report BOARD --out DIR [--every SCHEDULE [--zone ZONE]]
      writes a board as a report in one HTML file, now or on a schedule
  groundswell sample
      replaces the sample with a new one that ends now
  groundswell check
      checks that the index matches the Posts, and reports problems
  groundswell reindex
      rebuilds the index from the Posts
  groundswell backup FILE
      writes all data to one file, also while the service runs
  groundswell restore FILE [--replace]
      makes a data folder from a backup, and checks it
  groundswell migrate --to clickhouse
      copies Your posts into ClickHouse and verifies the counts

${COMMON_HELP}`,
  serve: `groundswell serve [--port ${DEFAULT_PORT}] [--open] [--log-size ${DEFAULT_LOG_MB}] [--log json] [--allow-private]
groundswell serve --host ADDRESS --name NAME --tls-cert FILE --tls-key FILE [options]
groundswell serve [--host ADDRESS] --name NAME --trusted-proxy ADDRESS [options]
Serves the dashboard and the interface on 127.0.0.1 until interrupted. The address that it prints signs in
one browser, once, within an hour. The browser stays signed in when the service restarts.

  --port N      port to listen on, 0 for any free port (default: ${DEFAULT_PORT})
  --open        open the address in the browser
  --allow-private
                allow webhooks and feeds on this machine and its network, and webhooks with http or a port
  --log-size N  megabytes of events kept for streams that reconnect, for at most 24 hours (default: ${DEFAULT_LOG_MB})
  --log FORMAT  text, or json for one line of JSON per request and message, without queries or tokens (default: text)
${LISTEN_HELP}${CLUSTER_HELP}${COMMON_HELP}
With a token, entered in the settings or set as GROUNDSWELL_PLATFORM_TOKEN, the real platform is a source too.
Its requests cost money, up to your caps: 100 dollars a month unless you change them. GROUNDSWELL_PLATFORM_URL
replaces https://api.x.com as the platform's address.
`,
  link: `groundswell link [--open]
Prints an address, on a line of its own, that signs another browser in to the running service: once, within an
hour.

  --open        open the address in the browser
${COMMON_HELP}`,
  import: `groundswell import FILE… [--map name=column,…] [--dates ORDER] [--zone ZONE] [--sheet NAME]
                   [--name NAME] [--covers FROM..TO] [--live [--speed N]]
Adds Posts to Your posts. Posts that are already there are not added again. Rows that cannot be read are
reported and skipped. If a service is running on the data folder, it does the work.

${TABLE_HELP}
  --name NAME   name of the collection (default: that of the files); importing into one again adds to it
  --covers FROM..TO
                the days or times that the files cover, such as 2026-01-01..2026-11-20, both included, in --zone
                (default: each file from its first to its last Post); other times have no data, instead of zeros
  --live        replays the Posts in the order of their times, at the pace at which they were written, so that
                streams deliver them; run it again to continue an interrupted replay
  --speed N     how many times faster, such as 60 for an hour in a minute (default: 1); --live only
${CLUSTER_HELP}${COMMON_HELP}`,
  collections: `groundswell collections list
groundswell collections rename NAME NEW
groundswell collections include|exclude NAME
groundswell collections remove|restore NAME
Lists the collections of Your posts: each import is one, and in:NAME in a query finds its Posts. Excluding a
collection hides its Posts from counts and search until it is included again, except those that another collection
has too. Removing a collection deletes its Posts; within 30 minutes, restore undoes that. The command also works
while a service is running.

  --json        prints one object on one line
${COMMON_HELP}`,
  token: `groundswell token app [--access LEVEL] [--limits off]
groundswell token user --name NAME [--app APP] [--scopes SCOPE,…] [--limits off]
groundswell token user --name NAME [--app APP] --oauth1 [--limits off]
Creates a token and prints it on a line of its own. It cannot be shown again, because only its hash is stored. An
app token only reads. A user token is an OAuth 2.0 access token, or with --oauth1 an OAuth 1.0a access token, whose
secret is on the next line. It does not expire, and acts as the account @NAME of this service, which is created if
it does not exist.

  --access LEVEL   ${ACCESS_LEVELS.join(', ')} (default: enterprise); app only
  --name NAME      username of 1 to 15 letters, digits and underscores; user only
  --app APP        app whose access, limits and credits apply (default: none of them); user only
  --scopes LIST    scopes separated by commas or spaces (default: all); user only
  --oauth1         OAuth 1.0a, for programs that sign their requests; user only
  --limits off     no rate limits (default: the platform's)
  --json           prints one object on one line; with --oauth1 also the api_key and, unless --app names an app,
                   the api_key_secret, which sign requests together with the token
${COMMON_HELP}`,
  app: `groundswell app add NAME [options]
groundswell app set NAME [options]
groundswell app rotate NAME
groundswell app remove NAME
groundswell app list
Manages the apps of this service. Adding an app prints its secrets, which cannot be shown again. Rotating
replaces its API key and all of its secrets. Removing an app revokes its tokens.

  --name NAME             instead of NAME in front, for a name that begins with a minus
  --access LEVEL          ${ACCESS_LEVELS.join(', ')} (default: pay-per-use)
  --client TYPE           ${CLIENT_TYPES.join(', ')} (default: confidential)
  --callback ADDRESS      where a sign-in may return to; repeat it for several, none removes all
  --permission LEVEL      ${PERMISSIONS.join(', ')} (default: read-write); OAuth 1.0a only
  --owner NAME            username of the account that owns the app, or none
  --credits AMOUNT        dollars to spend, or unlimited (default: unlimited)
  --spending-limit AMOUNT dollars per month, or unlimited (default: unlimited)
  --early-access yes|no   whether the app has early access (default: no)
  --stream-rules N        rules of its filtered stream under enterprise access, or platform (default: platform)
  --limits platform|off   whether the platform's rate limits apply (default: platform)
  --json                  prints one object on one line
${COMMON_HELP}`,
  user: `groundswell user add USERNAME [options]
groundswell user set USERNAME [options]
groundswell user remove USERNAME
groundswell user list
groundswell user requests USERNAME [--approve NAME|--refuse NAME]
Manages the accounts of this service. Removing an account revokes its tokens; its Posts stay. When an account stops
being protected, everyone who asked to follow it becomes a follower.

  --name TEXT            display name, at most 50 characters (default: the username)
  --bio TEXT             description, at most 160 characters
  --url ADDRESS          website
  --location TEXT        at most 30 characters
  --verified TYPE        ${VERIFIED_TYPES.join(', ')}
  --subscription TYPE    ${SUBSCRIPTIONS.join(', ')}
  --protected yes|no     whether the Posts are hidden from all others
  --email ADDRESS        shown to the account's own tokens with the scope users.email
  --ai-developer yes|no  whether the account is registered as an AI developer, which community notes need (default: no)
  --note-writer yes|no   whether it is approved to write community notes (default: no)
  --merchant-terms yes|no
                         whether the terms of the product catalog are accepted (default: no)
  --approve NAME         lets the account follow; requests only
  --refuse NAME          removes the account's request; requests only
  --json                 prints one object on one line
${COMMON_HELP}`,
  login: `${LOGIN_HELP}${COMMON_HELP}`,
  community: `groundswell community add NAME [--member USERNAME,…]
groundswell community join NAME USERNAME
groundswell community leave NAME USERNAME
groundswell community remove NAME
groundswell community list
Manages the communities of this service. Only members post into a community, with its id as community_id. Removing a
community keeps its Posts.

  --member NAMES   usernames of members, separated by commas; repeat it for more
  --json           prints one object on one line
${COMMON_HELP}`,
  note: `groundswell note request ID… [--link ADDRESS] [--suggestion TEXT]
groundswell note rate ID RATING [--count N]
groundswell note rate --file FILE [--map name=column,…]
groundswell note admit USERNAME
Requests community notes for Posts, which the programs of note writers then list; rates a note, which determines its
status; or admits a note writer, who otherwise has to write test notes first. See groundswell user --help for how an
account becomes a note writer.

  RATING             ${RATINGS.map((one) => one.replaceAll('_', '-')).join(', ')}
  --link ADDRESS     a source that a note could name; request only
  --suggestion TEXT  what a note could say; request only
  --count N          how many ratings to add, at most 1000 (default: 1); rate only
  --file FILE        CSV or JSON lines with a note and a rating on each row, optionally a count and a time;
                     importing it again adds nothing
  --map PAIRS        names of its columns by field, such as note=id,rating=vote
  --json             prints one object on one line
${COMMON_HELP}`,
  emit: `groundswell emit TYPE --user NAME [--json FILE]
Creates an event of the account @NAME that no operation of this service causes. Streams and webhooks deliver it
like any other.

  TYPE          ${EMITTED_TYPES.join(`,\n                `)}
  --user NAME   username of an account of this service
  --json FILE   content of the event, such as {"broadcast_id": "1"} for a space
${COMMON_HELP}`,
  ads: `groundswell ads import FILE --user NAME [--account ID] [--time-zone ZONE] [--map name=column,…]
Adds campaigns, and their funding instruments, line items and promoted Posts, with daily or hourly figures from the CSV
of an advertiser console. A file that is imported again adds nothing. Rows that cannot be read are reported and
skipped. The command also works while a service is running.

  --user NAME       username of the advertiser, an account of this service
  --account ID      ad account of the user (default: one that the first import creates)
  --time-zone ZONE  time zone of a new ad account, such as Europe/Berlin (default: America/Los_Angeles)
  --map PAIRS       names of CSV columns by field, such as campaign=Name,time=Day,impressions=Views
${COMMON_HELP}`,
  feed: `groundswell feed run [--user NAME] [--allow-private]
groundswell feed report [--user NAME] [--run ID] [--csv]
Reads the scheduled feed of a product catalog now, or reports its next run, its last ten runs, and which rows of the
newest run have errors or warnings. If a service is running on the data folder, it does the work, and also reads the
feed on schedule. A run that ends with the service continues when the service starts again. The exit code is 1 if the
run failed.

  --user NAME      username of the merchant (default: the only one with a feed)
  --allow-private  allow a feed on this machine and its network, unless a running service decides; run only
  --run ID         a run other than the newest; report only
  --csv            prints all stored rows of the run, as CSV; report only
  --json           prints one object on one line
${COMMON_HELP}`,
  counts: `${COUNTS_HELP}${CLUSTER_HELP}${COMMON_HELP}
${EXIT_HELP}`,
  search: `${SEARCH_HELP}${CLUSTER_HELP}${COMMON_HELP}
${EXIT_HELP}`,
  plan: `${PLAN_HELP}${COMMON_HELP}`,
  breakdown: `groundswell breakdown [QUERY] --from TIME --to TIME [options]
Prints who wrote the Posts of a period that match a query, and what they say, counted over all of them, reposts
included: kinds, authors, words and phrases that set them apart from another period, hashtags, cashtags, emoji, links,
languages and places. Without a query, it covers all Posts. The command also works while a service is running.

  --from TIME, --to TIME
                 the period, without its end: a day such as 2024-01-31 (midnight UTC), or an instant such as
                 2024-01-31T08:30:00Z
  --compare-from TIME, --compare-to TIME
                 the period to compare with (default: as long, just before)
${ANALYSIS_HELP}`,
  rising: `groundswell rising --from TIME --to TIME [options]
Prints the words, hashtags and authors whose number of Posts departs most from its usual level, in at most 400 days.
The command also works while a service is running.

  --from TIME, --to TIME
                 the period, without its end: a day such as 2024-01-31 (midnight UTC), or an instant such as
                 2024-01-31T08:30:00Z
${ANALYSIS_HELP}`,
  report: `groundswell report BOARD --out DIR [--every SCHEDULE [--zone ZONE]] [--webhook ADDRESS]
Writes a board as a report: one HTML file with the picture, tables, method and counts, as Export › Report of the
dashboard does. BOARD is a board file, a bundle, or the address of a view in quotes. A range such as the last 30 days
ends when the report is written. The command also works while a service is running.

  --out DIR         folder for the reports; files are named by board and day, and never replaced
  --every SCHEDULE  keep running and write a report every hour, day, weekdays, monday (or another weekday) or month:
                    at 06:00, or at another time, as in "monday 07:30"; or by a cron pattern such as "0 9 * * 1".
                    One report makes up for all times missed since the last one
  --zone ZONE       time zone of the schedule, such as Europe/Berlin (default: the board's)
  --webhook ADDRESS
                    post a notice of each report as JSON: text, title, subtitle, file, written_at, and series with
                    their Posts; it is sent up to three times
  --allow-private   allow a webhook on this machine and its network
${CLUSTER_HELP}${COMMON_HELP}`,
  sample: `groundswell sample
Replaces the sample with a new one: about 200,000 invented Posts from three years, ending now.

${COMMON_HELP}`,
  check: `groundswell check
Checks the files of Your posts and of the sample, and that the index counts every Post once and finds it by its
content. Also checks the files of tokens and of the platform, which it mentions only if they have problems. It
changes nothing and may run while the service runs. The exit code is 1 if it finds a problem. If
GROUNDSWELL_CLICKHOUSE_URL is set, it also compares Your posts in the data folder with those in ClickHouse.

${CLUSTER_HELP}${COMMON_HELP}`,
  reindex: `groundswell reindex
Rebuilds the index of Your posts and of the sample from the Posts, which stay unchanged. The old index stays in
use until the new one is complete, also if the command is interrupted. If a service is running on the data
folder, it does the work.

${COMMON_HELP}`,
  backup: `groundswell backup FILE
Writes all that the data folder holds to FILE, a tar archive with checksums: Posts, the sample, accounts, tokens and
secrets, pages bought from the platform, its token with the key, catalogs, ads, deliveries and media. The command also
works while a service is running; the backup has every database as it was at the start. FILE must not exist. It is not
compressed, and only you can read it: protect it like the data folder itself.

${COMMON_HELP}`,
  restore: `groundswell restore FILE [--replace]
Makes a data folder from a backup, and runs groundswell check on it. The folder must be new or empty, and nothing in it
changes if the backup is damaged, incomplete or of a newer version. The exit code is 1 if the check finds a problem.

  --replace     moves the data in the folder to the folder replaced-TIME in it; no service may be running
${COMMON_HELP}`,
  migrate: `groundswell migrate --to clickhouse
Copies Your posts from the data folder into the ClickHouse servers that GROUNDSWELL_CLICKHOUSE_URL names, and
verifies that both count the same. The data folder stays unchanged. Run it again to continue an interrupted copy.

  --to clickhouse
                the target
${CLUSTER_HELP}${COMMON_HELP}`,
};

function portOf(values: Values): number {
  const text = values.get('port')?.at(-1) ?? String(DEFAULT_PORT);
  const port = /^\d{1,5}$/.test(text) ? Number(text) : NaN;
  if (port <= 65_535) return port;
  throw new UsageError(`--port ${text} is not a port: expected 0 to 65535.`);
}

/** Characters of `--log-size`. */
function logSizeOf(values: Values): number {
  const text = values.get('log-size')?.at(-1) ?? String(DEFAULT_LOG_MB);
  const size = /^\d{1,6}$/.test(text) ? Number(text) : 0;
  if (size > 0) return size * 1024 * 1024;
  throw new UsageError(`--log-size ${text} is not a size: expected 1 to 999999 megabytes.`);
}

function mapOf(values: Values): Record<string, string> {
  const map: Record<string, string> = {};
  for (const pair of (values.get('map') ?? []).flatMap((text) => text.split(','))) {
    const at = pair.indexOf('=');
    const [field, column] = [pair.slice(0, at).trim(), pair.slice(at + 1).trim()];
    if (at < 1 || field === '' || column === '') {
      throw new UsageError(`--map ${pair} is not of the form name=column, such as id=tweet_id.`);
    }
    map[field] = column;
  }
  return map;
}

/** @throws {@link UsageError} for `--covers` that has no two ends, or goes with `--live`. */
function coversOf(values: Values): { covers?: readonly [from: string, to: string] } {
  const text = values.get('covers')?.at(-1);
  if (text === undefined) return {};
  if (values.has('live')) {
    throw new UsageError('--covers does not go with --live: a replay covers what it has replayed.');
  }
  const [from = '', to = '', ...more] = text.split('..');
  if (from !== '' && to !== '' && more.length === 0) return { covers: [from, to] };
  throw new UsageError(
    `--covers ${text} is not a time: expected FROM..TO, such as 2026-01-01..2026-11-20.`,
  );
}

/** The speed at which to replay an import; nothing for an ordinary one. */
function speedOf(values: Values): { speed?: number } {
  const text = values.get('speed')?.at(-1);
  if (!values.has('live')) {
    if (text !== undefined) throw new UsageError('--speed belongs to --live.');
    return {};
  }
  const speed = Number(text ?? '1');
  if (text?.trim() !== '' && Number.isFinite(speed) && speed > 0) return { speed };
  throw new UsageError(`--speed ${text} is not a speed: expected a number above 0.`);
}

function tokenOf(kind: string | undefined, values: Values): TokenOrder {
  const limited = choiceOf(values, 'limits', ['platform', 'off']) !== 'off';
  switch (kind) {
    case 'app': {
      for (const option of ['name', 'app', 'scopes', 'oauth1']) {
        if (!values.has(option)) continue;
        throw new UsageError(`--${option} belongs to groundswell token user.`);
      }
      const access = choiceOf(values, 'access', ACCESS_LEVELS) ?? 'enterprise';
      return { kind, access, limited };
    }
    case 'user': {
      if (values.has('access')) throw new UsageError('--access belongs to groundswell token app.');
      const name = usernameOf(values.get('name')?.at(-1), 'Name the account: --name NAME.');
      const scopes = scopesOf(values);
      const oauth1 = values.has('oauth1');
      if (oauth1 && scopes) throw new UsageError('--scopes belongs to OAuth 2.0, not to --oauth1.');
      const app = values.get('app')?.at(-1);
      return {
        kind,
        name,
        ...(app !== undefined && { app: appNameOf(app) }),
        ...(scopes && { scopes }),
        ...(oauth1 && { oauth1 }),
        limited,
      };
    }
    default:
      throw new UsageError(
        'Name the kind of token: groundswell token app, or groundswell token user.',
      );
  }
}

/** Reads `requests USERNAME`, without the word `user`. */
function requestsOf([, name, extra]: readonly string[], values: Values): RequestOrder {
  noMore(extra, 'user');
  const username = usernameOf(
    name ?? values.get('name')?.at(-1),
    'Name the account: groundswell user requests USERNAME.',
  );
  const answers = (['approve', 'refuse'] as const).flatMap((action) =>
    (values.get(action) ?? []).map((requester) => ({ action, username, requester })),
  );
  const [answer, another] = answers;
  if (another)
    throw new UsageError('Answer one request at a time: --approve NAME or --refuse NAME.');
  if (!answer) return { action: 'list', username };
  const { action, requester } = answer;
  if (REQUESTER.test(requester)) return answer;
  throw new UsageError(`--${action} ${requester} is not a username.`);
}

const ACTIONS = ['add', 'list', 'set', 'remove'] as const;

function userOf([word, name, extra]: readonly string[], values: Values): UserOrder {
  const action = ACTIONS.find((one) => one === word);
  if (action === undefined) {
    throw new UsageError(`Say what to do: groundswell user ${ACTIONS.join(', ')}, requests.`);
  }
  for (const option of ['approve', 'refuse']) {
    if (!values.has(option)) continue;
    throw new UsageError(`--${option} belongs to groundswell user requests.`);
  }
  noMore(action === 'list' ? name : extra, 'user');
  if (action === 'list') return { action };
  // A username given as `--name` is one too, as with `groundswell token user`.
  const username = usernameOf(
    name ?? values.get('name')?.at(-1),
    `Name the account: groundswell user ${action} USERNAME.`,
  );
  if (action === 'remove') return { action, username };
  return { action, username, profile: profileOf(values) };
}

/** The name of `--name`, for the collection of an import. */
function nameOf(values: Values): { name?: string } {
  const name = values.get('name')?.at(-1);
  if (name === undefined) return {};
  if (values.has('live')) {
    throw new UsageError('--name does not go with --live: those Posts are in “Posted here”.');
  }
  if (name.trim() === '' || name.length > 200) {
    throw new UsageError('--name needs a name of 1 to 200 characters.');
  }
  return { name };
}

/** The file of a backup. */
function backupFile([file, extra]: readonly string[], command: string): string {
  noMore(extra, command);
  if (file === undefined || file === '') {
    throw new UsageError(`Name the file of the backup: groundswell ${command} FILE.`);
  }
  return file;
}

function noMore(extra: string | undefined, command: string): void {
  if (extra === undefined) return;
  throw new UsageError(`Unexpected ${extra}: see groundswell ${command} --help.`);
}

/**
 * Parses a command line.
 *
 * @param args - Arguments after the program's name.
 * @param environment - Only `GROUNDSWELL_DATA` is read.
 * @throws {@link UsageError} for an unknown command, option or value; the message suggests the nearest valid one.
 */
export function readCommandLine(
  args: readonly string[],
  environment: Readonly<Record<string, string | undefined>>,
): Order {
  const at = args.findIndex((arg) => !arg.startsWith('-'));
  const named = COMMANDS.find((command) => command === args[0]);
  if (named === undefined) {
    const { values, positionals } = readOptions(args, COMMON);
    if (values.has('version')) return { command: 'version' };
    const [text] = positionals;
    if (text === undefined && values.has('help')) return { command: 'help', text: HELP.all };
    if (text === undefined) {
      throw new UsageError(`Name a command: ${COMMANDS.join(', ')}. See groundswell --help.`);
    }
    if (at > 0) throw new UsageError(`Name the command first: groundswell ${text} …`);
    throw new UsageError(`Unknown command ${text}.${didYouMean(text, COMMANDS)}`);
  }
  const { values, positionals } = readOptions(args.slice(1), { ...COMMON, ...OPTIONS[named] });
  if (values.has('help')) return { command: 'help', text: HELP[named] };
  if (values.has('version')) return { command: 'version' };
  const data = values.get('data')?.at(-1) ?? (environment['GROUNDSWELL_DATA'] || './data');
  if (data === '') throw new UsageError('--data needs the name of a folder.');
  const json = values.has('json');
  const name = values.get('cluster')?.at(-1);
  const cluster = name === undefined ? {} : { cluster: name };
  switch (named) {
    case 'serve':
      noMore(positionals[0], named);
      return {
        command: named,
        data,
        port: portOf(values),
        open: values.has('open'),
        allowPrivate: values.has('allow-private'),
        logSize: logSizeOf(values),
        log: choiceOf(values, 'log', ['text', 'json']) ?? 'text',
        listen: listenOf(values),
        ...cluster,
      };
    case 'link':
      noMore(positionals[0], named);
      return { command: named, data, open: values.has('open') };
    case 'import':
      if (positionals.length === 0) throw new UsageError('Name the files to import.');
      return {
        command: named,
        data,
        files: positionals,
        map: mapOf(values),
        table: tableOf(values),
        ...nameOf(values),
        ...coversOf(values),
        ...speedOf(values),
        ...cluster,
      };
    case 'collections':
      return { command: named, data, collections: collectionsOf(positionals), json };
    case 'token':
      noMore(positionals[1], named);
      return { command: named, data, token: tokenOf(positionals[0], values), json };
    case 'app':
      return { command: named, data, app: appOf(positionals, values), json };
    case 'user':
      if (positionals[0] === 'requests') {
        return { command: 'requests', data, requests: requestsOf(positionals, values), json };
      }
      return { command: named, data, user: userOf(positionals, values), json };
    case 'login':
      return { command: named, data, login: loginOf(positionals, values), json };
    case 'community':
      return { command: named, data, community: communityOf(positionals, values), json };
    case 'note':
      return { command: named, data, note: noteOf(positionals, values, mapOf(values)), json };
    case 'emit':
      return { command: named, data, ...emitOf(positionals, values) };
    case 'ads':
      return { command: named, data, ads: adsOf(positionals, values, mapOf(values)) };
    case 'feed':
      return { command: named, data, feed: feedOf(positionals, values) };
    case 'counts':
      return { command: named, data, counts: countsOf(positionals, values), ...cluster };
    case 'search':
      return { command: named, data, search: searchOf(positionals, values), ...cluster };
    case 'plan':
      return { command: named, data, plan: planOf(positionals, values) };
    case 'breakdown':
      return { command: named, data, analysis: breakdownOf(positionals, values) };
    case 'rising':
      return { command: named, data, analysis: risingOf(positionals, values) };
    case 'report':
      return { command: named, data, report: reportOf(positionals, values), ...cluster };
    case 'backup':
      return { command: named, data, file: backupFile(positionals, named) };
    case 'restore':
      return {
        command: named,
        data,
        file: backupFile(positionals, named),
        replace: values.has('replace'),
      };
    case 'check':
      noMore(positionals[0], named);
      return { command: named, data, ...cluster };
    case 'migrate':
      noMore(positionals[0], named);
      if (values.get('to')?.at(-1) !== 'clickhouse') {
        throw new UsageError('groundswell migrate needs --to clickhouse.');
      }
      return { command: named, data, ...cluster };
    case 'sample':
    case 'reindex':
      noMore(positionals[0], named);
      return { command: named, data };
  }
}
