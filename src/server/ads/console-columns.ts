import { FIRST_YEAR, LAST_YEAR, METRICS, type Metric } from '#contract/ads/ad-statistics.ts';
import { parseInstant } from '#contract/instant.ts';
import { FeedError, shown } from '#core/readers/error.ts';

const ALL_METRICS: readonly Metric[] = Object.values(METRICS).flat();

/** Names of columns of an advertiser console, by field, in lower case; the first is the field's own name. */
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
  status: ['campaign status', 'entity_status'],
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
export type ConsoleColumns = ReadonlyMap<string, number>;

/**
 * Finds the columns of a console's export: by the map, else by name, else by a usual name.
 *
 * @param map - Names of columns by field.
 * @throws {@link FeedError} `columns` if the map names an unknown field or column, or there is neither `campaign_id` nor
 *   `campaign`.
 */
export function consoleColumns(
  file: string,
  header: readonly string[],
  map: Readonly<Record<string, string>>,
): ConsoleColumns {
  const fault = (message: string): FeedError => new FeedError('columns', file, message);
  const names = header.map((name) => name.toLowerCase());
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
        ? [field, ...others]
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
  /** A day or an hour of the account's time zone, or an hour with an offset from UTC. */
  readonly form: 'day' | 'hour' | 'instant';
  /** Epoch ms; of a day or an hour the local time, as if it were UTC. */
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
}

/** The reason a row is not read: one sentence without file and line. */
export class RowFault extends Error {
  override readonly name = 'RowFault';
}

const DAY = /^(\d{4}-\d{2}-\d{2})(?:[T ](\d{2}):00(?::00(?:\.0+)?)?)?$/;

function timeOf(field: string, text: string): ConsoleTime {
  const [, day = '', hour] = DAY.exec(text) ?? [];
  const wall = Date.parse(`${day}T${hour ?? '00'}:00:00Z`);
  const instant = parseInstant(text.replace(' ', 'T'));
  const year = Number(text.slice(0, 4));
  if (year >= FIRST_YEAR && year <= LAST_YEAR) {
    if (instant !== null) return { form: 'instant', at: instant, text };
    if (!Number.isNaN(wall) && new Date(wall).toISOString().startsWith(day)) {
      return { form: hour === undefined ? 'day' : 'hour', at: wall, text };
    }
  }
  const form =
    'a day such as 2026-01-31 or a whole hour such as 2026-01-31 08:00 or 2026-01-31T08:00:00-07:00';
  throw new RowFault(`expected ${form} as ${field}, got "${shown(text)}"`);
}

function currencyOf(field: string, text: string): string {
  const code = text.toUpperCase();
  if (/^[A-Z]{3}$/.test(code)) return code;
  throw new RowFault(`expected a currency such as EUR as ${field}, got "${shown(text)}"`);
}

function wholeOf(field: string, text: string): number {
  if (/^\d{1,15}$/.test(text)) return Number(text);
  throw new RowFault(`expected a whole number as ${field}, got "${shown(text)}"`);
}

/** An amount such as `12.5`, in millionths. */
function microsOf(field: string, text: string): number {
  const [, whole = '', part = ''] = /^(\d{1,9})(?:\.(\d{1,6}))?$/.exec(text) ?? [];
  if (whole !== '') return Number(whole) * 1_000_000 + Number(part.padEnd(6, '0'));
  throw new RowFault(`expected an amount such as 12.50 as ${field}, got "${shown(text)}"`);
}

function numberOf(field: string, text: string): number {
  if (/^\d{1,9}(?:\.\d{1,9})?$/.test(text)) return Number(text);
  throw new RowFault(`expected a number such as 1.5 as ${field}, got "${shown(text)}"`);
}

const STATUSES: Readonly<Record<string, string>> = {
  active: 'ACTIVE',
  running: 'ACTIVE',
  paused: 'PAUSED',
  draft: 'DRAFT',
};

function statusOf(field: string, text: string): string {
  const known = STATUSES[text.toLowerCase()];
  if (known !== undefined) return known;
  const all = Object.keys(STATUSES).join(', ');
  throw new RowFault(`expected one of ${all} as ${field}, got "${shown(text)}"`);
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

/**
 * Reads a row.
 *
 * @throws {@link RowFault} if it names no campaign, or a value has not the form of its field.
 */
export function consoleRow(fields: readonly string[], columns: ConsoleColumns): ConsoleRow {
  const text: TextOf = (field) => (fields[columns.get(field) ?? -1] ?? '').trim();
  const read = <T>(field: string, form: (field: string, text: string) => T): T | null => {
    const value = text(field);
    // Consoles write a dash where a campaign has no value.
    return value === '' || value === '-' || value === '--' ? null : form(field, value);
  };
  const known = <T>(entries: readonly (readonly [string, T | null])[]): Record<string, T> =>
    Object.fromEntries(entries.filter((entry): entry is [string, T] => entry[1] !== null));
  const campaign = named(text, 'CAMPAIGN', 'campaign', '');
  if (!campaign) throw new RowFault('expected the name or the id of a campaign');
  const item = named(text, 'LINE_ITEM', 'line_item', ` in ${campaign.key}`);
  const instant = (field: string): string | null => {
    const time = read(field, timeOf);
    return time && `${new Date(time.at).toISOString().slice(0, 19)}Z`;
  };
  const ofCampaign = {
    currency: read('currency', currencyOf),
    entity_status: read('status', statusOf),
    start_time: instant('start_time'),
    end_time: instant('end_time'),
    daily_budget_amount_local_micro: read('daily_budget', microsOf),
    total_budget_amount_local_micro: read('total_budget', microsOf),
  };
  const metrics = ALL_METRICS.map((metric) => {
    const form = metric === 'billed_charge_local_micro' ? microsOf : wholeOf;
    return [metric, read(metric, form)] as const;
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
  return {
    entities: all.filter((each) => each !== null),
    time: read('time', timeOf),
    metrics: known(metrics),
    reach: read('reach', wholeOf),
    frequency: read('frequency', numberOf),
  };
}
