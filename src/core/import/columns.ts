import { readRequestedNote, type RequestedNote } from '#core/notes/requested.ts';
import { shown } from '#core/readers/error.ts';
import type { MutablePost } from '#core/text/post.ts';
import { webAddress } from '#core/text/web-address.ts';
import { DAY_MS } from '#core/time/span.ts';
import { localInstant } from '#core/time/zone.ts';
import type { Draft } from './draft.ts';
import { FIELD_NAMES } from './fields.ts';
import { instantOf } from './id.ts';
import { postUrl, readExportedId, readPostUrl, isUsername, type LinkedPost } from './post-url.ts';
import { readStamp, type StampForm } from './stamp.ts';
import { timeText, type TablePlan } from './table.ts';
import { readYesNo } from './yes-no.ts';
import { languageCode } from './language-names.ts';
import type { Field } from './field-names.ts';
import {
  cellIn,
  type Rest,
  setReferences,
  setEngagement,
  setUnknownKinds,
  setCounts,
  setFollowers,
  extrasOf,
} from './post-extras.ts';

/** The requests for a note on its Post that a row states; null if there are none, a text if it cannot be read. */
function noteOf({ at }: TablePlan, fields: readonly string[]): RequestedNote | null | string {
  if (at.notes_requested === -1 && at.note_links === -1) return null;
  return readRequestedNote(fields[at.notes_requested], fields[at.note_links]);
}

/** The id of a row: of its own column, else of its address; null if it has none. */
function idOf(
  plan: TablePlan,
  fields: readonly string[],
  linked: LinkedPost | null,
): bigint | string | null {
  const text = cellIn(plan, fields, 'id');
  if (text === '') return linked?.id ?? null;
  const read = readExportedId(text);
  // The address has the id that a spreadsheet rounded.
  return typeof read === 'string' && linked ? linked.id : read;
}

/** Forms of times, for a message: by the order of dates if one is needed, else by the form of most times of the file. */
const ORDERED = { DMY: 'DD/MM/YYYY', MDY: 'MM/DD/YYYY' };
const EXPECTED: Readonly<Record<StampForm, string>> = {
  iso: '2017-08-27T04:05:34Z',
  epoch: '1503806734',
  platform: 'Sun Aug 27 04:05:34 +0000 2017',
  named: '27 Aug 2017 04:05',
  kanji: '2017年8月27日',
  numeric: 'DD.MM.YYYY',
  cell: '2017-08-27T04:05:34Z',
};

/** The time that an id contains, if it can be of a day: exports show days in a zone that need not be the chosen one. */
function timeOnDay(id: bigint | null, day: number): number | null {
  const at = id === null ? null : instantOf(id);
  return at !== null && at >= day - DAY_MS && at < day + 2 * DAY_MS ? at : null;
}

/**
 * The time of a row, epoch ms; null if it has none. Where the file has only the day and the id contains the time, that of
 * the id.
 */
function timeOf(
  plan: TablePlan,
  fields: readonly string[],
  id: bigint | null,
): number | string | null {
  const { at, order, zone, times } = plan;
  const text = timeText(at, fields);
  if (text === '') return null;
  const day = fields[at.created_at] ?? '';
  const read = readStamp(text, order) ?? (text === day ? null : readStamp(day, order));
  if (!read) {
    const form = order === null ? EXPECTED[times.form ?? 'iso'] : ORDERED[order];
    return `the time "${shown(text)}" is not of the form ${form}`;
  }
  if (read.isExact) return read.at;
  const local = localInstant(zone, read.at);
  return read.isDay ? (timeOnDay(id, local) ?? local) : local;
}

/** The time of a row, epoch ms; null if it has none, or none that can be read. */
export function timeOfRow(plan: TablePlan, fields: readonly string[]): number | null {
  const id = idOf(plan, fields, readPostUrl(cellIn(plan, fields, 'url')));
  if (typeof id === 'string') return null;
  const at = timeOf(plan, fields, id);
  return typeof at === 'string' ? null : (at ?? (id === null ? null : instantOf(id)));
}

/** The reason a row does not fit under a header of a width; null if it does. */
export function widthFault(fields: readonly string[], width: number): string | null {
  if (fields.length < width) return `has ${fields.length} columns, the header ${width}`;
  const isWider = fields.length > width && fields.slice(width).some((field) => field !== '');
  if (!isWider) return null;
  return `has ${fields.length} columns, the header ${width}; text with a comma must be quoted`;
}

/**
 * Reads a row.
 *
 * @returns The draft, or the reason for refusing the row.
 */
export function readColumns(plan: TablePlan, fields: readonly string[]): Draft | string {
  const fault = widthFault(fields, plan.width);
  if (fault !== null) return fault;
  const cell = (name: Field): string => cellIn(plan, fields, name);
  const url = cell('url').trim();
  const linked = readPostUrl(url);
  const id = idOf(plan, fields, linked);
  if (typeof id === 'string') return id;
  const createdAt = timeOf(plan, fields, id);
  if (typeof createdAt === 'string') return createdAt;
  const post: MutablePost = { text: cell('text') };
  const named = cell('author').replace(/^@/, '');
  const author = isUsername(named) ? named : (linked?.username ?? named);
  const authorId = cell('author_id');
  const lang = languageCode(cell('lang'));
  if (author !== '') post.username = author;
  if (authorId !== '') post.authorId = authorId;
  if (lang !== '') post.lang = lang;
  for (const name of ['is_retweet', 'is_quote', 'is_reply'] as const) {
    const text = cell(name);
    const value = readYesNo(text);
    if (value === null) {
      const column = shown(plan.names[plan.at[name]] ?? '');
      return `"${FIELD_NAMES[name]}" (column "${column}") is "${shown(text)}", neither yes nor no`;
    }
    if (!value) continue;
    if (name === 'is_retweet') post.isRetweet = true;
    else if (name === 'is_quote') post.isQuote = true;
    else post.isReply = true;
  }
  const name = cell('author_name').trim() || named;
  const isLinked =
    id !== null && linked?.id === id && (createdAt === null || postUrl(id, createdAt, author));
  const rest: Rest = {
    references: [],
    followers: null,
    name: name === '' || name === author ? null : name,
    url: url !== '' && !isLinked && webAddress(url) !== null ? url : null,
    unread: [],
  };
  setReferences(post, plan, fields, rest);
  setEngagement(post, plan, fields, rest);
  setUnknownKinds(post, plan, rest);
  setCounts(post, plan, fields, rest);
  setFollowers(plan, fields, rest);
  const note = noteOf(plan, fields);
  if (typeof note === 'string') return note;
  const draft = { id, createdAt, post, text: post.text, rest: extrasOf(plan, fields, rest) };
  return note === null ? draft : { ...draft, note };
}
