import { isContentWord, LANGUAGE_PART, languagesWith, spoken } from '#core/text/function-words.ts';
import { fold } from '#core/text/fold.ts';
import { isInflection, hasSign, isSpacelessLetter } from './news-term.ts';
import { areAlike, ownWords, sentencesOf, storyTerms } from './sentence.ts';

/** A Post, as far as a name is made of it. */
export interface NamingPost {
  readonly text: string;
  readonly lang?: string | undefined;
}

/** A part of a sentence, with the words by which it is weighed. */
interface Clause {
  readonly text: string;
  /** Its length, in code points. */
  readonly length: number;
  readonly terms: ReadonlySet<string>;
  readonly weight: number;
  readonly posts: number;
}

/** Characters of a name, at most, where some clause is as short. */
const LENGTH = 110;
/** Length of a Post that an export may have cut off, in UTF-16 units. */
const CUT = 138;
/** Content words of a name, at least; with the words of a hashtag in front of it, one less. */
const WORDS = 3;
/** Part of the Posts that must have each of two words that say what a story is about, and of a story of one term. */
const SHARED = 1 / 3;
const SHARED_ALONE = 3 / 5;
/** Part of the Posts that must have a word besides hashtags, where none of these says what the story is about. */
const SHARED_TAGGED = 1 / 4;

const SIGNED = String.raw`[#@$][\p{L}\p{N}_][\p{L}\p{N}\p{M}_]*`;
/** Hashtags, mentions and marks around a sentence that are no words of it. */
const TRAILING = new RegExp(String.raw`(?:[\s,;:|/•·(–—-]+${SIGNED})+[\s…'’]*$`, 'u');
const FIRST_TAG = new RegExp(String.raw`^\s*${SIGNED}`, 'u');
const LEADING = new RegExp(String.raw`^(?:${SIGNED}\s*[:|–—-]\s*|(?:${SIGNED}\s+)(?=#|@|$))+`, 'u');
/** Words in front of a sentence that only ask for attention. */
const ALERT =
  /^(?:breaking(?: news)?|just in|update|watch|video|photos?|live|news|alert|срочно|молния|видео|фото|новости|eilmeldung|\+\+\+|urgent|vidéo)\s*(?:[:.!|–—-]+|\+\+\+)\s*/iu;
/** The source of a sentence, after it. */
const SOURCE = /\s+(?:©|\||via\s+@?)\s*.*$/iu;
/** The limits of the clauses of a long sentence. */
const PARTS = /\s+[–—-]+\s+|[:;|]\s+|,\s+(?=\p{L})/u;
const BROKEN = /(?:\ufffd|\ufe0f|\u200d|\p{Extended_Pictographic}|\p{Emoji_Modifier})+/gu;
const EDGES = /^[\s'"“”«»„,.:;|•*>)–—-]+(?=[\s'"“«„]*\S)|[\s,:;|•*<(–—-]+$/gu;

/** The beginnings of sentences that need another one to be understood, or that want to be opened. */
const DEPENDENT = new RegExp(
  `^(?:${[
    'what|why|how|who|whose|when|where|which|this|that|these|those|here|there|he|she|his|her|hers|him|they|their|them|it',
    "it's|its|i|i'm|we|my|our|you|your|and|but|so|or|because|also|then|yes|no|if|me|don't|do|does|did|is|are|was|can",
    'wow|omg|lol|look|wait|until|check|see|guess|click|read|follow|watch|listen|meet|try|join|get|top|best|must|thanks|thank|please',
    'что|почему|как|кто|где|когда|это|этот|эта|эти|он|она|они|его|ее|её|их|я|мы|вы|ты|и|а|но|вот|так|если|мой|наш|смотрите',
    'was|warum|wie|wer|wo|wann|das|dies|er|sie|es|ich|wir|und|aber|so|hier|wenn|ihr|sein|mein|unser',
    'que|qui|pourquoi|comment|ce|cette|il|elle|ils|je|nous|vous|et|mais|voici|qué|cómo|esto|esta|él|ella|yo|che|chi|come',
  ].join('|')})(?![\\p{L}\\p{N}])`,
  'iu',
);
const PERSONAL = /(?<![\p{L}\p{N}])(?:i|i'm|my|me|мне|мой|меня|ich|mein|je|mon)(?![\p{L}\p{N}])/iu;
const BAIT =
  /won['’]?t believe|happened next|must[- ]see|check (?:it|this|out)|click here|read more|find out|follow (?:me|us)|retweet|going viral|amp;|will (?:shock|blow)/iu;

/** The sentences of a text and the clauses of the long ones, without marks around them. */
function clausesIn(text: string, label: string): string[] {
  const all = ownWords(text);
  const isCut = text.length >= CUT && !/[.!?…"”»)]$/u.test(all);
  const sentences = sentencesOf(text).map((sentence) => sentence.text);
  return sentences.flatMap((sentence) => {
    const own = label === '' ? sentence : withoutEdgeTag(sentence, label);
    const whole = trimmed(own);
    const parts = Array.from(whole).length > LENGTH ? whole.split(PARTS).map(trimmed) : [];
    const found = [whole, ...parts.filter((part) => part !== whole)];
    // A hashtag in front of a whole sentence is no part of it.
    const untagged = whole.replace(FIRST_TAG, '').trim();
    if (untagged !== whole && /^\p{Lu}/u.test(untagged)) found.push(trimmed(untagged));
    // A Post that was cut off ends within a word.
    return isCut ? found.map((part) => (all.endsWith(part) ? `${part}…` : part)) : found;
  });
}

/** A sentence without a hashtag that it begins or ends with. */
function withoutEdgeTag(sentence: string, tag: string): string {
  const folded = fold(sentence);
  if (folded.startsWith(`${tag} `) || folded.startsWith(`${tag}:`))
    return sentence.slice(tag.length + 1);
  return sentence;
}

/** The hashtags and mentions at the end of a sentence: the first of them if a word such as `in` needs it. */
function tagsAfter(tags: string, at: number, sentence: string): string {
  const last = fold(sentence.slice(0, at)).match(/[\p{L}\p{M}’']+$/u)?.[0] ?? '';
  const isNeeded = last.length < 2 ? last !== '' : languagesWith(last).length > 0;
  return isNeeded ? (tags.match(FIRST_TAG)?.[0] ?? '') : '';
}

function trimmed(sentence: string): string {
  let [text, before] = [sentence.replace(SOURCE, '').replace(BROKEN, ' '), ''];
  while (text !== before) {
    before = text;
    text = text
      .replace(LEADING, '')
      .replace(ALERT, '')
      .replace(SOURCE, '')
      .replace(TRAILING, tagsAfter)
      .replace(EDGES, '')
      .replace(/\s+/gu, ' ');
  }
  if (/^[^‘']*[’']$/u.test(text)) text = text.slice(0, -1).trim();
  const isQuoteOpen = (text.match(/["“”«»„]/gu) ?? []).length % 2 === 1;
  return isQuoteOpen ? text.replace(/["“”«»„]/u, '').trim() : text;
}

/** The clarity of a clause that is read alone, from 0 to 1. */
function clarity(text: string): number {
  let part = 1;
  if (DEPENDENT.test(text)) part *= 0.5;
  if (PERSONAL.test(text)) part *= 0.7;
  if (BAIT.test(text)) part *= 0.4;
  if (text.endsWith('?')) part *= 0.6;
  if (/(?:…|\.\.\.?)$/u.test(text)) part *= 0.5;
  if (!/^[\p{Lu}\p{Lt}\p{Lo}\p{N}#@$"“«„'‘]/u.test(text)) part *= 0.8;
  if (!/\p{Ll}|\p{Lo}/u.test(text)) part *= 0.8;
  const signs = (text.match(/[#@]\p{L}/gu) ?? []).length;
  if (text.startsWith('@')) part *= 0.6;
  if (text.startsWith('#')) part *= 0.9;
  if (signs > 1) part *= 0.75 ** (signs - 1);
  const length = Array.from(text).length;
  return length > LENGTH ? (part * LENGTH) / length / 1.3 : part;
}

/** The words of a hashtag as most Posts write it; the hashtag itself if it does not show where they begin. */
function wordsOfTag(tag: string, posts: readonly NamingPost[]): string {
  const forms = new Map<string, number>();
  for (const { text } of posts) {
    for (const [form] of text.matchAll(/[#$][\p{L}\p{N}_][\p{L}\p{N}\p{M}_]*/gu)) {
      if (fold(form) === tag) forms.set(form, (forms.get(form) ?? 0) + 1);
    }
  }
  const [form = tag] = [...forms]
    .sort(([a, m], [b, n]) => n - m || (a < b ? -1 : 1))
    .map(([each]) => each);
  const words = form
    .slice(1)
    .replace(/_+/gu, ' ')
    .replace(
      /(?<=\p{Ll})(?=\p{Lu})|(?<=\p{L})(?=\p{N})|(?<=\p{N})(?=\p{Lu})|(?<=\p{Lu})(?=\p{Lu}\p{Ll})/gu,
      ' ',
    )
    .trim();
  return words.includes(' ') ? words : form;
}

/** The name of a story, another sentence of it, and the words that many of its Posts have. */
export interface Title {
  readonly name: string;
  readonly summary: string;
  /** The most frequent first. */
  readonly words: readonly string[];
}

/**
 * The clause of Posts that says best what they have in common: with words that many of them have, and by itself. A
 * hashtag that leads their group is put in front of a clause without it, as words.
 *
 * @param lead - The leading term of the group, folded.
 * @param terms - All its terms.
 * @returns null if no clause has enough words that name something, or if the Posts share fewer than two words and no
 *   hashtag.
 */
export function titleOf(
  posts: readonly NamingPost[],
  lead: string,
  terms: readonly string[],
): Title | null {
  const stated = posts.map(({ lang = '' }) => lang.split('-', 1)[0] ?? '');
  const languages = spoken(
    [...new Set(stated)].filter(
      (each) => stated.filter((other) => other === each).length >= LANGUAGE_PART * posts.length,
    ),
    ['en'],
  );
  const isWord = (term: string): boolean =>
    !/^[#@$]/u.test(term) &&
    /\p{L}/u.test(term) &&
    isContentWord(term, languages) &&
    (term.length > 2 || /^[\p{Script=Han}\p{Script=Katakana}\p{Script=Hangul}]{2}$/u.test(term));
  const counts = new Map<string, number>();
  for (const { text } of posts) {
    for (const term of storyTerms(ownWords(text))) {
      if (isWord(term)) counts.set(term, (counts.get(term) ?? 0) + 1);
    }
  }
  const isAlone = terms.every((term) => isInflection(term, lead));
  const letters = terms.every(isSpacelessLetter);
  const least = (isAlone ? SHARED_ALONE : SHARED) * posts.length;
  const words = [...counts]
    .filter(([, n]) => n >= least)
    .sort(([a, m], [b, n]) => n - m || (a < b ? -1 : 1))
    .map(([word]) => word);
  const isTag = hasSign(lead);
  const [first, ...others] = words;
  const sharesWords = first !== undefined && others.some((word) => !isInflection(first, word));
  // Words to an account alone are a conversation.
  if (terms.every((term) => term.startsWith('@'))) return null;
  if (!isTag && (isAlone || letters) && !sharesWords) return null;
  const label = isTag ? wordsOfTag(lead, posts) : '';
  const bare = lead.slice(1);
  // A hashtag that says only who speaks, such as that of a community, has Posts about anything.
  const isShared = ([word, n]: readonly [string, number]): boolean =>
    n >= SHARED_TAGGED * posts.length && !isInflection(word, lead);
  if (terms.every(hasSign) && !label.includes(' ') && ![...counts].some(isShared)) return null;

  const found = new Map<string, Clause>();
  for (const { text } of posts) {
    for (const clause of new Set(clausesIn(text, isTag ? lead : ''))) {
      const known = found.get(clause);
      if (known) {
        found.set(clause, { ...known, posts: known.posts + 1 });
        continue;
      }
      const all = storyTerms(clause);
      const own = [...all].filter((term) => isWord(term) && !(isTag && term === bare));
      if (own.length < WORDS - Number(isTag && !all.has(lead))) continue;
      let weight = 0;
      for (const word of own) {
        const n = counts.get(word) ?? 0;
        if (n > 1) weight += n / posts.length;
      }
      const named = letters ? 2 : terms.filter((term) => all.has(term)).length;
      const about = isTag || named > 1 ? 1 : 0.4;
      found.set(clause, {
        text: clause,
        length: Array.from(clause).length,
        terms: all,
        weight: ((weight + 0.01) / Math.sqrt(own.length + 4)) * clarity(clause) * about,
        posts: 1,
      });
    }
  }
  const ranked = [...found.values()]
    .map((clause) => ({ ...clause, weight: clause.weight * (1 + Math.log(clause.posts) / 4) }))
    .sort(
      (a, b) =>
        b.weight - a.weight ||
        b.posts - a.posts ||
        a.length - b.length ||
        (a.text < b.text ? -1 : 1),
    );
  const [best] = ranked;
  if (!best) return null;
  const other = ranked.find(({ terms: own }) => !areAlike(own, best.terms)) ?? best;
  const isLabelled = isTag && !best.terms.has(lead) && !fold(best.text).includes(fold(label));
  return { name: isLabelled ? `${label}: ${best.text}` : best.text, summary: other.text, words };
}
