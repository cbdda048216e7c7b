import type { PostTerms } from '#core/text/post.ts';
import { ADDRESS, DOMAIN } from '#core/text/linked.ts';

/** Terms that are bits of `posting.flags`, by bit. Stored: the order never changes. */
const FLAG_TERMS = [
  'is:retweet',
  'is:reply',
  'is:quote',
  'is:verified',
  'is:nullcast',
  'has:hashtags',
  'has:links',
  'has:mentions',
  'has:cashtags',
  'has:media',
  'has:images',
  'has:video_link',
  'has:geo',
];
const BIT = new Map(FLAG_TERMS.map((term, bit) => [term, 1 << bit]));

const LANG = 'lang:';
/** Bytes of a language that fit `posting.lang`. */
const LANG_BYTES = 8;

/** A language as the number that its bytes make; null if there are too many. */
function langNumber(lang: string): bigint | null {
  const bytes = Buffer.alloc(LANG_BYTES);
  if (Buffer.byteLength(lang) > LANG_BYTES) return null;
  bytes.write(lang);
  return bytes.readBigUInt64LE();
}

/** The condition on the columns of a posting that says whether its Post has a term; null if they do not say. */
export function columnCondition(term: string): string | null {
  const bit = BIT.get(term);
  if (bit !== undefined) return `bitAnd(flags, ${bit}) != 0`;
  const lang = term.startsWith(LANG) ? langNumber(term.slice(LANG.length)) : null;
  return lang === null || lang === 0n ? null : `lang = ${lang}`;
}

/** The values in the columns of a Post's postings. */
export function columnsOf({ flags }: PostTerms): { readonly flags: number; readonly lang: bigint } {
  let bits = 0;
  let lang = 0n;
  for (const term of flags) {
    bits |= BIT.get(term) ?? 0;
    if (term.startsWith(LANG)) lang = langNumber(term.slice(LANG.length)) ?? 0n;
  }
  return { flags: bits, lang };
}

/** The term of every Post. */
export const EVERY_POST = '';

/** The term of a Post that was posted here and replies to another one, or quotes it; no query has it. */
export function answerTerm(kind: 'reply' | 'quote', target: bigint, author: string): string {
  return `answer:${kind}:${target}:${author}`;
}

const NO_POSITIONS: readonly number[] = [];

/** Bits of a stored position that are of the next word. */
export const NEXT_BITS = 16;
const NEXT_MASK = (1 << NEXT_BITS) - 1;

/** The number by which a stored position names the next word: few others have it (FNV-1a, folded to 16 bits). */
export function nextNumber(word: string): number {
  let hash = 0x811c9dc5;
  for (let i = 0; i < word.length; i++) {
    hash = Math.imul(hash ^ word.charCodeAt(i), 0x01000193);
  }
  return ((hash >>> NEXT_BITS) ^ hash) & NEXT_MASK;
}

/** A position and what follows it, as `posting.positions` stores them. */
function stored(words: readonly string[], position: number): number {
  return position * (1 << NEXT_BITS) + nextNumber(words[position + 1] ?? '');
}

/**
 * The postings of a Post: each of its terms once, with the positions of a word and what follows it. Terms that no query has, which are for
 * breakdowns, are left out.
 */
export function postingsOf({ words, urlWords, flags }: PostTerms): Map<string, readonly number[]> {
  const postings = new Map<string, readonly number[]>([[EVERY_POST, NO_POSITIONS]]);
  const place = (term: string, position: number): void => {
    const positions = postings.get(term);
    if (positions) (positions as number[]).push(position);
    else postings.set(term, [position]);
  };
  for (let i = 0; i < words.length; i++) place(words[i]!, stored(words, i));
  for (let i = 0; i < urlWords.length; i++) {
    if (urlWords[i] !== '') place(`url:${urlWords[i]}`, stored(urlWords, i));
  }
  for (const flag of flags) {
    if (flag.startsWith(DOMAIN) || flag.startsWith(ADDRESS) || postings.has(flag)) continue;
    postings.set(flag, NO_POSITIONS);
  }
  return postings;
}
