import type { IndexablePost, PostTerms } from '#core/text/post.ts';
import { UNKNOWN_KINDS } from '#core/text/terms.ts';
import type { PostRow } from '#server/posts/store/post-table.ts';

/** Properties of a Post with a term and a bit of `post.flags` each. */
const BITS = [
  ['isRetweet', 'is:retweet', 1],
  ['isQuote', 'is:quote', 2],
  ['isReply', 'is:reply', 4],
  ['isVerified', 'is:verified', 8],
  ['isNullcast', 'is:nullcast', 16],
  ['hasImages', 'has:images', 64],
  ['hasVideo', 'has:video_link', 128],
  ['hasGeo', 'has:geo', 256],
  ['isRepostUnknown', UNKNOWN_KINDS.repost, 512],
  ['isReplyUnknown', UNKNOWN_KINDS.reply, 1024],
  ['isQuoteUnknown', UNKNOWN_KINDS.quote, 2048],
] as const satisfies readonly (readonly [keyof IndexablePost, string, number])[];

/** Not a property: if a Post does not say whether it has media, the term comes from the text. */
export const MEDIA_BIT = 32;

const BIT_OF_TERM: ReadonlyMap<string, number> = new Map([
  ...BITS.map(([, term, bit]) => [term, bit] as const),
  ['has:media', MEDIA_BIT],
]);

const NAMES = ['username', 'authorId', 'lang'] as const;
/** The properties that {@link columnFacts} restores. */
const IN_COLUMNS: ReadonlySet<string> = new Set(['text', ...NAMES, ...BITS.map(([name]) => name)]);

/** Reading a text column ends at a NUL, and turns half a surrogate pair into U+FFFD. */
const ALTERED = /[\0\p{Surrogate}]/u;

export function flagsOf(terms: PostTerms): number {
  let bits = 0;
  for (const flag of terms.flags) bits |= BIT_OF_TERM.get(flag) ?? 0;
  return bits;
}

/** True if `rest` has no field that queries match: a row of a table stores further columns and what it says of its author there. */
export function restIsBare(rest: string | null): boolean {
  return rest === null || /^\{"(?:columns|author_followers|author_name|url)":/.test(rest);
}

/**
 * Makes `post.facts`: the properties that queries match but neither the other columns nor the bits of
 * `post.flags` contain.
 *
 * @param post - The properties that queries match; its numbers are finite, as the facts are JSON.
 * @param row - The other columns.
 * @returns An object in JSON. Null if there is nothing to add and `rest` has no field either, as for
 *   nearly all CSV rows; null with a `rest` that has fields means a row of a format without facts.
 */
export function factsOf(
  post: IndexablePost,
  row: Pick<PostRow, 'text' | (typeof NAMES)[number] | 'rest'>,
): string | null {
  const facts: Record<string, unknown> = {};
  let some = !restIsBare(row.rest);
  for (const name of ['text', ...NAMES] as const) {
    const value = post[name] ?? null;
    if (value === row[name] && (value === null || !ALTERED.test(value))) continue;
    facts[name] = value;
    some = true;
  }
  for (const name in post) {
    if (IN_COLUMNS.has(name)) continue;
    facts[name] = post[name as keyof IndexablePost];
    some = true;
  }
  return some ? JSON.stringify(facts) : null;
}

/** The properties of a Post from the columns of its row and the bits of its `flags`. */
export function columnFacts(row: PostRow): IndexablePost {
  const post: Record<string, unknown> = {};
  for (const name of NAMES) if (row[name] !== null) post[name] = row[name];
  for (const [name, , bit] of BITS) post[name] = (row.flags & bit) !== 0;
  return { ...post, text: row.text };
}

/** The properties of a Post from the columns of its row, its bits and its facts. */
export function allFacts(row: PostRow): IndexablePost {
  const post = columnFacts(row);
  if (row.facts === null) return post;
  const all = { ...post, ...(JSON.parse(row.facts) as IndexablePost) };
  for (const name of NAMES) if (all[name] === null) delete all[name];
  return all;
}

/** The whole text of a Post, by which it is found; the column has at most the beginning of a long one. */
export function wholeText(row: PostRow): string {
  return allFacts(row).text;
}
