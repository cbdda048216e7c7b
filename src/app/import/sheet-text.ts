import { plainName } from '#core/import/fields.ts';
import type { Formatter } from '#app/format/formatter.ts';
import { DATE_ORDERS, readStamp, type DateOrder, type StampForm } from '#core/import/stamp.ts';
import type { Missing, TablePlan } from '#core/import/table.ts';
import type { Encoding } from '#core/readers/encoding.ts';
import type { TableSample } from './open-file.ts';
import type { Field } from '#core/import/field-names.ts';
import type { EventField } from '#core/import/event-names.ts';
import type { EventPlan } from '#core/import/event-plan.ts';
import type { Delimiter, Quotes } from '#core/readers/csv-reader.ts';

export type Say = Pick<Formatter, 'count' | 'counted'>;
type Dates = Pick<Formatter, 'date'>;

/** Fields that nearly every table has, in the order of the sheet. */
export const MAIN_FIELDS: readonly Field[] = [
  'created_at',
  'text',
  'author',
  'id',
  'url',
  'lang',
  'likes',
  'reposts',
  'replies',
];

/** Fields that few tables have. */
export const MORE_FIELDS: readonly Field[] = [
  'time_of_day',
  'author_name',
  'author_followers',
  'author_id',
  'repost_of',
  'reply_to',
  'quote_of',
  'is_retweet',
  'is_reply',
  'is_quote',
  'engagement_type',
  'notes_requested',
  'note_links',
];

export const ENCODING_NAMES: Readonly<Record<Encoding, string>> = {
  'utf-8': 'UTF-8',
  'utf-16le': 'UTF-16 (little-endian)',
  'utf-16be': 'UTF-16 (big-endian)',
  'windows-1252': 'Windows-1252 (Western European)',
  shift_jis: 'Shift_JIS (Japanese)',
  gb18030: 'GB 18030 (Chinese)',
  big5: 'Big5 (Traditional Chinese)',
  'euc-kr': 'EUC-KR (Korean)',
  'windows-1250': 'Windows-1250 (Central European)',
  'windows-1251': 'Windows-1251 (Cyrillic)',
  'windows-1254': 'Windows-1254 (Turkish)',
};

export const DELIMITER_NAMES: Readonly<Record<Delimiter, string>> = {
  ',': 'Comma',
  ';': 'Semicolon',
  '\t': 'Tab',
  '|': 'Vertical bar',
};

export const QUOTES_NAMES: Readonly<Record<Quotes, string>> = {
  csv: 'Mark the ends of fields (CSV)',
  none: 'Belong to the texts',
};

const FORM_NAMES: Readonly<Record<StampForm, string>> = {
  iso: 'ISO 8601, such as 2024-12-31 23:59',
  epoch: 'Seconds or milliseconds since 1970',
  platform: 'As the platform writes them',
  named: 'With the name of the month',
  kanji: 'With 年, 月 and 日, such as 2024年12月31日',
  numeric: 'Day and month in numbers, the day first',
  cell: 'Dates of the workbook’s cells',
};

/** The kind of a file: `Brandwatch export · CSV · UTF-8 · header in line 7`. */
export function kindWords(
  what: string,
  plan: TablePlan | null,
  sample: TableSample | null,
): string {
  if (!plan || !sample) return what;
  const isJson = !sample.text && sample.sheet === null;
  const header =
    plan.header === 0 ? 'no header' : `header in ${sample.text ? 'line' : 'row'} ${plan.header}`;
  const parts = [
    plan.product && `${plan.product} export`,
    what,
    sample.text && ENCODING_NAMES[sample.text.encoding],
    !isJson && header,
  ];
  return parts.filter(Boolean).join(' · ');
}

/** The form in which the times of a table are written. */
export function timeWords({ times }: Pick<TablePlan, 'times'>): string {
  return times.form === null ? 'No time can be read' : FORM_NAMES[times.form];
}

const ORDER_NAMES: Readonly<Record<DateOrder, string>> = { DMY: 'Day first', MDY: 'Month first' };

/** An order of dates by one of them: `Day first: 04/03/2024 is 4 Mar 2024`. @param example - Empty if none is known. */
export function exampleWords(order: DateOrder, example: string, words: Dates): string {
  if (example === '') return ORDER_NAMES[order];
  const read = readStamp(example, order);
  const [date = ''] = example.split(/[ ,T]/);
  const means = read ? words.date(read.at, 'UTC') : 'not a date';
  return `${ORDER_NAMES[order]}: ${date} is ${means}`;
}

/** The orders of dates by the first date of a table, as {@link exampleWords}. */
export function orderOptions(
  { times }: Pick<TablePlan, 'times'>,
  words: Dates,
): [DateOrder, string][] {
  const example = times.ambiguous ?? times.numeric ?? '';
  return DATE_ORDERS.map((order) => [order, exampleWords(order, example, words)]);
}

/** The columns of a table to choose from, by their positions; 0 for none. */
export function columnOptions(names: readonly string[]): [number, string][] {
  const columns = names.map((name, i): [number, string] => [i + 1, name || `Column ${i + 1}`]);
  return [[0, 'Not in the file'], ...columns];
}

/** Options that are called as they are. */
export function plainOptions(values: readonly string[]): [string, string][] {
  return values.map((value) => [value, value]);
}

/** True if columns are those of an ads manager's campaigns. */
function areCampaigns(names: readonly string[]): boolean {
  const has = (known: readonly string[]): boolean =>
    names.map(plainName).some((name) => known.includes(name));
  return has(['campaign', 'campaign name']) && has(['spend', 'cost', 'impressions', 'clicks']);
}

/** The choices that must be made before the import; empty if there are none. @param names - Those of the columns. */
export function missingWords(missing: readonly Missing[], names: readonly string[]): string {
  if (missing.includes('text') && areCampaigns(names)) {
    return 'This looks like campaigns of an ads manager: import them in the form of a campaign, with “From an ad account or a file…”. If its rows are Posts, choose the column with the text.';
  }
  const words = {
    text: 'Choose the column with the text.',
    created_at: 'Choose the column with the time, or with the id or address of each Post.',
    dates: 'Choose whether the day or the month comes first: no date here shows it.',
  };
  return missing.map((each) => words[each]).join(' ');
}

/** The fields of an event as its sheet names them. */
export const EVENT_FIELD_NAMES: Readonly<Record<EventField, string>> = {
  start: 'Start',
  start_clock: 'Time of the start',
  end: 'End, if it lasts',
  end_clock: 'Time of the end',
  title: 'Title',
  detail: 'Details',
};

/** The choices that must be made before a calendar can be added; empty if there are none. */
export function eventMissingWords(missing: EventPlan['missing']): string {
  const words = {
    start: 'Choose the column with the start.',
    title: 'Choose the column with the title.',
    dates: missingWords(['dates'], []),
  };
  return missing.map((each) => words[each]).join(' ');
}
