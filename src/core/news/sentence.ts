import { addressSpans } from '#core/text/address.ts';
import { fold } from '#core/text/fold.ts';
import { scanText } from '#core/text/tokens.ts';

/** Characters that exports of Posts write as HTML does. */
const ENTITIES: Readonly<Record<string, string>> = {
  '&amp;': '&',
  '&lt;': '<',
  '&gt;': '>',
  '&quot;': '"',
  '&#39;': "'",
};
const ENTITY = /&(?:amp|lt|gt|quot|#39);/gu;
/** The beginning of a repost or a reply. */
const OPENING = /^['"“‘]?(?:RT\s+@?\w{1,15}:\s+|RT\s+@\w{1,15}\s+|\.?@\w{1,15}:?\s+)+/iu;
/** Ends of sentences; a letter or a title with a point ends none. */
const ENDS =
  /(?<=[.!?…]["”’)]?)(?<!(?<!\p{L})(?:\p{L}|U\.S|U\.K|Mr|Mrs|Ms|Dr|St|Va|Gen|Gov|Sen|Rep|vs|No|Jr)\.)\s+|(?<=[。！？])|\n+/u;
const SPACES = /\s+/gu;

/** A sentence of a Post, with the terms in it. */
export interface Sentence {
  readonly text: string;
  /** Its length, in code points. */
  readonly length: number;
  /** Folded words, hashtags, mentions and cashtags. */
  readonly terms: ReadonlySet<string>;
}

/** Scripts whose words are found by a dictionary. */
const WITHOUT_SPACES = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}]/u;
const SEGMENTER = new Intl.Segmenter('ja', { granularity: 'word' });

/** The words, hashtags, mentions and cashtags of a text, folded; those of Japanese and Chinese as a dictionary has them. */
export function storyTerms(text: string): Set<string> {
  const folded = fold(text);
  const { words, hashtags, mentions, cashtags } = scanText(folded);
  const signed = [...hashtags, ...mentions, ...cashtags];
  if (!WITHOUT_SPACES.test(folded)) return new Set([...words, ...signed]);
  const found = [...SEGMENTER.segment(folded)];
  return new Set([
    ...found.filter(({ isWordLike }) => isWordLike).map(({ segment }) => segment),
    ...signed,
  ]);
}

/** A text without its addresses, and without the names that a repost or a reply begins with. */
export function ownWords(text: string): string {
  let out = '';
  let from = 0;
  for (const { start, end } of addressSpans(text)) {
    out += text.slice(from, start);
    from = end;
  }
  return (out + text.slice(from))
    .replace(/https?:\/\/\S*/giu, '')
    .replace(ENTITY, (entity) => ENTITIES[entity] ?? entity)
    .replace(OPENING, '')
    .trim();
}

/** The sentences of a Post's text in order, as they are written. */
export function sentencesOf(text: string): Sentence[] {
  return ownWords(text)
    .split(ENDS)
    .map((part) => part.replace(SPACES, ' ').trim())
    .filter((part) => part !== '')
    .map((part) => ({ text: part, length: Array.from(part).length, terms: storyTerms(part) }));
}

/** Part of the words of two texts that both have, from which on they are near-duplicates. */
const ALIKE = 0.5;

/** True if two texts say nearly the same: half of their different terms are in both. */
export function areAlike(a: ReadonlySet<string>, b: ReadonlySet<string>): boolean {
  let both = 0;
  for (const term of a) if (b.has(term)) both++;
  const all = a.size + b.size - both;
  return all === 0 || both / all >= ALIKE;
}
