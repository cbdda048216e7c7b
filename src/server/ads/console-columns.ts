import { formatTime } from '#contract/ads/ad-fields.ts';
import { FIRST_YEAR, LAST_YEAR, METRICS, type Metric } from '#contract/ads/ad-statistics.ts';
import { plainName } from '#core/import/fields.ts';
import { markIn, readAmount, readCount, type DecimalMark } from '#core/import/number.ts';
import { dateSurvey, readStamp, undecidedDates, type DateOrder } from '#core/import/stamp.ts';
import { FeedError, shown } from '#core/readers/error.ts';
import { DAY_MS } from '#core/time/span.ts';
import { localDayAfter, localInstant, zoneTable, type ZoneTable } from '#core/time/zone.ts';
import type { Feed } from '#server/readers/feed.ts';

const ALL_METRICS: readonly Metric[] = Object.values(METRICS).flat();

/** Names of columns of an advertiser console next to a field's own, by field, as `plainName` writes them. */
const TARGETS: Readonly<Record<string, readonly string[]>> = {
  funding_instrument_id: ['funding instrument id', 'funding source id'],
  funding_instrument: ['funding instrument', 'funding source'],
  campaign_id: ['campaign id', 'id'],
  campaign: ['campaign name', 'name'],
  line_item_id: ['line item id', 'ad group id'],
  line_item: ['line item', 'line item name', 'ad group', 'ad group name'],
  promoted_tweet_id: ['promoted tweet id', 'ad id'],
  tweet_id: ['tweet id', 'post id'],
  time: ['time period', 'date', 'day', 'start', 'hour'],
  currency: ['campaign currency'],
  status: ['campaign status', 'entity status', 'effective status'],
  start_time: ['campaign start', 'start date'],
  end_time: ['campaign end', 'end date'],
  daily_budget: ['campaign daily budget', 'daily budget'],
  total_budget: ['campaign total budget', 'total budget'],
  ...Object.fromEntries(ALL_METRICS.map((name) => [name, [name.replaceAll('_', ' ')]])),
  url_clicks: ['url clicks', 'link clicks'],
  retweets: ['reposts'],
  billed_charge_local_micro: ['spend', 'cost'],
  video_total_views: ['video total views', 'video views'],
  reach: ['total audience reach', 'total reach'],
  frequency: ['average frequency'],
};

/** Positions of the columns that a file has, by field. */
type Columns = ReadonlyMap<string, number>;

/**
 * Finds the columns of a console's export: by the map, else by name, else by a usual name.
 *
 * @param map - Names of columns by field.
 * @throws {@link FeedError} `columns` if the map names an unknown field or column, or there is neither `campaign_id` nor
 *   `campaign`.
 */
function columnsOf(
  file: string,
  header: readonly string[],
  map: Readonly<Record<string, string>>,
): Columns {
  const fault = (message: string): FeedError => new FeedError('columns', file, message);
  const names = header.map(plainName);
  for (const [field, column] of Object.entries(map)) {
    if (!(field in TARGETS)) {
      const known = Object.keys(TARGETS).join(', ');
      throw fault(`--map knows no field "${shown(field)}"; the fields are ${known}.`);
    }
    if (!header.includes(column)) {
      throw fault(`has no column "${shown(column)}" (--map ${field}=${shown(column)}).`);
    }
  }
  const taken = new Set(Object.values(map));
  const columns = new Map<string, number>();
  for (const [field, others] of Object.entries(TARGETS)) {
    const mapped = map[field];
    const at =
      mapped === undefined
        ? [plainName(field), ...others]
            .map((name) => names.indexOf(name))
            .find((at) => at !== -1 && !taken.has(header[at] ?? ''))
        : header.indexOf(mapped);
    if (at !== undefined) columns.set(field, at);
  }
  if (!columns.has('campaign_id') && !columns.has('campaign')) {
    throw fault('has no column for campaign_id or campaign; name one with --map campaign=COLUMN.');
  }
  return columns;
}

/** An entity that a row names. */
export interface ConsoleEntity {
  readonly kind: 'FUNDING_INSTRUMENT' | 'CAMPAIGN' | 'LINE_ITEM' | 'PROMOTED_TWEET';
  /** Identifies it in the account. */
  readonly key: string;
  /** Its id at the platform; null if the file has none. */
  readonly id: string | null;
  /** Its fields; only those that the file has. */
  readonly fields: Readonly<Record<string, string | number>>;
}

/** The time of the figures of a row. */
export interface ConsoleTime {
  /** A day or a time of day in the account's time zone, or a time with an offset from UTC. */
  readonly form: 'day' | 'local' | 'instant';
  /** Epoch ms; without an offset the local time, as if it were UTC. */
  readonly at: number;
  /** As the file has it. */
  readonly text: string;
}

/** A row of an export, read. Money is in millionths. */
export interface ConsoleRow {
  /** The entities that the row names, each belonging to the one before. The row is about the last one. */
  readonly entities: readonly ConsoleEntity[];
  /** Null if the row has no figures. */
  readonly time: ConsoleTime | null;
  readonly metrics: Readonly<Partial<Record<Metric, number>>>;
  /** The number of users who saw it, and how often each on average; null where the row does not have it. */
  readonly reach: number | null;
  readonly frequency: number | null;
  /** The word for the campaign's status, if it is an unknown one: the status is not set then. */
  readonly unknownStatus: string | null;
}

/** The reason a row is not read: one sentence without file and line. */
export class RowFault extends Error {
  override readonly name = 'RowFault';
}

function timeOf(field: string, text: string, order: DateOrder | null): ConsoleTime {
  const read = readStamp(text, order);
  const year = read && new Date(read.at).getUTCFullYear();
  if (read && year !== null && year >= FIRST_YEAR && year <= LAST_YEAR) {
    const form = read.isExact ? 'instant' : read.isDay ? 'day' : 'local';
    return { form, at: read.at, text };
  }
  const form = 'a time such as 2026-01-31, 2026-01-31 08:00 or 2026-01-31T08:00:00-07:00';
  throw new RowFault(`expected ${form} as ${field}, got "${shown(text)}"`);
}

function currencyOf(field: string, text: string): string {
  const code = text.toUpperCase();
  if (/^[A-Z]{3}$/.test(code)) return code;
  throw new RowFault(`expected a currency such as EUR as ${field}, got "${shown(text)}"`);
}

function wholeOf(field: string, text: string): number {
  const count = readCount(text);
  if (count !== null) return count;
  throw new RowFault(`expected a whole number as ${field}, got "${shown(text)}"`);
}

/** An amount such as `12.5`, in millionths. */
function microsOf(field: string, text: string, mark: DecimalMark | null): number {
  const micros = readAmount(text, mark);
  if (micros !== null) return micros;
  throw new RowFault(`expected an amount such as 12.50 as ${field}, got "${shown(text)}"`);
}

/** Words of consoles for a campaign that runs or will, and for one that does not. */
const STATUSES: Readonly<Record<string, readonly string[]>> = {
  ACTIVE: [
    'active',
    'running',
    'enabled',
    'on',
    'live',
    'serving',
    'learning',
    'scheduled',
    'pending',
    'upcoming',
    'in review',
    'under review',
  ],
  PAUSED: [
    'paused',
    'off',
    'inactive',
    'disabled',
    'stopped',
    'halted',
    'suspended',
    'rejected',
    'exhausted',
    'budget exhausted',
    'deleted',
    'removed',
    'archived',
  ],
  DRAFT: ['draft', 'incomplete'],
};
/** Words for a campaign that is over: its end says so, if the row has it. */
const ENDED = ['completed', 'complete', 'expired', 'ended', 'finished'];

/** The status of an entity that a word of a console means; null for an unknown word. */
function statusOf(word: string, hasEnd: boolean): string | null {
  const plain = plainName(word);
  if (ENDED.includes(plain)) return hasEnd ? 'ACTIVE' : 'PAUSED';
  return Object.keys(STATUSES).find((status) => STATUSES[status]?.includes(plain)) ?? null;
}

/** Longest name of an entity. */
const MOST_NAME = 255;

/** Reads the text of a field of a row, empty if the row has none. */
type TextOf = (field: string) => string;

function idOf(field: string, id: string): string | null {
  if (id === '') return null;
  if (/^[0-9a-z]{1,20}$/.test(id)) return id;
  throw new RowFault(`expected an id as ${field}, got "${shown(id)}"`);
}

function nameOf(field: string, name: string): string {
  if (Array.from(name).length <= MOST_NAME && !/[\0\p{Surrogate}]/u.test(name)) return name;
  throw new RowFault(`expected at most ${MOST_NAME} characters as ${field}, got "${shown(name)}"`);
}

/** An entity that a row names by id or name; null if it names none. @param within - Key of what it belongs to. */
function named(
  text: TextOf,
  kind: ConsoleEntity['kind'],
  field: string,
  within: string,
): ConsoleEntity | null {
  const id = idOf(`${field}_id`, text(`${field}_id`));
  const name = nameOf(field, text(field));
  if (id === null && name === '') return null;
  const key = id === null ? `name ${name}${within}` : `id ${id}`;
  const title = kind === 'FUNDING_INSTRUMENT' ? 'description' : 'name';
  return { kind, key, id, fields: name === '' ? {} : { [title]: name } };
}

/** The promoted Post that a row names; null if it names none. */
function promotedIn(text: TextOf, item: ConsoleEntity | null): ConsoleEntity | null {
  const id = idOf('promoted_tweet_id', text('promoted_tweet_id'));
  const post = text('tweet_id');
  if (id === null && post === '') return null;
  if (post !== '' && !/^[0-9]{1,19}$/.test(post)) {
    throw new RowFault(`expected a decimal id as tweet_id, got "${shown(post)}"`);
  }
  if (!item) throw new RowFault('expected the name or the id of the line item of a promoted Post');
  const key = id === null ? `post ${post} in ${item.key}` : `id ${id}`;
  return { kind: 'PROMOTED_TWEET', key, id, fields: post === '' ? {} : { tweet_id: post } };
}

/** Consoles write a dash where a campaign has no value. */
const NOTHING = ['', '-', '--', '—'];

/** The text of a field of a row; null if the row has no value. */
function valueIn(fields: readonly string[], columns: Columns, field: string): string | null {
  const value = (fields[columns.get(field) ?? -1] ?? '').trim();
  return NOTHING.includes(value) ? null : value;
}

/** The way in which a file is read. */
export interface ConsoleReading {
  readonly columns: Columns;
  /** Null where no date needs it. */
  readonly order: DateOrder | null;
  /** The decimal mark that its amounts show; null if they show none, or both. */
  readonly mark: DecimalMark | null;
  /** Time zone of the ad account. */
  readonly zone: string;
  /** Names of the columns that are no field. */
  readonly ignored: readonly string[];
}

const TIMES = ['time', 'start_time', 'end_time'];
const AMOUNTS = ['daily_budget', 'total_budget', 'billed_charge_local_micro', 'frequency'];

/** The content of a file as far as one reading shows it. */
interface SurveyedConsole extends Pick<ConsoleReading, 'columns' | 'mark' | 'ignored'> {
  /** The number of rows, also of those that are no columns. */
  readonly rows: number;
  readonly dates: ReturnType<typeof dateSurvey>;
}

/**
 * Reads a file once for its columns, the order of its dates and the decimal mark of its amounts.
 *
 * @param map - Names of columns by field.
 * @throws {@link FeedError} `columns` if the map names an unknown field or column, or there is neither `campaign_id` nor
 *   `campaign`.
 */
export async function surveyConsole(
  feed: Feed,
  map: Readonly<Record<string, string>>,
): Promise<SurveyedConsole> {
  const { file, header } = feed;
  const columns = columnsOf(file, header, map);
  const survey = dateSurvey();
  const marks = new Set<DecimalMark>();
  let count = 0;
  for await (const rows of feed.rows()) {
    count += rows.length;
    for (const row of rows) {
      if (row.kind !== 'columns') continue;
      const valueOf = (field: string): string => valueIn(row.fields, columns, field) ?? '';
      for (const field of TIMES) survey.add(valueOf(field));
      for (const field of AMOUNTS) {
        const mark = markIn(valueOf(field));
        if (mark !== null) marks.add(mark);
      }
    }
  }
  const [only = null] = marks;
  const used = new Set(columns.values());
  return {
    rows: count,
    columns,
    dates: survey,
    mark: marks.size === 1 ? only : null,
    ignored: header.filter((name, at) => name !== '' && !used.has(at)),
  };
}

/**
 * Finds how to read a file, which it reads once for that.
 *
 * @param options.map - Names of columns by field.
 * @param options.dates - The order of its dates; found in them if null.
 * @throws {@link FeedError} `columns` as {@link surveyConsole}, and if nothing shows the order of dates.
 */
export async function consoleReading(
  feed: Feed,
  options: {
    readonly map: Readonly<Record<string, string>>;
    readonly dates: DateOrder | null;
    readonly zone: string;
  },
): Promise<ConsoleReading> {
  const { columns, mark, ignored, dates } = await surveyConsole(feed, options.map);
  const order = options.dates ?? dates.order();
  if (order === null && dates.isNeeded()) throw undecidedDates(feed.file, dates.ambiguous());
  return { columns, order, mark, zone: options.zone, ignored };
}

/** The zone's offsets around a time. */
export function zoneAround(zone: string, at: number): ZoneTable {
  return zoneTable(zone, { start: at - DAY_MS, end: at + 2 * DAY_MS });
}

/** The instant of a start, or of an end, which without a time of day is that of its day: `2022-06-03T21:38:07Z`. */
function instantOf({ form, at }: ConsoleTime, zone: string, isEnd: boolean): string {
  if (form === 'instant') return formatTime(at);
  const table = zoneAround(zone, at);
  const start = localInstant(table, at);
  return formatTime(isEnd && form === 'day' ? localDayAfter(table, start, 1) - 1 : start);
}

/**
 * Reads a row.
 *
 * @throws {@link RowFault} if it names no campaign, or a value has not the form of its field.
 */
export function consoleRow(fields: readonly string[], reading: ConsoleReading): ConsoleRow {
  const { columns, order, mark, zone } = reading;
  const text: TextOf = (field) => (fields[columns.get(field) ?? -1] ?? '').trim();
  const read = <T>(field: string, form: (field: string, text: string) => T): T | null => {
    const value = valueIn(fields, columns, field);
    return value === null ? null : form(field, value);
  };
  const time = (field: string) => read(field, (of, value) => timeOf(of, value, order));
  const amount = (field: string) => read(field, (of, value) => microsOf(of, value, mark));
  const known = <T>(entries: readonly (readonly [string, T | null])[]): Record<string, T> =>
    Object.fromEntries(entries.filter((entry): entry is [string, T] => entry[1] !== null));
  const campaign = named(text, 'CAMPAIGN', 'campaign', '');
  if (!campaign) throw new RowFault('expected the name or the id of a campaign');
  const item = named(text, 'LINE_ITEM', 'line_item', ` in ${campaign.key}`);
  const [start, end] = [time('start_time'), time('end_time')];
  const word = valueIn(fields, columns, 'status');
  const status = word === null ? null : statusOf(word, end !== null);
  const ofCampaign = {
    currency: read('currency', currencyOf),
    entity_status: status,
    start_time: start && instantOf(start, zone, false),
    end_time: end && instantOf(end, zone, true),
    daily_budget_amount_local_micro: amount('daily_budget'),
    total_budget_amount_local_micro: amount('total_budget'),
  };
  const metrics = ALL_METRICS.map((metric) => {
    const value = metric === 'billed_charge_local_micro' ? amount(metric) : read(metric, wholeOf);
    return [metric, value] as const;
  });
  const all = [
    named(text, 'FUNDING_INSTRUMENT', 'funding_instrument', ''),
    {
      ...campaign,
      fields: { ...campaign.fields, ...known<string | number>(Object.entries(ofCampaign)) },
    },
    item,
    promotedIn(text, item),
  ];
  const frequency = amount('frequency');
  return {
    entities: all.filter((each) => each !== null),
    time: time('time'),
    metrics: known(metrics),
    reach: read('reach', wholeOf),
    frequency: frequency && frequency / 1_000_000,
    unknownStatus: status === null ? word : null,
  };
}
