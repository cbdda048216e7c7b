import type { Formatter } from '#app/format/formatter.ts';
import type { CollectionInfo } from '#contract/posts/collections.ts';
import { plural } from '#core/format/plural.ts';
import type { EventRows } from '#core/import/event-rows.ts';
import type { Preview } from '#core/import/preview.ts';
import { DATE_ORDERS, readStamp, type DateOrder, type StampForm } from '#core/import/stamp.ts';
import type { Missing, TablePlan } from '#core/import/table.ts';
import type { Encoding } from '#core/readers/encoding.ts';
import type { ImportSheet } from './import-sheet.svelte.ts';
import type { TableSample } from './open-file.ts';
import type { Field } from '#core/import/field-names.ts';
import type { EventField } from '#core/import/event-names.ts';
import type { EventPlan } from '#core/import/event-plan.ts';
import type { Delimiter, Quotes } from '#core/readers/csv-reader.ts';

type Say = Pick<Formatter, 'count' | 'counted'>;
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

/** The choices that must be made before the import; empty if there are none. */
export function missingWords(missing: readonly Missing[]): string {
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
    dates: missingWords(['dates']),
  };
  return missing.map((each) => words[each]).join(' ');
}

/** The outcome of the rows: `12 events, 1 row refused. Refused rows are left out.` */
export function eventResultWords({ events, refused }: EventRows, words: Say): string {
  const rows = events.length + refused.length;
  if (rows === 0) return 'The file has no rows with an event.';
  const some = words.counted(events.length, 'event');
  if (refused.length === 0) return `${some}, none refused.`;
  return `${some}. ${words.counted(refused.length, 'row')} refused, which would be left out:`;
}

/** The outcome of the first rows: `First 500 rows: 488 Posts, 12 refused.` */
export function resultWords({ posts, refused }: Preview, words: Say): string {
  const rows = posts.length + refused.length;
  if (rows === 0) return 'The beginning of the file has no complete row.';
  const first = `First ${words.counted(rows, 'row')}`;
  const some = plural(posts.length, 'Post').replace(
    String(posts.length),
    words.count(posts.length),
  );
  return refused.length === 0
    ? `${first}: ${some}, none refused.`
    : `${first}: ${some}, ${words.count(refused.length)} refused.`;
}

/**
 * The reason nothing can be imported although nothing is missing; empty where some Post is read.
 *
 * @param isEmpty - True if the file has a header and no row.
 */
export function noneWords({ posts, refused }: Preview, isEmpty: boolean): string {
  if (isEmpty) return 'The file has a header but no rows, so there is nothing to import.';
  return posts.length === 0 && refused.length > 0 ? 'No row shown here can be imported.' : '';
}

/** The reasons rows are refused: each once, the most frequent first, with the first line that has it. */
export function refusalReasons(
  { refused }: Pick<Preview, 'refused'>,
  words: Say,
): readonly { readonly reason: string; readonly where: string }[] {
  const found = new Map<string, { reason: string; line: number; times: number }>();
  for (const { line, reason } of refused) {
    // Reasons that quote different values are one.
    const key = reason.replaceAll(/"[^"]*"/g, '""');
    const known = found.get(key);
    if (known) known.times += 1;
    else found.set(key, { reason, line, times: 1 });
  }
  return [...found.values()]
    .sort((a, b) => b.times - a.times)
    .map(({ reason, line, times }) => {
      const at = `line ${words.count(line)}`;
      return { reason, where: times === 1 ? at : `${at} and ${words.count(times - 1)} more` };
    });
}

/** The notes for the user on how rows are read. */
export function noteWords(plan: TablePlan | null, { posts }: Preview): string[] {
  const notes: string[] = [];
  if (posts.some(({ id }) => id === null)) {
    notes.push(
      'Rows without an id get one made from their time, author and text, so importing the file again adds nothing twice.',
    );
  }
  if (plan?.times.isDays) {
    notes.push(
      'The file gives days without a time of day. Posts whose id contains a time get that time; the others count at 00:00.',
    );
  }
  if (plan && plan.at.is_retweet === -1 && plan.at.repost_of === -1) {
    notes.push(
      'No column says which Posts are reposts. Those that begin with “RT @name:” count as reposts; for the rest it stays unknown.',
    );
  }
  return notes;
}

/** The time that a file covers: as the user says, else by its Posts; or why it cannot. */
export function coversWords(
  {
    covers,
    coversFault: fault,
    ends,
    zone,
  }: Pick<ImportSheet, 'covers' | 'coversFault' | 'ends' | 'zone'>,
  words: Pick<Formatter, 'date' | 'moment'>,
): string {
  if (fault) return `${words.date(Date.parse(fault.day), 'UTC')}: ${fault.rule}`;
  if (covers) {
    const [from, to] = [covers.start, covers.end - 1].map((at) => words.date(at, zone));
    return `A day without a Post from ${from} to ${to} counts as zero. Outside that, there is no data.`;
  }
  const [first, last] = ends
    ? [ends.first, ends.last].map((at) => `, ${words.moment(at, zone)},`)
    : ['', ''];
  return `From its first Post${first} to its last${last} unless you say otherwise. Outside that, there is no data, never zero.`;
}

/** `Adds to the collection “a.csv”, which has 40 Posts.` */
export function continuedWords({ name, posts }: CollectionInfo, words: Say): string {
  return `Adds to the collection “${name}”, which has ${words.counted(posts, 'Post')}.`;
}
