import { plainName } from '#core/import/fields.ts';
import { markIn, type DecimalMark } from '#core/import/number.ts';
import { dateSurvey, undecidedDates, type DateOrder } from '#core/import/stamp.ts';
import { FeedError, shown } from '#core/readers/error.ts';
import type { Feed } from '#server/readers/feed.ts';
import { METRICS, type Metric } from '#contract/ads/ad-metrics.ts';

export const ALL_METRICS: readonly Metric[] = Object.values(METRICS).flat();

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

/** Consoles write a dash where a campaign has no value. */
const NOTHING = ['', '-', '--', '—'];

/** The text of a field of a row; null if the row has no value. */
export function valueIn(fields: readonly string[], columns: Columns, field: string): string | null {
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
