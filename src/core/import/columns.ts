import { readRequestedNote } from '#core/notes/requested.ts';
import type { RequestedNote } from '#core/notes/requested.ts';
import type { IndexablePost } from '#core/text/post.ts';
import { FeedError, shown } from '#core/readers/error.ts';
import { readId } from './id.ts';
import { readInstant } from './instant.ts';
import type { Draft } from './draft.ts';

/** The fields a column of a CSV file can have, and the other names by which it is recognised. */
const TARGETS = {
  id: ['tweet_id', 'tweetid', 'post_id', 'status_id', 'id_str'],
  created_at: ['publish_date', 'tweet_time', 'timestamp', 'date', 'datetime', 'time'],
  author: ['author.username', 'username', 'screen_name', 'user_screen_name', 'handle', 'user'],
  author_id: ['author.id', 'user_id', 'userid'],
  text: ['full_text', 'tweet_text', 'content', 'tweet'],
  lang: ['tweet_language'],
  is_retweet: [],
  is_quote: [],
  is_reply: [],
  notes_requested: ['note_requested', 'note_requests'],
  note_links: ['suggested_source_links', 'suggested_source_links_with_counts'],
} as const satisfies Record<string, readonly string[]>;

type Target = keyof typeof TARGETS;
const NAMES = Object.keys(TARGETS) as Target[];

/** The column of each target in a row; -1 if the file has none. */
export interface ColumnPlan {
  readonly width: number;
  readonly at: Readonly<Record<Target, number>>;
  /** Columns stored apart from the Post's own fields, as JSON `"name":` and position. */
  readonly others: readonly { readonly name: string; readonly at: number }[];
}

/**
 * Checks the names of a `--map id=tweet_id,text=content`.
 *
 * @returns A sentence for the user that names the wrong one and lists the valid ones, or null.
 */
export function mapFault(map: Readonly<Record<string, string>>): string | null {
  const wrong = Object.keys(map).find((name) => !NAMES.some((known) => known === name));
  if (wrong === undefined) return null;
  return `--map knows no field "${wrong}"; the fields are ${NAMES.join(', ')}.`;
}

/** Maximum number of columns in a message; a table may have thousands. */
const SHOWN_COLUMNS = 30;

/**
 * Finds the columns of a header: by the map, else by name, else by a common name.
 *
 * @throws {@link FeedError} `columns` if a mapped column is absent, or there is no `text`, or neither
 *   `created_at` nor `id`; the message lists the existing columns.
 */
export function planColumns(
  file: string,
  header: readonly string[],
  map: Readonly<Record<string, string>>,
): ColumnPlan {
  const names = header.map((name) => name.toLowerCase());
  const first = header.slice(0, SHOWN_COLUMNS).map((name) => `"${shown(name)}"`);
  const more = header.length - first.length;
  const existing = `it has ${first.join(', ')}${more > 0 ? ` and ${more} more` : ''}`;
  const find = (target: Target): number => {
    const mapped = map[target];
    if (mapped !== undefined) {
      const at = header.indexOf(mapped);
      if (at !== -1) return at;
      throw new FeedError(
        'columns',
        file,
        `has no column "${mapped}" (--map ${target}=${mapped}); ${existing}.`,
      );
    }
    const taken = new Set(Object.values(map));
    for (const name of [target, ...TARGETS[target]]) {
      const at = names.indexOf(name);
      if (at !== -1 && !taken.has(header[at] ?? '')) return at;
    }
    return -1;
  };
  const at = {
    id: find('id'),
    created_at: find('created_at'),
    author: find('author'),
    author_id: find('author_id'),
    text: find('text'),
    lang: find('lang'),
    is_retweet: find('is_retweet'),
    is_quote: find('is_quote'),
    is_reply: find('is_reply'),
    notes_requested: find('notes_requested'),
    note_links: find('note_links'),
  };
  const missing =
    at.text === -1 ? 'text' : at.created_at === -1 && at.id === -1 ? 'created_at' : null;
  if (missing !== null) {
    const way = `if another column holds it: --map ${missing}=COLUMN`;
    throw new FeedError('columns', file, `has no column "${missing}"; ${existing}; ${way}.`);
  }
  const own = new Set(Object.values(at));
  const others = header.flatMap((name, n) => (own.has(n) ? [] : [{ name, at: n }]));
  return { width: header.length, at, others };
}

const TRUE = new Set(['true', '1', 'yes', 't', 'y']);
const FALSE = new Set(['', 'false', '0', 'no', 'f', 'n']);

function flag(value: string): boolean | null {
  if (value === 'false' || value === '') return false;
  if (value === 'true') return true;
  const lower = value.trim().toLowerCase();
  return TRUE.has(lower) ? true : FALSE.has(lower) ? false : null;
}

/** The columns without a field, as `rest`: `{"columns":{"region":"…"}}`, without empty ones. */
function restOf(plan: ColumnPlan, fields: readonly string[]): string | null {
  let json = '';
  for (const { name, at } of plan.others) {
    const value = fields[at];
    if (!value) continue;
    json += `${json === '' ? '' : ','}${JSON.stringify(name)}:${JSON.stringify(value)}`;
  }
  return json === '' ? null : `{"columns":{${json}}}`;
}

/** What a row says of requests for a note on its Post; null if there are none, a text if it cannot be read. */
function noteOf({ at }: ColumnPlan, fields: readonly string[]): RequestedNote | null | string {
  if (at.notes_requested === -1 && at.note_links === -1) return null;
  return readRequestedNote(fields[at.notes_requested], fields[at.note_links]);
}

/**
 * Reads a row.
 *
 * @returns The draft, or the reason for refusing the row.
 */
export function readColumns(plan: ColumnPlan, fields: readonly string[]): Draft | string {
  const { at, width } = plan;
  if (fields.length < width) return `has ${fields.length} columns, the header ${width}`;
  if (fields.length > width && fields.slice(width).some((field) => field !== '')) {
    return `has ${fields.length} columns, the header ${width}; text with a comma must be quoted`;
  }
  const idText = at.id === -1 ? '' : (fields[at.id] ?? '');
  const id = idText === '' ? null : readId(idText);
  if (id === null && idText !== '')
    return `the id "${shown(idText)}" is not a number between 1 and 2^63 − 1`;
  const time = at.created_at === -1 ? '' : (fields[at.created_at] ?? '');
  const createdAt = time === '' ? null : readInstant(time);
  if (createdAt === null && time !== '')
    return `the time "${shown(time)}" is not of the form 2017-08-27T04:05:34Z`;
  const author = at.author === -1 ? '' : (fields[at.author] ?? '').replace(/^@/, '');
  const authorId = at.author_id === -1 ? '' : (fields[at.author_id] ?? '');
  const lang = at.lang === -1 ? '' : (fields[at.lang] ?? '');
  const post: { -readonly [K in keyof IndexablePost]: IndexablePost[K] } = {
    text: fields[at.text] ?? '',
  };
  if (author !== '') post.username = author;
  if (authorId !== '') post.authorId = authorId;
  if (lang !== '') post.lang = lang;
  for (const name of ['is_retweet', 'is_quote', 'is_reply'] as const) {
    if (at[name] === -1) continue;
    const text = fields[at[name]] ?? '';
    const value = flag(text);
    if (value === null) return `${name} is "${shown(text)}", not true or false`;
    if (!value) continue;
    if (name === 'is_retweet') post.isRetweet = true;
    else if (name === 'is_quote') post.isQuote = true;
    else post.isReply = true;
  }
  const note = noteOf(plan, fields);
  if (typeof note === 'string') return note;
  const rest = restOf(plan, fields);
  if (note === null) return { id, createdAt, post, text: post.text, rest };
  return { id, createdAt, post, text: post.text, rest, note };
}
