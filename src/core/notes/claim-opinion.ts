import { addressSpans } from '#core/text/address.ts';
import { isStopWord } from '#core/query/stop-words.ts';
import { fold } from '#core/text/fold.ts';
import { scanText } from '#core/text/tokens.ts';
import { CONJECTURE, FIRST_PERSON, JUDGEMENT } from './words.ts';

/** The amount that a component adds for each thing that it finds. `docs/notes.md` shows this table. */
export const WEIGHTS = {
  /** Of a note with nothing to check, so that it is below zero. */
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
/** Chinese, Japanese and Korean letters, which may touch the digits and names of a text. */
const CJK = String.raw`\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}`;
/** Not after, and not before, a letter or digit of another script. */
const AFTER = String.raw`(?<!(?![${CJK}])[\p{L}\p{N}])`;
const BEFORE = String.raw`(?!(?![${CJK}])[\p{L}\p{N}])`;
const HAN_DIGITS = '〇零一二三四五六七八九十';
/** A number of a date before its character, such as 3日; not of a duration, such as 3日間. */
const part = (length: number, characters: string): string =>
  String.raw`(?:[\d${HAN_DIGITS}元]{1,${length}}\s?[${characters}](?![間间간]))`;
const [YEARS, MONTHS, DAYS] = [part(4, '年년'), part(3, '月월'), part(3, '日号號일')];
const DATE = new RegExp(
  String.raw`(?:令和|平成|昭和|民國|民国)?${YEARS}(?:\s?${MONTHS}(?:\s?${DAYS})?)?|${MONTHS}\s?${DAYS}` +
    String.raw`|${AFTER}(?:\d{4}-\d{1,2}-\d{1,2}|\d{1,2}[./]\d{1,2}[./]\d{2,4}` +
    String.raw`|(?:${MONTH})\.?\s+\d{1,2}(?:st|nd|rd|th)?(?:,?\s+${YEAR})?` +
    String.raw`|\d{1,2}(?:st|nd|rd|th)?\s+(?:${MONTH})\.?(?:,?\s+${YEAR})?` +
    String.raw`|(?:${MONTH})\.?,?\s+${YEAR}|${YEAR})${BEFORE}`,
  'giu',
);
/** Digits, also with 万 and the like among them; or characters for digits before a word for what is counted. */
const NUMBER = new RegExp(
  String.raw`${AFTER}\p{N}+(?:[.,:]\p{N}+)*(?:[千百万萬億亿兆만억조]\p{Nd}*)*` +
    String.raw`|[${HAN_DIGITS}两百千万萬億亿兆]+(?=[人名個个件台次回歳岁円元割倍分秒米]|[年月日]間|パーセント)`,
  'gu',
);
const QUOTATION =
  /"[^"\n]{2,400}"|\u201c[^\u201d\n]{2,400}\u201d|\u00ab[^\u00bb\n]{2,400}\u00bb|\u201e[^\u201c\u201d\n]{2,400}[\u201c\u201d]|「[^」\n]{2,400}」|『[^』\n]{2,400}』/gu;
/** A place, an institution or a person by the word after the name, and foreign names in Katakana. */
const CJK_NAME = new RegExp(
  String.raw`[\p{Script=Han}\p{Script=Katakana}ー・]{2,}(?:[市省県县州国國都府区區町村局庁廳院党黨社氏]|大学|大學|大統領|总统|總統|首相|主席|大臣|知事|さん|先生)` +
    String.raw`|《[^》\n]{2,60}》|[\p{Script=Katakana}][\p{Script=Katakana}ー・]{3,}` +
    String.raw`|\p{Script=Hangul}{2,}(?:시|도|구|군|대통령|총리|장관|의원|대학교|정부|위원회)(?=[는은이가을를의에도와과]|\P{L}|$)`,
  'gu',
);
const SEGMENTER = new Intl.Segmenter('ja', { granularity: 'word' });
/** Capitalized words in a row, or an account. */
const NAME =
  /@\w{1,15}|(?<![\p{L}\p{N}_])\p{Lu}[\p{L}\p{M}'\u2019-]*(?:\s+\p{Lu}[\p{L}\p{M}'\u2019-]*)*/gu;
const SENTENCE_START = /(?:^|[.!?:;\u2026\n"\u201c\u00ab(])\s*$/u;

/** Shortest word that counts as shared. */
const SHARED_LENGTH = 4;
/** Shortest one in scripts whose words are short: no Hiragana, which inflects. */
const CJK_WORD = /^[\p{Script=Han}\p{Script=Katakana}\p{Script=Hangul}ー]{2,}$/u;
/** Words that a note shares with its Post from which on it says something of what the Post says. */
const SHARED_CLAIM = 2;

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
  return names + countOf(text, CJK_NAME);
}

/** The words of a text; those of Chinese and Japanese as a dictionary has them. */
function wordsOf(text: string): Set<string> {
  const folded = fold(text);
  if (!/[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}]/u.test(folded)) {
    return new Set(scanText(folded).words);
  }
  return new Set([...SEGMENTER.segment(folded)].map(({ segment }) => segment));
}

/** The number of different words that both texts have, without short and very common ones. */
function sharedWords(note: string, post: string): number {
  const words = wordsOf(post);
  const isShared = (word: string): boolean =>
    words.has(word) &&
    (Array.from(word).length >= SHARED_LENGTH || CJK_WORD.test(word)) &&
    !isStopWord(word) &&
    !/^\p{N}+$/u.test(word);
  return [...wordsOf(note)].filter(isShared).length;
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
    base: 0,
    numbers: countOf(undated, NUMBER),
    dates: countOf(text, DATE),
    names: namesIn(undated),
    quotations: countOf(text, QUOTATION),
    shared_words: sharedWords(text, withoutAddresses(post.normalize('NFC'))),
    first_person: countOf(text, FIRST_PERSON),
    judgement: countOf(text, JUDGEMENT),
    conjecture: countOf(text, CONJECTURE),
  };
  const claims = counts.numbers + counts.dates + counts.names + counts.quotations;
  if (claims === 0 && counts.shared_words < SHARED_CLAIM) counts.base = 1;
  const components = (Object.keys(WEIGHTS) as ComponentName[]).map((name) => ({
    name,
    count: counts[name],
    score: counts[name] * WEIGHTS[name],
  }));
  return { score: components.reduce((sum, { score }) => sum + score, 0), components };
}
