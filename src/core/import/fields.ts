import { fold } from '#core/text/fold.ts';
import { type Field, FIELDS, NAMES, LOCAL_NAMES } from './field-names.ts';

/** The fields as the sheet of an import and messages name them. */
export const FIELD_NAMES: Readonly<Record<Field, string>> = {
  id: 'Post id',
  url: 'Address of the Post',
  created_at: 'Time',
  time_of_day: 'Time of day',
  author: 'Author',
  author_name: 'Name of the author',
  author_id: 'Author id',
  author_followers: 'Followers of the author',
  text: 'Text',
  lang: 'Language',
  likes: 'Likes',
  reposts: 'Reposts',
  replies: 'Replies',
  repost_of: 'Reposted Post',
  reply_to: 'Replied-to Post',
  quote_of: 'Quoted Post',
  is_retweet: 'Is a repost',
  is_quote: 'Is a quote',
  is_reply: 'Is a reply',
  engagement_type: 'Repost, reply or quote',
  notes_requested: 'Notes requested',
  note_links: 'Links for notes',
};

/** Other names of fields that `--map` accepts. */
const SYNONYMS: Readonly<Record<string, Field>> = {
  time: 'created_at',
  date: 'created_at',
  language: 'lang',
  link: 'url',
};

/** The field of a name in a map; null if there is none. */
export function fieldOf(name: string): Field | null {
  return FIELDS.find((field) => field === name) ?? SYNONYMS[name] ?? null;
}

/**
 * A column's name for comparing: in lower case without accents, with spaces for underscores and hyphens and before the
 * capitals of `likeCount`, without what is in parentheses.
 */
export function plainName(name: string): string {
  return fold(name.replace(/\([^)]*\)\s*$/, '').replaceAll(/([a-z])([A-Z])/g, '$1 $2'))
    .replaceAll(/[\s_-]+/g, ' ')
    .trim();
}

const PLAIN_NAMES: ReadonlyMap<Field, readonly string[]> = new Map(
  FIELDS.map((field) => [
    field,
    [field, ...NAMES[field], ...(LOCAL_NAMES[field] ?? [])].map(plainName),
  ]),
);

/** The names of a field's columns, its own first. */
export function namesOf(field: Field): readonly string[] {
  return PLAIN_NAMES.get(field) ?? [];
}

const KNOWN: ReadonlySet<string> = new Set(FIELDS.flatMap(namesOf));

/** The number of cells of a row that are names of columns that files of Posts have. */
export function knownNames(cells: readonly string[]): number {
  const names = new Set(cells.map(plainName));
  return [...names].filter((name) => KNOWN.has(name)).length;
}
