import type { IndexablePost, PostTerms } from '#core/text/post.ts';
import type { PostRow } from './post-table.ts';

/** What a Post is or has, told by one term and by one bit of `post.flags`. */
const BITS = [
  ['isRetweet', 'is:retweet', 1],
  ['isQuote', 'is:quote', 2],
  ['isReply', 'is:reply', 4],
  ['isVerified', 'is:verified', 8],
  ['isNullcast', 'is:nullcast', 16],
  ['hasImages', 'has:images', 64],
  ['hasVideo', 'has:video_link', 128],
  ['hasGeo', 'has:geo', 256],
] as const satisfies readonly (readonly [keyof IndexablePost, string, number])[];

/** No fact in itself: the term comes from the text where a Post does not say whether it has media. */
export const MEDIA_BIT = 32;

const BIT_OF_TERM: ReadonlyMap<string, number> = new Map([
  ...BITS.map(([, term, bit]) => [term, bit] as const),
  ['has:media', MEDIA_BIT],
]);

const NAMES = ['username', 'authorId', 'lang'] as const;
/** What {@link columnFacts} tells. */
const TOLD: ReadonlySet<string> = new Set(['text', ...NAMES, ...BITS.map(([name]) => name)]);

/** A text column ends at a NUL when it is read, and gives U+FFFD for half a surrogate pair. */
const ALTERED = /[\0\p{Surrogate}]/u;

/** The bits of `post.flags` for the terms of a Post. */
export function flagsOf(terms: PostTerms): number {
  let bits = 0;
  for (const flag of terms.flags) bits |= BIT_OF_TERM.get(flag) ?? 0;
  return bits;
}

/** Whether no field of a Post stands in `rest`: a CSV row leaves further columns there at most. */
export function restIsBare(rest: string | null): boolean {
  return rest === null || rest.startsWith('{"columns":');
}

/**
 * Makes `post.facts`: what queries look at and neither the other columns nor the bits of `post.flags` tell.
 *
 * @param post - what queries look at; its numbers are finite, as the facts are JSON.
 * @param row - what stands in the columns beside.
 * @returns An object in JSON. Null if there is nothing to say and `rest` says nothing either, as of nearly
 *   all CSV rows: null beside a `rest` with fields of a Post means a row of a format without facts.
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
    if (TOLD.has(name)) continue;
    facts[name] = post[name as keyof IndexablePost];
    some = true;
  }
  return some ? JSON.stringify(facts) : null;
}

/** What the columns of a row and the bits of its `flags` tell of a Post. */
export function columnFacts(row: PostRow): IndexablePost {
  const post: Record<string, unknown> = {};
  for (const name of NAMES) if (row[name] !== null) post[name] = row[name];
  for (const [name, , bit] of BITS) post[name] = (row.flags & bit) !== 0;
  return { ...post, text: row.text };
}

/** What the columns of a row, its bits and its facts tell of a Post. */
export function allFacts(row: PostRow): IndexablePost {
  const post = columnFacts(row);
  if (row.facts === null) return post;
  const all = { ...post, ...(JSON.parse(row.facts) as IndexablePost) };
  for (const name of NAMES) if (all[name] === null) delete all[name];
  return all;
}
