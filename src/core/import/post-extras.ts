import type { MutablePost } from '#core/text/post.ts';
import { readCount } from './number.ts';
import { readExportedId } from './post-url.ts';
import type { TablePlan } from './table.ts';
import { repostedName } from './v2.ts';
import type { Field } from './field-names.ts';

/** The ids of the Posts that a row refers to, by kind of reference. */
const REFERENCES = [
  ['repost_of', 'retweeted'],
  ['reply_to', 'replied_to'],
  ['quote_of', 'quoted'],
] as const;

/** The values that a row stores apart from the Post's own fields. */
export interface Rest {
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
export function cellIn({ at }: TablePlan, fields: readonly string[], name: Field): string {
  // A negative index is slow to read.
  return at[name] === -1 ? '' : (fields[at[name]] ?? '');
}

/** Sets the Posts that a row refers to. */
export function setReferences(
  post: MutablePost,
  plan: TablePlan,
  fields: readonly string[],
  rest: Rest,
): void {
  for (const [name, type] of REFERENCES) {
    const text = cellIn(plan, fields, name).trim();
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
export function setUnknownKinds(post: MutablePost, { at }: TablePlan, { unread }: Rest): void {
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
export function setEngagement(
  post: MutablePost,
  plan: TablePlan,
  fields: readonly string[],
  rest: Rest,
): void {
  const word = cellIn(plan, fields, 'engagement_type').trim();
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
  return readCount(cellIn(plan, fields, name).trim());
}

/** Sets the counts of engagement; zero is treated as unknown, as in other files. */
export function setCounts(
  post: MutablePost,
  plan: TablePlan,
  fields: readonly string[],
  rest: Rest,
): void {
  for (const name of ['likes', 'reposts', 'replies'] as const) {
    const text = cellIn(plan, fields, name).trim();
    if (text === '') continue;
    const count = readCount(text);
    if (count === null) rest.unread.push(plan.at[name]);
    else if (count > 0) post[name] = count;
  }
}

/** Reads the followers of the author: zero is a number of followers. */
export function setFollowers(plan: TablePlan, fields: readonly string[], rest: Rest): void {
  const text = cellIn(plan, fields, 'author_followers').trim();
  if (text === '') return;
  rest.followers = readCount(text);
  if (rest.followers === null) rest.unread.push(plan.at.author_followers);
}

/**
 * References, facts of the author, an address, and the columns without a field as `{"columns":{"region":"…"}}`,
 * without empty ones, as JSON.
 */
export function extrasOf(
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
