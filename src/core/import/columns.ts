import { readRequestedNote, type RequestedNote } from '#core/notes/requested.ts';
import { shown } from '#core/readers/error.ts';
import type { MutablePost } from '#core/text/post.ts';
import { webAddress } from '#core/text/web-address.ts';
import { DAY_MS } from '#core/time/span.ts';
import { localInstant } from '#core/time/zone.ts';
import type { Draft } from './draft.ts';
import { FIELD_NAMES } from './fields.ts';
import { instantOf } from './id.ts';
import { readCount } from './number.ts';
import { postUrl, readExportedId, readPostUrl, isUsername, type LinkedPost } from './post-url.ts';
import { readStamp } from './stamp.ts';
import { timeText, type TablePlan } from './table.ts';
import { repostedName } from './v2.ts';
import { readYesNo } from './yes-no.ts';
import { languageCode } from './language-names.ts';
import type { Field } from './field-names.ts';

/** The ids of the Posts that a row refers to, by kind of reference. */
const REFERENCES = [
  ['repost_of', 'retweeted'],
  ['reply_to', 'replied_to'],
  ['quote_of', 'quoted'],
] as const;

/** The values that a row stores apart from the Post's own fields. */
interface Rest {
  /** Followers and name of the author as the row states them; null if it does not. */
  followers: number | null;
  name: string | null;
  /** The address of the Post, if its id and author do not give it; else null. */
  url: string | null;
  readonly references: { readonly type: string; readonly id: string }[];
  /** Columns that are fields, but whose value could not be read as one. */
  readonly unread: number[];
}

/** The text of a field in a row; empty if the table has no column for it. */
function cellOf({ at }: TablePlan, fields: readonly string[], name: Field): string {
  // A negative index is slow to read.
  return at[name] === -1 ? '' : (fields[at[name]] ?? '');
}

function setReferences(
  post: MutablePost,
  plan: TablePlan,
  fields: readonly string[],
  rest: Rest,
): void {
  for (const [name, type] of REFERENCES) {
    const text = cellOf(plan, fields, name).trim();
    if (text === '') continue;
    const read = readExportedId(text);
    if (typeof read === 'string') {
      rest.unread.push(plan.at[name]);
      continue;
    }
    const id = String(read);
    rest.references.push({ type, id });
    if (name === 'repost_of') [post.isRetweet, post.repostOfId] = [true, id];
    else if (name === 'reply_to') [post.isReply, post.replyToId] = [true, id];
    else [post.isQuote, post.quoteOfId] = [true, id];
  }
}

/**
 * Sets what the table leaves open: a text that begins as the platform begins those of reposts is one where no column says
 * so, and of other Posts the kinds without a column, or with a reference that cannot be read, are unknown.
 */
function setUnknownKinds(post: MutablePost, { at }: TablePlan, { unread }: Rest): void {
  const isTyped = at.engagement_type !== -1 && !unread.includes(at.engagement_type);
  const isOpen = (flag: Field, reference: Field): boolean =>
    !isTyped && (at[reference] === -1 ? at[flag] === -1 : unread.includes(at[reference]));
  if (post.isRetweet ? isTyped : isOpen('is_retweet', 'repost_of')) {
    const name = repostedName(post.text);
    if (name !== undefined) [post.isRetweet, post.repostOfUsername] = [true, name];
    else if (!post.isRetweet) post.isRepostUnknown = true;
  }
  // A repost is neither a reply nor a quote itself.
  if (post.isRetweet) return;
  if (!post.isReply && isOpen('is_reply', 'reply_to')) post.isReplyUnknown = true;
  if (!post.isQuote && isOpen('is_quote', 'quote_of')) post.isQuoteUnknown = true;
}

/** The kinds of engagement by the words of exports; an empty cell says that a Post is none of them. */
const ENGAGEMENTS: Readonly<Record<string, 'isRetweet' | 'isReply' | 'isQuote' | null>> = {
  '': null,
  ORIGINAL: null,
  POST: null,
  TWEET: null,
  RETWEET: 'isRetweet',
  REPOST: 'isRetweet',
  REPLY: 'isReply',
  QUOTE: 'isQuote',
  'QUOTE TWEET': 'isQuote',
  'QUOTE POST': 'isQuote',
};

/** Sets the kind that a column of engagements states; a word of another network leaves it open. */
function setEngagement(
  post: MutablePost,
  plan: TablePlan,
  fields: readonly string[],
  rest: Rest,
): void {
  const word = cellOf(plan, fields, 'engagement_type').trim();
  const kind = ENGAGEMENTS[word.toUpperCase().replaceAll('_', ' ')];
  if (kind === undefined) rest.unread.push(plan.at.engagement_type);
  else if (kind !== null) post[kind] = true;
}

/** A count as a row states it, zero included; null if it states none, or one that cannot be read. */
export function statedCount(
  plan: TablePlan,
  fields: readonly string[],
  name: 'likes' | 'reposts' | 'replies',
): number | null {
  return readCount(cellOf(plan, fields, name).trim());
}

/** Sets the counts of engagement; zero is treated as unknown, as in other files. */
function setCounts(
  post: MutablePost,
  plan: TablePlan,
  fields: readonly string[],
  rest: Rest,
): void {
  for (const name of ['likes', 'reposts', 'replies'] as const) {
    const text = cellOf(plan, fields, name).trim();
    if (text === '') continue;
    const count = readCount(text);
    if (count === null) rest.unread.push(plan.at[name]);
    else if (count > 0) post[name] = count;
  }
}

/** Reads the followers of the author: zero is a number of followers. */
function setFollowers(plan: TablePlan, fields: readonly string[], rest: Rest): void {
  const text = cellOf(plan, fields, 'author_followers').trim();
  if (text === '') return;
  rest.followers = readCount(text);
  if (rest.followers === null) rest.unread.push(plan.at.author_followers);
}

/**
 * References, facts of the author, an address, and the columns without a field as `{"columns":{"region":"…"}}`,
 * without empty ones, as JSON.
 */
function restOf(
  { names, others }: TablePlan,
  fields: readonly string[],
  rest: Rest,
): string | null {
  let json = '';
  const add = (name: string, at: number): void => {
    const value = fields[at];
    if (!value) return;
    json += `${json === '' ? '' : ','}${JSON.stringify(name)}:${JSON.stringify(value)}`;
  };
  for (const { name, at } of others) add(name, at);
  for (const at of rest.unread) add(names[at] ?? '', at);
  const { references, followers, name, url } = rest;
  const parts = [
    references.length === 0 ? '' : `"referenced_tweets":${JSON.stringify(references)}`,
    json === '' ? '' : `"columns":{${json}}`,
    followers === null ? '' : `"author_followers":${followers}`,
    name === null ? '' : `"author_name":${JSON.stringify(name)}`,
    url === null ? '' : `"url":${JSON.stringify(url)}`,
  ].filter((part) => part !== '');
  return parts.length === 0 ? null : `{${parts.join(',')}}`;
}

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
  const text = cellOf(plan, fields, 'id');
  if (text === '') return linked?.id ?? null;
  const read = readExportedId(text);
  // The address has the id that a spreadsheet rounded.
  return typeof read === 'string' && linked ? linked.id : read;
}

/** The form that the dates of a column must have, for a message. */
const EXPECTED = {
  DMY: 'DD/MM/YYYY',
  MDY: 'MM/DD/YYYY',
  none: '2017-08-27T04:05:34Z',
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
  const { at, order, zone } = plan;
  const text = timeText(at, fields);
  if (text === '') return null;
  const day = fields[at.created_at] ?? '';
  const read = readStamp(text, order) ?? (text === day ? null : readStamp(day, order));
  if (!read) return `the time "${shown(text)}" is not of the form ${EXPECTED[order ?? 'none']}`;
  if (read.isExact) return read.at;
  const local = localInstant(zone, read.at);
  return read.isDay ? (timeOnDay(id, local) ?? local) : local;
}

/** The time of a row, epoch ms; null if it has none, or none that can be read. */
export function timeOfRow(plan: TablePlan, fields: readonly string[]): number | null {
  const id = idOf(plan, fields, readPostUrl(cellOf(plan, fields, 'url')));
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
  const cell = (name: Field): string => cellOf(plan, fields, name);
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
  const draft = { id, createdAt, post, text: post.text, rest: restOf(plan, fields, rest) };
  return note === null ? draft : { ...draft, note };
}
