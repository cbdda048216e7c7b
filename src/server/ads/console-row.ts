import { formatTime } from '#contract/ads/ad-fields.ts';
import { shown } from '#core/readers/error.ts';
import { DAY_MS } from '#core/time/span.ts';
import { localDayAfter, localInstant, zoneTable, type ZoneTable } from '#core/time/zone.ts';
import {
  type ConsoleTime,
  consoleId,
  consoleName,
  RowFault,
  consoleTime,
  consoleMicros,
  consoleStatus,
  consoleCurrency,
  consoleWhole,
} from './console-values.ts';
import { type ConsoleReading, valueIn, ALL_METRICS } from './console-columns.ts';
import type { Metric } from '#contract/ads/ad-metrics.ts';

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

/** Reads the text of a field of a row, empty if the row has none. */
type TextOf = (field: string) => string;

/** An entity that a row names by id or name; null if it names none. @param within - Key of what it belongs to. */
function named(
  text: TextOf,
  kind: ConsoleEntity['kind'],
  field: string,
  within: string,
): ConsoleEntity | null {
  const id = consoleId(`${field}_id`, text(`${field}_id`));
  const name = consoleName(field, text(field));
  if (id === null && name === '') return null;
  const key = id === null ? `name ${name}${within}` : `id ${id}`;
  const title = kind === 'FUNDING_INSTRUMENT' ? 'description' : 'name';
  return { kind, key, id, fields: name === '' ? {} : { [title]: name } };
}

/** The promoted Post that a row names; null if it names none. */
function promotedIn(text: TextOf, item: ConsoleEntity | null): ConsoleEntity | null {
  const id = consoleId('promoted_tweet_id', text('promoted_tweet_id'));
  const post = text('tweet_id');
  if (id === null && post === '') return null;
  if (post !== '' && !/^[0-9]{1,19}$/.test(post)) {
    throw new RowFault(`expected a decimal id as tweet_id, got "${shown(post)}"`);
  }
  if (!item) throw new RowFault('expected the name or the id of the line item of a promoted Post');
  const key = id === null ? `post ${post} in ${item.key}` : `id ${id}`;
  return { kind: 'PROMOTED_TWEET', key, id, fields: post === '' ? {} : { tweet_id: post } };
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
  const time = (field: string) => read(field, (of, value) => consoleTime(of, value, order));
  const amount = (field: string) => read(field, (of, value) => consoleMicros(of, value, mark));
  const known = <T>(entries: readonly (readonly [string, T | null])[]): Record<string, T> =>
    Object.fromEntries(entries.filter((entry): entry is [string, T] => entry[1] !== null));
  const campaign = named(text, 'CAMPAIGN', 'campaign', '');
  if (!campaign) throw new RowFault('expected the name or the id of a campaign');
  const item = named(text, 'LINE_ITEM', 'line_item', ` in ${campaign.key}`);
  const [start, end] = [time('start_time'), time('end_time')];
  const word = valueIn(fields, columns, 'status');
  const status = word === null ? null : consoleStatus(word, end !== null);
  const ofCampaign = {
    currency: read('currency', consoleCurrency),
    entity_status: status,
    start_time: start && instantOf(start, zone, false),
    end_time: end && instantOf(end, zone, true),
    daily_budget_amount_local_micro: amount('daily_budget'),
    total_budget_amount_local_micro: amount('total_budget'),
  };
  const metrics = ALL_METRICS.map((metric) => {
    const value =
      metric === 'billed_charge_local_micro' ? amount(metric) : read(metric, consoleWhole);
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
    reach: read('reach', consoleWhole),
    frequency: frequency && frequency / 1_000_000,
    unknownStatus: status === null ? word : null,
  };
}
