import { addressSpans } from '#core/text/address.ts';
import { isStopWord } from '#core/query/stop-words.ts';
import { tokens } from '#core/text/tokens.ts';
import { CONJECTURE, FIRST_PERSON, JUDGEMENT } from './words.ts';

/** The amount that a component adds for each thing that it finds. `docs/notes.md` shows this table. */
export const WEIGHTS = {
  /** Of every note, so that one with nothing to check is below zero. */
  base: -1,
  numbers: 0.5,
  dates: 1,
  names: 0.5,
  quotations: 1,
  shared_words: 0.25,
  first_person: -1.5,
  judgement: -1.5,
  conjecture: -1,
} as const;

export type ComponentName = keyof typeof WEIGHTS;

export interface Component {
  readonly name: ComponentName;
  /** The number of times it was found. */
  readonly count: number;
  /** Count times weight. */
  readonly score: number;
}

export interface ClaimOpinion {
  /** Sum of the components: without bounds, negative for opinion. */
  readonly score: number;
  readonly components: readonly Component[];
}

const MONTH =
  'jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sept?(?:ember)?|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?';
const YEAR = String.raw`(?:1[5-9]|20)\d\d`;
const DATE = new RegExp(
  String.raw`(?<![\p{L}\p{N}])(?:\d{4}-\d{1,2}-\d{1,2}|\d{1,2}[./]\d{1,2}[./]\d{2,4}` +
    String.raw`|(?:${MONTH})\.?\s+\d{1,2}(?:st|nd|rd|th)?(?:,?\s+${YEAR})?` +
    String.raw`|\d{1,2}(?:st|nd|rd|th)?\s+(?:${MONTH})\.?(?:,?\s+${YEAR})?` +
    String.raw`|(?:${MONTH})\.?,?\s+${YEAR}|${YEAR})(?![\p{L}\p{N}])`,
  'giu',
);
const NUMBER = /(?<![\p{L}\p{N}])\p{N}+(?:[.,:]\p{N}+)*/gu;
const QUOTATION =
  /"[^"\n]{2,400}"|\u201c[^\u201d\n]{2,400}\u201d|\u00ab[^\u00bb\n]{2,400}\u00bb|\u201e[^\u201c\u201d\n]{2,400}[\u201c\u201d]/gu;
/** Capitalized words in a row, or an account. */
const NAME =
  /@\w{1,15}|(?<![\p{L}\p{N}_])\p{Lu}[\p{L}\p{M}'\u2019-]*(?:\s+\p{Lu}[\p{L}\p{M}'\u2019-]*)*/gu;
const SENTENCE_START = /(?:^|[.!?:;\u2026\n"\u201c\u00ab(])\s*$/u;

/** Shortest word that counts as shared. */
const SHARED_LENGTH = 4;

/** A text without its addresses. */
function withoutAddresses(text: string): string {
  const parts: string[] = [];
  let from = 0;
  for (const { start, end } of addressSpans(text)) {
    parts.push(text.slice(from, start));
    from = end;
  }
  return [...parts, text.slice(from)].join(' ');
}

function countOf(text: string, form: RegExp): number {
  return Array.from(text.matchAll(form)).length;
}

/** The number of names: the first word of a sentence is capitalized anyway, so that it alone is none. */
function namesIn(text: string): number {
  let names = 0;
  for (const { 0: found, index } of text.matchAll(NAME)) {
    if (/^i(?:['\u2019]\p{L}+)?$/iu.test(found)) continue;
    const begins = SENTENCE_START.test(text.slice(Math.max(0, index - 8), index));
    if (found.startsWith('@') || !begins || /\s/u.test(found)) names++;
  }
  return names;
}

/** The number of different words that both texts have, without short and very common ones. */
function sharedWords(note: string, post: string): number {
  const words = new Set(tokens(post));
  const isShared = (word: string): boolean =>
    words.has(word) &&
    Array.from(word).length >= SHARED_LENGTH &&
    !isStopWord(word) &&
    !/^\p{N}+$/u.test(word);
  return [...new Set(tokens(note))].filter(isShared).length;
}

/**
 * Scores the checkable claims of a note against opinion, by rules alone: no model is used, and nothing is checked to be
 * true. Addresses do not count. The same texts always have the same score.
 *
 * @param note - The text of the note.
 * @param post - The text of the Post that the note is about.
 */
export function claimOpinion(note: string, post: string): ClaimOpinion {
  const text = withoutAddresses(note.normalize('NFC')).replaceAll('\u2019', "'");
  const undated = text.replaceAll(DATE, ' ');
  const counts: Record<ComponentName, number> = {
    base: 1,
    numbers: countOf(undated, NUMBER),
    dates: countOf(text, DATE),
    names: namesIn(undated),
    quotations: countOf(text, QUOTATION),
    shared_words: sharedWords(text, withoutAddresses(post.normalize('NFC'))),
    first_person: countOf(text, FIRST_PERSON),
    judgement: countOf(text, JUDGEMENT),
    conjecture: countOf(text, CONJECTURE),
  };
  const components = (Object.keys(WEIGHTS) as ComponentName[]).map((name) => ({
    name,
    count: counts[name],
    score: counts[name] * WEIGHTS[name],
  }));
  return { score: components.reduce((sum, { score }) => sum + score, 0), components };
}
